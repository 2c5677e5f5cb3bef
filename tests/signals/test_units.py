"""Units: every pull request in exactly one, and what stands at the end."""

import random
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signal_builders import MONDAY, REVIEWER, edit, pull

from prhub_digest.models.pull_request import Person, PullRequest
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import Unit
from prhub_digest.signals.units import unit_list

BOT = Person(login="dependabot[bot]", kind="bot")


def units(*pulls: PullRequest) -> tuple[Unit, ...]:
    return unit_list(pulls, SignalSettings())


def brief(*pulls: PullRequest) -> list[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    return [(unit.kind, unit.pulls, unit.standing) for unit in units(*pulls)]


def test_whole_units_of_a_small_week() -> None:
    week = (
        pull(1, title="[KV 1/3] Add table"),
        pull(2, title="[KV 2/3] Use table"),
        pull(3, title="Cache tokens"),
        pull(4, title='Revert "Cache tokens"'),
        pull(5, title="Revert #700"),
        pull(6, title="Backport #600 to 1.2", base_branch="release/1.2"),
        pull(7, title="Bump toolkit from 1.2 to 1.3", author=BOT),
        pull(8, title="Fix a typo"),
        pull(9, title="Fix the lock", base_branch="main", files=(edit("a.py", "+lock()"),)),
        pull(10, title="Fix the lock", base_branch="dev", files=(edit("a.py", "+lock()"),)),
    )
    assert units(*week) == (
        Unit(kind="series", pulls=(1, 2), standing=(1, 2), announced=3, evidence="parts 1 and 2"),
        Unit(kind="revert", pulls=(3, 4), standing=(), evidence="#4 takes back #3: title"),
        Unit(
            kind="revert",
            pulls=(5,),
            standing=(5,),
            before=(700,),
            evidence="title, body or branch says that it takes back an earlier change",
        ),
        Unit(
            kind="backport",
            pulls=(6,),
            standing=(6,),
            before=(600,),
            evidence="title, body or branch says that it ports an earlier change",
        ),
        Unit(kind="bump", pulls=(7,), standing=(7,), evidence="a version bump, or a bot's routine"),
        Unit(kind="single", pulls=(8,), standing=(8,)),
        Unit(kind="twin", pulls=(9, 10), standing=(9, 10), evidence="#9 and #10 have one title and one diff"),
    )


WEEKS: dict[str, tuple[tuple[PullRequest, ...], list[tuple[str, tuple[int, ...], tuple[int, ...]]]]] = {
    "a reland stands for its chain": (
        (pull(1, title="Cache"), pull(2, title='Revert "Cache"'), pull(3, title='Reapply "Cache"')),
        [("revert", (1, 2, 3), (3,))],
    ),
    "a reland of something from before the week": (
        (pull(1, title="Reland #700 with a fix"),),
        [("revert", (1,), (1,))],
    ),
    "a revert of a revert from before the week": (
        (pull(1, title='Revert "Revert "Cache" (#700)"'),),
        [("revert", (1,), (1,))],
    ),
    "a revert of the week and one from before it together": (
        (pull(701, title="Cache"), pull(702, title="Revert the caches", body="Reverts #700 and #701.")),
        [("revert", (701, 702), (702,))],
    ),
    "two are taken back by one": (
        (pull(1, title="Cache"), pull(2, title="Pool"), pull(3, title="Revert both", body="Reverts #1, #2")),
        [("revert", (1, 2, 3), ())],
    ),
    "a part of a series is taken back": (
        (pull(1, title="Table (1/2)"), pull(2, title="Table (2/2)"), pull(3, title='Revert "Table (2/2)"')),
        [("series", (1, 2, 3), (1,))],
    ),
    "a part of a change is taken back": (
        (pull(1, title="Cache"), pull(2, title="Revert the sizes", body="Reverts the sizes of #1.")),
        [("revert", (1, 2), (1, 2))],
    ),
    "a part is taken back, and only the body says so": (
        (pull(1, title="Cache"), pull(2, title="Use the old sizes", body="This partially reverts #1.")),
        [("revert", (1, 2), (1, 2))],
    ),
    "a revert that a revert continues": (
        (
            pull(1, title="Revert the display", body="Reverts #700."),
            pull(2, title="Revert its checks", body="Follow-up to #1."),
        ),
        [("revert", (1, 2), (1, 2))],
    ),
    "a bump is taken back": (
        (pull(1, title="Bump x from 1.2 to 1.3", author=BOT), pull(2, title='Revert "Bump x from 1.2 to 1.3"')),
        [("revert", (1, 2), ())],
    ),
    "two ports of one change from before the week": (
        (
            pull(1, title="Backport #600 to 1.2"),
            pull(2, title="Backport #600 to 1.3"),
            pull(3, title="Backport #601 to 1.3"),
        ),
        [("backport", (1, 2), (1, 2)), ("backport", (3,), (3,))],
    ),
    "a change with its port": (
        (pull(1, title="Fix the lock"), pull(2, title="[Backport 1.2] Fix the lock", base_branch="1.2")),
        [("backport", (1, 2), (1, 2))],
    ),
    "a port by commit": (
        (
            pull(1, title="Fix it", merge_commit="abcdef0123456789"),
            pull(2, title="Same", body="(cherry picked from commit abcdef0123456789)"),
        ),
        [("backport", (1, 2), (1, 2))],
    ),
    "a port's words without a release branch": (
        (pull(1, title="[backport] Let the tool ask", base_branch="main"),),
        [("single", (1,), (1,))],
    ),
    "bumps stay apart": (
        (pull(1, title="Bump x from 1 to 1.3", author=BOT), pull(2, title="Bump y from 1 to 1.3", author=BOT)),
        [("bump", (1,), (1,)), ("bump", (2,), (2,))],
    ),
    "a bump by a person to a whole number": (
        (
            pull(
                1,
                title="Bump toolkit from 1 to 2",
                files=(edit("pyproject.toml", '-dependencies = ["toolkit>=1"]', '+dependencies = ["toolkit>=2"]'),),
            ),
        ),
        [("bump", (1,), (1,))],
    ),
    "nothing": ((), []),
}


@pytest.mark.parametrize(("week", "expected"), WEEKS.values(), ids=WEEKS.keys())
def test_units(week: tuple[PullRequest, ...], expected: list[Any]) -> None:
    assert brief(*week) == expected


TITLES = (
    "Cache tokens",
    'Revert "Cache tokens"',
    'Reapply "Cache tokens"',
    "Table (1/2)",
    "Table (2/2)",
    "Backport #3 to 1.2",
    "Bump x from 1.2 to 1.3",
    "Revert #2",
    "Fix 1/2 of it",
)
BODIES = (None, "Follow-up to #1.", "Depends on #4", "Reverts #5", "This reverts the first part of #3.", "回退 #2")
BRANCHES = (None, "main", "dev", "release/1.2")


@st.composite
def weeks(draw: st.DrawFn) -> tuple[PullRequest, ...]:
    numbers = draw(st.lists(st.integers(1, 9), unique=True, max_size=8))
    return tuple(
        pull(
            number,
            title=draw(st.sampled_from(TITLES)),
            body=draw(st.sampled_from(BODIES)),
            author=draw(st.sampled_from([BOT, REVIEWER])),
            base_branch=draw(st.sampled_from(BRANCHES)),
            head_branch=draw(st.sampled_from(BRANCHES)),
            merged_at=MONDAY + timedelta(minutes=draw(st.integers(0, 3))),
        )
        for number in numbers
    )


@settings(max_examples=60)
@given(weeks(), st.randoms(use_true_random=False))
def test_a_partition_in_any_order(week: tuple[PullRequest, ...], chance: random.Random) -> None:
    found = units(*week)
    assert sorted(number for unit in found for number in unit.pulls) == sorted(pull.number for pull in week)
    assert [unit.pulls[0] for unit in found] == sorted(unit.pulls[0] for unit in found)
    assert all(set(unit.standing) <= set(unit.pulls) for unit in found)
    assert not {number for unit in found for number in unit.before} & {pull.number for pull in week}
    assert all(len(unit.pulls) == 1 for unit in found if unit.kind in {"single", "bump"})
    shuffled = list(week)
    chance.shuffle(shuffled)
    assert units(*shuffled) == found
