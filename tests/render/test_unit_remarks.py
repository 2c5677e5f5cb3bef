"""What a page says of units and of threads that are disputed or taken up."""

from dataclasses import replace
from typing import Any

import pytest
from render_week import facts_week, thread, week

from prhub_digest.models.digest import Language
from prhub_digest.models.signals import Unit
from prhub_digest.render.records import RenderInput
from prhub_digest.render.text import render_text
from prhub_digest.render.view import build_view


def with_units(given: RenderInput, *units: Unit, **fields: dict[int, Any]) -> RenderInput:
    """The week with other units, and fields of single pull requests by number."""
    pulls = tuple(
        item.updated(
            **{
                "reverts": None,
                "reverted_by": None,
                "change_type": "fix",
                **{name: values[item.pull] for name, values in fields.items() if item.pull in values},
            }
        )
        for item in given.signals.pulls
    )
    return replace(given, signals=given.signals.updated(units=units, pulls=pulls))


def entry(given: RenderInput, number: int) -> str:
    """The entry of the list of all pull requests, in one line."""
    listed = render_text(build_view(given)).partition("\nAll merged PRs by area")[2]
    return " ".join(listed.partition(f"- #{number} ")[2].partition("\n- ")[0].split())


REMARKS: dict[str, tuple[tuple[Unit, ...], dict[str, dict[int, Any]], int, str]] = {
    "a series": ((Unit(kind="series", pulls=(9, 101), standing=(9, 101)),), {}, 9, "(part of one work, with #101"),
    "a series with its length": (
        (Unit(kind="series", pulls=(9, 101, 102), standing=(9,), announced=5),),
        {},
        101,
        "(series of 5, with #9, #102",
    ),
    "a lone part": ((Unit(kind="series", pulls=(9,), standing=(9,), announced=3),), {}, 9, "(series of 3)"),
    "a port": (
        (Unit(kind="backport", pulls=(9, 101), standing=(9, 101)),),
        {},
        9,
        "(one change with its ports, with #101",
    ),
    "a port of something older": (
        (Unit(kind="backport", pulls=(9,), standing=(9,), before=(5,)),),
        {},
        9,
        "(port of #5",
    ),
    "twins": ((Unit(kind="twin", pulls=(9, 101), standing=(9, 101)),), {}, 9, "(merged into two branches, with #101"),
    "a revert of something older": (
        (Unit(kind="revert", pulls=(9,), standing=(9,), before=(5,)),),
        {"change_type": {9: "revert"}},
        9,
        "(takes back an earlier change: #5",
    ),
    "a reland of something older": (
        (Unit(kind="revert", pulls=(9,), standing=(9,), before=(5,)),),
        {},
        9,
        "(brings back an earlier change: #5",
    ),
    "a revert": (
        (Unit(kind="revert", pulls=(9, 101), standing=()),),
        {"change_type": {101: "revert"}, "reverts": {101: 9}, "reverted_by": {9: 101}},
        101,
        "(reverts #9",
    ),
    "what was reverted": (
        (Unit(kind="revert", pulls=(9, 101), standing=()),),
        {"change_type": {101: "revert"}, "reverts": {101: 9}, "reverted_by": {9: 101}},
        9,
        "(reverted by #101",
    ),
    "a reland": (
        (Unit(kind="revert", pulls=(9, 101), standing=(101,)),),
        {"change_type": {9: "revert"}, "reverts": {101: 9}, "reverted_by": {9: 101}},
        101,
        "(takes back the revert #9",
    ),
    "a revert that was taken back": (
        (Unit(kind="revert", pulls=(9, 101), standing=(101,)),),
        {"change_type": {9: "revert"}, "reverts": {101: 9}, "reverted_by": {9: 101}},
        9,
        "(itself taken back by #101",
    ),
    "taken back in part": (
        (Unit(kind="revert", pulls=(9, 101), standing=(9, 101)),),
        {},
        9,
        "(one change, with #101",
    ),
}


@pytest.mark.parametrize(("units", "fields", "number", "expected"), REMARKS.values(), ids=REMARKS.keys())
def test_an_entry_names_what_it_is_one_change_with(
    units: tuple[Unit, ...], fields: dict[str, dict[int, Any]], number: int, expected: str
) -> None:
    assert expected in entry(with_units(facts_week("en"), *units, **fields), number)


def test_one_that_stands_alone_says_nothing() -> None:
    given = with_units(facts_week("en"), *(Unit(kind="single", pulls=(n,), standing=(n,)) for n in (9, 101, 102, 103)))
    assert not any(word in entry(given, 102) for word in ("with #", "revert", "series", "port of"))


def test_units_are_counted_as_changes() -> None:
    given = with_units(week("en"), Unit(kind="series", pulls=(9, 101, 102), standing=(9, 101, 102)))
    assert "2 of 2 changes" in render_text(build_view(given))


@pytest.mark.parametrize(
    ("language", "disputed", "taken_up"),
    [("en", "medium · disputed · ", "; taken up by #102)"), ("zh", "中 · 有争议 · ", "；后续见 #102）")],
)
def test_disputed_threads_stand_with_the_open_ones_and_follow_ups_are_named(
    language: Language, disputed: str, taken_up: str
) -> None:
    reason = "the author declines, and the reviewer does not agree"
    threads = (
        thread("t8", "disputed", reason, "medium", "src/guard.py", 40),
        thread("t9", "deferred", "the author leaves it for later", "low", "src/guard.py", 2).updated(follow_ups=(102,)),
    )
    page = render_text(build_view(with_units(week(language), threads={9: threads, 101: ()})))
    assert disputed in page
    assert taken_up in " ".join(page.split())
    assert reason not in page or language == "en"
