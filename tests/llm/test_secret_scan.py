"""What a fixture's file must not hold, wherever it stands in it; the rules are those of collecting."""

import json
from pathlib import Path

import pytest
from test_reply_store import stored
from toy_requests import toy_content, toy_request

from prhub_digest.collect.masking import secrets_in
from prhub_digest.errors import UsageError
from prhub_digest.llm.record import RecordingReplies
from prhub_digest.llm.secret_scan import refuse_secrets
from prhub_digest.models.llm import Attempt, Message, StoredReply, Usage

TOKEN = "gh" + "p_" + "Zq7Rk2Wm9Xv4Tb6Ny1Lp8Cd3Fg5Hj0SaQeUi"
KEY_LINES = ("-----BEGIN RSA " + "PRIVATE KEY-----", "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn", "ygWyF8PbnGy0AHB7MaXQ9c2")
KEY = "\n".join(KEY_LINES)
PATH = Path("week/replies/toy/pr-1.json")


def with_attempt(**changes: str) -> StoredReply:
    first = Attempt(content=toy_content(), finish_reason="stop", usage=Usage(calls=1))
    return StoredReply(request=toy_request(), attempts=(first.updated(**changes), first), recorded="now")


def with_message(text: str) -> StoredReply:
    system, user = toy_request().messages
    return stored(toy_request(messages=(system, Message(role="user", content=f"{user.content}\n{text}"))))


@pytest.mark.parametrize(
    ("reply", "kind", "place"),
    [
        (with_message(f"D3|+token = '{TOKEN}'"), "github-pat", "request.messages.1.content"),
        (with_message(KEY), "private-key", "request.messages.1.content"),
        (with_message("\n".join(f"D{n}|+{line}" for n, line in enumerate(KEY_LINES))), "private-key", "request.mess"),
        (stored(toy_request(), toy_content(summary=f"Uses {TOKEN}.")), "github-pat", "attempts.0.content"),
        (stored(toy_request(), toy_content(summary=KEY)), "private-key", "attempts.0.content"),
        (with_attempt(content=f"Sure! {json.dumps({'a': KEY})}"), "private-key", "attempts.0.content"),
        (with_attempt(content=toy_content(summary=TOKEN).replace("_", "\\u005f")), "github-pat", "attempts.0.content"),
        (with_attempt(error=f"HTTP 400: no such user {TOKEN}"), "github-pat", "attempts.0.error"),
        (stored(toy_request()).updated(recorded=TOKEN), "github-pat", "recorded"),
    ],
)
def test_a_secret_is_named_by_file_kind_and_place_alone(reply: StoredReply, kind: str, place: str) -> None:
    with pytest.raises(UsageError) as raised:
        refuse_secrets(PATH, reply, secrets_in)
    message = str(raised.value)
    assert message.startswith(f"{PATH} would hold what looks like a secret ({kind}, in {place}")
    assert TOKEN not in message
    assert KEY_LINES[1] not in message


@pytest.mark.parametrize(
    "text",
    [
        "a commit 3fa0b1c2d4e5f60718293a4b5c6d7e8f90a1b2c3, masked [secret:github-pat]",
        "password = os.environ['PASSWORD']",
        r"a path C:\new\u00zz and a pattern \d+\\",
    ],
)
def test_what_is_no_secret_may_be_written(text: str) -> None:
    refuse_secrets(PATH, with_message(text), secrets_in)
    refuse_secrets(PATH, stored(toy_request(), toy_content(summary=text)), secrets_in)


def test_the_demo_holds_none() -> None:
    paths = sorted((Path(__file__).parents[2] / "fixtures" / "demo").glob("replies/*/*.json"))
    assert len(paths) > 40
    for path in paths:
        refuse_secrets(path, StoredReply.model_validate_json(path.read_bytes()), secrets_in)


def test_a_refused_reply_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    replies = RecordingReplies(tmp_path, None, pytest.fail, secrets_in)
    replies.save(stored(toy_request()))
    path = tmp_path / "replies/toy/pr-1.json"
    before = path.read_bytes()
    for number in (1, 2):
        with pytest.raises(UsageError, match="looks like a secret"):
            replies.save(stored(toy_request(number), toy_content(number, summary=TOKEN)))
    assert [found.name for found in tmp_path.rglob("*") if found.is_file()] == ["pr-1.json"]
    assert path.read_bytes() == before
