"""A small request and its reply class, after the cases' `{"summary", "highlights", "risk"}`."""

import json
from typing import Any, Literal

from prhub_digest.llm.wire_schema import wire_schema
from prhub_digest.models.base import Record
from prhub_digest.models.llm import LogicalRequest, Message, Parameters


class ToyReply(Record):
    ref: str
    summary: str
    highlights: tuple[str, ...]
    risk: Literal[0, 1, 2, 3, 4, 5]


def toy_request(number: int = 1, **changes: Any) -> LogicalRequest:
    request = LogicalRequest(
        prompt="toy",
        subject=f"pr-{number}",
        ref=f"r{number}",
        prompt_hash="0" * 64,
        messages=(
            Message(role="system", content="Summarize."),
            Message(role="user", content=f"Pull request {number}"),
        ),
        schema_name="ToyReply",
        wire_schema=wire_schema(ToyReply),
        parameters=Parameters(max_output_tokens=100),
        model="toy-model",
        provider="openai",
    )
    return request.updated(**changes)


def toy_content(number: int = 1, **changes: Any) -> str:
    return json.dumps({"ref": f"r{number}", "summary": f"Adds {number}", "highlights": ["a"], "risk": 2, **changes})


def toy_reply(number: int = 1, **changes: Any) -> ToyReply:
    return ToyReply.model_validate_json(toy_content(number, **changes))
