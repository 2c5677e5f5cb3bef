"""What a rejection says about an endpoint's abilities, and about the room that it has for an answer. Pure.

Servers name a parameter that they do not take in many ways: in words, in `param`, in the place of a validation error
(FastAPI's `detail`), or not at all.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from prhub_digest.llm.abilities import RUNGS, Abilities, LimitName
from prhub_digest.llm.api_errors import about_context, about_money
from prhub_digest.llm.chat_format import error_words

_SHOWN = 8000
# Room for less than this share of the answer that was asked for is no room: smaller chunks help then.
_LEAST_SHARE = 4
# A smaller number in an error is no limit on an answer.
_LEAST_LIMIT = 16

_NO_REASONS = ("bad request", "unprocessable entity", "unprocessable content")
_FORMAT = re.compile(
    r"response[_ ]?format|json[_ ]?(schema|object|mode)|structured[_ ]?outputs?|guided[_ ](json|decoding)|grammar",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"\bstrict\b|unavailable", re.IGNORECASE)
_UNWANTED_AFTER = (
    r"\W.{0,40}?(not (support|permitted|allowed)|unsupported|deprecated|only the default|unknown|unrecogni[sz]ed"
    r"|unexpected|invalid|(must|should) be)"
)
_UNWANTED_BEFORE = r"\b(unsupported|deprecated|unknown|unrecogni[sz]ed|unexpected|invalid|extra)\b[^.]{0,40}\W"
_TOO_LARGE = re.compile(
    r"too (large|high|big|many|long)|at most|maximum|\brange\b|less than|<=|>|exceed|limit (is|of)|up to"
    r"|greater than|more than",
    re.IGNORECASE,
)
# `"loc": ["body", "temperature"]`, and the same as Python prints it inside a message.
_PLACE = re.compile(r"""\bloc\b\W{1,8}body\W{1,8}(\w+)""")
_VALIDATION = re.compile(r"validation errors? for \w+\s+(\w+)")
# A number that stands alone: no part of a name such as `toy-4-0613`.
_NUMBER = re.compile(r"(?<![\w.-])(\d{1,3}(?:,\d{3})+|\d{1,9})(?![\w]|\.\d)")
_CONTEXT_SIZE = (
    re.compile(r"(?:<=|>) ?(\d[\d,]*)"),
    re.compile(r"context[ _](?:length|size|window|limit)\D{0,24}(\d[\d,]*)", re.IGNORECASE),
)


def lower_after(tried: Abilities, status: int, body: Any, limit: int | None = None) -> Abilities | None:
    """The next thing to try, after an error that says that the endpoint does not take a part of what was tried.

    `limit` is the output limit that was sent; without it none is lowered.
    """
    if status not in {400, 404, 422, 500, 501} or about_money(body) or about_context(body):
        return None
    words = _dumped(body)
    if status in {400, 422}:
        changed = _without_parameter(tried, body, words, limit)
        if changed is not None:
            return changed
    refused = status in {400, 422} and _REFUSED.search(_message(body))
    if (refused or status == 501 or _FORMAT.search(words)) and tried.rung != RUNGS[-1]:
        return tried.updated(rung=RUNGS[RUNGS.index(tried.rung) + 1])
    return None


def says_nothing(status: int, body: Any) -> bool:
    """Whether a rejection gives no reason: no body, or no more than the name of its status."""
    return status in {400, 422} and (not body or error_words(body).strip(" .").lower() in _NO_REASONS)


def less_of(first: Abilities) -> Iterator[Abilities]:
    """What to try one after the other when a request is rejected without a reason, from the likeliest cause on."""
    for rung in RUNGS[RUNGS.index(first.rung) + 1 :]:
        yield first.updated(rung=rung)
    yield first.updated(temperature=False)
    yield first.updated(limit_name=_other(first.limit_name))
    yield first.updated(rung=RUNGS[-1], temperature=False, limit_name=_other(first.limit_name))


def room_left(body: Any, limit: int) -> int | None:
    """How many output tokens fit beside the input, when a request is too long only for the answer it reserves.

    None when the error does not say, or when that is less than a quarter of `limit`.
    """
    if not about_context(body):
        return None
    words = error_words(body)[:_SHOWN]
    size = next((int(found[1].replace(",", "")) for size in _CONTEXT_SIZE if (found := size.search(words))), 0)
    inputs = {number for number in _numbers(words) - {limit} if number < size < number + limit}
    if len(inputs) != 1:
        return None
    room = size - inputs.pop()
    return room if room * _LEAST_SHARE >= limit else None


def _without_parameter(tried: Abilities, body: Any, words: str, limit: int | None) -> Abilities | None:
    named, message = _named(body), _message(body)
    own, other = tried.limit_name, _other(tried.limit_name)
    names = {name for name in (own, other) if name}
    if named & names or any(name in words for name in names):
        most = _most_output(message, limit)
        if most is not None:
            return tried.updated(most_output=most)
    both = own == "max_tokens" and own in words and other in words
    if own and (named & names or both or _unwanted(own, message)):
        return tried.updated(limit_name=other)
    if tried.temperature and ("temperature" in named or _unwanted("temperature", message)):
        return tried.updated(temperature=False)
    return None


def _most_output(message: str, limit: int | None) -> int | None:
    """The most output tokens that the endpoint allows: the one number in the error that is lower than what was sent."""
    if limit is None or not _TOO_LARGE.search(message):
        return None
    lower = {number for number in _numbers(message) if _LEAST_LIMIT <= number < limit}
    return lower.pop() if len(lower) == 1 else None


def _named(body: Any) -> set[str]:
    """The parameters that the error blames."""
    inner = body.get("error", body) if isinstance(body, dict) else {}
    param = inner.get("param") if isinstance(inner, dict) else None
    names = set(re.findall(r"\w+", param)) if isinstance(param, str) else set()
    return names | set(_PLACE.findall(_dumped(body))) | set(_VALIDATION.findall(_message(body)))


def _unwanted(name: str, message: str) -> bool:
    return bool(
        re.search(rf"\b{name}{_UNWANTED_AFTER}", message, re.IGNORECASE)
        or re.search(rf"{_UNWANTED_BEFORE}{name}\b", message, re.IGNORECASE)
    )


def _other(name: LimitName | None) -> LimitName:
    return "max_completion_tokens" if name == "max_tokens" else "max_tokens"


def _numbers(text: str) -> set[int]:
    return {int(number.replace(",", "")) for number in _NUMBER.findall(text)}


def _message(body: Any) -> str:
    """The words of the error itself, without what a server may repeat of the request."""
    return error_words(body)[:_SHOWN]


def _dumped(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, default=str)[:_SHOWN]
