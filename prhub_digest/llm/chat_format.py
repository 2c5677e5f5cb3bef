"""The chat-completions format, as live calls and batch files share it. Pure."""

import json
from collections.abc import Sequence
from typing import Any

from prhub_digest.llm.client import Completion, NoAnswerError, RefusedError, StrangeAnswerError
from prhub_digest.llm.reply_text import whole_object
from prhub_digest.models.llm import LogicalRequest, Message, Rung, Usage

_SHOWN = 200
# No model reads or writes more in one call: its context would have to be larger than any there is.
_MOST_TOKENS = 10_000_000
# Other servers' words for the two ends that matter here, beside OpenAI's own.
_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_HELD_BACK = frozenset({"content_filter", "safety", "prohibited_content", "sensitive"})
# "It must fit this schema" made small models write the schema itself, with the values inside.
_INSTRUCTION = (
    "Answer with one JSON object and nothing else: no word before or after it, no code fence. It is an instance of the"
    ' following JSON schema: it has the keys under "properties", with values, and none of the schema\'s own words.'
)


def chat_body(
    request: LogicalRequest, messages: Sequence[Message], max_output_tokens: int, rung: Rung = "schema_strict"
) -> dict[str, Any]:
    """The body of POST /chat/completions; `rung` is what the endpoint is asked to guarantee of the answer's form."""
    schema = rung in {"schema_strict", "schema"}
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [message.model_dump() for message in messages]
        if schema
        else _with_schema(messages, request.wire_schema),
        "temperature": request.parameters.temperature,
        "max_tokens": max_output_tokens,
    }
    if schema:
        named = {"name": request.schema_name, "strict": rung == "schema_strict", "schema": request.wire_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif rung == "json":
        body["response_format"] = {"type": "json_object"}
    return body


def _with_schema(messages: Sequence[Message], schema: dict[str, Any]) -> list[dict[str, str]]:
    """The messages, with the schema at the end of the last system message."""
    text = schema_in_words(schema)
    shown = [message.model_dump() for message in messages]
    for message in reversed(shown):
        if message["role"] == "system":
            message["content"] = f"{message['content']}\n\n{text}"
            return shown
    return [{"role": "system", "content": text}, *shown]


def schema_in_words(schema: dict[str, Any]) -> str:
    """What asks for an answer of that form where an endpoint takes no schema."""
    return f"{_INSTRUCTION}\n{json.dumps(schema, ensure_ascii=False, separators=(',', ':'))}"


def decoded_body(data: bytes) -> Any:
    """A response's JSON.

    Raises NoAnswerError; only markup is shown of what is no JSON, for other text may be thinking. Markup is a
    StrangeAnswerError: a web page.
    """
    text = data.decode("utf-8-sig", "replace")
    try:
        return json.loads(text)
    except RecursionError:
        fault = "is nested too deeply"
    except ValueError:
        shown = text.strip()
        if shown.startswith("<") and not shown.startswith(("<think", "<reason")):
            raise StrangeAnswerError(f"the answer is a web page: {shorten(shown)}", Usage(calls=1)) from None
        fault = f"is not JSON, or cut ({len(data)} bytes)"
    raise NoAnswerError(f"the endpoint's answer {fault}", Usage(calls=1))


def read_completion(body: Any, rung: Rung | None = None) -> Completion:
    """The completion in a decoded response body. Raises NoAnswerError, RefusedError, which carry the usage."""
    choice, usage = _choice(body)
    reason = _finish_reason(choice.get("finish_reason"))
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    if reason == "content_filter":
        raise RefusedError("the endpoint's content filter held the answer back", usage)
    content, refusal = _content(message)
    if refusal:
        raise RefusedError(f"the model refused: {shorten(refusal)}", usage)
    if reason == "error":
        raise NoAnswerError("the endpoint broke the answer off with an error", usage)
    if content.strip():
        return Completion(_storable(content), reason, usage, rung)
    if reason == "length":  # a reasoning model that thought until its limit
        return Completion("", reason, usage, rung)
    answer = _answer_among_thoughts(message)
    if answer is not None:
        return Completion(_storable(answer), reason, usage, rung)
    raise NoAnswerError("the endpoint's answer has no content", usage)


def _choice(body: Any) -> tuple[dict[str, Any], Usage]:
    """The first choice of a completion, and its usage."""
    if not isinstance(body, dict):
        raise StrangeAnswerError("the answer is not a JSON object", Usage(calls=1))
    usage = usage_of(body)
    if body.get("error"):
        raise NoAnswerError(f"the endpoint answered 200 with an error: {error_text(body['error'])}", usage)
    if "choices" not in body:
        holds = ", ".join(map(str, body)) or "nothing"
        raise StrangeAnswerError(f"the answer is no chat completion; it holds {shorten(holds)}", usage)
    choices = body["choices"]
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise NoAnswerError("the endpoint's answer has no choices", usage)
    return choices[0], usage


def listed_models(body: Any) -> tuple[str, ...]:
    """The names in a list of models; empty when it is no list."""
    models = body.get("data") if isinstance(body, dict) else body
    names = [model.get("id") for model in models if isinstance(model, dict)] if isinstance(models, list) else []
    return tuple(name for name in names if isinstance(name, str))


def error_text(error: Any) -> str:
    """The words of an error for a message: one short line, whatever the error is."""
    words = error_words(error)
    if words or not isinstance(error, dict):
        return shorten(words or str(error))
    return shorten(json.dumps(error, ensure_ascii=False, default=str))


def error_words(error: Any) -> str:
    """The words of an error in whichever of the usual shapes it comes, and nothing of a request that it repeats."""
    if isinstance(error, list) and error:
        error = error[0]
    if not isinstance(error, dict):
        return error if isinstance(error, str) else ""
    inner = error.get("error", error)
    if not isinstance(inner, dict):
        return inner if isinstance(inner, str) else ""
    words = inner.get("message") or _validation_words(inner.get("detail"))
    return words if isinstance(words, str) else ""


def _validation_words(detail: Any) -> str:
    """FastAPI's words: `body.temperature: Extra inputs are not permitted`."""
    if not isinstance(detail, list):
        return detail if isinstance(detail, str) else ""
    faults = [fault for fault in detail if isinstance(fault, dict) and isinstance(fault.get("msg"), str)]
    places = [fault["loc"] if isinstance(fault.get("loc"), list) else [] for fault in faults]
    return "; ".join(
        f"{'.'.join(map(str, place))}: {fault['msg']}" for place, fault in zip(places, faults, strict=True)
    )


def shorten(text: str) -> str:
    """One line of at most 200 characters, for a message."""
    line = " ".join(text[: 4 * _SHOWN].split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def usage_of(body: dict[str, Any]) -> Usage:
    """One call and its tokens. Servers may leave any part of it out; what nobody can mean counts as left out.

    Cached tokens stand in one of three places: OpenAI's, DeepSeek's, Moonshot's.
    """
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return Usage(calls=1)
    details = usage.get("prompt_tokens_details")
    places = (details if isinstance(details, dict) else {}, usage)
    names = ("cached_tokens", "prompt_cache_hit_tokens")
    cached = max(_count(place.get(name)) for place in places for name in names)
    tokens = _count(usage.get("prompt_tokens"))
    return Usage(
        calls=1,
        input_tokens=tokens,
        output_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=min(cached, tokens),
    )


def _finish_reason(given: Any) -> str:
    """The endpoint's word, except that a cut and a filter have one name each."""
    if not isinstance(given, str):
        return "unknown"
    word = given.lower()
    return "length" if word in _CUT else "content_filter" if word in _HELD_BACK else given


def _content(message: dict[str, Any]) -> tuple[str, str]:
    """What the model wrote as its answer, which may come in parts, and its refusal; each may be empty."""
    content, refusal = message.get("content"), message.get("refusal")
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        content = _joined(parts, "text")
        refusal = refusal or _joined(parts, "refusal")
    return content if isinstance(content, str) else "", refusal if isinstance(refusal, str) else ""


def _joined(parts: list[dict[str, Any]], kind: str) -> str:
    """The parts of this type; parts of other types hold thinking, or what was never asked for."""
    texts = [part.get(kind) for part in parts if part.get("type", "text") in {kind, f"output_{kind}"}]
    return "".join(text for text in texts if isinstance(text, str))


def _answer_among_thoughts(message: dict[str, Any]) -> str | None:
    """The answer of a server that files it under thinking: only where the answer is all that stands there."""
    for name in ("reasoning_content", "reasoning"):
        text = message.get(name)
        answer = whole_object(text) if isinstance(text, str) else None
        if answer is not None:
            return answer
    return None


def _storable(text: str) -> str:
    """Half a surrogate pair, which JSON can escape but UTF-8 cannot hold, becomes a replacement character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _count(value: Any) -> int:
    """Tokens; 0 for what is no number of them."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_TOKENS else 0
