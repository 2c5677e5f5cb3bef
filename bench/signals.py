"""All signals and statistics of a week of 320 pull requests: seconds of the processor, not of the wall.

The week is synthetic and always the same: 2,600 files with 170,000 changed lines, 1,700 review threads, titles of all
kinds, one pull request in twelve a part of a series, a revert, a backport or a bump.
"""

import statistics
import time
from collections.abc import Iterator
from datetime import timedelta
from random import Random

from bench import Measure
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import (
    Collection,
    Comment,
    FileChange,
    FollowUp,
    Person,
    PullRequest,
    Review,
    ReviewThread,
)
from prhub_digest.signals import compute_signals, compute_stats

PULLS = 320
RUNS = 5
PERIOD = Period.from_week("2026-W06")
_FOLDERS = ("engine/scheduler", "engine/cache", "engine/models", "csrc/cuda", "csrc/rocm", "server", "tests", "docs")
_WORDS = (
    "batch",
    "block",
    "cache",
    "decode",
    "kernel",
    "layer",
    "page",
    "prefix",
    "queue",
    "router",
    "token",
    "worker",
)
_VERBS = ("Add", "Fix", "Speed up", "Refactor", "Support", "Remove", "Document", "[Core] Tune", "fix(cache):", "perf:")
_SAID = (
    "Can this deadlock when the queue is full?",
    "nit: rename this",
    "Please add a test.\n```suggestion\nqueue.put(page, block=False)\n```",
    "Done in the last commit, thanks!",
    "Will do in a follow-up PR.",
    "I do not agree: the lock is held here.",
)
_LABELS = ("bug", "scheduler", "performance", "ready", "documentation", "rocm")


def measure() -> Iterator[Measure]:
    pulls = week()
    numbers = tuple(pull.number for pull in pulls)
    collection = Collection(repository="bench/week", source="fixture", period=PERIOD, numbers=numbers, direct_commits=9)
    seconds = []
    for _ in range(RUNS):
        begin = time.process_time()
        signals = compute_signals(pulls)
        stats = compute_stats(collection, pulls, signals, ())
        seconds.append(time.process_time() - begin)
        if stats.value("pulls.merged") != PULLS:
            raise RuntimeError("a pull request was not counted")
    yield Measure("signals_seconds", statistics.median(seconds), 1.0)


def week() -> tuple[PullRequest, ...]:
    chosen = Random(6)
    return tuple(_pull(number, chosen) for number in range(1001, 1001 + PULLS))


def _pull(number: int, chosen: Random) -> PullRequest:
    merged_at = PERIOD.since + timedelta(minutes=30 * (number - 1000))
    return PullRequest(
        number=number,
        title=_title(number, chosen),
        body="\n".join(" ".join(chosen.choices(_WORDS, k=12)) for _ in range(20)),
        url=f"https://github.com/bench/week/pull/{number}",
        author=_person(chosen),
        merged_by=_person(chosen),
        created_at=merged_at - timedelta(hours=chosen.randint(2, 300)),
        merged_at=merged_at,
        base_branch="main",
        head_branch=f"branch-{number}",
        labels=tuple(chosen.sample(_LABELS, 2)),
        files=tuple(_file(place, number, chosen) for place in range(chosen.choice((1, 2, 4, 8, 24)))),
        reviews=(Review(author=_person(chosen), state="approved", submitted_at=merged_at - timedelta(hours=1)),),
        threads=tuple(_thread(place, number, chosen) for place in range(chosen.randint(0, 10))),
        comments=(),
        follow_ups=(FollowUp(number=number + 1, title=f"Follow-up to #{number}", merged_at=merged_at),),
    )


def _title(number: int, chosen: Random) -> str:
    words = " ".join(chosen.sample(_WORDS, 3))
    special = (
        f"Rework the {words[:5]} (1/3)",
        f'Revert "Add the {words} (#{number - 3})"',
        "Bump httpx from 0.27 to 0.28",
    )
    backport = f"[release/1] Add the {words} (#{number - 5})"
    return (*special, backport)[number // 12 % 4] if number % 12 == 0 else f"{chosen.choice(_VERBS)} the {words}"


def _person(chosen: Random) -> Person:
    return Person(login=f"author-{chosen.randint(1, 90)}", kind="human")


def _file(place: int, number: int, chosen: Random) -> FileChange:
    lines = chosen.choice((5, 20, 60, 120))
    removed = lines // 4
    rows = [f"-    {chosen.choice(_WORDS)} = old({row})" for row in range(removed)]
    rows += [f"+    {chosen.choice(_WORDS)}_{number} = make({row}, default={number})" for row in range(lines)]
    folder, name = chosen.choice(_FOLDERS), chosen.choice(_WORDS)
    ending = "md" if folder == "docs" else "cu" if folder == "csrc/cuda" else "py"
    patch = f"@@ -{place + 1},{removed + 1} +{place + 1},{lines + 1} @@ def {name}():\n import {name}\n" + "\n".join(
        rows
    )
    return FileChange(
        path=f"{folder}/{name}_{place}.{ending}", status="modified", additions=lines, deletions=removed, patch=patch
    )


def _thread(place: int, number: int, chosen: Random) -> ReviewThread:
    comments = tuple(
        Comment(id=f"c{number}.{place}.{reply}", author=_person(chosen), body=chosen.choice(_SAID))
        for reply in range(chosen.randint(1, 4))
    )
    return ReviewThread(
        id=f"t{number}.{place}",
        path="engine/cache/page_0.py",
        line=place + 1,
        resolved=chosen.choice((True, False, None)),
        outdated=chosen.choice((True, False)),
        lines_changed_later=chosen.choice((True, False, None)),
        comments=comments,
    )
