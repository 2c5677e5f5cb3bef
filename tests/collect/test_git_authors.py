"""Who is new, by the history of a clone."""

from pathlib import Path

import pytest
from git_history import AFTER, BEFORE, History

from prhub_digest.collect.git_repo import GitSource
from prhub_digest.models.period import Period

_WEEK = Period.from_week("2026-W06")


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "widgets")
    made.commit("Start", {"a.txt": "0\n"}, when=BEFORE, author="Ada Lin", email="ada@example.invalid")
    made.git("switch", "--quiet", "-c", "old")
    made.commit("Step", {"old.txt": "0\n"}, when=BEFORE, author="Bo Wu", email="bo@example.invalid")
    made.git("switch", "--quiet", "main")
    made.merge("old", "Merge pull request #1 from octo/old\n\nOld", when=BEFORE)
    return made


def first(folder: Path, cache: Path) -> dict[int, bool | None]:
    source = GitSource(str(folder), cache)
    pulls = source.pull_requests(source.collection(_WEEK), frozenset())
    return {pull.number: pull.first_contribution for pull in pulls}


def land(history: History, number: int, author: str, email: str) -> None:
    history.commit(f"Change (#{number})", {"a.txt": f"{number}\n"}, author=author, email=email)


def test_new_by_name_and_by_address(history: History, tmp_path: Path) -> None:
    people = [
        ("Ada Lin", "other@example.invalid"),  # a known name
        ("ada", "ADA@example.invalid"),  # a known address
        ("bo wu", "new@example.invalid"),  # known from a merged branch alone
        ("Cy Roe", "cy@example.invalid"),
        ("Cy Roe", "cy@example.invalid"),  # still new in the same week
        ("Di Fu", "noreply@github.com"),
        ("dependabot[bot]", "support@example.invalid"),
    ]
    for number, (author, email) in enumerate(people, 10):
        land(history, number, author, email)
    history.commit("Direct", {"a.txt": "d\n"}, when=AFTER, author="Di Fu", email="di@example.invalid")
    assert first(history.folder, tmp_path) == {10: False, 11: False, 12: False, 13: True, 14: True, 15: True, 16: None}


def test_a_commit_written_before_the_period_and_merged_in_it_is_no_earlier_one(
    history: History, tmp_path: Path
) -> None:
    history.git("switch", "--quiet", "-c", "feature")
    history.commit("Step", {"f.txt": "0\n"}, when=BEFORE, author="Cy Roe", email="cy@example.invalid")
    history.git("switch", "--quiet", "main")
    history.merge("feature", "Merge pull request #20 from octo/feature\n\nFeature")
    assert first(history.folder, tmp_path) == {20: True}


def test_everybody_is_new_when_the_history_begins_in_the_period(tmp_path: Path) -> None:
    begun = History(tmp_path / "begun")
    begun.commit("Start (#1)", {"a.txt": "0\n"})
    assert first(begun.folder, tmp_path) == {1: True}


def test_a_shallow_clone_knows_who_is_not_new(history: History, tmp_path: Path) -> None:
    land(history, 2, "Ada Lin", "ada@example.invalid")
    land(history, 3, "Cy Roe", "cy@example.invalid")
    land(history, 4, "Bo Wu", "bo@example.invalid")
    shallow = tmp_path / "shallow"
    history.commit("Bo's own", {"b.txt": "1\n"}, when=BEFORE, author="Ada Lin")
    for number, (author, email) in {5: ("Ada Lin", "x@x"), 6: ("Cy Roe", "cy@example.invalid")}.items():
        land(history, number, author, email)
    history.git("clone", "--quiet", "--depth=3", history.folder.as_uri(), str(shallow))
    assert first(shallow, tmp_path) == {5: False, 6: None}
