"""What `show` and the stages say of pull requests that name another one, and of those that are set aside."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from command_line import CommandLine
from small_week import TITLES, pull_request, write_week

from prhub_digest.models.filters import SetAside
from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.pull_request import FollowUp

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
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


def test_what_is_set_aside_is_counted_and_no_unknown_number(finished: CommandLine) -> None:
    assert "\n3 merged pull requests, 2 more set aside, 0 incomplete, " in finished("show", RUN).out
    for number, why in ((90, "bot dependabot"), (91, "path")):
        for command in ("show", "chunk"):
            outcome = finished(command, RUN, "--pr", str(number))
            assert (outcome.code, outcome.out) == (2, "")
            assert f"pull request {number} is set aside in {RUN} ({why}); the filters keep it" in outcome.err
