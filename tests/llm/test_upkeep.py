"""What is counted in a reply store, what a prune removes, and what it never touches."""

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_requests import toy_content, toy_request

from prhub_digest.llm.store import ReplyStore
from prhub_digest.llm.upkeep import Pruning, prune, statistics, usable_replies
from prhub_digest.models.llm import Attempt, LogicalRequest, StoredReply, Usage

DAY = 86_400
NOW = 1_770_000_000.0  # 2026-02-02T02:40:00+00:00


def save(folder: Path, request: LogicalRequest, age: float = 0.0) -> Path:
    """The file of a new entry that was last used `age` days ago."""
    attempt = Attempt(content=toy_content(), finish_reason="stop", usage=Usage(calls=1))
    before = set(folder.rglob("*.json"))
    ReplyStore(folder, pytest.fail).save(StoredReply(request=request, attempts=(attempt,), recorded="now"))
    (path,) = set(folder.rglob("*.json")) - before
    return aged(path, age)


def aged(path: Path, days: float) -> Path:
    os.utime(path, (NOW - days * DAY, NOW - days * DAY))
    return path


def leftover(entry: Path, days: float, digit: str = "a") -> Path:
    path = entry.with_name(f".{entry.name}.{digit * 32}.tmp")
    path.write_bytes(b'{"request": {"prom')
    return aged(path, days)


def counts(done: Pruning) -> tuple[int, int, int, int, int]:
    return done.unused.files, done.damaged.files, done.leftovers.files, done.kept.files, done.young.files


def test_a_store_that_is_not_there_is_empty(tmp_path: Path) -> None:
    figures = statistics(tmp_path / "none")
    assert (figures.entries, figures.bytes, figures.oldest_use, figures.by_prompt) == (0, 0, None, {})
    assert counts(prune(tmp_path / "none", unused_days=90, now=NOW)) == (0, 0, 0, 0, 0)
    assert list(usable_replies(tmp_path / "none")) == []
    assert not (tmp_path / "none").exists()


def test_statistics(tmp_path: Path) -> None:
    one = save(tmp_path, toy_request(1), 3)
    two = save(tmp_path, toy_request(2, model="[bold]other"), 1)
    plan = save(tmp_path, toy_request(3, prompt="compose_plan"), 2)
    half = save(tmp_path, toy_request(4))
    half.write_bytes(half.read_bytes()[:100])
    newer = save(tmp_path, toy_request(5))
    newer.write_bytes(b'{"checked_by": 1,' + newer.read_bytes()[1:])
    leftover(one, 1)
    figures = statistics(tmp_path)
    sizes = [path.stat().st_size for path in (one, two, plan)]
    assert (figures.entries, figures.bytes) == (3, sum(sizes))
    assert (figures.oldest_use, figures.newest_use) == ("2026-01-30T02:40:00+00:00", "2026-02-01T02:40:00+00:00")
    assert {name: (share.entries, share.bytes) for name, share in figures.by_prompt.items()} == {
        "compose_plan": (1, sizes[2]),
        "toy": (2, sizes[0] + sizes[1]),
    }
    assert {name: share.entries for name, share in figures.by_model.items()} == {"[bold]other": 1, "toy-model": 2}
    assert figures.by_model["[bold]other"].newest_use == "2026-02-01T02:40:00+00:00"
    assert [(found.path, found.reason) for found in figures.damaged] == [(str(half), "not a stored reply")]
    assert [(found.path, found.reason) for found in figures.unreadable] == [(str(newer), "written by a newer version")]
    assert (figures.leftovers, figures.leftover_bytes) == (1, 18)
    assert {reply.request.subject for reply in usable_replies(tmp_path)} == {"pr-1", "pr-2", "pr-3"}


def test_prune_removes_what_is_unused_damaged_or_left_over(tmp_path: Path) -> None:
    old, fresh = save(tmp_path, toy_request(1), 91), save(tmp_path, toy_request(2), 89)
    half, newer = save(tmp_path, toy_request(3)), save(tmp_path, toy_request(4))
    half.write_bytes(b"{}")
    newer.write_bytes(b'{"checked_by": 1,' + newer.read_bytes()[1:])
    stale, young = leftover(fresh, 0.05), leftover(fresh, 0.04, "b")  # 72 and 58 minutes
    everything = [old, fresh, half, newer, stale, young]
    tried = prune(tmp_path, unused_days=90, now=NOW, dry_run=True)
    assert all(path.exists() for path in everything)
    sizes = [path.stat().st_size for path in everything]
    done = prune(tmp_path, unused_days=90, now=NOW)
    assert counts(done) == counts(tried) == (1, 1, 1, 2, 1)
    assert (done.unused.bytes, done.damaged.bytes, done.leftovers.bytes) == (sizes[0], sizes[2], sizes[4])
    assert done.kept.bytes == sizes[1] + sizes[3]
    assert [path for path in everything if path.exists()] == [fresh, newer, young]
    assert counts(prune(tmp_path, unused_days=None, now=NOW)) == (2, 0, 0, 0, 1)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [young]


