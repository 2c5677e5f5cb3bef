"""`prhub-digest --help` over `python -c "import typer, rich"`: medians of runs that take turns."""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench import Measure

RUNS = 15
HELP = [str(Path(sys.executable).with_name("prhub-digest")), "--help"]
BASE = [sys.executable, "-c", "import typer, rich"]


def measure() -> Iterator[Measure]:
    for command in (HELP, BASE):
        _seconds(command)  # the first one reads from the disk
    pairs = [(_seconds(HELP), _seconds(BASE)) for _ in range(RUNS)]
    ours, base = (statistics.median(times) for times in zip(*pairs, strict=True))
    yield Measure("help_over_imports", ours / base, 2.5)


def _seconds(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin
