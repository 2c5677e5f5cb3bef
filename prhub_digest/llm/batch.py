"""Batch files in OpenAI's JSONL format: the client that asks nobody, and what came of each request so far.

A request goes the same way as to an endpoint: `Asker` validates its answer, shows the model a wrong one once, gives a
cut one more room once. Only that days may lie between two calls, so that `Tries` keeps what came of the earlier ones.
"""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import Field

from prhub_digest.errors import PendingReplies
from prhub_digest.llm.abilities import Abilities
from prhub_digest.llm.client import Completion
from prhub_digest.llm.replay import recorded_failure
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.base import Record
from prhub_digest.models.llm import Attempt, LogicalRequest, Message, StoredReply, Usage
from prhub_digest.run_folder import RunFolder

TRIES = "batch/tries.json"
_HASH_DIGITS = 10
_LONGEST_ID = 64  # some services take no longer one
_ID = re.compile(rf"(?P<head>.+)-(?P<hash>[0-9a-f]{{{_HASH_DIGITS}}})(?P<chance>-[2-9])?")


def custom_id(request: LogicalRequest, chance: int = 0) -> str:
    """Readable, and another one as soon as the request is another one; `-2` at the end is its first second chance."""
    tail = f"-{request.request_hash[:_HASH_DIGITS]}" + (f"-{chance + 1}" if chance else "")
    return f"{request.prompt}/{request.subject}"[: _LONGEST_ID - len(tail)] + tail


def first_id(name: str) -> str:
    """The id of the request that this is a second chance of, if it is one; else the same."""
    match = _ID.fullmatch(name)
    return f"{match['head']}-{match['hash']}" if match else name


def is_stored(name: str, store: ReplyStore) -> bool:
    """Whether the store holds the reply to the request of this id, or to the request that it is a second chance of."""
    return stored_reply(name, store) is not None


def stored_reply(name: str, store: ReplyStore) -> StoredReply | None:
    """What the store holds for the request of this id, or for the request that it is a second chance of."""
    match, first = _ID.fullmatch(name), first_id(name)
    replies = store.beginning_with(match["hash"]) if match else ()
    return next((reply for reply in replies if custom_id(reply.request) == first), None)


@dataclass(frozen=True, slots=True)
class Question:
    """One line of a batch file: a request, or a second chance of it with these messages and this limit."""

    request: LogicalRequest
    messages: tuple[Message, ...]
    limit: int

    @property
    def chance(self) -> int:
        """How many second chances of the request are used up: it was shown its mistake, got more room, or both."""
        request = self.request
        return (self.messages != request.messages) + (self.limit != request.parameters.max_output_tokens)

    @property
    def id(self) -> str:
        return custom_id(self.request, self.chance)


class Tried(Record):
    """What came of a request that has no usable reply yet.

    `attempts` are answers that could not be used, one for each second chance. `lost` counts how often no answer came,
    `rejected` are the ways of asking that the endpoint did not take. `lines` are the hashes of the lines that said so:
    a file that is imported again counts once. With `failed`, the reason, nothing is asked any more.
    """

    attempts: tuple[Attempt, ...] = ()
    lost: int = 0
    rejected: tuple[Abilities, ...] = ()
    lines: tuple[str, ...] = ()
    failed: str | None = None


class _TriesFile(Record):
    requests: dict[str, Tried] = Field(default_factory=dict)


class Tries:
    """`Tried` by request hash, in the run folder. What is damaged is forgotten: the request is asked from the start."""

    def __init__(self, folder: RunFolder | None = None) -> None:
        self._folder = folder
        stored = folder.read_valid(TRIES, _TriesFile) if folder else None
        self._tried = dict(stored.requests) if stored else {}
        self._saved = dict(self._tried)

    def of(self, request: LogicalRequest) -> Tried:
        return self._tried.get(request.request_hash) or Tried()

    def named(self, name: str) -> Tried:
        """The same by the id of the request or of a second chance of it."""
        match = _ID.fullmatch(name)
        keys = [key for key in self._tried if match and key.startswith(match["hash"])]
        return self._tried[keys[0]] if keys else Tried()

    def put(self, request: LogicalRequest, tried: Tried) -> None:
        self._tried[request.request_hash] = tried

    def drop(self, request: LogicalRequest) -> None:
        self._tried.pop(request.request_hash, None)

    def forget_failures(self) -> int:
        """Requests that were given up are asked from the start; returns how many."""
        failed = [name for name, tried in self._tried.items() if tried.failed]
        for name in failed:
            del self._tried[name]
        return len(failed)

    def save(self) -> None:
        if self._folder and self._tried != self._saved:
            self._folder.write_record(TRIES, _TriesFile(requests=dict(sorted(self._tried.items()))))
            self._saved = dict(self._tried)


class PendingClient:
    """Asks nobody: each request that no reply answers is noted and raises PendingReplies.

    An answer that was imported and could not be used is given again, so that its second chance follows from it.
    `abilities` says what is known of what the endpoint takes for a model.
    """

    def __init__(
        self, tries: Tries | None = None, abilities: Callable[[str], Abilities] = lambda _: Abilities()
    ) -> None:
        self.tries = tries or Tries()
        self.abilities = abilities
        self._lock = threading.Lock()
        self._waiting: dict[str, Question] = {}

    @property
    def waiting(self) -> tuple[Question, ...]:
        """What has to be asked, each question once, ordered by their ids."""
        with self._lock:
            return tuple(self._waiting[name] for name in sorted(self._waiting))

    @property
    def pending(self) -> tuple[LogicalRequest, ...]:
        """The requests that wait, in the same order."""
        return tuple(question.request for question in self.waiting)

    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        question = Question(request, messages, max_output_tokens)
        with self._lock:
            completion = self._answer(question)
            if completion is None:
                self._waiting[question.id] = question
        if completion is None:
            raise PendingReplies(f"{request.prompt}/{request.subject} waits for its reply", (request.request_hash,))
        return completion

    def close(self) -> None:
        pass

    def _answer(self, question: Question) -> Completion | None:
        """What was imported for this question; None when it has to be asked. Raises UnusableReplyError."""
        return answer_before(question, self.tries.of(question.request))


def answer_before(question: Question, tried: Tried) -> Completion | None:
    """The answer that earlier imports brought, though it could not be used; None when the question has to be asked.

    Raises UnusableReplyError when nothing is asked any more.
    """
    if tried.failed is not None:
        error = recorded_failure(tried.failed)
        error.before = sum((attempt.usage for attempt in tried.attempts), Usage())
        raise error
    if question.chance >= len(tried.attempts):
        return None
    attempt = tried.attempts[question.chance]
    return Completion(attempt.content, attempt.finish_reason, attempt.usage, attempt.rung)
