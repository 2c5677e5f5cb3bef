"""The console on real streams: files, pipes and a pseudo-terminal."""

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from prhub_digest.console import Console, visible

TITLES = [
    "[#26209] indexer",
    "[fix][core] x",
    "[i18n] zh",
    "[/] path parsing",
    "smile :smile: kept",
    "a\x1b[2Jb\x9b\r\x07",
]
SHOWN = [*TITLES[:5], "a\\x1b[2Jb\\x9b\\x0d\\x07"]


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def run(code: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", f"from prhub_digest.console import Console\n{code}"],
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
    )


def on_terminal(code: str, **environment: str) -> str:
    """What a person sees: stdout and stderr of the code on a pseudo-terminal of 120 columns."""
    master, slave = pty.openpty()
    environment = {"TERM": "xterm-256color", "COLUMNS": "120", "PYTHONIOENCODING": "utf-8", **environment}
    with subprocess.Popen(
        [sys.executable, "-c", f"from prhub_digest.console import Console\n{code}"],
        stdout=slave,
        stderr=slave,
        stdin=slave,
        env={**os.environ, **environment},
    ) as process:
        os.close(slave)
        seen = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
        assert process.wait() == 0
    os.close(master)
    return seen.decode()


def test_importing_the_console_is_cheap() -> None:
    done = run("import sys\nConsole().product(str('rich' in sys.modules))")
    assert done.stdout == b"False"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8", "cp1252:replace"])
def test_the_product_is_utf_8_whatever_the_environment_says(encoding: str) -> None:
    """H-29."""
    text = "本周合入 3 个 PR ✅\n"
    done = run(f"Console().product({text!r})", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stdout, done.stderr) == (0, text.encode(), b"")


def test_a_message_on_a_poor_stream_degrades_instead_of_raising() -> None:
    """H-29."""
    done = run("Console().warning('本 café')", PYTHONIOENCODING="cp1252")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"warning: \\u672c caf\xe9\n")


def test_foreign_text_is_printed_character_for_character() -> None:
    """H-23, without a terminal."""
    code = f"console = Console()\nfor title in {TITLES!r}:\n  console.message(title)\n  console.error(title)"
    expected = [line for title in SHOWN for line in (title, f"error: {title}")]
    assert run(code).stderr.decode().split("\n")[:-1] == expected
    table = run(f"Console().table('[b]Runs[/b]', ['[i]title', 'n'], [[title, '1'] for title in {TITLES!r}])")
    lines = table.stdout.decode().split("\n")
    assert lines[0] == "[b]Runs[/b]"
    assert [re.split(r" {2,}", line) for line in lines[1:-1]] == [["[i]title", "n"], *([title, "1"] for title in SHOWN)]


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}])
def test_foreign_text_on_a_terminal(environment: dict[str, str]) -> None:
    """H-23 on a terminal: messages, an error, the table, and the progress line's own name."""
    code = f"""
console = Console()
for title in {TITLES!r}:
    console.error(title)
console.table('t', ['title'], [[title] for title in {TITLES!r}])
with console.stage('[i18n] :smile: [/]', 2) as stage:
    stage.advance(tokens=1500)
    console.message('[/] meanwhile')
    stage.advance()
"""
    seen = on_terminal(code, **environment)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    for title in SHOWN:
        assert plain.count(title) == 2
    assert "[i18n] :smile: [/]" in plain
    assert "[/] meanwhile" in plain
    assert "2/2, 1,500 tokens" in plain
    assert "\x9b" not in seen
    assert ("\x1b[1;31m" in seen) == (not environment)


def test_rows_are_never_cut_in_a_pipe() -> None:
    long = "x" * 500
    assert long in run(f"Console().table('t', ['a'], [[{long!r}]])").stdout.decode()


def test_progress_without_a_terminal_is_rare_and_plain() -> None:
    """A line after 5 seconds and a tenth of the work, or 30 seconds; one at the end."""
    clock, stderr = Clock(), io.StringIO()
    with Console(stderr=stderr, clock=clock).stage("summarize", 200) as stage:
        for _ in range(200):
            clock.now += 0.125
            stage.advance(tokens=10)
    assert stderr.getvalue().split("\n") == [
        "summarize: 40/200, 400 tokens, 5 s, about 20 s left",
        "summarize: 80/200, 800 tokens, 10 s, about 15 s left",
        "summarize: 120/200, 1,200 tokens, 15 s, about 10 s left",
        "summarize: 160/200, 1,600 tokens, 20 s, about 5 s left",
        "summarize: 200/200, 2,000 tokens, 25.0 s",
        "",
    ]


def test_a_stage_that_stops_early_says_how_far_it_came() -> None:
    clock, stderr = Clock(), io.StringIO()

    def interrupted() -> None:
        with Console(stderr=stderr, clock=clock).stage("collect", 9) as stage:
            stage.advance(2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert stderr.getvalue() == "collect: 2/9, 0.0 s\n"


@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_reader_that_went_away_is_no_error(tmp_path: Path, stream: str) -> None:
    code = (
        "from prhub_digest.console import Console\nconsole = Console()\n"
        "for _ in range(50):\n  console.product('x' * 100_000 + '\\n')\n  console.message('y' * 100_000)"
    )
    log = tmp_path / "other"
    command = f'"$0" -c "$1" {"2>" if stream == "1" else ">"}"$2"; echo "exit $?" >>"$2"'
    pipe = "| head -c 1" if stream == "1" else "2>&1 >/dev/null | head -c 1"
    script = f"({command}) {pipe}" if stream == "1" else f'("$0" -c "$1"; echo "exit $?" >"$2") {pipe}'
    subprocess.run(["bash", "-c", script, sys.executable, code, str(log)], capture_output=True, check=True)
    said = log.read_text(encoding="utf-8")
    assert said.endswith("exit 0\n")
    assert "Traceback" not in said
    assert "Exception" not in said


def test_what_cannot_be_seen_is_shown() -> None:
    assert visible("a\x00\t\n\x85\u202e\u2028\ufeff\ud800\U000e0041z") == (
        "a\\x00\\x09\n\\x85\\u202e\\u2028\\ufeff\\ud800\\U000e0041z"
    )
    kept = "👩\u200d💻 क\u094d\u200dष ✅ 中文"
    assert visible(kept) == kept
