"""Replies that were paid for once, kept by what was asked.

One file a reply, `<first two of the hash>/<hash>.json`, whole or absent: it is written beside its place under another
name, flushed to the disk and renamed. So several threads and processes may share a folder, and a process may be killed
at any moment; what it leaves half done has a name that no look-up uses.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from pydantic import ValidationError

from prhub_digest.models.llm import LogicalRequest, StoredReply


class Replies(Protocol):
    """Where replies are looked up, before anybody is asked."""

    def find(self, request: LogicalRequest) -> StoredReply | None:
        """The stored reply to exactly this request; None when it has to be asked for."""
        ...

    def reject(self, request: LogicalRequest, reason: str) -> None:
        """Told when a found reply does not pass validation (any more)."""
        ...

    def save(self, stored: StoredReply) -> None: ...


class ReplyStore:
    """`warn` is told once about each entry that cannot be used; such an entry counts as not there."""

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        self._folder = folder
        self._warn = warn
        self._warned: set[str] = set()

    def find(self, request: LogicalRequest) -> StoredReply | None:
        key = request.request_hash
        path = self._path(key)
        try:
            stored = StoredReply.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as error:
            reason = "not a stored reply" if isinstance(error, ValidationError) else error.strerror or "unreadable"
            self._warn_once(key, f"stored reply ignored: {path}: {reason}")
            return None
        if stored.request.request_hash != key:
            self._warn_once(key, f"stored reply ignored: {path}: it answers another request")
            return None
        return stored

    def beginning_with(self, digits: str) -> Iterator[StoredReply]:
        """The usable replies to requests whose hash begins with these hexadecimal digits, two at least."""
        if not re.fullmatch("[0-9a-f]{2,64}", digits):
            return
        for path in sorted((self._folder / digits[:2]).glob(f"{digits}*.json")):
            with suppress(OSError, ValidationError):
                stored = StoredReply.model_validate_json(path.read_bytes())
                if stored.request.request_hash == path.stem:
                    yield stored

    def reject(self, request: LogicalRequest, reason: str) -> None:
        key = request.request_hash
        self._warn_once(key, f"stored reply ignored: {self._path(key)}: {reason}")

    def save(self, stored: StoredReply) -> None:
        """Writes the entry whole. Raises OSError when the folder cannot be written."""
        write_whole(self._path(stored.request.request_hash), stored.to_json())

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"

    def _warn_once(self, key: str, message: str) -> None:
        if key not in self._warned:
            self._warned.add(key)
            self._warn(message)


def write_whole(path: Path, text: str) -> None:
    """Writes a UTF-8 file so that a reader, or a crash, sees the old content or the new, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        with temporary.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
