"""Peak memory of a week with 100 MB of diffs, from stored records to chunks, coverage and signals.

The command runs in a process of its own; the figure is the largest part of it that was in memory at once.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench import Measure
from bench._diffs import PULLS, week
from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection

_MB = 1_000_000


def measure() -> Iterator[Measure]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _write(folder / "week", 100 * _MB)
        _, collected = _peak(folder, "collect", "--fixture", "./week/", "--out", "runs")
        (run,) = (folder / "runs").glob("*/*")
        seconds, chunked = _peak(folder, "chunk", str(run))
    print(f"memory: chunk and signals took {seconds:.0f} s", file=sys.stderr)
    yield Measure("memory_collect_mb", collected, 300)
    yield Measure("memory_chunk_mb", chunked, 300)


def _write(folder: Path, total: int) -> None:
    (folder / "pulls").mkdir(parents=True)
    manifest = FixtureManifest(
        name="bench",
        description="synthetic",
        collection=Collection(
            repository="bench/week",
            source="fixture",
            period=Period.from_week("2026-W23"),
            numbers=tuple(range(1, PULLS + 1)),
        ),
        model="bench",
        small_model="bench",
        provider="bench",
        chunk_tokens=6000,
        max_chunks=4,
    )
    (folder / "manifest.json").write_text(manifest.to_json(), encoding="utf-8", newline="")
    for pull in week(total):
        (folder / "pulls" / f"{pull.number}.json").write_text(pull.to_json(), encoding="utf-8", newline="")


def _peak(folder: Path, *command: str) -> tuple[float, float]:
    """Seconds, and the largest resident size in MB."""
    arguments = [sys.executable, "-m", "prhub_digest", *command]
    environment = {"PATH": os.environ["PATH"], "PRHUB_CACHE_DIR": str(folder / "cache")}
    begin = time.perf_counter()
    process = os.fork()
    if process == 0:
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execve(sys.executable, arguments, environment)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} failed")
    return time.perf_counter() - begin, usage.ru_maxrss / 1000
