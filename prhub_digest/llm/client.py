"""The seam between us and a model: one method to implement, and what it may raise.

A client raises `RetriableError` for what may pass, `FatalServiceError` for what every further call would meet, and
`UnusableReplyError` when this one request has no usable answer.
"""

from dataclasses import dataclass
from typing import Protocol

from prhub_digest.errors import ReplyError
from prhub_digest.models.llm import LogicalRequest, Message, Rung, Usage


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer. `finish_reason` is the endpoint's word: `stop`, `length`, ...; `unknown` when it gave none.

    `rung` is how a live endpoint was asked for the form of the answer. `most`: the endpoint allows no more output
    tokens than these, which were fewer than were asked for; None when it took what was asked.
    """

    content: str
    finish_reason: str
    usage: Usage
    rung: Rung | None = None
    most: int | None = None


class Client(Protocol):
    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        """One call, without retries. `messages` and the limit stand in for those of `request`."""
        ...

    def close(self) -> None: ...


class UnusableReplyError(ReplyError):
    """This request has no usable reply; `usage` is what was paid for it all the same.

    `before` is what an earlier command paid, where the request was given up then.
    """

    def __init__(self, message: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()
        self.before = Usage()


class NoAnswerError(UnusableReplyError):
    """HTTP 200 without an answer: no choices, no content, an error in the body, not JSON. Asking again may help."""


class StrangeAnswerError(NoAnswerError):
    """HTTP 200 with what no chat endpoint says: a web page, or another API's JSON. Most likely a wrong address."""


class RefusedError(UnusableReplyError):
    """The model refused, or a content filter held its answer back."""


class ContextLengthError(UnusableReplyError):
    """The request does not fit into the model's context; every message begins with `SAYS`, by which a replay knows."""

    SAYS = "the request does not fit into the model's context"
