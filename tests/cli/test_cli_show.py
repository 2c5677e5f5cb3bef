"""What `show` and the stages say of pull requests that name another one, and of those that are set aside."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from command_line import CommandLine
from git_history import BEFORE, History
from small_week import TITLES, pull_request, write_week

from prhub_digest.console import UNSEEN
from prhub_digest.models.filters import SetAside
from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.pull_request import Comment, FileChange, FollowUp, Person, ReviewThread
from prhub_digest.models.ranking import Comparison, Ranking

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
HOSTILE = "a\x1b]0;b\x07\u202ec\u200bd\n## e\x9b2J"
LATER = datetime(2026, 2, 8, 23, 30, tzinfo=UTC)


@pytest.fixture
def finished(command: CommandLine) -> CommandLine:
    """Without a model: 101 is named by two others, 90 and 91 are set aside."""
    pulls = {number: pull_request(number, title) for number, title in TITLES.items()}
    names = (
        FollowUp(number=120, title="Fix what 101 broke\n\x1b[2J", merged_at=LATER),
        FollowUp(number=121, title="Undo 101"),
    )
    pulls[101] = pulls[101].updated(follow_ups=names)
    folder = write_week(command.folder / "week", pulls)
    manifest = FixtureManifest.model_validate_json((folder / "manifest.json").read_bytes())
    others = (
        SetAside(number=90, title="Bump", reason="bot", detail="dependabot"),
        SetAside(number=91, title="Words", reason="path"),
    )
    changed = manifest.updated(collection=manifest.collection.updated(set_aside=others))
    (folder / "manifest.json").write_bytes(changed.to_json().encode())
    assert command("run", "--fixture", "./week/", "--llm", "none").code == 0
    return command


def test_pull_requests_that_name_one_are_shown_with_their_state(finished: CommandLine) -> None:
    lines = finished("show", RUN, "--pr", "101").out.split("\n")
    named = [line for line in lines if line.startswith("named by")]
    assert named == [
        "named by #120 (merged 2026-02-08): Fix what 101 broke\\n\\x1b[2J",
        "named by #121 (not merged): Undo 101",
    ]
    assert "named by" not in finished("show", RUN, "--pr", "102").out


def test_a_place_among_near_equals_is_explained(finished: CommandLine) -> None:
    path = RUN / "ranking.json"
    ranking = Ranking.model_validate_json(path.read_bytes())
    looks = (Comparison(shuffle=1, order=(103, 101)), Comparison(shuffle=2, order=(102, 103)))
    moved = tuple(entry.updated(shift=-0.25 if entry.pull == 101 else 0.0) for entry in ranking.entries)
    path.write_bytes(ranking.updated(entries=moved, comparisons=looks).to_json().encode())
    told = "  compared with near-equals -0.25\n    shuffle 1, place 2 of 2: #103 #101\n"
    assert finished("show", RUN, "--pr", "101").out.endswith(told)
    assert "  compared with near-equals +0.00\n    shuffle 1, place 1 of 2" in finished("show", RUN, "--pr", "103").out


def test_what_people_know_better_moves_a_pull_request_and_show_says_why(command: CommandLine) -> None:
    history = History(command.folder / "clone")
    history.commit("Begin (#1)", {"pages/queue.py": "begin()\n"}, when=BEFORE)
    for number in (101, 102, 103):
        history.commit(f"Change {number} of the queue (#{number})", {"pages/queue.py": f"run({number})\n"})
    asked = ("run", "./clone", "--week", "2026-W06", "--llm", "none")
    assert command(*asked).code == 0
    run = Path("runs/local__clone/2026-W06")

    def order() -> list[tuple[int, bool]]:
        ranking = Ranking.model_validate_json((run / "ranking.json").read_bytes())
        return [(entry.pull, entry.highlight) for entry in ranking.entries]

    before = order()
    last = before[-1][0]
    table = f'[[overrides]]\npulls = [{last}]\npoints = 3\nhighlight = false\nreason = "asked for"\n'
    Path("prhub.toml").write_text(table, encoding="utf-8")
    assert command(*asked).code == 0
    assert order() == [(last, False), (before[0][0], True), (before[1][0], False)]
    assert "  override: asked for +3.00\n" in command("show", run, "--pr", str(last)).out


def test_what_is_set_aside_is_counted_and_no_unknown_number(finished: CommandLine) -> None:
    assert "\n3 merged pull requests, 2 more set aside, 0 incomplete, " in finished("show", RUN).out
    for number, why in ((90, "bot dependabot"), (91, "path")):
        for command in ("show", "chunk"):
            outcome = finished(command, RUN, "--pr", str(number))
            assert (outcome.code, outcome.out) == (2, "")
            assert f"pull request {number} is set aside in {RUN} ({why}); the filters keep it" in outcome.err


@pytest.fixture
def hostile(command: CommandLine) -> CommandLine:
    """Title, login, path, comment and label of 101, and of one that is set aside, hold what a terminal obeys."""
    person = Person(login=HOSTILE, kind="human")
    reviewer = Person(login=f"{HOSTILE}-2", kind="human")
    remark = Comment(id="C1", author=reviewer, body=f"Why?\n{HOSTILE}")
    pull = pull_request(
        101,
        HOSTILE,
        author=person,
        labels=(HOSTILE,),
        files=(FileChange(path=f"pages/{HOSTILE}.py", status="added", additions=1, deletions=0),),
        threads=(ReviewThread(id="T1", path=f"pages/{HOSTILE}.py", line=1, resolved=False, comments=(remark,)),),
    )
    folder = write_week(command.folder / "week", {101: pull, 102: pull_request(102, TITLES[102])})
    manifest = FixtureManifest.model_validate_json((folder / "manifest.json").read_bytes())
    aside = SetAside(number=90, title=HOSTILE, reason="label", detail=HOSTILE)
    changed = manifest.updated(collection=manifest.collection.updated(set_aside=(aside,)))
    (folder / "manifest.json").write_bytes(changed.to_json().encode())
    assert command("run", "--fixture", "./week/", "--llm", "none").code == 0
    place = {"kind": "diff", "path": HOSTILE, "line": 1, "side": "new"}
    evidence = {"line": "d1", "quote": HOSTILE, "place": place, "found_by": "line"}
    changes = {"headline": HOSTILE, "area": HOSTILE, "claims": [{"text": HOSTILE, "evidence": evidence}]}
    _edit(RUN / "summaries/101.json", changes)
    _edit(RUN / "run.json", {"failures": [{"stage": "summarize", "subject": "pr-101", "reason": HOSTILE}]})
    return command


def _edit(path: Path, changes: Mapping[str, object]) -> None:
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes), encoding="utf-8")


def test_nothing_that_a_terminal_obeys_is_printed(hostile: CommandLine) -> None:
    forms: tuple[tuple[str, ...], ...] = ((), ("--json",), ("--pr", "101"), ("--pr", "101", "--json"))
    shown = {arguments: hostile("show", RUN, *arguments) for arguments in forms}
    for outcome in shown.values():
        assert (outcome.code, UNSEEN.search(outcome.out.replace("\n", ""))) == (0, None)
        assert not any(line.startswith("## e") for line in outcome.out.split("\n"))
    one_line = r"a\x1b]0;b\x07\u202ec\u200bd\n## e\x9b2J"
    lines = shown["--pr", "101"].out.split("\n")
    assert lines[0] == f"#101 {one_line}"
    assert rf"unsettled thread T1 (medium): Why?\n{one_line}" in lines
    at = lines.index(f"claim: {one_line}")
    assert lines[at + 1] == f"    diff {one_line} 1: {one_line}"
    assert any(line.endswith(one_line.replace(r"\n", " ")) for line in shown[()].out.split("\n"))
    assert json.loads(shown["--pr", "101", "--json"].out)["headline"] == HOSTILE
    assert json.loads(shown["--json",].out)["failures"][0]["reason"] == HOSTILE
    refused = hostile("show", RUN, "--pr", "90")
    assert (refused.code, f"(label {one_line})" in refused.err) == (2, True)
