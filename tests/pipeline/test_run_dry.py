"""A replay: no connection, no setting of the environment, the same bytes every time."""

import json
import shutil
import socket
from pathlib import Path

import pytest
from command_line import CommandLine
from model_server import ModelServer, closed_port, failure
from scripted_model import answer, field
from small_week import write_week

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
DRY = ("run", "--dry-run", "--fixture", "./week/", "--lang", "en", "--lang", "zh")


@pytest.fixture
def week(command: CommandLine) -> Path:
    """A fixture with the replies of the scripted model."""
    folder = write_week(command.folder / "week")
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        outcome = command("record", "--fixture", "./week/", "--llm", "openai")
        assert (outcome.code, outcome.err.split("\n")[-2]) == (0, "week: every reply is recorded")
        command.set(OPENAI_BASE_URL=f"http://127.0.0.1:{closed_port()}/v1")
    shutil.rmtree("runs")
    return folder


def no_socket(*arguments: object, **names: object) -> None:
    raise AssertionError("a dry run opened a socket")


def pages() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(RUN.glob("digest.*"))}


def test_two_dry_runs_give_the_same_bytes_without_a_socket(
    command: CommandLine, week: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "socket", no_socket)
    monkeypatch.setattr(socket, "getaddrinfo", no_socket)
    outcome = command(*DRY)
    assert (outcome.code, outcome.out) == (0, f"{RUN}/digest.en.md\n{RUN}/digest.zh.md\n"), outcome.err
    first = pages()
    assert len(first) == 4
    shutil.rmtree("runs")
    command.set(PRHUB_MODEL="gpt-foreign", PRHUB_SMALL_MODEL="small", OPENAI_API_KEY="sk-not-a-key")
    assert command(*DRY).code == 0
    assert pages() == first
    assert "gpt-foreign" not in first["digest.en.md"].decode()
    assert not Path("cache/replies").exists()


def test_a_missing_reply_is_named(command: CommandLine, week: Path) -> None:
    (week / "replies/summarize_pr/pr-102.json").unlink()
    outcome = command(*DRY)
    assert (outcome.code, outcome.out) == (3, "")
    assert "error: no reply is recorded for summarize_pr/pr-102" in outcome.err
    assert not pages()


def test_a_stale_reply_says_what_differs(command: CommandLine, week: Path) -> None:
    shipped = Path(__file__).parents[2] / "prompts" / "summarize_pr.prompt.md"
    Path("prompts").mkdir()
    text = shipped.read_bytes().decode().replace("You summarize one merged", "You sum up one merged")
    (Path("prompts") / shipped.name).write_bytes(text.encode())
    outcome = command(*DRY, "--prompts", "prompts")
    assert (outcome.code, outcome.out) == (3, "")
    assert "answers another request:\n" in outcome.err
    assert "message 1 (system), line 1: recorded “You summarize one merged" in outcome.err
    assert "now “You sum up one merged" in outcome.err
    assert "prompt summarize_pr has changed" in outcome.err


def test_a_fixture_that_was_edited_is_read_again(command: CommandLine, week: Path) -> None:
    assert command(*DRY).code == 0
    path = week / "pulls/102.json"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"as discussed", b"as agreed"))
    outcome = command(*DRY)
    assert (outcome.code, outcome.out) == (3, "")
    assert "the reply recorded for summarize_pr/pr-102 answers another request:\n" in outcome.err
    assert "as discussed" in outcome.err
    assert "as agreed" in outcome.err
    assert "`prhub-digest record --fixture ./week` asks again for what is missing or stale\n" in outcome.err
    path.write_bytes(before)
    assert command(*DRY).code == 0
    manifest = week / "manifest.json"
    numbers = manifest.read_bytes().replace(b"102,\n      103", b"102")
    manifest.write_bytes(numbers)
    assert command(*DRY).code == 3  # the plan was recorded for three
    assert json.loads((RUN / "collection.json").read_bytes())["numbers"] == [101, 102]


def test_only_what_became_stale_is_asked_anew(command: CommandLine, week: Path) -> None:
    path = week / "pulls/102.json"
    path.write_bytes(path.read_bytes().replace(b"as discussed", b"as agreed"))
    assert command(*DRY).code == 3
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command("record", "--fixture", "./week/", "--llm", "openai").code == 0
        assert [field(request.messages[1]["content"], "ref") for request in server.requests] == ["pr-102"]
    assert command(*DRY).code == 0


def test_a_recorded_failure_gives_the_same_fallback(command: CommandLine) -> None:
    week = write_week(command.folder / "week")

    def but_one(request):
        ref = field(request.messages[1]["content"], "ref")
        return failure(400, "this text is too odd for me") if ref == "pr-102" else answer(request)

    with ModelServer(but_one) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command("record", "--fixture", "./week/", "--llm", "openai").code in (0, 1)
    manifest = json.loads((week / "manifest.json").read_bytes())
    assert list(manifest["failed"]) == ["summarize_pr/pr-102"]
    outcome = command(*DRY)
    assert outcome.code == 1
    assert "warning: summarize pr-102: " in outcome.err
    assert "this text is too odd for me" in outcome.err
    assert command(*DRY, "--allow-partial").code == 0
