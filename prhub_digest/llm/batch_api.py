"""The Batch API of an OpenAI-compatible server: upload, create, look, cancel, download, each with its retries.

What the server answers is read as JSON of our own: servers differ from OpenAI in what they leave out.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from prhub_digest.errors import FatalServiceError, PrhubError, ServiceError
from prhub_digest.llm.api_errors import enclosed_status
from prhub_digest.llm.chat_format import decoded_body, error_text, shorten
from prhub_digest.llm.client import NoAnswerError, UnusableReplyError
from prhub_digest.llm.endpoint import Endpoint, StatusFault
from prhub_digest.retry import RetriableError, call_with_retry

T = TypeVar("T")

HASH = "prhub_digest_sha256"  # under which a batch's metadata holds the hash of its requests
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
# Other servers' words for OpenAI's statuses.
_STATUSES = {"progress": "in_progress", "canceled": "cancelled", "canceling": "cancelling", "complete": "completed"}
_MISSING = frozenset({404, 405, 501})
_PAGES = 10  # of 100 batches, newest first
_SLOWEST = 50_000  # bytes a second
_ERRORS_SHOWN = 3
_LONGEST_TRYING = 120.0  # seconds, for all tries of a call
_LONGEST_DOWNLOAD = 3600.0


class RejectedError(ServiceError):
    """The server refuses this request, and would again."""


class NoBatchApiError(FatalServiceError):
    """The server has no such address: it has no Batch API, or not this part of it."""


@dataclass(frozen=True, slots=True)
class BatchState:
    """What a server says of a batch. `status` is one of OpenAI's eight words, or the server's own."""

    id: str
    status: str
    output_file: str | None
    error_file: str | None
    total: int
    completed: int
    failed: int
    problem: str
    sha256: str | None

    @property
    def ended(self) -> bool:
        return self.status in ENDED


class BatchApi(Endpoint):
    """`timeout` is the time for one call; a file gets more, by its size. The arguments are those of `Endpoint`.

    `until` is also when the last try begins, so that no call ends later, whatever the server does.

    Every method raises ServiceError, in words that never hold the key; NoBatchApiError where the server lacks it.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
        sleep: Callable[[float], None] = time.sleep,
        *,
        until: float = math.inf,
    ) -> None:
        super().__init__(base_url, api_key, timeout, 1, until=until)
        self._sleep = sleep

    @property
    def place(self) -> str:
        """The address, without anything secret."""
        return self._place

    def upload(self, path: Path) -> str:
        """The id of the uploaded file."""

        def send() -> Any:
            with path.open("rb") as file:
                return self._client.files.with_raw_response.create(file=(path.name, file), purpose="batch")

        value = self._asked(send, seconds=self._timeout + path.stat().st_size / _SLOWEST)
        return _text(value, "id", f"{self._place} took the file and gave it no id")

    def create(self, input_file: str, sha256: str, more: dict[str, str], known: frozenset[str]) -> BatchState:
        """A new batch; where the server may have made it before its answer was lost, that one.

        `known` are the ids of batches that were there before.
        """
        doubtful = False

        def call() -> BatchState:
            nonlocal doubtful
            found = self._made(sha256, known) if doubtful else None
            if found is not None:
                return found
            doubtful = True
            try:
                value = self._once(
                    lambda: self._client.batches.with_raw_response.create(
                        input_file_id=input_file,
                        endpoint="/v1/chat/completions",
                        completion_window="24h",
                        metadata={HASH: sha256, **more},
                    )
                )
            except RetriableError as error:
                doubtful = error.status != 429
                raise
            return _state(value)

        return self._tried(call)

    def look(self, batch: str) -> BatchState:
        return _state(self._asked(lambda: self._client.batches.with_raw_response.retrieve(batch)))

    def cancel(self, batch: str) -> BatchState:
        return _state(self._asked(lambda: self._client.batches.with_raw_response.cancel(batch)))

    def batches(self) -> Iterator[BatchState]:
        """The newest thousand. Raises NoBatchApiError where the server lists none."""
        after: Any = self._openai.omit

        def send() -> Any:
            return self._client.batches.with_raw_response.list(limit=100, after=after)

        for _ in range(_PAGES):
            value = self._asked(send)
            data = value.get("data")
            states = [_state(own) for own in data if isinstance(own, dict)] if isinstance(data, list) else []
            yield from states
            if not states or not value.get("has_more"):
                return
            after = states[-1].id

    def download(self, file_id: str, make: Callable[[], AbstractContextManager[BinaryIO]]) -> None:
        """Writes a file of the server to what `make` opens: a context manager for a binary file, anew for each try."""

        def call() -> None:
            with make() as file:
                self._once(
                    lambda: self._client.files.with_raw_response.content(file_id), seconds=_LONGEST_DOWNLOAD, file=file
                )

        self._tried(call)

    def _made(self, sha256: str, known: frozenset[str]) -> BatchState | None:
        try:
            return made_for(sha256, self.batches(), known)
        except NoBatchApiError as error:
            raise ServiceError(
                f"whether {self._place} made the batch is not known: its answer was lost, and it lists no batches"
            ) from error

    def _asked(self, send: Callable[[], Any], seconds: float | None = None) -> dict[str, Any]:
        """What may be asked again without harm."""
        return self._tried(lambda: self._once(send, seconds=seconds))

    def _tried(self, call: Callable[[], T]) -> T:
        return call_with_retry(call, total_seconds=min(_LONGEST_TRYING, self._left), sleep=self._sleep)

    @property
    def _left(self) -> float:
        """The seconds until `until`."""
        return max(self.until - time.monotonic(), 0.0)

    def _once(
        self, send: Callable[[], Any], *, seconds: float | None = None, file: BinaryIO | None = None
    ) -> dict[str, Any]:
        """The answer to one call; an empty one when it went into `file`."""
        seconds, left = seconds or self._timeout, self._left
        if not left:
            raise ServiceError(f"--max-wait was over before {self._place} was asked")
        if left < seconds:
            self._call.begin(left, self._place, file, bound="--max-wait")
        else:
            self._call.begin(seconds, self._place, file, bound="timeout_seconds")
        try:
            content = self._sent(send)
            return {} if file else self._decoded(content)
        except PrhubError as error:
            self._hide_key(error)
            raise

    def _sent(self, send: Callable[[], Any]) -> bytes:
        try:
            content: bytes = send().content
        except self._openai.OpenAIError as error:
            translated = self._translated(error, "")
            if isinstance(translated, StatusFault):
                raise self._of_batches(translated) from error
            raise translated from error
        except NoAnswerError as error:  # larger than an answer may be
            raise ServiceError(str(error)) from error
        self._answered = True
        return content

    def _decoded(self, content: bytes) -> dict[str, Any]:
        try:
            value = decoded_body(content)
        except NoAnswerError as error:
            raise RetriableError(str(error)) from error
        status = enclosed_status(value)
        if status is not None:
            raise self._of_batches(self._fault(status, value, ""))
        if not isinstance(value, dict):
            raise RetriableError("the endpoint's answer is not a JSON object")
        return value

    def _of_batches(self, fault: StatusFault) -> ServiceError:
        """What an error means here, where no request and no model is in question."""
        words = error_text(fault.body) if fault.body else f"HTTP {fault.status}"
        if fault.status in _MISSING:
            return NoBatchApiError(f"{self._place} does not know what was asked for (HTTP {fault.status}: {words})")
        if isinstance(fault.error, UnusableReplyError) or (
            isinstance(fault.error, FatalServiceError) and fault.status in {400, 422}
        ):
            return RejectedError(f"{self._place} rejected this (HTTP {fault.status}): {words}")
        return fault.error if isinstance(fault.error, ServiceError) else ServiceError(str(fault.error))


