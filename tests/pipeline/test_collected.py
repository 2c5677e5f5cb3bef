"""What a collection says of the attributes and the overrides that were to apply to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import CommandLine
from git_history import BEFORE, IN_WEEK, History
from github_repository import FakeRepository
from github_server import GitHubServer
from github_world import World

from prhub_digest.models.chunk import FileCoverage
from prhub_digest.models.file_kinds import AttributeRule
from prhub_digest.models.pull_request import Collection
from prhub_digest.pipeline.collecting import WeekCoverage

pytest_plugins = ["command_fixture"]

GITHUB, CLONE = Path("runs/toy__pages/2026-W06"), Path("runs/local__clone/2026-W06")
BLANK_OUT: dict[str, str | bytes | None] = {".gitattributes": "* linguist-generated\n", "src/auth.py": "eval(x)\n"}
NOTE = ".gitattributes is not used, since it was changed in the period (#2): it could hide what was changed"


@pytest.fixture
def repository() -> FakeRepository:
    """Before the week `gen/` was declared as generated."""
    made = World().repository("toy/pages")
    files = {".gitattributes": "gen/* linguist-generated\n"}
    made.merge_pull(1, title="Declare", merged_at=BEFORE, files=files)
    return made


@pytest.fixture
def github(command: CommandLine, repository: FakeRepository) -> Iterator[CommandLine]:
    with GitHubServer(repository.world) as server:
        command.set(GITHUB_API_URL=server.api_url, GITHUB_SERVER_URL=server.server_url, GITHUB_TOKEN=server.token)
        yield command


def collection(run: Path) -> Collection:
    return Collection.model_validate_json((run / "collection.json").read_bytes())


def files(run: Path, number: int) -> dict[str, FileCoverage]:
    week = WeekCoverage.model_validate_json((run / "coverage.json").read_bytes())
    return {file.path: file for own in week.pulls if own.pull == number for file in own.files}


def test_attributes_that_a_pull_request_of_github_changes_hide_nothing(
    github: CommandLine, repository: FakeRepository
) -> None:
    repository.merge_pull(2, merged_at=IN_WEEK, title="Fix typo", files=BLANK_OUT)
    repository.merge_pull(3, merged_at=IN_WEEK, title="Other", files={"src/page.py": "page = 3\n"})
    run = ("run", "toy/pages", "--week", "2026-W06", "--llm", "none")
    outcome = github(*run)
    assert outcome.code == 0, outcome.err
    told = collection(GITHUB)
    assert (told.attributes, told.notes[-1]) == ((), NOTE)
    assert (files(GITHUB, 2)["src/auth.py"].shown, files(GITHUB, 3)["src/page.py"].shown) == ("full", "full")
    assert "since it was changed in the period" in (GITHUB / "digest.en.md").read_text(encoding="utf-8")
    assert github(*run).code == 0
    assert collection(GITHUB) == told


def test_attributes_that_no_pull_request_of_github_changes_count(
    github: CommandLine, repository: FakeRepository
) -> None:
    """Only the topmost file is read, so that only that one matters."""
    repository.merge_pull(
        2, merged_at=IN_WEEK, files={"gen/a.py": "a = 1\n", "src/.gitattributes": "* linguist-generated\n"}
    )
    outcome = github("run", "toy/pages", "--week", "2026-W06", "--llm", "none")
    assert outcome.code == 0, outcome.err
    assert collection(GITHUB).attributes == (AttributeRule(pattern="gen/*", attribute="generated", value=True),)
    assert not any("gitattributes" in note for note in collection(GITHUB).notes)
    assert files(GITHUB, 2)["gen/a.py"].reason == "generated"


@pytest.fixture
def clone(command: CommandLine) -> CommandLine:
    history = History(command.folder / "clone")
    history.commit("Begin", {"a.py": "a = 1\n", ".gitattributes": "gen/* linguist-generated\n"}, when=BEFORE)
    history.commit("Fix typo (#1)", BLANK_OUT)
    history.commit("Other (#2)", {"src/page.py": "page = 2\n", "gen/b.py": "b = 2\n"})
    return command


def test_a_clone_is_read_with_the_attributes_of_before_the_week(clone: CommandLine) -> None:
    outcome = clone("run", "./clone", "--week", "2026-W06", "--llm", "none")
    assert outcome.code == 0, outcome.err
    assert {path: file.shown for path, file in files(CLONE, 1).items()} == {
        ".gitattributes": "full",
        "src/auth.py": "full",
    }
    assert {path: file.shown for path, file in files(CLONE, 2).items()} == {
        "gen/b.py": "name_only",
        "src/page.py": "full",
    }


def test_overrides_that_cannot_apply_are_named(clone: CommandLine) -> None:
    Path("prhub.toml").write_text(
        '[[overrides]]\nlabels = ["blocker", "area/*"]\npulls = [2, 77]\npoints = 1\n'
        '[[overrides]]\nlabels = ["blocker"]\npulls = [77, 78]\nhighlight = true\n',
        encoding="utf-8",
    )
    outcome = clone("run", "./clone", "--week", "2026-W06", "--llm", "none")
    assert outcome.code == 0, outcome.err
    assert [line for line in outcome.err.splitlines() if "[[overrides]]" in line] == [
        "warning: [[overrides]] by label (blocker, area/*) do nothing: git does not know labels; name pulls instead",
        "warning: [[overrides]] name pull requests that are not in 2026-W06: #77, #78",
    ]


def test_overrides_of_github_may_name_labels(github: CommandLine, repository: FakeRepository) -> None:
    repository.merge_pull(2, merged_at=IN_WEEK, files={"src/page.py": "page = 2\n"}, labels=["docs"])
    Path("prhub.toml").write_text('[[overrides]]\nlabels = ["blocker"]\npulls = [2]\npoints = 1\n', encoding="utf-8")
    outcome = github("collect", "toy/pages", "--week", "2026-W06")
    assert (outcome.code, "[[overrides]]" in outcome.err) == (0, False), outcome.err
