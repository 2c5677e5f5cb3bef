import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field
from toy_requests import ToyReply

from prhub_digest.llm.wire_schema import wire_schema
from prhub_digest.models.base import Record
from prhub_digest.models.digest import WordingReply
from prhub_digest.models.plan import PlanReply
from prhub_digest.models.summary import HeadlineReply, SummaryReply

PORTABLE = {
    "type",
    "enum",
    "properties",
    "items",
    "required",
    "additionalProperties",
    "anyOf",
    "description",
    "$defs",
    "$ref",
}


class Part(Record):
    """A part."""

    title: str = Field(default="x", max_length=10)
    kind: Literal["only"]


class Whole(Record):
    ref: str
    score: Literal[0, 1, 2]
    ratio: Annotated[float, Field(ge=0, le=1, description="From 0 to 1.")]
    maybe: str | None = None
    part: Part
    parts: tuple[Part, ...] = ()


def test_whole_schema() -> None:
    assert wire_schema(Whole) == {
        "type": "object",
        "properties": {
            "ref": {"type": "string"},
            "score": {"type": "integer", "enum": [0, 1, 2]},
            "ratio": {"description": "From 0 to 1.", "type": "number"},
            "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "part": {"$ref": "#/$defs/Part"},
            "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
        },
        "required": ["ref", "score", "ratio", "maybe", "part", "parts"],
        "additionalProperties": False,
        "$defs": {
            "Part": {
                "description": "A part.",
                "type": "object",
                "properties": {"title": {"type": "string"}, "kind": {"type": "string", "enum": ["only"]}},
                "required": ["title", "kind"],
                "additionalProperties": False,
            }
        },
    }


def test_properties_keep_the_order_of_the_class() -> None:
    assert list(wire_schema(ToyReply)["properties"]) == ["ref", "summary", "highlights", "risk"]


@pytest.mark.parametrize("reply", [SummaryReply, HeadlineReply, PlanReply, WordingReply])
def test_every_reply_is_portable_and_deterministic(reply: type[Record]) -> None:
    def walk(schema: dict[str, Any]) -> None:
        assert set(schema) <= PORTABLE
        for part in [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]:
            walk(part)
        if "items" in schema:
            walk(schema["items"])

    schema = wire_schema(reply)
    walk(schema)
    assert json.dumps(schema) == json.dumps(wire_schema(reply))


class Mapping(Record):
    values: dict[str, int]


class Pair(Record):
    values: tuple[int, str]


class Either(Record):
    value: int | str


@pytest.mark.parametrize("reply", [Mapping, Pair, Either])
def test_what_is_not_portable_is_refused(reply: type[Record]) -> None:
    with pytest.raises(TypeError, match="portable"):
        wire_schema(reply)
