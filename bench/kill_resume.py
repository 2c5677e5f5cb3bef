"""SIGKILL at 50 moments of a run of 60 pull requests, then the same command again; and two commands on one store.

The moments are spread over the run, drawn with a fixed seed, and counted from what the run had last done: a machine
that is busier kills at the same places. The endpoint is good and a little slow, and remembers who asked what.
"""

import random
import subprocess
import tempfile
import threading
import time
from bisect import bisect_right
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench import Measure, _week

# `_week` has made these importable.
# isort: split
from model_server import ModelServer, Reply, Request
from scripted_model import answer

KILLS = 50
SEED = 5
PAIRS = 5
AT_ONCE = 2
LATENCY = 0.15
HUNG = 60.0
# When the run was made, how long it took, where it asked; and which process it was.
OWN_FILES = {"run.json", ".lock"}


class _Endpoint(ModelServer):
    """`base_url_of(name)` is its address for one process; what that one asked is found under the name."""

    def __init__(self) -> None:
        super().__init__(self._answered)
        self._arrived = threading.Condition()
        self._asked: dict[str, list[tuple[str, float]]] = {}

    def base_url_of(self, name: str) -> str:
        return self.base_url.replace("/v1", f"/{name}/v1")

    def questions(self, name: str) -> list[str]:
        with self._arrived:
            return [question for question, _ in self._asked.get(name, [])]

    def moments(self, name: str) -> list[float]:
        with self._arrived:
            return [moment for _, moment in self._asked.get(name, [])]

    def wait_for(self, name: str, count: int) -> None:
        """Until so many requests of this process have arrived."""
        with self._arrived:
            self._arrived.wait_for(lambda: len(self._asked.get(name, [])) >= count, HUNG)

    def _answered(self, request: Request) -> Reply:
        name = request.path.split("/")[1]
        with self._arrived:
            self._asked.setdefault(name, []).append((request.messages[1]["content"], time.monotonic()))
            self._arrived.notify_all()
        return replace(answer(request), after=LATENCY)


@dataclass(frozen=True)
class _Whole:
    """The run that nobody disturbs: its files, its questions, and when it did what, from its first file to its end."""

    files: dict[str, bytes]
    questions: set[str]
    moments: tuple[float, ...]

    def moment(self, share: float) -> tuple[int, float]:
        """How many requests had arrived by then, and the seconds since the last of them (or since the first file)."""
        when = self.moments[0] + share * (self.moments[-1] - self.moments[0])
        place = bisect_right(self.moments, when, hi=len(self.moments) - 1)
        return place - 1, when - self.moments[place - 1]


@dataclass(frozen=True)
class _Resumed:
    """`twice`: requests beyond those of a run that nobody disturbs."""

    killed: bool
    code: int | None
    stored_before: int
    asked_again: int
    twice: int
    differences: int
    store_differences: int


