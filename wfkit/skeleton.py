"""What all filters share on the command line: options, streams, exit codes. A filter adds its options and one function.

`map_filter` and `fold_filter` turn a build function (options in, `Stage` out) into a click command. Everything
heavier than click is imported when a command runs, not when it prints its help.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from wfkit import __version__, exit_codes
from wfkit.errors import UsageProblem, WfkitError

if TYPE_CHECKING:
    from wfkit import engine
    from wfkit.engine import Stage

Build = Callable[..., "Stage"]
MAX_HELP_WIDTH, MIN_HELP_WIDTH = 100, 50
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": MAX_HELP_WIDTH}


class Finished(BaseException):
    """Leaves click with an exit code; not an Exception, so that click's own handling never sees it."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Told(Exception):
    """Raised by a build function that was asked a question: the lines are the whole output."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(lines)
        self.lines = lines


class FilterCommand(click.Command):
    """A command whose help ends with examples and the exit codes, and which never exits 1 by accident."""

    examples = ""
    schema_kind = ""
    build: Build

    def get_help(self, context: click.Context) -> str:
        """Format the help for the width of the terminal; click would import the compression libraries to learn it."""
        context.terminal_width = max(min(terminal_columns(), MAX_HELP_WIDTH) - 2, MIN_HELP_WIDTH)
        return super().get_help(context)

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and the table of exit codes."""
        write_epilog(formatter, self.examples)

    def make_context(self, *args: Any, **keywords: Any) -> click.Context:
        """Parse the command line; what --help and the like print may not be wanted by anyone any more."""
        try:
            return super().make_context(*args, **keywords)
        except OSError as error:  # before click makes it exit code 1
            raise Finished(unwritable(self.name or "wfkit", error)) from None

    def main(self, *args: Any, **keywords: Any) -> Any:
        """Run and exit with the documented code."""
        keywords["standalone_mode"] = False
        leave(exit_code_of(self.name or "wfkit", lambda: super(FilterCommand, self).main(*args, **keywords)))


def terminal_columns() -> int:
    """The width of the terminal, by ``COLUMNS`` or by what standard output is; 80 where neither knows."""
    with contextlib.suppress(OSError, ValueError):
        return int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(1).columns or 80
    return 80


def write_epilog(formatter: click.HelpFormatter, examples: str) -> None:
    """Write the examples, as they stand, and the table of exit codes."""
    if examples:
        with formatter.section("Examples"):
            for line in examples.strip("\n").splitlines():
                formatter.write(f"  {line}".rstrip() + "\n")
    with formatter.section("Exit codes"):
        formatter.write_dl([(str(code), meaning) for code, meaning in exit_codes.MEANINGS.items()])


def unwritable(name: str, error: OSError) -> int:
    """The exit code where standard output takes no more text; tells unless its reader has gone."""
    from wfkit import streams

    with contextlib.suppress(OSError):  # the interpreter flushes it once more when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if isinstance(error, BrokenPipeError):
        return exit_codes.READER_GONE
    streams.tell(f"{name}: cannot write the output: {error.strerror}")
    return exit_codes.UNAVAILABLE


def leave(code: int) -> NoReturn:
    """End the process, at once where a thread is still within a library, which the interpreter must not wait for."""
    ahead = sys.modules.get("wfkit.preparing_ahead")
    if ahead is not None and ahead.at_work():
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def exit_code_of(name: str, run: Callable[[], Any]) -> int:
    """Run a click command and tell its exit code; every way out of a filter passes here."""

    def tell(line: str) -> None:
        from wfkit import streams

        streams.tell(f"{name}: {line}")

    try:
        run()
    except Finished as finished:
        return finished.code
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        with contextlib.suppress(OSError):
            error.show(sys.stderr)
        return exit_codes.USAGE
    except WfkitError as error:
        tell(str(error))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        tell("interrupted")
        return exit_codes.INTERRUPTED
    except BrokenPipeError:
        return exit_codes.READER_GONE
    except BaseException as error:  # SystemExit of a library, and worse
        from wfkit import interrupts

        if interrupts.came():
            tell("interrupted")
            return exit_codes.INTERRUPTED
        if isinstance(error, ModuleNotFoundError) and not (error.name or "wfkit").startswith("wfkit"):
            tell(f"the package {error.name} is not installed: pip install wfkit brings what every filter needs")
            return exit_codes.UNAVAILABLE
        from wfkit.engine import tell_bug

        tell_bug(name, error, debug=bool(os.environ.get("WFKIT_DEBUG")))
        return exit_codes.BUG
    return exit_codes.OK


