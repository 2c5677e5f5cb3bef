"""The faults that `fault_server.py` serves: a function each, from a request and its correct answer to bytes.

`FAULTS` holds them by name, `OUTCOME` what a client should make of each:
- `good`: odd, but an answer that can be used;
- `again`: a failure that may pass, or an answer that the model is asked to give anew;
- `refused`: this one request has no answer, and asking again is in vain;
- `fatal`: so is every further request.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Literal

from model_server import Request, failure

Outcome = Literal["good", "again", "refused", "fatal"]


@dataclass(frozen=True)
class Exchange:
    """`good` is the correct completion, `others` those given to other requests before.

    `wait`: the seconds that a 429 asks for; `stall`: before a slow first byte; `drip`: between two bytes of a slow one.
    """

    request: Request
    good: dict[str, Any]
    others: tuple[dict[str, Any], ...] = ()
    wait: float = 0.02
    stall: float = 1.0
    drip: float = 0.05

    @property
    def content(self) -> str:
        content: str = self.good["choices"][0]["message"]["content"]
        return content

    def saying(self, content: Any, finish_reason: Any = "stop", **more: Any) -> dict[str, Any]:
        """The correct completion with another content."""
        choice = {**self.good["choices"][0], "finish_reason": finish_reason}
        return {**self.good, "choices": [{**choice, "message": {"role": "assistant", "content": content, **more}}]}


@dataclass(frozen=True)
class Wire:
    """Bytes to send and seconds to wait, in order; then the connection is kept, closed or reset."""

    steps: tuple[bytes | float, ...]
    end: Literal["keep", "close", "reset"] = "keep"


Fault = Callable[[Exchange], Wire]
FAULTS: dict[str, Fault] = {}
OUTCOME: dict[str, Outcome] = {}


def head(status: int, length: int, headers: dict[str, str] | None = None) -> bytes:
    shown = {"content-type": "application/json", "content-length": str(length), **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in shown.items())
    return f"HTTP/1.1 {status} Status\r\n{lines}\r\n".encode()


def whole(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Wire:
    """A complete response; a string is sent as it is."""
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return Wire((head(status, len(data), headers), data))


def fault(outcome: Outcome) -> Callable[[Fault], Fault]:
    def named(function: Fault) -> Fault:
        FAULTS[function.__name__] = function
        OUTCOME[function.__name__] = outcome
        return function

    return named


def _add(name: str, outcome: Outcome, function: Fault) -> None:
    FAULTS[name], OUTCOME[name] = function, outcome


def _status(status: int, message: str, code: str | None = None, headers: dict[str, str] | None = None) -> Wire:
    reply = failure(status, message, code)
    return whole(reply.body, status, headers)


# 429, in all its forms; the last four ask for what nobody can mean.
def _busy(headers: Callable[[Exchange], dict[str, str]]) -> Fault:
    return lambda exchange: _status(429, "slow down", "rate_limit_exceeded", headers(exchange))


def _date(exchange: Exchange) -> dict[str, str]:
    return {"Retry-After": format_datetime(datetime.now(UTC) + timedelta(seconds=max(exchange.wait, 1)), usegmt=True)}


_add("429_without_a_wait", "again", _busy(lambda _: {}))
_add("429_seconds", "again", _busy(lambda exchange: {"Retry-After": f"{exchange.wait:g}"}))
_add("429_date", "again", _busy(_date))
_add("429_milliseconds", "again", _busy(lambda exchange: {"retry-after-ms": f"{exchange.wait * 1000:g}"}))
_add("429_negative", "again", _busy(lambda _: {"Retry-After": "-5"}))
_add("429_not_a_number", "again", _busy(lambda _: {"Retry-After": "NaN"}))
_add("429_ten_years", "again", _busy(lambda _: {"Retry-After": "315360000"}))
_add("429_in_words", "again", _busy(lambda _: {"Retry-After": "soon"}))


@fault("fatal")
def insufficient_quota(_: Exchange) -> Wire:
    return _status(429, "You exceeded your current quota", "insufficient_quota")


for _code, _words in ((500, "boom"), (502, "bad gateway"), (503, "overloaded"), (529, "overloaded_error")):
    _add(f"{_code}", "again", lambda _, code=_code, words=_words: _status(code, words))  # type: ignore[misc]


@fault("again")
def html_502(_: Exchange) -> Wire:
    return whole("<html><h1>502 Bad Gateway</h1></html>", 502, {"content-type": "text/html"})


# Time and connections.
@fault("again")
def slow_first_byte(exchange: Exchange) -> Wire:
    return Wire((exchange.stall, *whole(exchange.good).steps))


@fault("again")
def slow_headers(exchange: Exchange) -> Wire:
    return _dripping(b"".join(step for step in whole(exchange.good).steps if isinstance(step, bytes)), exchange)


@fault("again")
def slow_stream(exchange: Exchange) -> Wire:
    data = json.dumps(exchange.good).encode()
    return Wire((head(200, len(data)), *_dripping(data, exchange).steps))


@fault("again")
def slow_error(exchange: Exchange) -> Wire:
    data = json.dumps(failure(500, "boom").body).encode()
    return Wire((head(500, len(data)), *_dripping(data, exchange).steps))


def _dripping(data: bytes, exchange: Exchange) -> Wire:
    """A byte at a time: no single read waits long, all of them together do."""
    return Wire(tuple(step for byte in data for step in (exchange.drip, bytes([byte]))))


@fault("again")
def reset_before(_: Exchange) -> Wire:
    return Wire((), "reset")


@fault("again")
def closed_before(_: Exchange) -> Wire:
    return Wire((), "close")


@fault("again")
def reset_in_body(exchange: Exchange) -> Wire:
    data = json.dumps(exchange.good).encode()
    return Wire((head(200, len(data)), data[: len(data) // 2], 0.01), "reset")


@fault("again")
def closed_in_body(exchange: Exchange) -> Wire:
    data = json.dumps(exchange.good).encode()
    return Wire((head(200, len(data)), data[: len(data) // 2]), "close")


# Headers that lie.
@fault("again")
def length_too_long(exchange: Exchange) -> Wire:
    data = json.dumps(exchange.good).encode()
    return Wire((head(200, len(data) + 100), data), "close")


@fault("again")
def length_too_short(exchange: Exchange) -> Wire:
    """The rest of the body stands where the next response on this connection should begin."""
    data = json.dumps(exchange.good).encode()
    return Wire((head(200, len(data) // 2) + data,))


@fault("again")
def not_compressed(exchange: Exchange) -> Wire:
    return whole(exchange.good, headers={"content-encoding": "gzip"})


@fault("good")
def reset_in_the_past(exchange: Exchange) -> Wire:
    return whole(exchange.good, headers={"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "-1s"})


@fault("good")
def limit_used_up(exchange: Exchange) -> Wire:
    """No lie: the endpoint says that it takes nothing more for a while."""
    reset = f"{exchange.wait * 1000:g}ms"
    return whole(exchange.good, headers={"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": reset})


# HTTP 200 without an answer.
@fault("again")
def truncated_json(exchange: Exchange) -> Wire:
    text = json.dumps(exchange.good)
    return whole(text[: len(text) // 2])


@fault("again")
def wrong_content_type(_: Exchange) -> Wire:
    return whole("<html>Please log in</html>", headers={"content-type": "text/html"})


@fault("good")
def json_called_text(exchange: Exchange) -> Wire:
    return whole(exchange.good, headers={"content-type": "text/plain; charset=utf-16"})


@fault("again")
def empty_body(_: Exchange) -> Wire:
    return whole("")


@fault("again")
def error_500_inside_200(_: Exchange) -> Wire:
    return whole({"error": {"message": "engine crashed", "code": 500}})


@fault("again")
def error_429_inside_200(_: Exchange) -> Wire:
    return whole({"error": {"message": "slow down", "type": "rate_limit_error"}})


@fault("again")
def error_inside_200(_: Exchange) -> Wire:
    return whole({"error": "something odd", "usage": {"prompt_tokens": 900, "completion_tokens": 0}})


@fault("fatal")
def quota_inside_200(_: Exchange) -> Wire:
    return whole({"error": {"message": "the account is empty", "code": "insufficient_quota"}})


@fault("again")
def empty_choices(_: Exchange) -> Wire:
    return whole({"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 0}})


@fault("again")
def null_choices(_: Exchange) -> Wire:
    return whole({"choices": None})


@fault("again")
def null_content(exchange: Exchange) -> Wire:
    return whole(exchange.saying(None))


@fault("again")
def white_content(exchange: Exchange) -> Wire:
    return whole(exchange.saying(" " * 400))


@fault("refused")
def refusal(exchange: Exchange) -> Wire:
    return whole(exchange.saying(None, refusal="I cannot help with that"))


@fault("refused")
def content_filter(exchange: Exchange) -> Wire:
    return whole(exchange.saying(exchange.content[:20], "content_filter"))


@fault("again")
def ten_megabytes(exchange: Exchange) -> Wire:
    return whole(exchange.saying("x" * 10_000_000))


# Answers that are not quite what was asked for.
@fault("again")
def length_stop(exchange: Exchange) -> Wire:
    return whole(exchange.saying(exchange.content[: len(exchange.content) // 2], "length"))


@fault("again")
def cut_without_saying(exchange: Exchange) -> Wire:
    return whole(exchange.saying(exchange.content[: len(exchange.content) // 2]))


@fault("good")
def unknown_finish_reason(exchange: Exchange) -> Wire:
    return whole(exchange.saying(exchange.content, "eos"))


@fault("good")
def thinking(exchange: Exchange) -> Wire:
    draft = json.dumps({"ref": json.loads(exchange.content).get("ref"), "draft": True})
    return whole(exchange.saying(f"<think>\nA first try: {draft}\n</think>\n{exchange.content}"))


@fault("again")
def only_thinking(exchange: Exchange) -> Wire:
    return whole(exchange.saying("", reasoning_content="Let me think. {"))


@fault("good")
def answer_among_thoughts(exchange: Exchange) -> Wire:
    return whole(exchange.saying("", reasoning_content=f"<think></think>{exchange.content}"))


@fault("good")
def fenced(exchange: Exchange) -> Wire:
    return whole(exchange.saying(f"```json\n{exchange.content}\n```"))


@fault("good")
def in_prose(exchange: Exchange) -> Wire:
    return whole(exchange.saying(f"Here it is:\n{exchange.content}\nI hope it helps."))


@fault("good")
def in_parts(exchange: Exchange) -> Wire:
    half = len(exchange.content) // 2
    texts = (exchange.content[:half], exchange.content[half:])
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "{"}]}
    return whole(exchange.saying([thought, *({"type": "text", "text": text} for text in texts)]))


@fault("good")
def trailing_comma(exchange: Exchange) -> Wire:
    return whole(exchange.saying(f"{exchange.content.rstrip()[:-1]},\n}}"))


@fault("again")
def duplicate_keys(exchange: Exchange) -> Wire:
    first = json.dumps(next(iter(json.loads(exchange.content))))
    return whole(exchange.saying(f"{exchange.content.rstrip()[:-1]}, {first}: null}}"))


@fault("again")
def not_a_number(exchange: Exchange) -> Wire:
    fields = {name: "\0" if isinstance(value, int) else value for name, value in json.loads(exchange.content).items()}
    marked = json.dumps(fields if "\0" in fields.values() else {**fields, "score": "\0"})
    return whole(exchange.saying(marked.replace('"\\u0000"', "NaN")))


@fault("again")
def answer_of_another(exchange: Exchange) -> Wire:
    """What another request was answered; before there is one, the own answer with another `ref`."""
    if exchange.others:
        return whole(exchange.others[-1])
    return whole(exchange.saying(json.dumps({**json.loads(exchange.content), "ref": "another"})))
