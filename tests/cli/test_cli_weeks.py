"""Weeks of real repositories that are odd, or hold nothing."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from command_line import CommandLine
from git_history import AFTER, BEFORE, History
from model_server import closed_port
from small_week import write_week

pytest_plugins = ["command_fixture"]

RUN = Path("runs/local__clone/2026-W06")


@pytest.fixture
def history(command: CommandLine) -> History:
    history = History(command.folder / "clone")
    history.commit("Begin (#1)", {"pages/queue.py": "begin()\n"}, when=BEFORE)
    return history


@pytest.mark.parametrize("model", [("--llm", "none"), ("--model", "toy")])
def test_an_empty_week_has_a_digest_that_says_so(
    command: CommandLine, history: History, model: tuple[str, ...]
) -> None:
    """Nobody is asked about nothing: the endpoint does not even exist."""
    history.commit("Go on (#2)", {"pages/queue.py": "go()\n"}, when=AFTER)
    command.set(OPENAI_BASE_URL=f"http://127.0.0.1:{closed_port()}/v1")
    outcome = command("run", "./clone", "--week", "2026-W06", *model, "--lang", "en", "--lang", "zh")
    assert (outcome.code, outcome.out) == (0, f"{RUN}/digest.en.md\n{RUN}/digest.zh.md\n"), outcome.err
    assert "0 merged pull requests; replies of 0 calls" in outcome.err
    assert "No pull request was merged in this period." in (RUN / "digest.en.md").read_bytes().decode()
    assert "本周期内没有合并任何 PR。" in (RUN / "digest.zh.md").read_bytes().decode()


def test_a_shallow_clone_that_lacks_the_week(command: CommandLine, history: History) -> None:
    history.commit("In the week (#2)", {"pages/queue.py": "week()\n"})
    history.commit("After it (#3)", {"pages/queue.py": "after()\n"}, when=AFTER)
    history.git("clone", "--quiet", "--depth", "1", f"file://{history.folder}", str(command.folder / "shallow"))
    outcome = command("run", "./shallow", "--week", "2026-W06", "--llm", "none")
    assert (outcome.code, outcome.out) == (2, "")
    assert "./shallow: a shallow clone whose history begins on 2026-03-04, not before 2026-02-02;" in outcome.err
    assert "get the rest with: git fetch --unshallow (or git fetch --shallow-since=2026-02-02" in outcome.err


def test_a_patch_and_an_author_that_are_not_utf8(command: CommandLine, history: History) -> None:
    history.commit("Name the café (#2)", {"pages/name.py": b"name = 'caf\xe9'\n"}, author="Zoe Muller")
    raw = history.git("cat-file", "commit", "HEAD").encode().replace(b"Zoe Muller", "Zoë Müller".encode("latin-1"))
    odd = history.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", text=raw)
    history.git("update-ref", "HEAD", odd)
    outcome = command("run", "./clone", "--week", "2026-W06", "--llm", "none")
    assert outcome.code == 0, outcome.err
    page = (RUN / "digest.en.md").read_bytes().decode("utf-8")
    assert "Name the café" in page
    pull = (RUN / "pulls/2.json").read_bytes().decode("utf-8")
    assert "Zo\ufffd M\ufffdller" in pull
    assert "the diff holds bytes that are not UTF-8" in pull


def test_a_partial_collection_is_no_whole_digest(command: CommandLine, history: History) -> None:
    """Commits of one pull request that do not stand together: its diff is incomplete, which exit 1 tells."""
    history.commit("Open the queue (#2)", {"pages/queue.py": "open()\n"})
    history.commit("Something else (#3)", {"pages/other.py": "other()\n"})
    history.commit("Close the queue (#2)", {"pages/queue.py": "close()\n"})
    outcome = command("run", "./clone", "--week", "2026-W06", "--llm", "none")
    assert outcome.code == 1
    assert "warning: collect pr-2: its commits do not stand together on the branch" in outcome.err
    assert command("run", "./clone", "--week", "2026-W06", "--llm", "none", "--allow-partial").code == 0


def test_collect_says_what_it_found(command: CommandLine, history: History) -> None:
    history.commit("Open the queue (#2)", {"pages/queue.py": "open()\n"})
    history.commit("Without a number", {"pages/other.py": "other()\n"})
    outcome = command("collect", "./clone", "--week", "2026-W06")
    assert (outcome.code, outcome.out) == (0, f"{RUN}\n")
    assert "local/clone, 2026-W06: 1 merged pull request, 1 commit of no pull request\n" in outcome.err
    assert "note: read along main, first parents only" in outcome.err
    assert outcome.err.count("pull requests may be missing") == 1


def test_two_clones_of_one_name_do_not_share_a_folder(command: CommandLine, history: History) -> None:
    history.commit("Open the queue (#2)", {"pages/queue.py": "open()\n"})
    other = History(command.folder / "elsewhere" / "clone")
    other.commit("Shut the door (#9)", {"door.py": "shut()\n"})
    week = ("--week", "2026-W06", "--llm", "none")
    assert command("run", "./clone", *week).code == 0
    page = (RUN / "digest.en.md").read_bytes()
    for name in ("run", "collect"):
        outcome = command(name, "./elsewhere/clone", *(week if name == "run" else week[:2]))
        assert (outcome.code, outcome.out, outcome.err) == (
            2,
            "",
            (
                f"error: {RUN} holds the pull requests of ./clone, not of ./elsewhere/clone;"
                " give another folder with --out, or start over in this one with --fresh\n"
            ),
        )
    assert (RUN / "digest.en.md").read_bytes() == page
    assert command("run", str(history.folder), *week).code == 0  # the same clone, written otherwise
    assert command("run", "./elsewhere/clone", *week, "--fresh").code == 0
    page = (RUN / "digest.en.md").read_bytes()
    assert (b"Shut the door" in page, b"Open the queue" in page) == (True, False)
    assert [path.name for path in (RUN / "pulls").iterdir()] == ["9.json"]


def test_a_clone_and_a_fixture_do_not_share_a_folder(command: CommandLine, history: History) -> None:
    write_week(command.folder / "week")
    history.git("remote", "add", "origin", "https://github.example/toy/pages.git")
    assert command("run", "--fixture", "./week/", "--llm", "none").code == 0
    outcome = command("run", "./clone", "--week", "2026-W06", "--llm", "none")
    assert outcome.code == 2
    assert "holds the pull requests of the fixture ./week, not of ./clone;" in outcome.err


def test_credentials_of_an_address_stay_out_of_the_folder(command: CommandLine, history: History) -> None:
    history.commit("Open the queue (#2)", {"pages/queue.py": "open()\n"})
    address = f"file://lin:hunter2@localhost{history.folder}"
    outcome = command("run", address, "--week", "2026-W06", "--llm", "none")
    stored = "".join(path.read_bytes().decode() for path in Path("runs").rglob("*.json"))
    assert (outcome.code, "hunter2" in stored + outcome.err) == (0, False), outcome.err


def test_a_week_that_is_not_over_may_lack_pull_requests(command: CommandLine, history: History) -> None:
    history.commit("Open the queue (#2)", {"pages/queue.py": "open()\n"})
    note = "the newest commit on main is of 2026-02-04, before the end of the period: pull requests may be missing"
    outcome = command("run", "./clone", "--week", "2026-W06", "--llm", "none")
    assert (outcome.code, f"warning: {note}\n" in outcome.err) == (0, True), outcome.err
    assert note in (RUN / "digest.en.md").read_bytes().decode()
    assert f"warning: {note}\n" in command("collect", "./clone", "--week", "2026-W06").err


def test_a_period_to_come_is_refused(command: CommandLine, history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prhub_digest.cli.asked.now", lambda: datetime(2026, 2, 2, tzinfo=UTC))
    outcome = command("run", "./clone", "--week", "2026-W07", "--llm", "none")
    assert (outcome.code, outcome.err) == (
        2,
        "error: 2026-W07 has not begun yet; choose a period that is over, such as the last week\n",
    )
    assert command("collect", "./clone", "--since", "2026-02-03", "--until", "2026-02-04").code == 2
    assert not Path("runs").exists()
    assert command("run", "./clone", "--week", "2026-W06", "--llm", "none").code == 0  # has just begun


def test_refresh_collects_again_and_fresh_forgets(command: CommandLine, history: History) -> None:
    before = history.commit("Open the queue (#2)", {"pages/queue.py": "open()\n"})
    week = ("run", "./clone", "--week", "2026-W06", "--llm", "none")
    assert command(*week).code == 0
    history.commit("Close the queue (#3)", {"pages/queue.py": "close()\n"})
    head = history.git("rev-parse", "HEAD")
    outcome = command(*week)
    assert "1 merged pull request;" in outcome.err
    moved = f"the repository has moved on since it was collected ({before[:12]} -> {head[:12]}); --refresh collects"
    assert moved in outcome.err
    assert "2 merged pull requests" in command(*week, "--refresh").err
    (RUN / "notes.txt").write_text("mine", encoding="utf-8")
    assert "2 merged pull requests" in command(*week, "--fresh").err
    assert (RUN / "notes.txt").exists()