@given(ages=st.lists(st.integers(0, 200), min_size=1, max_size=8), days=st.integers(0, 150))
@settings(max_examples=40)
def test_just_what_is_older_goes(tmp_path_factory: pytest.TempPathFactory, ages: list[int], days: int) -> None:
    folder = tmp_path_factory.mktemp("store")
    paths = [save(folder, toy_request(number), age) for number, age in enumerate(ages)]
    prune(folder, unused_days=days, now=NOW)
    assert [path.exists() for path in paths] == [age <= days for age in ages]


def test_files_of_others_are_neither_counted_nor_touched(tmp_path: Path) -> None:
    store = tmp_path / "store"
    entry = save(store, toy_request(1), 500)
    shelf = entry.parent
    outside = tmp_path / "outside"
    target = save(outside, toy_request(2), 500)
    foreign = [
        store / "README",
        store / "notes.json",
        shelf / "notes.json",
        shelf / f"{entry.stem}.json.bak",
        shelf / f".{entry.name}.swp",
        shelf / f"{entry.stem[:-1]}.json",
        shelf / (("0" if entry.stem[0] != "0" else "1") + entry.name[1:]),  # on another shelf it would be an entry
        store / "xy" / entry.name,
    ]
    for path in foreign:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"mine")
        aged(path, 500)
    link = store / target.parent.name
    if link != shelf:
        link.symlink_to(target.parent, target_is_directory=True)
    (shelf / f"{shelf.name}{'0' * 62}.json").symlink_to(target)
    assert statistics(store).entries == 1
    assert counts(prune(store, unused_days=None, now=NOW)) == (1, 0, 0, 0, 0)
    assert not entry.exists()
    assert all(path.exists() for path in [*foreign, target, shelf])


def test_a_folder_in_the_place_of_an_entry_is_seen_and_goes_when_it_is_empty(tmp_path: Path) -> None:
    entry = save(tmp_path, toy_request(1), 1)
    empty, full = (entry.parent / f"{entry.parent.name}{digit * 62}.json" for digit in "ef")
    empty.mkdir()
    full.mkdir()
    (full / "letter").write_bytes(b"mine")
    seen = statistics(tmp_path)
    assert (seen.entries, [(own.path, own.reason) for own in seen.damaged]) == (
        1,
        [(str(place), "Is a directory") for place in sorted((empty, full))],
    )
    done = prune(tmp_path, unused_days=90, now=NOW)
    assert (done.kept.files, done.damaged.files, done.failed) == (2, 1, [(full, "Directory not empty")])
    assert (empty.exists(), (full / "letter").exists(), entry.exists()) == (False, True, True)


def test_what_cannot_be_removed_is_told_and_the_rest_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = sorted(save(tmp_path, toy_request(number), 100) for number in range(4))
    unlink = Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if path == paths[1]:
            raise PermissionError(13, "Permission denied", str(path))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    done = prune(tmp_path, unused_days=90, now=NOW)
    assert done.failed == [(paths[1], "Permission denied")]
    assert (done.unused.files, done.kept.files) == (3, 1)


def test_an_entry_that_is_used_just_now_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process looks it up between the look at it and its removal."""
    path = save(tmp_path, toy_request(1), 100)
    store = ReplyStore(tmp_path, pytest.fail)
    lstat = Path.lstat
    looks: list[Path] = []

    def used_after_the_first_look(self: Path) -> os.stat_result:
        status = lstat(self)
        if not looks:
            looks.append(self)
            assert store.find(toy_request(1)) is not None
        return status

    monkeypatch.setattr(Path, "lstat", used_after_the_first_look)
    done = prune(tmp_path, unused_days=90, now=NOW)
    assert (counts(done), path.exists()) == ((0, 0, 0, 1, 0), True)


def test_runs_survive_a_prune(tmp_path: Path) -> None:
    """A file that vanishes is a miss, a write always ends well, and nothing half is ever read."""
    over = threading.Event()

    def prune_on_and_on() -> None:
        while not over.is_set():
            prune(tmp_path, unused_days=None, now=NOW)
            statistics(tmp_path)

    pruner = threading.Thread(target=prune_on_and_on)
    pruner.start()
    store = ReplyStore(tmp_path, pytest.fail)
    attempt = Attempt(content=toy_content(), finish_reason="stop", usage=Usage(calls=1))
    try:
        found = []
        for number in range(200):
            reply = StoredReply(request=toy_request(number % 7), attempts=(attempt,), recorded="now")
            store.save(reply)
            found.append(store.find(reply.request))
            assert found[-1] in (None, reply)
    finally:
        over.set()
        pruner.join()
    assert any(found)
