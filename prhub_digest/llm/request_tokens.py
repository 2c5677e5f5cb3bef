"""How many tokens a request takes: its messages exactly, and a bound of what an endpoint adds to them. Pure."""

from collections.abc import Callable, Sequence

from prhub_digest.llm.chat_format import schema_in_words
from prhub_digest.models.llm import LogicalRequest, Message

# What an endpoint adds to each message: its role, where it begins and where it ends.
_A_MESSAGE = 8


def content_tokens(messages: Sequence[Message], count: Callable[[str], int]) -> int:
    """Of the texts alone."""
    return sum(count(message.content) for message in messages)


def most_input_tokens(request: LogicalRequest, messages: Sequence[Message], count: Callable[[str], int]) -> int:
    """At most what an endpoint counts: the texts, the chat format, and the schema.

    Some endpoints count the schema as input; where one takes none, it stands in a message with a few words before it.
    """
    schema = count(schema_in_words(request.wire_schema))
    return content_tokens(messages, count) + _A_MESSAGE * len(messages) + schema
