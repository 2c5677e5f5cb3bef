"""Replies without a model, for a look at a page's layout: valid in form, made from the request alone, and marked.

A summary says what the title says and leaves the rest to rules. Plan and sentences have rules and templates of their
own, which say it better than an empty reply: `LeftToRules` makes them speak.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from prhub_digest.errors import ReplayError, ReplyError
from prhub_digest.hygiene import mend_control_tokens
from prhub_digest.models.digest import WordingReply
from prhub_digest.models.llm import Attempt, LogicalRequest, StoredReply, Usage
from prhub_digest.models.plan import PlanReply, ThemeReply
from prhub_digest.models.ranking import CompareReply
from prhub_digest.models.signals import OTHER

_BY_RULES = {CompareReply.__name__, PlanReply.__name__, ThemeReply.__name__, WordingReply.__name__}
_TITLE = re.compile(r"^(T[0-9]+)\|(.*)$", re.MULTILINE)
_WORDS = 8
# Of an enumeration, the value that claims least; one that has none of these gives its first.
_NEUTRAL = ("unknown", "unchanged", "none", OTHER, "low")

_EMPTY: Mapping[str, Any] = {"string": "", "array": (), "boolean": False, "integer": 0, "number": 0}


class LeftToRules(ReplyError):  # noqa: N818 - a state, not a fault
    """A stub replay has no reply to this request: the rules of the caller speak, and nothing has failed."""


class StubReplies:
    """Stub: every request gets the same reply each time; recorded replies are not looked at."""

    def find(self, request: LogicalRequest) -> StoredReply:
        """Raises LeftToRules for what rules and templates say."""
        if request.schema_name in _BY_RULES:
            raise LeftToRules("a stub replay asks no model (--replay stub)")
        attempt = Attempt(content=stub_content(request), finish_reason="stop", usage=Usage(stubs=1))
        return StoredReply(request=request, attempts=(attempt,), recorded="stub")

    def reject(self, request: LogicalRequest, reason: str) -> NoReturn:
        raise ReplayError(f"the stub for {request.prompt}/{request.subject} is no {request.schema_name}: {reason}")

    def save(self, stored: StoredReply) -> NoReturn:
        raise ReplayError(f"a replay records nothing: {stored.request.prompt}/{stored.request.subject}")


def stub_content(request: LogicalRequest) -> str:
    """A reply that fits the request's wire schema: neutral values, the request's ref, and the title as the headline."""
    schema = request.wire_schema
    reply = _blank(schema, schema.get("$defs", {})) | {"ref": request.ref}
    if "area" in reply:
        reply["area"] = OTHER
    if isinstance(reply.get("headline"), dict) and (title := _title(request)):
        line, text = title
        reply["headline"] |= {"text": text, "line": line, "words": " ".join(text.split()[:_WORDS])}
    return json.dumps(reply, ensure_ascii=False)


def _title(request: LogicalRequest) -> tuple[str, str] | None:
    """The line of the title with its id; None when the request shows none."""
    for message in request.messages:
        if message.role == "user" and (shown := _TITLE.search(message.content)):
            return shown[1], mend_control_tokens(shown[2])
    return None


def _blank(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    """The value of a portable schema that says least; None for what is optional."""
    if "$ref" in schema:
        return _blank(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "enum" in schema:
        return _least(schema["enum"])
    if schema.get("type") == "object":
        return {name: _blank(field, definitions) for name, field in schema["properties"].items()}
    return _EMPTY.get(schema.get("type", "null"))


def _least(values: list[Any]) -> Any:
    """The neutral value of an enumeration: of words the one that claims least, of numbers the smallest."""
    if all(isinstance(value, str) for value in values):
        return next((word for word in _NEUTRAL if word in values), values[0])
    return min(values)
