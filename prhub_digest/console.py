"""What the program shows: the product on stdout as UTF-8, progress and messages on stderr. Nothing else prints.

Foreign text (titles, logins, error messages) may stand in anything given here: it is never read as markup, and control
characters in it are shown, not sent. Rich is imported only when something is drawn for a person.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# Control characters, bidi controls, invisible format characters, tag characters, lone surrogates. Joiners (U+200C,
# U+200D) stay: scripts and emoji need them.
UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_WITHOUT_LINE = 30.0
_SHARE_BETWEEN_LINES = 0.1
_PIPED_WIDTH = 100_000


def visible(text: str) -> str:
    r"""The text with every control or invisible character written as an escape (`\x1b`, `\u202e`); newlines stay."""
    return UNSEEN.sub(lambda match: _escape(ord(match[0])), text)


def visible_line(text: str) -> str:
    r"""The same for what is one line, such as a path: a newline in it is an escape too."""
    return visible(text).replace("\n", "\\n")


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def counted(number: int, noun: str) -> str:
    """`1 request`, `1,200 requests`: a number with a noun whose plural ends in s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


class Stage:
    """The progress of one stage; `advance` is called as its items are done."""

    def __init__(self, name: str, total: int, show: Callable[["Stage"], None]) -> None:
        self.name = visible(name)
        self.total = total
        self.done = 0
        self.tokens = 0
        self._show = show

    def advance(self, n: int = 1, tokens: int = 0) -> None:
        self.done += n
        self.tokens += tokens
        self._show(self)

    @property
    def figures(self) -> str:
        """Items done, and tokens as far as there are any: `12/16, 3,400 tokens`."""
        tokens = f", {self.tokens:,} tokens" if self.tokens else ""
        return f"{self.done}/{self.total}{tokens}"


class Console:
    """`stdout` and `stderr` default to the process's own at the time of each use; `clock` gives seconds."""

    def __init__(
        self,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self._clock = clock
        self._progress: Progress | None = None

    @property
    def stdout(self) -> TextIO:
        return self._stdout or sys.stdout

    @property
    def stderr(self) -> TextIO:
        return self._stderr or sys.stderr

    def message(self, text: str) -> None:
        """A line for the person who runs the command, on stderr."""
        self._say(text, "")

    def warning(self, text: str) -> None:
        self._say(f"warning: {text}", "yellow")

    def error(self, text: str) -> None:
        self._say(f"error: {text}", "bold red")

    def product(self, text: str) -> None:
        """Write a product to stdout as UTF-8, whatever encoding the environment asks for, and nothing added.

        When the reader went away (`| head`), the rest is dropped without a word.
        """
        stream = self.stdout
        try:
            stream.flush()
            binary = getattr(stream, "buffer", None)
            if binary is None:
                stream.write(text)
                stream.flush()
            else:
                binary.write(text.encode("utf-8", "backslashreplace"))
                binary.flush()
        except BrokenPipeError:
            _drop_output(stream)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table on stdout: drawn to the width of a terminal, else one whole line a row."""
        from io import StringIO  # noqa: PLC0415 - only where a table is drawn

        from rich import box  # noqa: PLC0415 - rich is heavy; see the module's docstring
        from rich.console import Console as RichConsole  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        drawn = _is_terminal(self.stdout)
        table = Table(box=box.SIMPLE_HEAD if drawn else None, pad_edge=False, header_style="")
        for column in columns:
            table.add_column(Text(_one_line(column)), overflow="fold", no_wrap=not drawn)
        for row in rows:
            table.add_row(*(Text(_one_line(cell)) for cell in row))
        width = None if drawn else _PIPED_WIDTH
        canvas = StringIO()
        RichConsole(file=canvas, width=width, no_color=True, emoji=False, markup=False, highlight=False).print(table)
        lines = [line.rstrip() for line in canvas.getvalue().rstrip("\n").split("\n")]
        self.product("\n".join([visible(title), *lines]) + "\n")

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Stage]:
        """Show the progress of a stage of `total` items on stderr while the block runs."""
        if not _is_terminal(self.stderr):
            lines = _PlainLines(self._write_line, self._clock)
            stage = Stage(name, total, lines.show)
            try:
                yield stage
            finally:
                lines.finish(stage)
            return
        with self._bar() as progress:
            task = progress.add_task("", total=total, name=visible(name), figures=f"0/{total}")
            yield Stage(name, total, lambda stage: _move(progress, task, stage))

    @contextmanager
    def _bar(self) -> Iterator["Progress"]:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn  # noqa: PLC0415

        progress = Progress(
            TextColumn("{task.fields[name]}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[figures]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("left", markup=False),
            TimeRemainingColumn(),
            console=self._rich(),
        )
        with progress:
            self._progress = progress
            try:
                yield progress
            finally:
                self._progress = None

    def _rich(self) -> Any:
        from rich.console import Console as RichConsole  # noqa: PLC0415

        return RichConsole(file=self.stderr, emoji=False, markup=False, highlight=False)

    def _say(self, text: str, style: str) -> None:
        if not _is_terminal(self.stderr):
            self._write_line(visible(text))
            return
        from rich.text import Text  # noqa: PLC0415

        shown = Text(_degrade(visible(text), self.stderr), style=style)
        console = self._progress.console if self._progress else self._rich()
        console.print(shown, soft_wrap=True)

    def _write_line(self, line: str) -> None:
        try:
            self.stderr.write(_degrade(line, self.stderr) + "\n")
            self.stderr.flush()
        except BrokenPipeError:
            _drop_output(self.stderr)


class _PlainLines:
    """Progress without a terminal: a line after 5 seconds and a tenth of the work, or 30 seconds; and at the end."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._write = write
        self._clock = clock
        self._start = self._last = clock()
        self._last_done = 0

    def show(self, stage: Stage) -> None:
        now = self._clock()
        waited = now - self._last
        grown = stage.done - self._last_done >= _SHARE_BETWEEN_LINES * stage.total
        early = waited < _SECONDS_BETWEEN_LINES or stage.done >= stage.total
        if early or not (grown or waited >= _SECONDS_WITHOUT_LINE):
            return
        self._last, self._last_done = now, stage.done
        left = (now - self._start) / max(stage.done, 1) * max(stage.total - stage.done, 0)
        self._write(f"{stage.name}: {stage.figures}, {now - self._start:.0f} s, about {left:.0f} s left")

    def finish(self, stage: Stage) -> None:
        self._write(f"{stage.name}: {stage.figures}, {self._clock() - self._start:.1f} s")


def _move(progress: "Progress", task: "TaskID", stage: Stage) -> None:
    progress.update(task, completed=stage.done, figures=stage.figures)


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _one_line(text: str) -> str:
    return visible(text).replace("\n", " ")


def _degrade(text: str, stream: TextIO, errors: Literal["backslashreplace"] = "backslashreplace") -> str:
    """The text as far as the stream's encoding can show it: what it cannot becomes an escape."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, errors).decode(encoding)


def _drop_output(stream: TextIO) -> None:
    """Point the stream at nowhere, so that what is still buffered raises no second error when Python exits."""
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a device
        os.dup2(nowhere.fileno(), stream.fileno())
