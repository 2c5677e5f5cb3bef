"""From the text a model wrote to a validated reply. Pure.

The whole text is tried first, so that backticks and braces inside a JSON string mean nothing; then the text without its
thinking, then without a fence around it, then the one object inside prose. A comma too many before a closing bracket is
dropped, where the same text could not be read with it. Nothing that is cut, ambiguous or says one thing twice is
repaired.
"""

import json
import math
import re
from collections import Counter
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError

from prhub_digest.models.base import Record

R = TypeVar("R", bound=Record)

_TAGS = "think|thinking|thought|thoughts|reasoning|seed:think"
_THINKING = re.compile(rf"\s*(?:<({_TAGS})>.*?</\1>|\[THINK\].*?\[/THINK\])", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(rf"</(?:{_TAGS})>|\[/THINK\]", re.IGNORECASE)
_THOUGHT_START = re.compile(rf"\s*(?:<(?:{_TAGS})>|\[THINK\])", re.IGNORECASE)
_ANSWER_START = re.compile(r"\s*(?:\{|```)")
_FENCED = re.compile(r"```\w*[ \t]*\r?\n(.*)```", re.DOTALL)
_OBJECT_START = re.compile(r'\{\s*["}]')
_INTEGER = re.compile(r"-?\d{1,9}")
# A string (an open one reaches to the end), a comma after which or before which a value is missing, a comma too many.
_COMMAS = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[{:,]\s*,)|,(?=\s*[}\]])', re.DOTALL)
_SHOWN_FAULTS = 8
_NOTHING = object()


class ReplyTextError(ValueError):
    """The text holds no usable reply; the message is written for the model that will be asked again."""


class OutOfBoundsError(ReplyTextError):
    """A number that no field could hold. A server that enforces a schema may write one all the same."""


def read_reply(content: str, reply_class: type[R], ref: str) -> R:
    """The reply in `content`. Raises ReplyTextError, also when it answers another request than `ref`."""
    value = read_object(content)
    if value.get("ref") != ref:
        raise ReplyTextError(f'"ref" must be "{ref}", the ref of this request')
    return _validated(value, reply_class)


def read_object(content: str) -> dict[str, Any]:
    """The one JSON object in `content`. Raises ReplyTextError."""
    text = content.strip().removeprefix("\ufeff")
    answer = _without_thinking(text)
    fenced = _FENCED.fullmatch(answer)
    candidates = [text, answer, fenced.group(1) if fenced else answer]
    for candidate in candidates:
        value = _whole_value(candidate)
        if value is _NOTHING:
            continue
        if not isinstance(value, dict):
            raise ReplyTextError("the answer must be one JSON object")
        return value
    return _object_in_prose(candidates[-1])


def whole_object(text: str) -> str | None:
    """The text without its thinking, where all of that is one JSON object."""
    try:
        answer = _without_thinking(text.strip())
        return answer if isinstance(_whole_value(answer), dict) else None
    except ReplyTextError:
        return None


def _without_thinking(text: str) -> str:
    position = 0
    while True:
        while match := _THINKING.match(text, position):
            position = match.end()
        if _THOUGHT_START.match(text, position):
            raise ReplyTextError("the answer is missing: only thinking was written")
        end = _THOUGHT_END.search(text, position)
        if end is None or _ANSWER_START.match(text, position):
            return text[position:].strip()
        position = end.end()  # some chat templates swallow the opening tag


def _whole_value(text: str) -> Any:
    """The JSON value that the whole text is; `_NOTHING` when it is none."""
    try:
        try:
            return _decoder.decode(text)
        except json.JSONDecodeError:
            mended = _fewer_commas(text)
            return _decoder.decode(mended) if mended != text else _NOTHING
    except json.JSONDecodeError:
        return _NOTHING
    except RecursionError:
        raise ReplyTextError("the JSON is nested too deeply") from None


def _object_in_prose(text: str) -> dict[str, Any]:
    """An object that starts must also end: what stands inside a broken one is not an answer."""
    found: list[dict[str, Any]] = []
    position = 0
    while start := _OBJECT_START.search(text, position):
        begin = start.start()
        try:
            value, position = _decoder.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            mended = text[:begin] + _fewer_commas(text[begin:])
            if mended == text:
                where = f"line {error.lineno}, column {error.colno}"
                raise ReplyTextError(f"the JSON is broken or cut: {error.msg} at {where}") from None
            text, position = mended, begin
            continue
        except RecursionError:
            raise ReplyTextError("the JSON is nested too deeply") from None
        found.append(value)
    if not found:
        raise ReplyTextError("the answer holds no JSON object")
    if len(found) > 1:
        raise ReplyTextError("the answer holds several JSON objects; exactly one is wanted")
    return found[0]


def _fewer_commas(text: str) -> str:
    """Without the commas that stand between a value and a closing bracket."""
    return _COMMAS.sub(lambda match: match.group(1) or "", text)


def _validated(value: dict[str, Any], reply_class: type[R]) -> R:
    """Strict: no string becomes a number or a list. Two slips that lose nothing are mended: see `_mend`."""
    try:
        reply = reply_class.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            _mend(value, fault["type"], fault["loc"])
        try:
            reply = reply_class.model_validate_json(json.dumps(value), strict=True)
        except ValidationError as still:
            raise ReplyTextError(_faults(still)) from None
    place = _truth_as_number(value, reply.model_dump(mode="json"))
    if place is not None:
        raise ReplyTextError(f"{place}: Input should be a number, not true or false")
    return reply


def _truth_as_number(given: Any, read: Any) -> str | None:
    """Where `true` was taken for 1, which pydantic does for a choice of integers; None when nowhere."""
    if isinstance(given, dict):
        steps: list[Any] = list(given)
    elif isinstance(given, list):
        steps = list(range(len(given)))
    else:
        return "" if isinstance(given, bool) and not isinstance(read, bool) else None
    for step in steps:
        place = _truth_as_number(given[step], read[step])
        if place is not None:
            return f"{step}.{place}" if place else str(step)
    return None


def _mend(value: Any, kind: str, location: tuple[int | str, ...]) -> None:
    """In place: null for a list becomes the empty list, and an integer in quotes becomes that integer."""
    try:
        for step in location[:-1]:
            value = value[step]
        last: Any = location[-1]
        given = value[last]
    except (LookupError, TypeError):
        return
    if given is None and kind in {"tuple_type", "list_type"}:
        value[last] = []
    elif isinstance(given, str) and kind in {"int_type", "literal_error"} and _INTEGER.fullmatch(given):
        value[last] = int(given)


def _faults(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False)
    lines = [f"{'.'.join(map(str, fault['loc'])) or 'the object'}: {fault['msg']}" for fault in faults[:_SHOWN_FAULTS]]
    if len(faults) > _SHOWN_FAULTS:
        lines.append(f"and {len(faults) - _SHOWN_FAULTS} more")
    return "; ".join(lines)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = sorted(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise ReplyTextError(f"the same key stands twice in one object: {', '.join(twice)}")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ReplyTextError(f"{name} is not a number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise OutOfBoundsError(f"{digits} is out of range")
    return number


def _short_integer(digits: str) -> int:
    if len(digits) > 30:
        raise OutOfBoundsError("a number has too many digits")
    return int(digits)


_decoder = json.JSONDecoder(
    object_pairs_hook=_no_duplicates, parse_constant=_no_constant, parse_float=_finite, parse_int=_short_integer
)