def made_for(sha256: str, batches: Iterable[BatchState], known: frozenset[str]) -> BatchState | None:
    """The newest batch, other than the known ones, that was made from the requests of this hash and did not fail."""
    mine = (state for state in batches if state.sha256 == sha256 and state.id not in known)
    return next((state for state in mine if state.status != "failed"), None)


def _state(value: dict[str, Any]) -> BatchState:
    """A server's batch object. Raises ServiceError for what is none."""
    counts, metadata = value.get("request_counts"), value.get("metadata")
    counts = counts if isinstance(counts, dict) else {}
    status = _text(value, "status", "the endpoint's answer is no batch: it has no status").lower()
    sha256 = metadata.get(HASH) if isinstance(metadata, dict) else None
    return BatchState(
        id=_text(value, "id", "the endpoint's answer is no batch: it has no id"),
        status=_STATUSES.get(status, status),
        output_file=_optional(value.get("output_file_id")),
        error_file=_optional(value.get("error_file_id")),
        total=_count(counts.get("total")),
        completed=_count(counts.get("completed")),
        failed=_count(counts.get("failed")),
        problem=_problem(value.get("errors")),
        sha256=_optional(sha256),
    )


def _problem(errors: Any) -> str:
    """The words of what made a whole batch fail, with the lines of the file."""
    data = errors.get("data") if isinstance(errors, dict) else errors
    if not isinstance(data, list):
        return error_text(errors) if errors else ""
    said = [
        error_text(error) + (f" (line {error['line']})" if isinstance(error, dict) and error.get("line") else "")
        for error in data
    ]
    more = f"; and {len(said) - _ERRORS_SHOWN} more" if len(said) > _ERRORS_SHOWN else ""
    return "; ".join(dict.fromkeys(said[:_ERRORS_SHOWN])) + more


def _text(value: dict[str, Any], name: str, otherwise: str) -> str:
    text = value.get(name)
    if not isinstance(text, str) or not text:
        raise ServiceError(f"{otherwise}: {shorten(str(value))}")
    return text


def _optional(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
