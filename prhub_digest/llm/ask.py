"""One request in, one validated reply out: stored replies first, then the model, once informed of a mistake."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Generic, TypeVar

from prhub_digest.llm.client import Client, Completion, NoAnswerError, UnusableReplyError
from prhub_digest.llm.reply_text import ReplyTextError, read_reply
from prhub_digest.llm.store import Replies
from prhub_digest.models.base import Record
from prhub_digest.models.llm import Attempt, LogicalRequest, Message, StoredReply, Usage
from prhub_digest.retry import call_with_retry

R = TypeVar("R", bound=Record)
Check = Callable[[R], str | None]


@dataclass(frozen=True, slots=True)
class Answer(Generic[R]):
    """`usage` is what the reply cost when it was made; `paid` the part paid now: nothing when it was stored."""

    reply: R
    usage: Usage
    paid: Usage
    stored: StoredReply


def checked_reply(content: str, request: LogicalRequest, reply_class: type[R], check: Check[R] | None = None) -> R:
    """The reply in `content`, valid in form and for `check`, which returns what is wrong. Raises ReplyTextError."""
    reply = read_reply(content, reply_class, request.ref)
    fault = check(reply) if check else None
    if fault:
        raise ReplyTextError(fault)
    return reply


@dataclass(slots=True)
class _Course:
    """How far one request has come. Each of the two second chances is given once."""

    messages: tuple[Message, ...]
    limit: int
    attempts: list[Attempt] = field(default_factory=list)
    repaired: bool = False
    raised: bool = False

    @property
    def usage(self) -> Usage:
        return sum((attempt.usage for attempt in self.attempts), Usage())

    def failed(self, completion: Completion, error: str) -> None:
        self.attempts.append(
            Attempt(
                content=completion.content,
                finish_reason=completion.finish_reason,
                usage=completion.usage,
                error=error,
            )
        )


class Asker:
    """Asks through `client`, keeps replies in `replies`; may be used by many threads at once.

    `recorded` gives the text that a stored reply carries as the time of its recording.
    """

    def __init__(
        self,
        client: Client,
        replies: Replies,
        *,
        sleep: Callable[[float], None] = time.sleep,
        recorded: Callable[[], str] = lambda: datetime.now(UTC).isoformat(timespec="seconds"),
    ) -> None:
        self.client = client
        self._replies = replies
        self._sleep = sleep
        self._recorded = recorded

    def ask(self, request: LogicalRequest, reply_class: type[R], check: Check[R] | None = None) -> Answer[R]:
        """A reply of `reply_class` for which `check` finds no fault.

        Raises UnusableReplyError (with what was paid) when there is none after one informed retry and one raise of the
        output limit; ServiceError when the endpoint fails; ReplayError and PendingReplies from those clients.
        """
        stored = self._replies.find(request)
        if stored is not None:
            try:
                reply = checked_reply(stored.content, request, reply_class, check)
            except ReplyTextError as error:
                self._replies.reject(request, str(error))
            else:
                return Answer(reply, stored.usage, Usage(), stored)
        return self._ask_anew(request, reply_class, check)

    def _ask_anew(self, request: LogicalRequest, reply_class: type[R], check: Check[R] | None) -> Answer[R]:
        course = _Course(request.messages, request.parameters.max_output_tokens)
        while True:
            completion = self._completion(request, course)
            if completion is None:
                continue
            if completion.finish_reason == "length":
                _raise_limit(course, completion)
                continue
            try:
                reply = checked_reply(completion.content, request, reply_class, check)
            except ReplyTextError as error:
                _inform(course, completion, str(error), request)
                continue
            course.attempts.append(
                Attempt(content=completion.content, finish_reason=completion.finish_reason, usage=completion.usage)
            )
            stored = StoredReply(request=request, attempts=tuple(course.attempts), recorded=self._recorded())
            self._replies.save(stored)
            return Answer(reply, stored.usage, stored.usage, stored)

    def _completion(self, request: LogicalRequest, course: _Course) -> Completion | None:
        """None when the endpoint gave no answer and may be asked once more."""
        try:
            return call_with_retry(
                lambda: self.client.complete(request, course.messages, course.limit), sleep=self._sleep
            )
        except NoAnswerError as error:
            course.failed(Completion("", "none", error.usage), str(error))
            if course.repaired:
                raise UnusableReplyError(str(error), course.usage) from error
            course.repaired = True
            return None
        except UnusableReplyError as error:
            error.usage = course.usage + error.usage
            raise


def _raise_limit(course: _Course, completion: Completion) -> None:
    """A cut answer is never repaired: the same question again, with twice the room, once."""
    error = f"the answer was cut at the output limit of {course.limit} tokens"
    course.failed(completion, error)
    if course.raised:
        raise UnusableReplyError(error, course.usage)
    course.raised = True
    course.limit *= 2


def _inform(course: _Course, completion: Completion, error: str, request: LogicalRequest) -> None:
    """Shows the model its own answer and what is wrong with it, once."""
    course.failed(completion, error)
    if course.repaired:
        raise UnusableReplyError(f"no usable reply after one retry: {error}", course.usage)
    course.repaired = True
    course.messages = (
        *request.messages,
        Message(role="assistant", content=completion.content),
        Message(
            role="user",
            content=f"Your answer cannot be used: {error}.\n"
            f'Answer the request again, whole, as one JSON object that fits the schema, with "ref": "{request.ref}".',
        ),
    )
