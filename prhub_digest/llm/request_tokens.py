"""How many tokens a request takes: its messages exactly, and a bound of what an endpoint adds to them. Pure."""

import json
from collections.abc import Callable, Sequence

from prhub_digest.models.llm import LogicalRequest, Message

# What an endpoint adds to each message: its role, where it begins and where it ends.
_A_MESSAGE = 8


def content_tokens(messages: Sequence[Message], count: Callable[[str], int]) -> int:
    """Of the texts alone."""
    return sum(count(message.content) for message in messages)


def most_input_tokens(request: LogicalRequest, messages: Sequence[Message], count: Callable[[str], int]) -> int:
    """At most what an endpoint counts: the texts, the chat format, and the schema, which some endpoints count, too."""
    schema = json.dumps(request.wire_schema, ensure_ascii=False, separators=(",", ":"))
    return content_tokens(messages, count) + _A_MESSAGE * len(messages) + count(schema)
