"""A secret may stand in every name of a repository; none reaches a file of the run folder, a page or a message."""

import random
import string
from pathlib import Path

import pytest
from command_line import CommandLine
from git_history import BEFORE, History
from github_server import GitHubServer
from github_world import Mannequin, User, World, moment

from prhub_digest.models.pull_request import Collection, PullRequest

pytest_plugins = ["command_fixture"]

WEEK = ("--week", "2026-W06")
# Put together here: no file of ours may hold something that looks like a secret.
_ALNUM = string.ascii_letters + string.digits
TOKEN, OTHER = ("gh" + "p_" + "".join(random.Random(seed).choices(_ALNUM, k=36)) for seed in (5, 6))
AWS = "AK" + "IA" + "QWERTYUIOP234567"
MASKED = "[secret:github-pat]"


def holding(folder: Path) -> list[str]:
    """The files that hold one of the secrets."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [
        str(path.relative_to(folder))
        for path in files
        if any(secret.encode() in path.read_bytes() for secret in (TOKEN, OTHER, AWS))
    ]


@pytest.fixture
def world() -> World:
    world = World()
    repository = world.repository("toy/pages")
    author = User("ada-lin", f"Ada {AWS}")
    first = repository.merge_pull(
        title=f"Use {TOKEN}",
        author=author,
        labels=[TOKEN],
        head_branch=f"ada/{TOKEN}",
        files={f"keys/{TOKEN}.py": "1\n", f"keys/{OTHER}.py": f"key = '{TOKEN}'\n"},
    )
    first.thread(f"keys/{TOKEN}.py", 1, [("bo-wu", f"Is {TOKEN} real?"), (Mannequin("old", f"Old {AWS}"), "No.")])
    second = repository.merge_pull(title=f"Undo {TOKEN}", files={f"keys/{TOKEN}.py": None, "b.py": "1\n"})
    first.referenced_by(second)
    repository.merge_pull(title=f"Bump {TOKEN}", base=f"release/{TOKEN}", files={"c.py": "1\n"})
    repository.merge_pull(title="Label it", labels=[f"skip-{TOKEN}"], files={"d.py": "1\n"})
    return world


def test_a_week_of_github(command: CommandLine, world: World) -> None:
    with GitHubServer(world) as server:
        server.now = moment("2026-02-09T08:00:00Z")
        command.set(GITHUB_API_URL=server.api_url, GITHUB_SERVER_URL=server.server_url, GITHUB_TOKEN=server.token)
        outcome = command("run", "toy/pages", *WEEK, "--llm", "none", "--label", "!skip*")
    assert outcome.code == 0, outcome.err
    run = Path("runs/toy__pages/2026-W06")
    assert holding(run) == []
    assert not any(secret in outcome.out + outcome.err for secret in (TOKEN, OTHER, AWS))
    collection = Collection.model_validate_json((run / "collection.json").read_bytes())
    assert [(own.reason, own.detail) for own in collection.set_aside] == [
        ("base", f"release/{MASKED}"),
        ("label", f"skip-{MASKED}"),
    ]
    pull = PullRequest.model_validate_json((run / "pulls/1.json").read_bytes())
    assert [file.path for file in pull.files] == [f"keys/{MASKED}.py"] * 2
    assert [thread.path for thread in pull.threads or ()] == [f"keys/{MASKED}.py"]
    assert (pull.labels, pull.head_branch) == ((MASKED,), f"ada/{MASKED}")
    assert pull.author.name == "Ada [secret:aws-key]"
    chunks = command("chunk", run, "--pr", "1")
    assert (chunks.code, chunks.out.count(f"keys/{MASKED}.py") >= 2) == (0, True)


def test_a_clone(command: CommandLine) -> None:
    branch = f"main-{TOKEN}"
    history = History(command.folder / "clone", branch)
    history.commit("Begin (#1)", {"a.py": "1\n"}, when=BEFORE)
    history.commit("Open (#2)", {f"keys/{TOKEN}.py": "1\n"}, author=f"Ada {AWS}")
    history.commit("Close (#3)", {"b.py": "1\n"}, author=f"Bo {AWS}")
    outcome = command("run", "./clone", *WEEK, "--llm", "none", "--author", "Ada*")
    assert outcome.code == 0, outcome.err
    run = Path("runs/local__clone/2026-W06")
    assert holding(run) == []
    assert TOKEN not in outcome.out + outcome.err
    collection = Collection.model_validate_json((run / "collection.json").read_bytes())
    assert [own.detail for own in collection.set_aside] == ["Bo [secret:aws-key]"]
    assert collection.notes[0].startswith(f"read along main-{MASKED}, first parents only, at ")
    pull = PullRequest.model_validate_json((run / "pulls/2.json").read_bytes())
    assert (pull.base_branch, pull.files[0].path) == (f"main-{MASKED}", f"keys/{MASKED}.py")
    again = command("run", "./clone", *WEEK, "--llm", "none", "--author", "Ada*")
    assert (again.code, "collecting again" in again.err) == (0, False)
