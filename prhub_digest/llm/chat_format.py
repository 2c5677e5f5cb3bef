"""The chat-completions format, as live calls and batch files share it. Pure."""

import json
from collections.abc import Sequence
from typing import Any

from prhub_digest.llm.client import Completion, NoAnswerError, RefusedError
from prhub_digest.models.llm import LogicalRequest, Message, Usage

_SHOWN = 200


def chat_body(request: LogicalRequest, messages: Sequence[Message], max_output_tokens: int) -> dict[str, Any]:
    """The body of POST /chat/completions."""
    return {
        "model": request.model,
        "messages": [message.model_dump() for message in messages],
        "temperature": request.parameters.temperature,
        "max_tokens": max_output_tokens,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": request.schema_name, "strict": True, "schema": request.wire_schema},
        },
    }


def read_body(text: str) -> Completion:
    """The completion in a response's text. Raises NoAnswerError, RefusedError."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise NoAnswerError(f"the endpoint's answer is not JSON: {shorten(text)}", Usage(calls=1)) from None
    return read_completion(body)


def read_completion(body: Any) -> Completion:
    """The completion in a decoded response body. Raises NoAnswerError, RefusedError, which carry the usage."""
    if not isinstance(body, dict):
        raise NoAnswerError("the endpoint's answer is not a JSON object", Usage(calls=1))
    usage = _usage(body.get("usage"))
    if body.get("error"):
        raise NoAnswerError(f"the endpoint answered 200 with an error: {error_text(body['error'])}", usage)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise NoAnswerError("the endpoint's answer has no choices", usage)
    finish_reason = choices[0].get("finish_reason")
    finish_reason = finish_reason if isinstance(finish_reason, str) else "unknown"
    message = choices[0].get("message")
    message = message if isinstance(message, dict) else {}
    if finish_reason == "content_filter":
        raise RefusedError("the endpoint's content filter held the answer back", usage)
    if isinstance(message.get("refusal"), str) and message["refusal"]:
        raise RefusedError(f"the model refused: {shorten(message['refusal'])}", usage)
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        return Completion(_storable(content), finish_reason, usage)
    if finish_reason == "length":  # a reasoning model that thought until its limit
        return Completion("", finish_reason, usage)
    raise NoAnswerError("the endpoint's answer has no content", usage)


def error_text(error: Any) -> str:
    """The words of an error object, in whichever of the usual shapes it comes."""
    if isinstance(error, dict):
        inner = error.get("error", error)
        words = inner.get("message") if isinstance(inner, dict) else inner
        return shorten(words if isinstance(words, str) else json.dumps(error, ensure_ascii=False, default=str))
    return shorten(str(error))


def shorten(text: str) -> str:
    """One line of at most 200 characters, for a message."""
    line = " ".join(text[: 4 * _SHOWN].split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _storable(text: str) -> str:
    """Half a surrogate pair, which JSON can escape but UTF-8 cannot hold, becomes a replacement character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _usage(usage: Any) -> Usage:
    """Servers may leave usage, or any part of it, out."""
    if not isinstance(usage, dict):
        return Usage(calls=1)
    details = usage.get("prompt_tokens_details")
    return Usage(
        calls=1,
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")) if isinstance(details, dict) else 0,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
