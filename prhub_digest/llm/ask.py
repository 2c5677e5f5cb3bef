"""One request in, one validated reply out: stored replies first, then the model, once informed of a mistake."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Generic, NoReturn, TypeVar

from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.llm.breaker import CONTINUES, ONCE_RIGHT, Breaker
from prhub_digest.llm.budget import Budget
from prhub_digest.llm.client import Client, Completion, NoAnswerError, StrangeAnswerError, UnusableReplyError
from prhub_digest.llm.course import Course
from prhub_digest.llm.reply_text import ReplyTextError, read_reply
from prhub_digest.llm.store import Replies
from prhub_digest.models.base import Record
from prhub_digest.models.llm import LogicalRequest, StoredReply, Usage
from prhub_digest.retry import RetriableError, call_with_retry

R = TypeVar("R", bound=Record)
Check = Callable[[R], str | None]
Turn = Callable[[LogicalRequest, Callable[[], None]], AbstractContextManager[None]]

# Seconds in which tries of one call may begin: room for a few that take the default `timeout_seconds` in full.
_LONGEST_TRYING = 600.0
# Seconds until it is looked again whether another process has got the reply.
_WAIT_FOR_ANOTHER = 0.2
# How often a request is asked again after an HTTP 200 without an answer. Each such call may have to be paid for.
_AGAIN = 3


class UnansweredError(ServiceError):
    """The endpoint failed for this request, after all attempts; `usage` is what was paid for it before."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


# What ends one request and not the run; both say what was paid.
FAILED = (UnusableReplyError, UnansweredError)


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


