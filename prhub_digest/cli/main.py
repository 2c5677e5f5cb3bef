"""The command `prhub-digest`: its commands by group, and what each error ends with."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from prhub_digest import __version__
from prhub_digest.cli import areas, batch, cache, chunk, collect, doctor, estimate, record, run, schema, show, stages
from prhub_digest.console import Console
from prhub_digest.errors import PrhubError, UsageError

_INTERRUPTED, _TERMINATED = 130, 143

app = typer.Typer(
    name="prhub-digest",
    help="A weekly digest of a repository's merged pull requests that a reader can trust.",
    epilog="Try it without key or network: prhub-digest run --dry-run",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
run.add(app)
collect.add(app)
chunk.add(app)
stages.add(app)
show.add(app)
schema.add(app)
estimate.add(app)
record.add(app)
doctor.add(app)
app.add_typer(areas.app)
app.add_typer(batch.app)
app.add_typer(cache.app)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"prhub-digest {__version__}")
        raise typer.Exit


@app.callback()
def _global(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    del version


def main() -> None:
    """Run a command; the only place that turns our errors into exit codes."""
    _fill_closed_streams()
    with _terminable() as stopped:
        code = _run(stopped)
        if code is not None:
            _leave(code)


def _run(stopped: list[int]) -> int | None:
    """The exit code of a command that failed or was interrupted; by `stopped`, when that is not empty.

    What the command left open, such as the temporary folder of a source, ends with the error, before this returns.
    """
    try:
        app(standalone_mode=True)
    except PrhubError as error:
        report = Console().error if error.exit_code else Console().message
        report(str(error))
        return error.exit_code
    except OSError as error:
        Console().error(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return UsageError.exit_code
    except KeyboardInterrupt:
        pass
    except SystemExit as left:
        if left.code != _INTERRUPTED:
            raise
        # typer makes this of Ctrl-C in a command, without a word
    Console().message("interrupted; the same command continues where it stopped")
    return stopped[0] if stopped else _INTERRUPTED


@contextmanager
def _terminable() -> Iterator[list[int]]:
    """SIGTERM is Ctrl-C with an exit code of its own, which then stands in the list. A second one changes nothing.

    Who had it ignored from the start, such as by `trap '' TERM` in a shell, has it ignored.
    """
    stopped: list[int] = []

    def stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        stopped.append(_TERMINATED)
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield stopped
        return
    signal.signal(signal.SIGTERM, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _fill_closed_streams() -> None:
    """A stream that was closed (`>&-`) goes nowhere; no file of ours may get its number, and with it its output."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _leave(code: int) -> None:
    """End without waiting for calls in flight: what was answered is stored, each file is whole."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
