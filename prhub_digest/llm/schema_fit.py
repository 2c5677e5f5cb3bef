"""Whether an answer keeps to its wire schema, as one of a server that enforces schemas must. Pure."""

from collections.abc import Callable
from typing import Any

from prhub_digest.llm.reply_text import OutOfBoundsError, ReplyTextError, read_object

_KINDS: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: not isinstance(value, bool) and isinstance(value, int | float) and value == value // 1,
}


def answer_fits(content: str, schema: dict[str, Any]) -> bool:
    """Whether a server that enforces the wire schema can have let this answer pass. Bounds are not in the schema."""
    try:
        value = read_object(content)
    except OutOfBoundsError:
        return True
    except ReplyTextError:
        return False
    return _fits(value, schema, schema.get("$defs", {}))


def _fits(value: Any, schema: dict[str, Any], named: dict[str, Any]) -> bool:
    if "$ref" in schema:
        return _fits(value, named[schema["$ref"].rpartition("/")[2]], named)
    if "anyOf" in schema:
        return any(_fits(value, option, named) for option in schema["anyOf"])
    kind = schema["type"]
    if not _KINDS[kind](value) or ("enum" in schema and value not in schema["enum"]):
        return False
    if kind == "array":
        return all(_fits(item, schema["items"], named) for item in value)
    if kind == "object":
        fields = schema["properties"]
        return value.keys() == fields.keys() and all(_fits(value[name], fields[name], named) for name in fields)
    return True
