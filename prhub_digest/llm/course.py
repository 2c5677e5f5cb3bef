"""One request on its way to an answer: what came so far, and which of its second chances are used up."""

from dataclasses import dataclass, field

from prhub_digest.llm.client import Completion, UnusableReplyError
from prhub_digest.models.llm import Attempt, LogicalRequest, Message, Usage


@dataclass(slots=True)
class Course:
    """`messages` and `limit` are those of the next call; `unanswered` counts the calls without any answer."""

    messages: tuple[Message, ...]
    limit: int
    attempts: list[Attempt] = field(default_factory=list)
    unanswered: int = 0
    informed: bool = False
    raised: bool = False

    @property
    def usage(self) -> Usage:
        return sum((attempt.usage for attempt in self.attempts), Usage())

    def add(self, completion: Completion, error: str | None = None) -> None:
        self.attempts.append(
            Attempt(
                content=completion.content,
                finish_reason=completion.finish_reason,
                usage=completion.usage,
                error=error,
                rung=completion.rung,
            )
        )

    def raise_limit(self, completion: Completion) -> None:
        """A cut answer is never repaired: the same question again, with twice the room, once.

        Raises:
            UnusableReplyError: it was cut again, or the endpoint allows no more room.
        """
        error = f"the answer was cut at the output limit of {completion.most or self.limit} tokens"
        if completion.most:
            error += ", the most that the endpoint allows"
        self.add(completion, error)
        if self.raised or completion.most:
            raise UnusableReplyError(error, self.usage)
        self.raised = True
        self.limit *= 2

    def inform(self, completion: Completion, error: str, request: LogicalRequest) -> None:
        """Shows the model its own answer and what is wrong with it, once.

        Raises:
            UnusableReplyError: it was shown one before.
        """
        self.add(completion, error)
        if self.informed:
            raise UnusableReplyError(f"no usable reply after one retry: {error}", self.usage)
        self.informed = True
        self.messages = (
            *request.messages,
            Message(role="assistant", content=completion.content),
            Message(
                role="user",
                content=f"Your answer cannot be used: {error}.\nAnswer the request again, whole, as one JSON object"
                f' that fits the schema, with "ref": "{request.ref}".',
            ),
        )
