"""Replies of batch files on their way through `Asker`, as those of an endpoint go, and what became of each line."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from prhub_digest.errors import PendingReplies
from prhub_digest.llm.abilities import Abilities
from prhub_digest.llm.ask import Answer, Asker, Check, R, checked_reply
from prhub_digest.llm.batch import PendingClient, Question, Tried, Tries, answer_before
from prhub_digest.llm.batch_lines import Kind, Line, Lines, Outcome, outcome_of
from prhub_digest.llm.batch_rejections import MOST_REJECTIONS, Lesson, Rejection, Sent, lesson_of
from prhub_digest.llm.budget import Budget
from prhub_digest.llm.client import Completion, UnusableReplyError
from prhub_digest.llm.import_report import DIFFERENTLY, WAITS, Failed, ImportReport
from prhub_digest.llm.record import RecordingAsker, RecordingReplies
from prhub_digest.llm.replay import recorded_failure
from prhub_digest.llm.reply_text import ReplyTextError, read_reply
from prhub_digest.llm.store import Replies
from prhub_digest.models.base import Record
from prhub_digest.models.llm import Attempt, LogicalRequest
from prhub_digest.models.replies import REPLIES

# How often a request is exported when no answer comes back; each time may have to be paid for.
ASKED_AT_MOST = 3
_CUT = "the answer was cut at the output limit"


@dataclass(slots=True)
class _Course:
    """What this import did for one request: the answers given for it, by question, and what else its lines said.

    `tried` is what is known of it so far; it is kept when the request has no reply in the end.
    """

    tried: Tried
    answers: dict[str, Completion] = field(default_factory=dict)
    failed: Failed | None = None


class ImportingClient(PendingClient):
    """Answers from the lines of batch output files; what they do not answer waits, as for any `PendingClient`.

    `sent` says how the requests went out; it is taken that they did as `abilities` says where it does not. `learnt`
    holds, by model, what the endpoint turned out to take; the next file is written so.
    """

    def __init__(
        self,
        lines: Lines,
        tries: Tries,
        abilities: Callable[[str], Abilities] = lambda _: Abilities(),
        replies: dict[str, type[Record]] = REPLIES,
        sent: Sent | None = None,
    ) -> None:
        super().__init__(tries, lambda model: self.learnt.get(model) or abilities(model))
        self.learnt: dict[str, Abilities] = {}
        self._before = abilities
        self._sent = sent or Sent()
        self._lines = lines
        self._replies = replies
        self._report = ImportReport(broken=lines.broken, empty=[str(path) for path in lines.empty])
        self._asked: set[str] = set()
        self._courses: dict[str, _Course] = {}

    def report(
        self, is_stored: Callable[[str], bool], round_ids: tuple[str, ...], awaited: frozenset[str] = frozenset()
    ) -> ImportReport:
        """After the run has gone as far as it can; `round_ids` are those of the round that was exported last.

        `awaited` are those of batches that have not brought their files yet.
        """
        report = self._report
        for name in self._lines.ids:
            if name in self._asked:
                continue
            if is_stored(name):
                report.stored.append(name)
            else:
                (report.unneeded if name in round_ids else report.unknown).append(name)
        waiting = {question.id for question in self.waiting}
        without = [name for name in dict.fromkeys((*round_ids, *sorted(awaited))) if name in waiting]
        for name in (name for name in without if not self._lines.of(name)):
            (report.under_way if name in awaited else report.missing).append(name)
        for ids in (report.imported, report.duplicate):
            ids.sort()
        report.failed.sort(key=lambda failed: failed.id)
        return report

    def accepted(self, request: LogicalRequest) -> None:
        """The request has its reply, from a line or from the store."""
        with self._lock:
            course = self._course(request)
            self._report.imported.extend(list(course.answers)[-1:])
            self.tries.drop(request)

    def refused(self, request: LogicalRequest, error: Exception, fault: Callable[[Completion], str]) -> None:
        """The request waits for a second chance, or was given up; `fault` says what is wrong with an answer."""
        with self._lock:
            course = self._course(request)
            tried = course.tried
            for name, completion in course.answers.items():
                reason = fault(completion)
                tried = tried.updated(attempts=(*tried.attempts, _attempt(completion, reason)))
                then = "it is asked for more room" if reason == _CUT else "the model is shown this, once"
                course.failed = Failed(name, reason, f"{WAITS}: {then}")
            if isinstance(error, UnusableReplyError) and tried.failed is None and tried.lines:
                tried = tried.updated(failed=str(error))
                if course.failed is not None:
                    course.failed = Failed(course.failed.id, course.failed.reason, "falls back")
            if tried != Tried():
                self.tries.put(request, tried)
            if course.failed is not None:
                self._report.failed.append(course.failed)

    def _course(self, request: LogicalRequest) -> _Course:
        """What was done for the request, which has come to its end."""
        return self._courses.pop(request.request_hash, None) or _Course(self.tries.of(request))

    def _answer(self, question: Question) -> Completion | None:
        request, name = question.request, question.id
        self._asked.add(name)
        course = self._courses.setdefault(request.request_hash, _Course(self.tries.of(request)))
        if name in course.answers:
            return course.answers[name]
        tried = course.tried
        lines = [
            line for line in self._lines.of(name) if self._sent.marks(line.path, line.digest)[-1] not in tried.lines
        ]
        if not lines:
            if self._lines.of(name):
                course.failed = _as_before(question, tried)
            return answer_before(question, tried)
        outcome = self._best(question, lines)
        if outcome.kind is Kind.not_reached and outcome.lesson is None:
            course.failed = Failed(name, outcome.reason, WAITS)
            return None
        marks = (mark for line in lines for mark in self._sent.marks(line.path, line.digest))
        tried = tried.updated(lines=(*tried.lines, *marks))
        if outcome.lesson is not None:
            course.failed = Failed(name, outcome.reason, "fell back" if tried.failed else DIFFERENTLY)
            course.tried = self._learnt_from(outcome.lesson, request.model, tried)
            return answer_before(question, tried)
        course.tried = tried.updated(
            attempts=tried.attempts[: question.chance],
            lost=tried.lost + (outcome.kind is Kind.lost),
            failed=None,
        )
        return self._taken(name, outcome, course)

    def _learnt_from(self, lesson: Lesson, model: str, tried: Tried) -> Tried:
        """After a rejection that counts as no try."""
        if lesson.known != self.abilities(model):
            self.learnt[model] = lesson.known
        return tried.updated(rejected=(*tried.rejected, lesson.sent))

    def _taken(self, name: str, outcome: Outcome, course: _Course) -> Completion | None:
        """The answer of lines that were looked at for the first time. Raises UnusableReplyError."""
        if outcome.completion is not None:
            course.answers[name] = outcome.completion
            return outcome.completion
        times = course.tried.lost
        if outcome.kind is Kind.lost and times < ASKED_AT_MOST:
            course.failed = Failed(name, outcome.reason, f"{WAITS} ({times} of {ASKED_AT_MOST} times asked)")
            return None
        reason = f"{outcome.reason} (asked {times} times)" if outcome.kind is Kind.lost else outcome.reason
        course.tried = course.tried.updated(failed=reason)
        course.failed = Failed(name, reason, "falls back")
        error = recorded_failure(reason)
        error.usage = outcome.usage
        raise error

    def _best(self, question: Question, lines: list[Line]) -> Outcome:
        """Of several lines of one id, the first that serves best; further answers among them are duplicates."""
        outcomes = [self._outcome(question, line) for line in lines]
        ranks = [(outcome.kind, not self._fits(question.request, outcome)) for outcome in outcomes]
        place = ranks.index(min(ranks))
        later = [outcome for outcome in outcomes[place + 1 :] if outcome.kind is Kind.answer]
        self._report.duplicate.extend(question.id for _ in later)
        return outcomes[place]

    def _outcome(self, question: Question, line: Line) -> Outcome:
        model = question.request.model
        outcome = outcome_of(line.read(), model)
        rejected = self.tries.of(question.request).rejected
        if outcome.status == 200 or len(rejected) >= MOST_REJECTIONS:
            return outcome
        lesson = lesson_of(
            self._sent.of(line.path, model, rejected) or (self._before(model),),
            self.abilities(model),
            Rejection(outcome.status, outcome.body, question.limit),
            earlier=self._sent.ever.get(model, ()),
        )
        return outcome if lesson is None else replace(outcome, kind=Kind.not_reached, lesson=lesson)

    def _fits(self, request: LogicalRequest, outcome: Outcome) -> bool:
        completion = outcome.completion
        if completion is None or completion.finish_reason == "length":
            return False
        try:
            read_reply(completion.content, self._replies[request.schema_name], request.ref)
        except ReplyTextError:
            return False
        return True


def _attempt(completion: Completion, error: str) -> Attempt:
    return Attempt(
        content=completion.content,
        finish_reason=completion.finish_reason,
        usage=completion.usage,
        error=error,
        rung=completion.rung,
    )


def _as_before(question: Question, tried: Tried) -> Failed:
    """What an earlier import found out about the lines of this question."""
    attempts = tried.attempts[question.chance :]
    reason = attempts[0].error if attempts else tried.failed
    then = "fell back" if tried.failed else WAITS
    return Failed(question.id, f"as imported before: {reason or ('rejected' if tried.rejected else 'no answer')}", then)


class BatchAsker(Asker):
    """Asks an `ImportingClient`, and tells it what became of each request."""

    client: ImportingClient

    def __init__(self, client: ImportingClient, replies: Replies, recorded: str, budget: Budget | None = None) -> None:
        super().__init__(client, replies, recorded=lambda: recorded, budget=budget)

    def ask(self, request: LogicalRequest, reply_class: type[R], check: Check[R] | None = None) -> Answer[R]:
        def fault(completion: Completion) -> str:
            if completion.finish_reason == "length":
                return _CUT
            try:
                checked_reply(completion.content, request, reply_class, check)
            except ReplyTextError as error:
                return str(error)
            return "no usable reply"

        try:
            answer = super().ask(request, reply_class, check)
        except (PendingReplies, UnusableReplyError) as error:
            self.client.refused(request, error, fault)
            raise
        self.client.accepted(request)
        return answer


class RecordingBatchAsker(BatchAsker, RecordingAsker):
    """The same for a fixture that is recorded."""

    def __init__(self, client: ImportingClient, replies: RecordingReplies, recorded: str) -> None:
        RecordingAsker.__init__(self, client, replies)
        self._recorded = lambda: recorded
