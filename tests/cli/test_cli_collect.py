"""What `collect` finds and says, which pull requests the filters set aside, and a folder that came from GitHub."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome
from git_history import BEFORE, History
from small_week import ADA, BO, TITLES, open_thread, pull_request, write_week

from prhub_digest.models.pull_request import Comment, Completeness

pytest_plugins = ["command_fixture"]

CLONE = Path("runs/local__clone/2026-W06")
GITHUB = Path("runs/toy__pages/2026-W06")
WEEK = ("--week", "2026-W06")


@pytest.fixture
def clone(command: CommandLine) -> History:
    history = History(command.folder / "clone")
    history.commit("Begin (#1)", {"pages/queue.py": "begin()\n"}, when=BEFORE)
    history.commit("Open the queue (#2)", {"pages/queue.py": "open()\n"})
    history.commit("Write it down (#3)", {"docs/queue.md": "Open.\n"}, author="Bo Reyes")
    history.commit("Bump pages to 2.0 (#4)", {"pages/lock.txt": "2.0\n"}, author="dependabot[bot]")
    return history


def from_github(command: CommandLine, **settings: str) -> None:
    """A finished week as the GitHub source leaves it."""
    write_week(command.folder / "week")
    assert command("run", "--fixture", "./week/", "--llm", "none").code == 0
    for name, changes in (
        ("collection.json", {"source": "github"}),
        ("run.json", {"source": "github", "location": "toy/pages", "fixture": None, **settings}),
    ):
        values = json.loads((GITHUB / name).read_bytes())
        (values if name == "collection.json" else values["settings"]).update(changes)
        (GITHUB / name).write_text(json.dumps(values), encoding="utf-8")


def without_token(command: CommandLine, *arguments: str) -> Outcome:
    command.set(PATH=str(command.folder))  # where there is no `gh`, and no git
    return command(*arguments)


def found(command: CommandLine, *arguments: str) -> tuple[list[int], list[tuple[int, str, str]]]:
    outcome = command("collect", "./clone", *WEEK, *arguments, "--json")
    assert outcome.code == 0, outcome.err
    values = json.loads(outcome.out)
    aside = [(own["number"], own["reason"], own["detail"]) for own in values["set_aside"]]
    numbers: list[int] = json.loads((CLONE / "collection.json").read_bytes())["numbers"]
    assert values["pull_requests"] == len(numbers)
    assert sorted(path.name for path in (CLONE / "pulls").glob("*")) == sorted(f"{number}.json" for number in numbers)
    return numbers, aside


def test_bots_are_named_or_included(command: CommandLine, clone: History) -> None:
    assert found(command) == ([2, 3], [(4, "bot", "dependabot")])
    assert found(command, "--bots", "include") == ([2, 3, 4], [])


def test_filters_of_a_clone(command: CommandLine, clone: History) -> None:
    bot = (4, "bot", "dependabot")
    assert found(command, "--author", "bo*") == ([3], [(2, "author", "Ada Lin"), (4, "author", "dependabot")])
    assert found(command, "--author", "!bo*") == ([2], [(3, "author", "Bo Reyes"), bot])
    assert found(command, "--path", "pages/**") == ([2], [(3, "path", "docs/queue.md"), bot])
    assert found(command, "--base", "main") == ([2, 3], [bot])
    Path("prhub.toml").write_text('paths = ["docs/**"]\nbots = "include"\n', encoding="utf-8")
    assert found(command) == ([3], [(2, "path", "pages/queue.py"), (4, "path", "pages/lock.txt")])
    assert found(command, "--path", "pages/*.txt") == (
        [4],
        [(2, "path", "pages/queue.py"), (3, "path", "docs/queue.md")],
    )


def test_a_digest_is_of_what_stays(command: CommandLine, clone: History) -> None:
    outcome = command("run", "./clone", *WEEK, "--llm", "none", "--json")
    values = json.loads(outcome.out)
    assert (outcome.code, values["pull_requests"], values["set_aside"]) == (0, 2, 1)
    assert "2 merged pull requests, 1 more set aside (1 by bots); replies of 0 calls" in outcome.err
    assert sorted(json.loads(path.read_bytes())["pull"] for path in (CLONE / "summaries").glob("*.json")) == [2, 3]
    again = command("run", "./clone", *WEEK, "--llm", "none")
    assert (again.code, "collect" in again.err) == (0, False)


def test_filters_that_leave_nothing_say_so(command: CommandLine, clone: History) -> None:
    for name in ("collect", "run"):
        model = ("--llm", "none") if name == "run" else ()
        outcome = command(name, "./clone", *WEEK, *model, "--base", "release/*")
        words = "the filters leave no pull request: 0 merged pull requests, 3 more set aside (3 into other branches)"
        assert (outcome.code, f"warning: {words}\n" in outcome.err) == (0, True), outcome.err


def test_a_stage_keeps_the_filters_and_tables_of_the_run(command: CommandLine, clone: History) -> None:
    """Whatever stands in prhub.toml by then."""
    assert command("run", "./clone", *WEEK, "--llm", "none").code == 0
    more = "[[overrides]]\npulls = [1]\npoints = 1\n[[areas]]\nkey = 'docs'\npaths = ['docs/**']\n"
    Path("prhub.toml").write_text('labels = ["bug"]\npaths = ["docs/**"]\n' + more, encoding="utf-8")
    outcome = command("rank", CLONE)
    assert (outcome.code, "settings changed" in outcome.err) == (0, False), outcome.err
    assert json.loads((CLONE / "run.json").read_bytes())["settings"]["paths"] == []


def test_collecting_says_nothing_of_who_answers(command: CommandLine, clone: History) -> None:
    def changes(*arguments: str) -> str:
        outcome = command(arguments[0], "./clone", *WEEK, *arguments[1:])
        assert outcome.code == 0, outcome.err
        return outcome.err.partition("settings changed since the last run of this folder: ")[2].partition(". ")[0]

    def answers() -> str:
        stored: str = json.loads((CLONE / "run.json").read_bytes())["settings"]["llm"]
        return stored

    assert changes("collect") == ""
    assert changes("run", "--llm", "batch", "--model", "toy") == ""  # which waits for replies
    assert changes("run", "--llm", "none", "--model", "toy") == "llm 'batch' -> 'none'"
    assert (changes("collect"), answers()) == ("", "none")
    assert (changes("collect", "--refresh"), answers()) == ("", "none")
    assert (changes("run", "--llm", "none"), answers()) == ("model 'toy' -> None; small_model 'toy' -> None", "none")


def test_collect_counts_the_review_threads(command: CommandLine) -> None:
    own = open_thread(7).updated(resolved=True, comments=(Comment(id="C7", author=ADA, body="Is this right?"),))
    first = pull_request(101, TITLES[101], author=ADA, threads=(open_thread(1), own))
    second = pull_request(102, TITLES[102], author=BO, threads=(open_thread(2),))
    write_week(command.folder / "week", {101: first, 102: second})
    outcome = command("collect", "--fixture", "./week/")
    assert outcome.code == 0
    assert "3 review threads, 2 of them unresolved, 2 opened by the author of the pull request\n" in outcome.err


def test_collect_says_nothing_of_threads_that_git_does_not_know(command: CommandLine, clone: History) -> None:
    outcome = command("collect", "./clone", *WEEK)
    assert (outcome.code, "review thread" in outcome.err) == (0, False)


@pytest.mark.parametrize(
    ("completeness", "incomplete"),
    [
        ({"diff": "uncertain", "notes": ("git counts 3 lines, the source 4",)}, None),
        ({"diff": "partial"}, "the diff is partial, the conversation complete"),
        ({"diff": "missing", "notes": ("no diff was given",)}, "no diff was given"),
        ({"conversation": "partial", "notes": ("2 of 5 comments",)}, "2 of 5 comments"),
        ({"conversation": "unknown"}, None),
    ],
)
def test_what_counts_as_incomplete(command: CommandLine, completeness: dict[str, Any], incomplete: str | None) -> None:
    pull = pull_request(101, TITLES[101], completeness=Completeness.model_validate(completeness))
    write_week(command.folder / "week", {101: pull})
    for name in ("collect", "run"):
        arguments = (name, "--fixture", "./week/", *(("--llm", "none") if name == "run" else ()))
        outcome = command(*arguments)
        assert outcome.code == (1 if incomplete else 0), outcome.err
        assert (f"warning: collect pr-101: {incomplete}\n" in outcome.err) == (incomplete is not None)
        assert "--refresh" not in outcome.err  # which would read the same file
        assert command(*arguments, "--allow-partial").code == 0


def test_a_finished_week_of_github_needs_no_token(command: CommandLine) -> None:
    from_github(command)
    outcome = without_token(command, "run", "toy/pages", *WEEK, "--llm", "none")
    assert (outcome.code, outcome.out) == (0, f"{GITHUB}/digest.en.md\n"), outcome.err
    assert "3 merged pull requests; replies of 0 calls" in outcome.err
    again = without_token(command, "run", "toy/pages", *WEEK, "--llm", "none", "--refresh")
    assert (again.code, "no token for github.com" in again.err) == (2, True)
    assert (GITHUB / "collection.json").exists()


def test_one_name_on_two_servers_is_two_repositories(command: CommandLine) -> None:
    from_github(command)
    command.set(GITHUB_SERVER_URL="https://github.com", GITHUB_API_URL="https://api.github.com")
    assert without_token(command, "run", "toy/pages", *WEEK, "--llm", "none").code == 0  # the same one
    for address in ({"GITHUB_SERVER_URL": "https://git.example"}, {"GITHUB_API_URL": "https://git.example/api/v3"}):
        command.set(GITHUB_SERVER_URL="", GITHUB_API_URL="")
        command.set(**address)
        outcome = without_token(command, "run", "toy/pages", *WEEK, "--llm", "none")
        assert outcome.code == 2
        assert "holds the pull requests of toy/pages on github.com, not of toy/pages on git.example;" in outcome.err


def test_github_and_git_are_two_sources(command: CommandLine) -> None:
    from_github(command)
    outcome = without_token(command, "run", "https://github.com/toy/pages", *WEEK, "--llm", "none")
    assert outcome.code == 2
    words = "holds the pull requests of toy/pages on github.com, not of https://github.com/toy/pages;"
    assert words in outcome.err
