"""Batch files in OpenAI's JSONL format: pending requests out, replies in. Nothing connects anywhere."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prhub_digest.errors import PendingReplies, UsageError
from prhub_digest.llm.chat_format import chat_body, error_text, read_completion
from prhub_digest.llm.client import Completion, UnusableReplyError
from prhub_digest.llm.store import ReplyStore, write_whole
from prhub_digest.models.llm import Attempt, LogicalRequest, Message, StoredReply

Validate = Callable[[LogicalRequest, str], str | None]
_HASH_DIGITS = 10


class PendingClient:
    """Asks nobody: each request that no stored reply answers is noted and raises PendingReplies."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[str, LogicalRequest] = {}

    @property
    def pending(self) -> tuple[LogicalRequest, ...]:
        """The requests that wait, each once, ordered by their ids."""
        with self._lock:
            return tuple(self._pending[name] for name in sorted(self._pending))

    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        del messages, max_output_tokens
        with self._lock:
            self._pending[custom_id(request)] = request
        raise PendingReplies(f"{request.prompt}/{request.subject} waits for its reply", (request.request_hash,))

    def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Ids by what became of them, in the order of the file; `missing` are requests without a usable line.

    `failed` pairs an id (or `line 3`) with the reason; `stored` were answered before.
    """

    imported: tuple[str, ...]
    unknown: tuple[str, ...]
    duplicate: tuple[str, ...]
    missing: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    stored: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether the file held no line at all."""
        return not (self.imported or self.unknown or self.duplicate or self.failed or self.stored)


def custom_id(request: LogicalRequest) -> str:
    """Readable, and another one as soon as the request is another one."""
    return f"{request.prompt}/{request.subject}-{request.request_hash[:_HASH_DIGITS]}"


def is_stored(name: str, store: ReplyStore) -> bool:
    """Whether the store holds the reply to the request of this id."""
    return any(custom_id(reply.request) == name for reply in store.beginning_with(name[-_HASH_DIGITS:]))


def export(requests: Iterable[LogicalRequest], path: Path) -> int:
    """Writes one line a request, each once, in the order of their ids; returns the number of lines."""
    lines = {custom_id(request): _line(request) for request in requests}
    write_whole(path, "".join(lines[name] + "\n" for name in sorted(lines)))
    return len(lines)


def import_replies(
    path: Path,
    requests: Iterable[LogicalRequest],
    *,
    validate: Validate,
    save: Callable[[StoredReply], object],
    recorded: str,
    stored_before: Callable[[str], bool] = lambda _: False,
) -> ImportResult:
    """Saves each valid reply of a batch output file, and says what became of every line and every request.

    `validate` returns what is wrong with the content of a reply, as for a live one. A line that fails in any way saves
    nothing; a later valid line of the same id makes up for it. `stored_before` says whether an id that no
    request waits for is answered already. Raises UsageError when the file cannot be read.
    """
    wanted = {custom_id(request): request for request in requests}
    imported: dict[str, None] = {}
    unknown: list[str] = []
    before: list[str] = []
    duplicate: list[str] = []
    failed: dict[str, str] = {}
    for number, line in _lines(path):
        name = line.get("custom_id") if line else None
        if line is None or not isinstance(name, str):
            failed[f"line {number}"] = "not a line of a batch output file"
        elif name not in wanted:
            (before if stored_before(name) else unknown).append(name)
        elif name in imported:
            duplicate.append(name)
        else:
            try:
                stored = _stored(wanted[name], _valid_completion(line, wanted[name], validate), recorded)
            except UnusableReplyError as error:
                failed[name] = str(error)
            else:
                save(stored)
                imported[name] = None
                failed.pop(name, None)
    missing = tuple(name for name in wanted if name not in imported)
    return ImportResult(
        tuple(imported), tuple(unknown), tuple(duplicate), missing, tuple(failed.items()), tuple(before)
    )


def _line(request: LogicalRequest) -> str:
    return json.dumps(
        {
            "custom_id": custom_id(request),
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": chat_body(request, request.messages, request.parameters.max_output_tokens),
        },
        ensure_ascii=False,
    )


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Numbered lines, decoded; None for one that is not a JSON object."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    return ((number, _decoded(line)) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _decoded(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _valid_completion(line: dict[str, Any], request: LogicalRequest, validate: Validate) -> Completion:
    """The answer in a line of an output or error file. Raises UnusableReplyError."""
    response = line.get("response")
    if not isinstance(response, dict):
        raise UnusableReplyError(error_text(line["error"]) if line.get("error") else "the line holds no response")
    body = response.get("body")
    status = response.get("status_code", 200)
    if status != 200:
        raise UnusableReplyError(f"HTTP {status}: {error_text(body)}")
    completion = read_completion(body)
    if completion.finish_reason == "length":
        raise UnusableReplyError("the answer was cut at the output limit")
    fault = validate(request, completion.content)
    if fault:
        raise UnusableReplyError(fault)
    return completion


def _stored(request: LogicalRequest, completion: Completion, recorded: str) -> StoredReply:
    attempt = Attempt(content=completion.content, finish_reason=completion.finish_reason, usage=completion.usage)
    return StoredReply(request=request, attempts=(attempt,), recorded=recorded)
