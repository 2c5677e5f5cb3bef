"""A collection that was killed or interrupted goes on where it stopped; a finished one is whole and of one time."""

import json
import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome, process_environment
from git_history import AFTER, BEFORE, History

pytest_plugins = ["command_fixture"]

RUN = Path("runs/local__clone/2026-W06")
COLLECT = ("collect", "./clone", "--week", "2026-W06")
# How many of how many pull requests were read when the write with this number did not happen. The writes: run.json,
# collecting.json, three pull requests, collecting.json without the bot's, collection.json, run.json.
READ = {3: (0, 4), 4: (1, 4), 5: (2, 4), 6: (3, 4), 7: (3, 3)}
WRITES = 8


@pytest.fixture
def history(command: CommandLine) -> History:
    """Three pull requests in the week; that of #4 is a bot's."""
    history = History(command.folder / "clone")
    history.commit("Begin (#1)", {"pages/queue.py": "begin()\n"}, when=BEFORE)
    history.commit("Open the queue (#2)", {"pages/queue.py": "open()\n"})
    history.commit("Close the queue (#3)", {"pages/queue.py": "close()\n", "docs/queue.md": "Closed.\n"})
    history.commit("Name the queue (#5)", {"docs/queue.md": "Named.\n"})
    history.commit("Bump pages to 2.0 (#4)", {"pages/lock.txt": "2.0\n"}, author="dependabot[bot]")
    history.commit("Go on (#6)", {"pages/queue.py": "go()\n"}, when=AFTER)
    return history