class Asker:
    """Asks through `client`, keeps replies in `replies`; may be used by many threads at once.

    A request gets five kinds of second chances, each with its own bound:
    - a call that failed and may pass is made again, at most 5 times in a row (`call_with_retry`);
    - a 200 without an answer (no choices, no content, no JSON) is such a failure too, and asked again at most 3 times;
    - an answer that is wrong in form or fails its check: the model sees it and what is wrong with it, once;
    - an answer that was cut gets twice the room, once;
    - a refusal, a rejected request and one that is too long: none.
    With three calls in ten failing at random, a request needs 1.43 calls.

    Every call goes through `breaker`; it ends the run for all threads, also for those that wait for their next attempt.
    `deadline`, in monotonic seconds, ends it too: the time from now until then is what the run is allowed. `recorded`
    gives the text that a stored reply carries as the time of its recording. `budget` counts every call, and ends the
    run before one that could cross its limits. `turn` is what a reply is asked for within: it waits for another
    process that asks for the same, and raises StoreError when the reply could not be kept.
    """

    def __init__(
        self,
        client: Client,
        replies: Replies,
        *,
        sleep: Callable[[float], None] | None = None,
        recorded: Callable[[], str] = lambda: datetime.now(UTC).isoformat(timespec="seconds"),
        breaker: Breaker | None = None,
        deadline: float | None = None,
        budget: Budget | None = None,
        turn: Turn | None = None,
        clean: Callable[[str], str] | None = None,
    ) -> None:
        self.client = client
        self._clean = clean
        self._turn = turn
        self.budget = budget or Budget()
        self.replies = replies
        self._breaker = breaker or Breaker()
        self._sleep = sleep or self._breaker.pause
        self._recorded = recorded
        self._any_completion = False
        self._deadline = deadline
        self._allowed = deadline - time.monotonic() if deadline is not None else 0.0

    def ask(self, request: LogicalRequest, reply_class: type[R], check: Check[R] | None = None) -> Answer[R]:
        """A reply of `reply_class` for which `check` finds no fault; it is stored before it is returned.

        Raises UnusableReplyError (with what was paid) when there is none after all second chances; UnansweredError
        when the endpoint failed; FatalServiceError when the run is over; BudgetError when the next call could cost more
        than is left; StoreError when its reply could not be kept; ReplayError and PendingReplies from those clients.
        """
        answer = self._stored(request, reply_class, check)
        if answer is not None or self._turn is None:
            return answer or self._ask_anew(request, reply_class, check)
        with self._turn(request, self._wait_for_another):
            return self._stored(request, reply_class, check) or self._ask_anew(request, reply_class, check)

    def _stored(self, request: LogicalRequest, reply_class: type[R], check: Check[R] | None) -> Answer[R] | None:
        stored = self.replies.find(request)
        if stored is None:
            return None
        try:
            reply = checked_reply(stored.content, stored.request, reply_class, check)  # it echoes its own ref
        except ReplyTextError as error:
            self.replies.reject(request, str(error))
            return None
        return Answer(reply, stored.usage, Usage(), stored)

    def _ask_anew(self, request: LogicalRequest, reply_class: type[R], check: Check[R] | None) -> Answer[R]:
        course = Course(request.messages, request.parameters.max_output_tokens)
        while True:
            completion = self._completion(request, course)
            if completion.finish_reason == "length":
                course.raise_limit(completion)
                continue
            try:
                reply = checked_reply(completion.content, request, reply_class, check)
            except ReplyTextError as error:
                course.inform(completion, str(error), request)
                continue
            course.add(completion)
            stored = StoredReply(request=request, attempts=tuple(course.attempts), recorded=self._recorded())
            self.replies.save(stored)
            return Answer(reply, stored.usage, stored.usage, stored)

    def _completion(self, request: LogicalRequest, course: Course) -> Completion:
        """The next answer, after as many attempts as it takes; the errors say what was paid in all."""
        try:
            call = partial(self._call, request, course)
            return call_with_retry(call, total_seconds=_LONGEST_TRYING, sleep=self._pause)
        except UnusableReplyError as error:
            error.usage = course.usage + error.usage
            raise
        except FatalServiceError:
            raise
        except ServiceError as error:
            self._breaker.gave_up(error)
            raise UnansweredError(str(error), course.usage) from error

    def _call(self, request: LogicalRequest, course: Course) -> Completion:
        try:
            completion = self._completed(request, course)
        except RetriableError as error:
            if self._is_over():
                raise self._out_of_time() from error
            self._breaker.failed(error)
            raise
        except FatalServiceError as error:
            raise self._breaker.refused(error) from error
        except NoAnswerError as error:
            self._breaker.answered()
            self._ask_again(course, error)
        except UnusableReplyError:
            self._breaker.answered()
            raise
        self._breaker.answered()
        self._any_completion = True
        return completion

    def _ask_again(self, course: Course, error: NoAnswerError) -> NoReturn:
        """Makes a 200 without an answer a failure that may pass, as often as it may be asked again.

        What no chat endpoint says ends the run when it has said nothing else so far: the address is wrong.
        """
        course.add(Completion("", "none", error.usage), str(error))
        course.unanswered += 1
        if course.unanswered <= _AGAIN:
            raise RetriableError(str(error)) from error
        words = f"{error} (asked {course.unanswered} times)"
        if isinstance(error, StrangeAnswerError) and not self._any_completion:
            raise self._breaker.end(f"{words}; {ONCE_RIGHT}") from error
        raise UnusableReplyError(words) from error

    def _completed(self, request: LogicalRequest, course: Course) -> Completion:
        """One call that the budget has room for, which may take a while; then it is told what the call did cost."""
        call = self.budget.begin(request, course.messages, course.limit)
        usage, content, sent = Usage(), "", False
        try:
            self._refuse_when_over()
            sent = True
            completion = self.client.complete(request, course.messages, course.limit)
            usage, content = completion.usage, completion.content
        except UnusableReplyError as error:
            usage = error.usage
            raise
        finally:
            self.budget.end(call, usage, content, sent=sent)
        return replace(completion, content=self._clean(content)) if self._clean else completion

    def _pause(self, seconds: float) -> None:
        """Before the next attempt; there is none when the wait would last beyond the deadline."""
        if self._deadline is not None and time.monotonic() + seconds >= self._deadline:
            raise self._out_of_time()
        self._sleep(seconds)

    def _wait_for_another(self) -> None:
        self._refuse_when_over()
        self._pause(_WAIT_FOR_ANOTHER)

    def _refuse_when_over(self) -> None:
        self._breaker.check()
        if self._is_over():
            raise self._out_of_time()

    def _is_over(self) -> bool:
        return self._deadline is not None and time.monotonic() >= self._deadline

    def _out_of_time(self) -> FatalServiceError:
        allowed = round(self._allowed, 0 if self._allowed > 10 else 1)
        return self._breaker.end(
            f"the run has used up its time for calls, {allowed:g} s (run_timeout_seconds, --run-timeout); {CONTINUES}"
        )
