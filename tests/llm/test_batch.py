import json
from pathlib import Path
from typing import Any

import pytest
from test_reply_store import no_warning
from toy_requests import ToyReply, toy_content, toy_reply, toy_request

from prhub_digest.errors import PendingReplies, UsageError
from prhub_digest.llm.ask import Asker, checked_reply
from prhub_digest.llm.batch import ImportResult, PendingClient, custom_id, export, import_replies, is_stored
from prhub_digest.llm.reply_text import ReplyTextError
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.llm import LogicalRequest, Usage

REQUESTS = tuple(toy_request(number) for number in (1, 2, 3))


def ids(*numbers: int) -> tuple[str, ...]:
    return tuple(custom_id(toy_request(number)) for number in numbers)


def validate(request: LogicalRequest, content: str) -> str | None:
    try:
        checked_reply(content, request, ToyReply)
    except ReplyTextError as error:
        return str(error)
    return None


def output(number: int, content: str | None, *, finish_reason: str = "stop", usage: bool = False) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    body: dict[str, Any] = {"choices": [{"finish_reason": finish_reason, "message": message}]}
    if usage:
        body["usage"] = {"prompt_tokens": 7, "completion_tokens": 3}
    return {
        "id": f"batch_req_{number}",
        "custom_id": custom_id(toy_request(number)),
        "response": {"status_code": 200, "body": body},
        "error": None,
    }


def imported(folder: Path, *lines: dict[str, Any] | str) -> tuple[ImportResult, ReplyStore]:
    path = folder / "replies.jsonl"
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    store = ReplyStore(folder / "store", no_warning)
    result = import_replies(path, REQUESTS, validate=validate, save=store.save, recorded="batch files")
    return result, store


def test_pending_requests_go_out_once_and_in_order(tmp_path: Path) -> None:
    client = PendingClient()
    asker = Asker(client, ReplyStore(tmp_path / "store", no_warning))
    for number in (2, 1, 2):
        with pytest.raises(PendingReplies, match=f"toy/pr-{number} waits") as raised:
            asker.ask(toy_request(number), ToyReply)
        assert raised.value.hashes == (toy_request(number).request_hash,)
    client.close()
    assert client.pending == REQUESTS[:2]
    path = tmp_path / "requests.jsonl"
    assert export(client.pending, path) == 2
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
    request = toy_request(1)
    assert [line["custom_id"] for line in lines] == list(ids(1, 2))
    assert lines[0] == {
        "custom_id": f"toy/pr-1-{request.request_hash[:10]}",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "toy-model",
            "messages": [
                {"role": "system", "content": "Summarize."},
                {"role": "user", "content": "Pull request 1"},
            ],
            "temperature": 0.0,
            "max_tokens": 100,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "ToyReply", "strict": True, "schema": request.wire_schema},
            },
        },
    }


def test_replies_come_in(tmp_path: Path) -> None:
    result, store = imported(
        tmp_path, output(2, toy_content(2), usage=True), output(1, f"```json\n{toy_content()}\n```")
    )
    assert result == ImportResult(imported=ids(2, 1), unknown=(), duplicate=(), missing=ids(3), failed=())
    asker = Asker(PendingClient(), store)
    first, second = (asker.ask(toy_request(number), ToyReply) for number in (1, 2))
    assert (first.reply, first.usage, first.paid) == (toy_reply(1), Usage(calls=1), Usage())
    assert (second.reply, second.usage) == (toy_reply(2), Usage(calls=1, input_tokens=7, output_tokens=3))
    assert second.stored.recorded == "batch files"


def test_every_other_line_is_reported_and_saves_nothing(tmp_path: Path) -> None:
    error = {"custom_id": ids(3)[0], "response": None, "error": {"code": "batch_expired", "message": "expired"}}
    result, store = imported(
        tmp_path,
        {**output(1, toy_content()), "custom_id": "toy/pr-1-0000000000"},
        "{half",
        "",
        output(1, toy_content(risk=9)),
        output(2, toy_content(2), finish_reason="length"),
        error,
    )
    assert result == ImportResult(
        imported=(),
        unknown=("toy/pr-1-0000000000",),
        duplicate=(),
        missing=ids(1, 2, 3),
        failed=(
            ("line 2", "not a line of a batch output file"),
            (ids(1)[0], "risk: Input should be 0, 1, 2, 3, 4 or 5"),
            (ids(2)[0], "the answer was cut at the output limit"),
            (ids(3)[0], "expired"),
        ),
    )
    assert [store.find(request) for request in REQUESTS] == [None, None, None]


def test_a_good_line_makes_up_for_a_bad_one_and_later_ones_are_duplicates(tmp_path: Path) -> None:
    failed = {**output(1, None), "response": {"status_code": 500, "body": {"error": {"message": "boom"}}}}
    result, store = imported(tmp_path, failed, output(1, toy_content()), output(1, toy_content(summary="late")))
    assert result == ImportResult(imported=ids(1), unknown=(), duplicate=ids(1), missing=ids(2, 3), failed=())
    found = store.find(toy_request(1))
    assert found is not None
    assert found.content == toy_content()


def test_lines_answered_before_are_told_apart(tmp_path: Path) -> None:
    result, store = imported(tmp_path, output(1, toy_content()))
    assert (result.stored, result.empty) == ((), False)
    path = tmp_path / "replies.jsonl"
    odd = ("toy/pr-1-zzzzzzzzzz", "../*", "", custom_id(toy_request(1)).replace("pr-1", "pr-9"))
    names = (*ids(1), *odd)
    path.write_text("".join(json.dumps({"custom_id": name}) + "\n" for name in names), encoding="utf-8")

    def again() -> ImportResult:
        return import_replies(
            path,
            REQUESTS[1:],
            validate=validate,
            save=store.save,
            recorded="",
            stored_before=lambda name: is_stored(name, store),
        )

    assert again() == ImportResult((), odd, (), ids(2, 3), (), ids(1))
    path.write_text("\n \n", encoding="utf-8")
    assert again().empty


def test_http_failures_are_named(tmp_path: Path) -> None:
    failed = {**output(1, None), "response": {"status_code": 500, "body": {"error": {"message": "boom"}}}}
    result, _ = imported(tmp_path, failed, output(2, None), {**output(3, None), "response": None})
    assert result.failed == (
        (ids(1)[0], "HTTP 500: boom"),
        (ids(2)[0], "the endpoint's answer has no content"),
        (ids(3)[0], "the line holds no response"),
    )


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    with pytest.raises(UsageError, match="cannot read"):
        import_replies(path, REQUESTS, validate=validate, save=print, recorded="")
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(UsageError, match="is not UTF-8"):
        import_replies(path, REQUESTS, validate=validate, save=print, recorded="")