def common_options(command: click.Command, *, jobs: bool) -> None:
    """Append the options that every filter has."""
    options: list[click.Parameter] = [
        click.Argument(["files"], nargs=-1, metavar="[FILES]..."),
        click.Option(["-o", "--output"], metavar="FILE", help="Write records to FILE, which appears when complete."),
        click.Option(
            ["--on-error"],
            type=click.Choice(["record", "fail"]),
            default="record",
            show_default=True,
            help="What becomes of a bad record: an error record in its place, or stop there.",
        ),
        click.Option(["--check/--no-check"], default=True, show_default=True, help="Check records by their schemas."),
    ]
    if jobs:
        options.append(
            click.Option(
                ["-j", "--jobs"],
                type=click.IntRange(1, 256),
                default=1,
                show_default=True,
                help="Worker processes; the output is the same, in the same order.",
            )
        )
    options += [
        click.Option(["--summary"], metavar="FILE", help="Write one summary record to FILE."),
        click.Option(["--progress/--no-progress"], default=None, help="Show progress on stderr.  [on a terminal]"),
        click.Option(["-q", "--quiet"], is_flag=True, help="No progress and no summary on stderr; errors remain."),
        click.Option(
            ["--schema"], is_flag=True, is_eager=True, expose_value=False, callback=_print_schema,
            help="Print the JSON Schema of the records written, and exit.",
        ),
    ]  # fmt: skip
    files = options.pop(0)
    command.params = [files, *command.params, *options]
    click.version_option(__version__, prog_name=command.name)(command)


