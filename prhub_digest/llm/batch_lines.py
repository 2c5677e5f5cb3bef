"""The lines of batch output and error files: found by their ids, and what each one means. Reads files, else pure."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

from prhub_digest.errors import FatalServiceError, UsageError
from prhub_digest.llm.api_errors import enclosed_status, status_error
from prhub_digest.llm.batch_rejections import Lesson
from prhub_digest.llm.chat_format import error_text, read_completion
from prhub_digest.llm.client import Completion, ContextLengthError, NoAnswerError, UnusableReplyError
from prhub_digest.models.llm import Usage
from prhub_digest.retry import RetriableError

_BOM = b"\xef\xbb\xbf"
# How files begin that hold replies in a way that cannot be read here, and what to do about it.
_OTHER_KINDS = {
    b"\x1f\x8b": "is compressed: unpack it first (gunzip)",
    b"PK\x03\x04": "is compressed: unpack it first (unzip)",
    b"\x28\xb5\x2f\xfd": "is compressed: unpack it first (unzstd)",
    b"\xff\xfe": "is UTF-16: save it as UTF-8",
    b"\xfe\xff": "is UTF-16: save it as UTF-8",
    b"[": "is one JSON list: each reply needs a line of its own (jq -c '.[]')",
}
# A request that the service did not come to: it neither failed nor cost anything.
_NOT_REACHED = re.compile("expired|cancel", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """Where a line stands; `digest` is the SHA-256 of its bytes."""

    path: Path
    start: int
    size: int
    digest: str

    def read(self) -> dict[str, Any]:
        with self.path.open("rb") as file:
            file.seek(self.start)
            value: dict[str, Any] = json.loads(file.read(self.size))
        return value


class Lines:
    """The lines of some files by their ids. The files are read again where a line is looked at, so they must stay.

    `broken` names the lines that are none; `cut` holds files whose last line is no whole JSON, with where it starts.
    Raises UsageError when a file cannot be read.
    """

    def __init__(self, paths: Iterable[Path] = ()) -> None:
        self.broken: list[str] = []
        self.cut: list[tuple[Path, int]] = []
        self._lines: dict[str, list[Line]] = {}
        self.empty = [path for path in paths if self._read(path) == 0]

    @property
    def ids(self) -> tuple[str, ...]:
        """Each once, in the order of the files."""
        return tuple(self._lines)

    def of(self, name: str) -> tuple[Line, ...]:
        return tuple(self._lines.get(name, ()))

    def _read(self, path: Path) -> int:
        """How many lines the file holds."""
        count, start, data = 0, 0, b"{}"
        for number, start, data in _numbered(path):
            count += 1
            name = _name_in(data)
            if name is None:
                self.broken.append(f"{path}, line {number}")
            else:
                line = Line(path, start, len(data), hashlib.sha256(data).hexdigest())
                self._lines.setdefault(name, []).append(line)
        if _object_in(data) is None:
            self.cut.append((path, start))
        return count


def _numbered(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """The lines that are not blank, with their numbers and offsets."""
    start = 0
    try:
        with path.open("rb") as file:
            for number, read in enumerate(file, start=1):
                skipped = len(_BOM) if number == 1 and read.startswith(_BOM) else 0
                data = read[skipped:]
                if data.strip():
                    yield number, start + skipped, data
                start += len(read)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _name_in(data: bytes) -> str | None:
    value = _object_in(data)
    name = value.get("custom_id") if value else None
    return name if isinstance(name, str) else None


def _object_in(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def refuse_other_kinds(path: Path) -> None:
    """Raises UsageError for a file that holds no lines of replies, as its beginning shows, or can be read once."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UsageError(f"{path} is a pipe, and replies are read twice: save them to a file")
    first = next((data for _, _, data in _numbered(path)), b"")
    for beginning, words in _OTHER_KINDS.items():
        if first.startswith(beginning):
            raise UsageError(f"{path} {words}")
    value = _object_in(first)
    if value and {"custom_id", "body"} <= value.keys() and "response" not in value:
        raise UsageError(f"{path} holds requests, not the replies to them: have them answered first")


class Kind(IntEnum):
    """What a line is good for; the smaller, the better."""

    answer = 0
    final = 1
    lost = 2
    not_reached = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """`completion` for an answer, usable or not; else the `reason`.

    `final`: asking again would end the same. `lost`: it may not. `not_reached`: it was not asked, or nothing can be
    asked of this endpoint as things are. `status` and `body` are those of an error response; `lesson` is what it
    teaches, where the request will be asked differently.
    """

    kind: Kind
    completion: Completion | None = None
    reason: str = ""
    usage: Usage = field(default_factory=Usage)
    status: int = 200
    body: Any = None
    lesson: Lesson | None = None


def outcome_of(line: dict[str, Any], model: str) -> Outcome:
    """What a line says, as a live response of the same content would be taken."""
    response, error = line.get("response"), line.get("error")
    if not isinstance(response, dict):
        words = error_text(error) if error else "the line holds no response"
        code = error.get("code") if isinstance(error, dict) else None
        return Outcome(Kind.not_reached if _NOT_REACHED.search(f"{code} {words}") else Kind.lost, reason=words)
    body = response.get("body")
    if body is None:
        body = response if "choices" in response else error  # as vLLM has it
    given = response.get("status_code")
    given = given if isinstance(given, int) else 200
    status = enclosed_status(body) or given
    if status != 200:
        return _failed(status, body, model, inside_200=given == 200)
    try:
        return Outcome(Kind.answer, read_completion(body))
    except NoAnswerError as fault:
        return Outcome(Kind.lost, reason=str(fault), usage=fault.usage)
    except UnusableReplyError as fault:
        return Outcome(Kind.final, reason=str(fault), usage=fault.usage)


def _failed(status: int, body: Any, model: str, *, inside_200: bool) -> Outcome:
    error = status_error(status, body, {}, place="the batch", model=model, inside_200=inside_200)
    reason = f"HTTP {status}: {error_text(body)}" if body else f"HTTP {status}"
    if isinstance(error, ContextLengthError):
        kind, reason = Kind.final, str(error)  # its words tell that the pull request has to be cut smaller
    elif isinstance(error, FatalServiceError):
        kind = Kind.not_reached
    else:
        kind = Kind.lost if isinstance(error, RetriableError | NoAnswerError) else Kind.final
    return Outcome(kind, reason=reason, status=status, body=body)