def measure() -> Iterator[Measure]:
    with tempfile.TemporaryDirectory() as place, _Endpoint() as endpoint:
        whole = _whole(endpoint, Path(place))
        drawn = random.Random(SEED)
        moments = [whole.moment((number + drawn.random()) / KILLS) for number in range(KILLS)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            work = partial(_resumed, endpoint, whole, Path(place))
            runs = list(pool.map(work, range(KILLS), moments))
        yield Measure("kill_resume_kills", sum(run.killed for run in runs), KILLS - 5, at_least=True)
        yield Measure("kill_resume_kills_amid_calls", sum(_amid(run, whole) for run in runs), KILLS / 3, at_least=True)
        yield Measure("kill_resume_stored_asked_again", sum(run.asked_again for run in runs), 0)
        yield Measure("kill_resume_calls_twice_most", max(run.twice for run in runs), _week.CONCURRENCY)
        yield Measure("kill_resume_digests_that_differ", sum(run.code != 0 or run.differences > 0 for run in runs), 0)
        yield Measure("kill_resume_store_differences", sum(run.store_differences for run in runs), 0)
        yield from _two_at_once(endpoint, whole, Path(place))


def _amid(run: _Resumed, whole: _Whole) -> bool:
    return 0 < run.stored_before < len(whole.questions)


def _whole(endpoint: _Endpoint, place: Path) -> _Whole:
    folder = _folder(place, "whole")
    process = _week.start(folder, endpoint.base_url_of("whole"))
    _wait_for_folder(folder, process)
    began = time.monotonic()
    code, said = _week.ended(process, HUNG)
    ended = time.monotonic()
    questions = endpoint.questions("whole")
    if code != 0 or len(set(questions)) != len(questions):
        raise RuntimeError(f"the undisturbed run ended with {code}: {said[-400:]}")
    return _Whole(_files(_week.run_in(folder)), set(questions), (began, *endpoint.moments("whole"), ended))


def _resumed(endpoint: _Endpoint, whole: _Whole, place: Path, number: int, moment: tuple[int, float]) -> _Resumed:
    """One run, killed when so many requests have arrived and some time has passed, and given again."""
    folder, killed, again = _folder(place, f"kill-{number}"), f"{number}-killed", f"{number}-again"
    requests, seconds = moment
    process = _week.start(folder, endpoint.base_url_of(killed))
    _wait_for_folder(folder, process)
    endpoint.wait_for(killed, requests)
    time.sleep(seconds)
    process.kill()
    process.communicate()
    before = _week.entries(folder)
    code, _ = _week.ended(_week.start(folder, endpoint.base_url_of(again)), HUNG)
    asked = endpoint.questions(again)
    return _Resumed(
        killed=process.returncode < 0,
        code=code,
        stored_before=len(before),
        asked_again=len([question for question in asked if question in before]),
        twice=len(endpoint.questions(killed)) + len(asked) - len(whole.questions),
        differences=_differences(_week.run_in(folder), whole),
        store_differences=_store_differences(folder, whole),
    )


def _two_at_once(endpoint: _Endpoint, whole: _Whole, place: Path) -> Iterator[Measure]:
    digests = store = asked = 0
    for number in range(PAIRS):
        folder = _folder(place, f"pair-{number}")
        names = [f"{number}-one", f"{number}-two"]
        processes = [_week.start(folder, endpoint.base_url_of(name), out=name) for name in names]
        codes = [_week.ended(process, HUNG)[0] for process in processes]
        runs = [_week.run_in(folder, name) for name in names]
        digests += sum(code != 0 or _differences(run, whole) > 0 for code, run in zip(codes, runs, strict=True))
        store += _store_differences(folder, whole)
        asked += sum(len(endpoint.questions(name)) for name in names)
    yield Measure("two_at_once_digests_that_differ", digests, 0)
    yield Measure("two_at_once_store_differences", store, 0)
    yield Measure("two_at_once_calls_over_one_run", asked / PAIRS / len(whole.questions), 2)


def _folder(place: Path, name: str) -> Path:
    folder = place / name
    folder.mkdir()
    _week.write(folder)
    return folder


def _wait_for_folder(folder: Path, process: subprocess.Popen[bytes]) -> None:
    """Until the command has begun its work."""
    patience = time.monotonic() + HUNG
    while not _week.run_in(folder).exists():
        if process.poll() is not None or time.monotonic() > patience:
            code, said = _week.ended(process, 5)
            raise RuntimeError(f"the command does not begin: exit {code}: {said[-400:]}")
        time.sleep(0.002)


def _files(run: Path) -> dict[str, bytes]:
    """The files of a run folder that must not differ; temporary ones that were left there, too."""
    paths = {path.relative_to(run).as_posix(): path for path in run.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in paths.items() if name not in OWN_FILES}


def _differences(run: Path, whole: _Whole) -> int:
    """How many files are not there, too many, or not byte for byte those of the undisturbed run."""
    files = _files(run)
    return sum(files.get(name) != whole.files.get(name) for name in files.keys() | whole.files.keys())


def _store_differences(folder: Path, whole: _Whole) -> int:
    """Entries that are lost, too many or wrong."""
    entries = _week.entries(folder)
    return len(entries.keys() ^ whole.questions) + sum(not _week.is_answer(stored) for stored in entries.values())
