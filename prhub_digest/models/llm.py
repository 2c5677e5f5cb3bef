"""A request to a model as we mean it, and the reply as we keep it."""

import hashlib
import json
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from prhub_digest.models.base import Record

# How much of the answer's form an endpoint is asked to guarantee, from most to nothing.
Rung = Literal["schema_strict", "schema", "json", "text"]
Count = Annotated[int, Field(strict=True, ge=0)]
# More than one answer can take; `llm/chat_format.py` lets no endpoint report as much.
_MOST = 1_000_000_000


class Message(Record):
    role: Literal["system", "user", "assistant"]
    content: str


class Parameters(Record):
    temperature: float = 0.0
    max_output_tokens: int = Field(gt=0)


class LogicalRequest(Record):
    """One question, before any endpoint's abilities are considered.

    `subject` names what it is about inside its prompt (`pr-26227`, `pr-26227.2`, `en.risks`); it is also the file name
    of a recorded reply. The reply must echo `ref`. `prompt_hash` tells which prompt made it, and is not keyed.
    """

    prompt: str
    subject: str
    ref: str
    prompt_hash: str
    messages: tuple[Message, ...]
    schema_name: str
    wire_schema: dict[str, Any]
    parameters: Parameters
    model: str
    provider: str

    @cached_property
    def request_hash(self) -> str:
        """SHA-256 of what decides the answer; the key of the reply store. The order of JSON keys never matters."""
        return hashlib.sha256(canonical_json(self.key_parts).encode()).hexdigest()

    @property
    def key_parts(self) -> dict[str, Any]:
        return {
            "messages": [message.model_dump() for message in self.messages],
            "wire_schema": self.wire_schema,
            "parameters": self.parameters.model_dump(),
            "model": self.model,
            "provider": self.provider,
        }


class Usage(Record):
    """Tokens of one or more calls; `cached_tokens` is the part of the input that the provider had cached.

    `stale` and `stubs` count replies of a replay in whose place a model might say something else: recorded for another
    request (`--replay nearest`), or made up without any (`--replay stub`). Not written where there are none.
    """

    calls: Count = 0
    input_tokens: Count = 0
    output_tokens: Count = 0
    cached_tokens: Count = 0
    stale: Count = Field(0, exclude_if=lambda count: not count)
    stubs: Count = Field(0, exclude_if=lambda count: not count)

    @property
    def stand_ins(self) -> int:
        return self.stale + self.stubs

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            stale=self.stale + other.stale,
            stubs=self.stubs + other.stubs,
        )


class Attempt(Record):
    """One answer of the model; `error` says why it was not used, None for the one that was.

    `rung` is how the endpoint was asked for the form of the answer; None where that is not known, and then not written.
    """

    content: str
    finish_reason: str
    usage: Usage
    error: str | None = None
    rung: Rung | None = Field(None, exclude_if=lambda rung: rung is None)

    @field_validator("usage")
    @classmethod
    def _of_one_answer(cls, usage: Usage) -> Usage:
        """Sums of many answers have no bound."""
        for name, count in usage:
            if count > _MOST:
                raise ValueError(f"{name}: no answer has more than {_MOST}")
        if usage.cached_tokens > usage.input_tokens:
            raise ValueError("cached_tokens: more than the input_tokens that they are a part of")
        return usage


class StoredReply(Record):
    """A request with its usable reply: the last attempt's content; earlier attempts failed validation."""

    request: LogicalRequest
    attempts: tuple[Attempt, ...] = Field(min_length=1)
    recorded: str

    @property
    def content(self) -> str:
        return self.attempts[-1].content

    @property
    def rung(self) -> Rung | None:
        return self.attempts[-1].rung

    @property
    def usage(self) -> Usage:
        return sum((attempt.usage for attempt in self.attempts), Usage())


def canonical_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