def _print_schema(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from wfkit import schema

        kind = context.command.schema_kind if isinstance(context.command, FilterCommand) else ""
        click.echo(schema.whole_text(kind), nl=False)
        context.exit()


def map_filter(
    name: str, *, writes: str, awaits: str, examples: str, jobs: bool = True
) -> Callable[[Build], FilterCommand]:
    """Make a command of a build function whose stage turns each record into others.

    Args:
        writes: the record kind that ``--schema`` prints.
        awaits: what stands on standard input, in words.
        examples: command lines for the help.
        jobs: whether ``--jobs`` is offered (not for filters that must see records in one process).
    """
    return _command(name, writes=writes, awaits=awaits, examples=examples, jobs=jobs)


def fold_filter(name: str, *, writes: str, awaits: str, examples: str) -> Callable[[Build], FilterCommand]:
    """Make a command of a build function whose stage sees the whole stream in one process before it ends.

    An empty input cannot be measured: exit code 4.
    """
    return _command(name, writes=writes, awaits=awaits, examples=examples, jobs=False, empty=exit_codes.UNAVAILABLE)


def _command(
    name: str, *, writes: str, awaits: str, examples: str, jobs: bool, empty: int = exit_codes.OK
) -> Callable[[Build], FilterCommand]:
    def decorate(build: Build) -> FilterCommand:
        parameters = list(reversed(getattr(build, "__click_params__", [])))

        def callback(**options: Any) -> None:
            try:
                code = _run(name, build, options, awaits=awaits, empty=empty)
            except KeyboardInterrupt:  # before click, which would print an empty line
                from wfkit import streams

                streams.tell(f"{name}: interrupted")
                code = exit_codes.INTERRUPTED
            raise Finished(code)

        command = FilterCommand(
            name, callback=callback, params=parameters, help=build.__doc__, context_settings=CONTEXT
        )
        command.examples = examples
        command.build = build
        command.schema_kind = writes
        common_options(command, jobs=jobs)
        return command

    return decorate


def _run(name: str, build: Build, options: dict[str, Any], *, awaits: str, empty: int) -> int:
    import gc
    import time

    from wfkit import delivery, engine, interrupts, jsonl, shared_files, streams

    shared_files.refuse(options)
    # Records are trees that die young: looking for cycles among them costs a third of the time and finds none.
    gc.set_threshold(200_000, 50, 50)
    started = time.monotonic()
    files: tuple[str, ...] = options.pop("files")
    output_name: str | None = options.pop("output")
    on_error: str = options.pop("on_error")
    check: bool = options.pop("check")
    jobs: int = options.pop("jobs", 1)
    summary_name: str | None = options.pop("summary")
    progress_wanted: bool | None = options.pop("progress")
    quiet: bool = options.pop("quiet")

    def say(line: str) -> None:
        streams.tell(f"{name}: {line}")

    closed = streams.occupy_closed_descriptors()
    if output_name is not None and streams.is_standard_output(output_name):
        output_name = None
    if 1 in closed and output_name is None:
        raise UsageProblem("standard output is closed: write to a file with -o FILE")
    interrupts.watch()
    descriptor = streams.guard_standard_output()
    output: streams.OutputFile | None = None
    processed: engine.Processed | None = None
    stage: engine.Stage | None = None
    try:
        stage = build(**options)
        if 0 in closed and (not files or "-" in files):
            raise UsageProblem("standard input is closed: name a FILE or pipe records in")
        inputs = streams.open_inputs(files, name, awaits)
        if output_name is not None:
            with interrupts.held():  # lest it be opened and not known
                output = streams.OutputFile(output_name)
        target = descriptor if output is None else output.descriptor
        admit = engine.admit_into(set())
        batches = (stage.read or streams.read_batches)(inputs, jsonl.MAX_LINE_BYTES)
        if jobs > 1:
            from wfkit import workers

            processed = workers.parallel(
                batches, stage, name, module=build.__module__, options=options, check=check, jobs=jobs
            )
        else:
            here = None if stage.output_ids else admit
            processed = _process_here(batches, stage, engine.processor(stage, name, check=check, admit=here))
        codes, counts, report = delivery.deliver(
            processed,
            stage,
            name,
            write=lambda data: streams.write_all(target, data),
            say=say,
            stop_at_error=on_error == "fail",
            admit=admit if jobs > 1 or stage.output_ids else None,
            progress=_progress(name, progress_wanted and not quiet, started),
        )
        if output is not None:
            output.commit()
    except Told as told:
        streams.write_all(descriptor, "".join(f"{line}\n" for line in told.lines).encode())
        return exit_codes.OK
    except delivery.Stopped:
        return exit_codes.DATA
    finally:
        with interrupts.held():
            if processed is not None:
                processed.close()
            if output is not None:
                output.discard()
            if stage is not None and stage.close is not None:
                stage.close()
    if counts["read"] == 0 and empty and not stage.may_be_empty:
        codes.add(empty)
        say("nothing to measure: the input is empty")
    if not quiet:
        for line in report or [_in_words(counts, time.monotonic() - started)]:
            say(line)
    if summary_name is not None:
        timing = {"seconds": round(time.monotonic() - started, 3)}
        summary = {"kind": "summary", "filter": name, "version": __version__, **counts, "timing": timing}
        os.dup2(descriptor, 1)  # nothing foreign runs any more, and FILE may be /dev/stdout
        try:
            streams.write_file(summary_name, jsonl.dumps(summary) + b"\n")
        except (WfkitError, streams.OutputFailed) as error:
            say(str(error))
            # The answer stands: a report that cannot be written must not turn "no" into something else.
            if exit_codes.NO not in codes:
                codes.add(exit_codes.USAGE)
    return exit_codes.first(codes)


def _process_here(batches: "engine.Batches", stage: "Stage", process: "engine.Process") -> "engine.Processed":
    """Process batches in this process, with what a stage allows to run beside its steps in threads."""
    from wfkit import engine

    if stage.prepare is None:
        return engine.serial(batches, process)
    from wfkit.preparing_ahead import prepare_ahead
    from wfkit.reading_ahead import read_ahead

    return (prepare_ahead if stage.prepares_beside else engine.serial)(read_ahead(batches), process)


def _in_words(counts: Mapping[str, Any], seconds: float) -> str:
    errors = f", {counts['errors']:,} of them error records" if counts["errors"] else ""
    return f"{counts['read']:,} read, {counts['written']:,} written{errors} ({seconds:.1f} s)"


def _progress(name: str, wanted: bool | None, started: float) -> Callable[[int], None]:
    """A function that shows the running count on a terminal, at most five times a second."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return lambda _count: None
    import time

    shown = started

    def show(count: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= 0.2:
            shown = now
            rate = count / (now - started)
            print(f"\r{name}: {count:,} records, {rate:,.0f}/s \x1b[K\r", end="", file=sys.stderr, flush=True)

    return show