def interrupted(monkeypatch: pytest.MonkeyPatch, command: CommandLine, at: int, *arguments: str) -> Outcome:
    """The command, with Ctrl-C instead of the write with this number."""
    rename, left = os.replace, [at]

    def replace(source: str, target: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        rename(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        return command(*arguments)


def files() -> dict[str, bytes]:
    """What a collection is: its list and its pull requests."""
    kept = {"collection.json", "collecting.json"}
    paths = [path for path in RUN.rglob("*.json") if path.parent.name == "pulls" or path.name in kept]
    return {str(path.relative_to(RUN)): path.read_bytes() for path in paths}


def stored(name: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((RUN / name).read_bytes())
    return values


def test_a_collection_killed_at_any_write_is_made_good_by_the_next(history: History) -> None:
    folder, script = history.folder.parent, Path(__file__).with_name("killed_runs.py")
    command = [
        sys.executable,
        str(script),
        str(folder),
        "http://127.0.0.1:9/v1",
        COLLECT[0],
        str(history.folder),
        *COLLECT[2:],
    ]
    done = subprocess.run(command, env=process_environment(folder, {}), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    rows = [json.loads(line[4:]) for line in done.stdout.decode().split("\n") if line.startswith("row ")]
    assert [row["killed"] for row in rows] == [True] * WRITES + [False]
    whole = {path.relative_to(folder / "0"): path.read_bytes() for path in (folder / "0").rglob("*.json")}
    for row in rows:
        work = folder / str(row["number"])
        said = (work / "output").read_bytes().decode()
        assert row["code"] == 0, said
        made = {
            path.relative_to(work): path.read_bytes() for path in work.rglob("*") if path.suffix in (".json", ".tmp")
        }
        assert made.keys() == whole.keys(), row
        assert all(data == whole[path] for path, data in made.items() if path.name != "run.json"), row
        read, numbers = READ.get(row["number"], (0, 0))
        words = f" UTC, {read} of {numbers} pull requests read; --fresh starts over\n"
        left = f"collect: {numbers - read}/{numbers - read}, " if read < numbers else ""
        assert (words in said, left in said.rpartition(words)[2]) == (row["number"] in READ, True), said


def test_an_interrupted_collection_reads_only_what_is_left(
    command: CommandLine, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = interrupted(monkeypatch, command, 5, *COLLECT)
    assert (first.code, first.out) == (130, "")
    assert files().keys() == {"collecting.json", "pulls/2.json", "pulls/3.json"}
    unfinished = command("render", RUN)
    assert (unfinished.code, "holds no collected pull requests" in unfinished.err) == (2, True)
    history.commit("Too late (#7)", {"pages/queue.py": "late()\n"})
    began = datetime.fromisoformat(stored("collecting.json")["began"])
    outcome = command("run", *COLLECT[1:], "--llm", "none")
    assert outcome.code == 0, outcome.err
    assert (
        f"continuing the collection that began at {began:%Y-%m-%d %H:%M} UTC, 2 of 4 pull requests read;"
        " --fresh starts over\n"
    ) in outcome.err
    assert "collect: 2/2, " in outcome.err
    assert "3 merged pull requests, 1 more set aside (1 by bots); replies" in outcome.err
    assert "collecting.json" not in files()
    again = command(*COLLECT)
    assert (again.code, "continuing" in again.err, "collect: " in again.err) == (0, False, False)


def test_fresh_starts_over(command: CommandLine, history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    assert interrupted(monkeypatch, command, 5, *COLLECT).code == 130
    outcome = command(*COLLECT, "--fresh")
    assert (outcome.code, "continuing" in outcome.err, "collect: 4/4" in outcome.err) == (0, False, True)


def test_a_refresh_that_was_interrupted_goes_on_and_mixes_nothing(
    command: CommandLine, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command(*COLLECT).code == 0
    old = files()
    history.git("reset", "--quiet", "--hard", "HEAD~4")
    history.commit("Shut the queue (#3)", {"pages/queue.py": "shut()\n"})
    history.commit("Paint the queue (#8)", {"pages/queue.py": "paint()\n"})
    before_the_list = interrupted(monkeypatch, command, 1, *COLLECT, "--refresh")
    assert before_the_list.code == 130
    assert interrupted(monkeypatch, command, 4, *COLLECT, "--refresh").code == 130
    assert files().keys() == {"collecting.json", "pulls/2.json"}  # and none of the old ones
    outcome = command(*COLLECT, "--refresh")
    assert "1 of 3 pull requests read; --fresh starts over\n" in outcome.err
    assert files().keys() == {"collection.json", "pulls/2.json", "pulls/3.json", "pulls/8.json"}
    assert stored("pulls/3.json")["title"] == "Shut the queue"
    assert files()["pulls/2.json"] == old["pulls/2.json"]
    history.git("reset", "--quiet", "--hard", "HEAD~1")
    anew = command(*COLLECT, "--refresh")
    assert ("continuing" in anew.err, "collect: 2/2" in anew.err) == (False, True)
    assert files().keys() == {"collection.json", "pulls/2.json", "pulls/3.json"}


def test_a_refresh_that_cannot_list_leaves_what_is_there(command: CommandLine, history: History) -> None:
    assert command(*COLLECT).code == 0
    old = files()
    moved = history.folder.rename(history.folder.with_name("gone"))
    history.folder.mkdir()
    assert command(*COLLECT, "--refresh").code == 2
    history.folder.rmdir()
    moved.rename(history.folder)
    assert files() == old
    assert command(*COLLECT).code == 0


@pytest.mark.parametrize(("age", "continued"), [(timedelta(hours=23), True), (timedelta(hours=25), False)])
def test_a_collection_is_continued_for_a_day(
    command: CommandLine, history: History, monkeypatch: pytest.MonkeyPatch, age: timedelta, continued: bool
) -> None:
    assert interrupted(monkeypatch, command, 5, *COLLECT).code == 130
    values = stored("collecting.json")
    began = datetime.fromisoformat(values["began"]) - age
    (RUN / "collecting.json").write_text(json.dumps(values | {"began": began.isoformat()}), encoding="utf-8")
    outcome = command(*COLLECT)
    at = f"{began:%Y-%m-%d %H:%M} UTC"
    said = f"the collection that began at {at} is not continued after a day: collecting again\n"
    assert (outcome.code, f"continuing the collection that began at {at}" in outcome.err) == (0, continued)
    assert (said in outcome.err, "collect: 4/4" in outcome.err) == (not continued, not continued)


@pytest.mark.parametrize("damaged", [b"", b"{}", b"\xff"])
def test_a_damaged_list_is_no_list(
    command: CommandLine, history: History, monkeypatch: pytest.MonkeyPatch, damaged: bytes
) -> None:
    assert interrupted(monkeypatch, command, 5, *COLLECT).code == 130
    (RUN / "collecting.json").write_bytes(damaged)
    outcome = command(*COLLECT)
    assert (outcome.code, "collect: 4/4" in outcome.err, "collecting.json" in files()) == (0, True, False)


def test_a_damaged_pull_request_is_read_again(
    command: CommandLine, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert interrupted(monkeypatch, command, 5, *COLLECT).code == 130
    (RUN / "pulls/2.json").write_bytes((RUN / "pulls/3.json").read_bytes())
    assert "1 of 4 pull requests read" in command(*COLLECT).err
    assert stored("pulls/2.json")["number"] == 2


def test_what_was_begun_from_another_clone_is_not_continued(
    command: CommandLine, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = History(command.folder / "elsewhere" / "clone")
    other.commit("Shut the door (#9)", {"door.py": "shut()\n"})
    assert interrupted(monkeypatch, command, 5, *COLLECT).code == 130
    outcome = command("collect", "./elsewhere/clone", *COLLECT[2:])
    assert outcome.code == 2
    assert f"{RUN} holds the pull requests of ./clone, not of ./elsewhere/clone;" in outcome.err


def test_with_other_filters_it_is_collected_again(
    command: CommandLine, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert interrupted(monkeypatch, command, 5, *COLLECT).code == 130
    outcome = command(*COLLECT, "--bots", "include")
    assert ("continuing" in outcome.err, "collect: 4/4" in outcome.err) == (False, True)
    assert (stored("collection.json")["numbers"], stored("collection.json")["set_aside"]) == ([2, 3, 5, 4], [])
    grouped = command(*COLLECT)
    assert "settings changed since the last run of this folder: bots 'include' -> 'group'." in grouped.err
    assert "the filters are others than those of the collected pull requests: collecting again\n" in grouped.err
    assert stored("collection.json")["numbers"] == [2, 3, 5]
    assert stored("collection.json")["set_aside"] == [
        {"number": 4, "title": "Bump pages to 2.0", "reason": "bot", "detail": "dependabot"}
    ]
    assert not (RUN / "pulls/4.json").exists()


def test_what_the_filters_kept_out_is_not_read_twice(
    command: CommandLine, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """#2 and #3 stay; #5 and #4 are set aside as they are read, which is written like a pull request."""
    filtered = (*COLLECT, "--path", "pages/queue.py")
    assert interrupted(monkeypatch, command, 6, *filtered).code == 130
    assert [own["number"] for own in stored("collecting.json")["collection"]["set_aside"]] == [5]
    outcome = command(*filtered)
    assert outcome.code == 0
    assert ", 2 of 3 pull requests read; --fresh starts over\ncollect: 1/1" in outcome.err
    found = "local/clone, 2026-W06: 2 merged pull requests, 2 more set aside (1 by bots, 1 by path), 0 commits of no"
    assert found in outcome.err
    assert files().keys() == {"collection.json", "pulls/2.json", "pulls/3.json"}
