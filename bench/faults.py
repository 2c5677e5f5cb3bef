"""Three answers in ten are faulty: 20 runs of a week of 60 pull requests against the fault server, fixed seeds.

Every run is the command in a process of its own; nothing in it is replaced, only the endpoint asks for short waits and
the settings for a short timeout. All kinds of faults come, except those that are meant to end a run (no money).
"""

import json
import re
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import Measure, _week
from bench._week import LANGUAGES, PULLS, word_of

# `_week` has made these importable.
# isort: split
from fault_server import FaultServer, mix
from faults import OUTCOME
from scripted_model import answer, field

SEEDS = range(20)
PROBABILITY = 0.3
AT_ONCE = 3  # they wait most of the time
HUNG = 120.0
# Healthy answers take milliseconds; `STALL` and a byte every `DRIP` seconds are slower than one call may be.
TIMEOUT, STALL, DRIP = 3.0, 7.0, 0.05

_WORD = re.compile("|".join(map(word_of, PULLS)))
_NUMBER_OF = {word_of(number): number for number in PULLS}
_LINK = re.compile(r"\[#(\d+)\]")
_NOT_SUMMARIZED = {"en": "PRs not summarised: ", "zh": "个未生成摘要："}


@dataclass(frozen=True)
class _Outcome:
    """`code` is None for a run that hung. `wrong`: statements that are about another pull request.

    `given_up`: pull requests without a summary although the endpoint refused none of their requests.
    """

    code: int | None
    calls: int
    wrong: int = 0
    honest: bool = False
    given_up: int = 0
    store_differences: int = 0


def measure() -> Iterator[Measure]:
    calm = _run(None)
    if calm.code != 0 or not calm.honest:
        raise RuntimeError(f"the run without faults failed: {calm}")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = list(pool.map(_run, SEEDS))
    over = [run.calls / calm.calls for run in runs]
    yield Measure("faults_runs_ended", sum(run.code in {0, 1} for run in runs), len(SEEDS), at_least=True)
    yield Measure("faults_hangs", sum(run.code is None for run in runs), 0)
    yield Measure("faults_wrong_attributions", sum(run.wrong for run in runs), 0)
    yield Measure("faults_complete_or_honest", sum(run.honest for run in runs), len(SEEDS), at_least=True)
    given_up = sum(run.given_up for run in runs) / (len(PULLS) * len(SEEDS))
    yield Measure("faults_percent_given_up", 100 * given_up, 1)
    yield Measure("faults_calls_over_calm_mean", sum(over) / len(over), 1.6)
    yield Measure("faults_calls_over_calm_worst", max(over), 1.6)
    yield Measure("faults_store_differences", sum(run.store_differences for run in runs), 0)


def _run(seed: int | None) -> _Outcome:
    """One run on an empty store; without a seed every answer is good."""
    plan = mix(PROBABILITY, seed) if seed is not None else None
    with tempfile.TemporaryDirectory() as place, FaultServer(answer, plan, stall=STALL, drip=DRIP) as server:
        folder = Path(place)
        _week.write(folder)
        (folder / "prhub.toml").write_text(f"timeout_seconds = {TIMEOUT}\n", encoding="utf-8")
        code, said = _week.ended(_week.start(folder, server.base_url), HUNG)
        if code not in {0, 1}:
            print(f"seed {seed}: exit {code}: {said[-400:]}")
            return _Outcome(code, len(server.requests))
        return _judged(folder, code, server)


def _judged(folder: Path, code: int | None, server: FaultServer) -> _Outcome:
    run, stored = _week.run_in(folder), _week.entries(folder)
    summaries = {number: _read(run / "summaries" / f"{number}.json") for number in PULLS}
    without = {number for number, summary in summaries.items() if summary["status"] != "summarized"}
    failures = _read(run / "run.json")["failures"]
    told = {int(own["subject"][3:]) for own in failures if own["stage"] == "summarize"}
    pages = {name: (run / f"digest.{name}.md").read_text(encoding="utf-8") for name in LANGUAGES}
    honest = told == without and code == bool(failures)
    honest = honest and all(_named_on(page, name) == without for name, page in pages.items())

    wrong = sum(_foreign_words(summary, number) for number, summary in summaries.items())
    wrong += sum(_misplaced_words(page) for page in pages.values())
    wrong += sum(not _week.is_answer(entry) for entry in stored.values())
    # The last answer decides: a good one before it was spoilt by what another had left in the connection.
    last = dict(zip((request.messages[1]["content"] for request in server.requests), server.served, strict=True))
    usable = {question for question, fault in last.items() if fault is None or OUTCOME[fault] == "good"}
    refused = {field(question, "ref") for question, fault in last.items() if fault and OUTCOME[fault] == "refused"}
    given_up = without - {int(ref.split(".")[0][3:]) for ref in refused if ref.startswith("pr-")}
    return _Outcome(code, len(server.requests), wrong, honest, len(given_up), len(usable ^ stored.keys()))


def _read(path: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(path.read_bytes())
    return values


def _named_on(page: str, language: str) -> set[int]:
    """The pull requests that the closing note says were not summarized."""
    lines = [line for line in page.split("\n") if _NOT_SUMMARIZED[language] in line and line.startswith("- ")]
    return {int(number) for line in lines for number in _LINK.findall(line)}


def _foreign_words(summary: dict[str, Any], number: int) -> int:
    """How often a summary says the word of another pull request."""
    return sum(word != word_of(number) for word in _WORD.findall(json.dumps(summary)))


def _misplaced_words(page: str) -> int:
    """How often a line of the page, which links to pull requests, says the word of one it does not link to."""
    wrong = 0
    for line in page.split("\n"):
        linked = {int(number) for number in _LINK.findall(line)}
        wrong += sum(_NUMBER_OF[word] not in linked for word in _WORD.findall(line) if linked)
    return wrong
