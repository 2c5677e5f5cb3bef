"""`record` against endpoints that give away what they were told: no key and no header reaches a fixture."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import CommandLine, Outcome
from model_server import ModelServer, Reply, Request, completion, failure
from scripted_model import answer, batch_line, content_for, field
from small_week import write_week

from prhub_digest.models.llm import StoredReply

pytest_plugins = ["command_fixture"]

KEY = "local-endpoint-key-4711"
TOKEN = "gh" + "p_" + "Zq7Rk2Wm9Xv4Tb6Ny1Lp8Cd3Fg5Hj0SaQeUi"
REPLY = Path("week/replies/summarize_pr/pr-102.json")


def recorded(command: CommandLine, respond: Callable[[Request], Reply]) -> Outcome:
    """A recording in which only the request about pull request 102 is answered by `respond`."""
    write_week(command.folder / "week")

    def but_one(request: Request) -> Reply:
        return respond(request) if field(request.messages[1]["content"], "ref") == "pr-102" else answer(request)

    with ModelServer(but_one) as server:
        command.set(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=KEY)
        outcome = command("record", "--fixture", "./week/", "--llm", "openai")
        assert any(KEY in request.headers["authorization"] for request in server.requests)
    return outcome


def said(request: Request) -> str:
    """The key as the endpoint was told it."""
    return request.headers["authorization"].removeprefix("Bearer ")


def with_headline(request: Request, text: str) -> str:
    reply = json.loads(content_for(request.body))
    reply["headline"]["text"] += text
    return json.dumps(reply)


def refused(outcome: Outcome, path: Path, kind: str, place: str) -> None:
    assert (outcome.code, outcome.out) == (2, ""), outcome.err
    assert (
        f"error: {path} would hold what looks like a secret ({kind}, in {place}), so it was not written;" in outcome.err
    )
    for text in (outcome.err, *(file.read_bytes().decode() for file in Path("week").rglob("*") if file.is_file())):
        assert KEY not in text
        assert TOKEN not in text


def test_a_key_in_the_answer(command: CommandLine) -> None:
    outcome = recorded(command, lambda request: completion(with_headline(request, f" {said(request)}")))
    refused(outcome, REPLY, "OPENAI_API_KEY", "attempts.0.content")
    assert not REPLY.exists()
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command("record", "--fixture", "./week/", "--llm", "openai").code == 0
    assert REPLY.exists()


def test_a_key_in_an_answer_that_is_not_used(command: CommandLine) -> None:
    def answers(request: Request) -> Reply:
        informed = len(request.messages) > 2
        return completion(content_for(request.body) if informed else f'{{"ref": "{said(request)}"}}')

    refused(recorded(command, answers), REPLY, "OPENAI_API_KEY", "attempts.0.content")
    assert not REPLY.exists()


def test_a_key_in_an_error_stays_out_of_the_manifest(command: CommandLine) -> None:
    outcome = recorded(command, lambda request: failure(400, f"cannot answer {said(request)}"))
    assert (outcome.code, outcome.out) == (1, ""), outcome.err
    assert "warning: summarize pr-102, which a replay repeats: " in outcome.err
    assert outcome.err.endswith("\nweek: every other reply is recorded\n")
    manifest = Path("week/manifest.json").read_bytes().decode()
    assert list(json.loads(manifest)["failed"]) == ["summarize_pr/pr-102"]
    assert "cannot answer" in manifest
    assert KEY not in manifest + outcome.err


def test_a_token_in_an_error_stays_out_of_the_manifest(command: CommandLine) -> None:
    outcome = recorded(command, lambda _: failure(400, f"cannot answer {TOKEN}"))
    manifest = Path("week/manifest.json").read_bytes().decode()
    assert TOKEN not in manifest
    assert outcome.code == 2, outcome.err
    place = "in failed.summarize_pr/pr-102"
    assert f"error: week/manifest.json would hold what looks like a secret (github-pat, {place})" in outcome.err
    assert json.loads(manifest)["failed"] == {}


def test_a_token_that_the_model_made_up(command: CommandLine) -> None:
    outcome = recorded(command, lambda request: completion(with_headline(request, f" {TOKEN}")))
    refused(outcome, REPLY, "github-pat", "attempts.0.content")


def test_a_token_in_a_batch_file(command: CommandLine) -> None:
    write_week(command.folder / "week")
    outcome = command("record", "--fixture", "./week/")
    assert outcome.code == 0, outcome.err
    lines = Path("runs/recording/toy__pages/2026-W06/batch/round-001.jsonl").read_bytes().decode().splitlines()
    answers = "\n".join(map(batch_line, lines)).replace("Read the settings", f"Read {TOKEN} the settings")
    Path("replies.jsonl").write_bytes(answers.encode())
    outcome = command("batch", "import", "--fixture", "./week/", "replies.jsonl")
    refused(outcome, REPLY, "github-pat", "attempts.0.content")
    assert not REPLY.exists()


def test_the_key_of_this_process_in_a_pull_request(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy").code == 0
    run = Path("runs/toy__pages/2026-W06")
    command.set(OPENAI_API_KEY="as discussed in the meeting")
    outcome = command("record", run, "./saved/")
    assert (outcome.code, Path("saved").exists()) == (2, False)
    assert "error: saved/pulls/101.json would hold what looks like a secret (OPENAI_API_KEY, in body)" in outcome.err


def test_a_word_that_local_servers_are_given_is_no_key(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="none")
        assert command("record", "--fixture", "./week/", "--llm", "openai").code == 0
    assert "Threads: none" in REPLY.read_bytes().decode()


def test_a_reply_file_can_be_read_and_holds_no_header(command: CommandLine) -> None:
    """One file a reply: the request, then the answers to it, indented, in the order of the record."""
    write_week(command.folder / "week")

    def answers(request: Request) -> Reply:
        reply = answer(request)
        return Reply(reply.body, headers={"x-request-id": "id-12345", "set-cookie": "session=id-12345"})

    with ModelServer(answers) as server:
        command.set(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=KEY)
        assert command("record", "--fixture", "./week/", "--llm", "openai").code == 0
    paths = sorted(Path("week/replies").rglob("*"))
    assert sorted(path.name for path in paths if path.is_file() and "summarize_pr" in path.parts) == [
        *("pr-101.json", "pr-102.json", "pr-103.json")
    ]
    for path in filter(Path.is_file, paths):
        text = path.read_bytes().decode()
        assert StoredReply.model_validate_json(text).to_json() == text
        assert text.startswith('{\n  "request": {\n    "prompt": ')
        assert list(json.loads(text)) == ["request", "attempts", "recorded"]
        for word in ("id-12345", KEY, "127.0.0.1", "header", "cookie"):
            assert word not in text.lower()


@pytest.mark.parametrize("variable", ["GITHUB_TOKEN", "GH_TOKEN", "OPENAI_ADMIN_KEY"])
def test_other_keys_of_this_process(command: CommandLine, variable: str) -> None:
    command.set(**{variable: "another-key-4711"})
    outcome = recorded(command, lambda request: completion(with_headline(request, " another-key-4711")))
    refused(outcome, REPLY, variable, "attempts.0.content")
