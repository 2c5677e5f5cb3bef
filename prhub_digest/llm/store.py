"""Replies that were paid for once, kept by what was asked.

One file a reply, `<first two of the hash>/<hash>.json`, whole or absent: it is written beside its place under another
name, flushed to the disk and renamed. So several threads and processes may share a folder, and a process may be killed
at any moment; what it leaves half done has a name that no look-up uses. The time of a file is that of its last use, to
the day. docs/replies.md says why files.
"""

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from pydantic import ValidationError

from prhub_digest.models.llm import LogicalRequest, StoredReply

_DAY = 86_400


class Replies(Protocol):
    """Where replies are looked up, before anybody is asked."""

    def find(self, request: LogicalRequest) -> StoredReply | None:
        """The stored reply to exactly this request; None when it has to be asked for."""
        ...

    def reject(self, request: LogicalRequest, reason: str) -> None:
        """Told when a found reply does not pass validation (any more)."""
        ...

    def save(self, stored: StoredReply) -> None: ...


@dataclass(frozen=True, slots=True)
class Fault:
    """Why an entry cannot be used. A `damaged` one is of use to nobody; another user or version may read others."""

    reason: str
    damaged: bool


class ReplyStore:
    """`warn` is told once about each entry that cannot be used; such an entry counts as not there."""

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        self._folder = folder
        self._warn = warn
        self._warned: set[str] = set()
        self._lock = threading.Lock()

    def find(self, request: LogicalRequest) -> StoredReply | None:
        path = self._path(request.request_hash)
        found = read_entry(path)
        if isinstance(found, Fault):
            self.reject(request, found.reason)
            return None
        if found is not None:
            _mark_used(path)
        return found

    def beginning_with(self, digits: str) -> Iterator[StoredReply]:
        """The usable replies to requests whose hash begins with these hexadecimal digits, two at least."""
        if not re.fullmatch("[0-9a-f]{2,64}", digits):
            return
        for path in sorted((self._folder / digits[:2]).glob(f"{digits}*.json")):
            found = read_entry(path)
            if isinstance(found, StoredReply):
                yield found

    def reject(self, request: LogicalRequest, reason: str) -> None:
        key = request.request_hash
        with self._lock:
            if key in self._warned:
                return
            self._warned.add(key)
        self._warn(f"stored reply ignored: {self._path(key)}: {reason}")

    def save(self, stored: StoredReply) -> None:
        """Writes the entry whole. Raises OSError when the folder cannot be written."""
        write_whole(self._path(stored.request.request_hash), stored.to_json())

    def _path(self, key: str) -> Path:
        return entry_path(self._folder, key)


def entry_path(folder: Path, key: str) -> Path:
    """Where the store in `folder` keeps the reply to the request of this hash."""
    return folder / key[:2] / f"{key}.json"


def read_entry(path: Path) -> StoredReply | Fault | None:
    """The reply in a file of the store, or why it cannot be used; None when there is no such file (any more)."""
    found = read_stored(path)
    if isinstance(found, StoredReply) and found.request.request_hash != path.stem:
        return Fault("it answers another request", damaged=True)
    return found


def read_stored(path: Path) -> StoredReply | Fault | None:
    """The same for a file of any name."""
    try:
        return StoredReply.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError as error:
        return Fault(error.strerror or "a folder", damaged=True)
    except OSError as error:
        return Fault(error.strerror or "unreadable", damaged=False)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        if all(fault["type"] == "extra_forbidden" for fault in faults):
            return Fault("written by a newer version", damaged=False)
        return Fault("not a stored reply", damaged=True)


def write_whole(path: Path, text: str) -> None:
    """Writes a UTF-8 file so that a reader, or a crash, sees the old content or the new, never half of one."""
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        with temporary.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    if not folder.exists():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    """A new name survives a power cut only when its folder is on the disk too. Not every file system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _mark_used(path: Path) -> None:
    """At most once a day. A store that this process cannot write is read all the same."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _DAY:
            os.utime(path)
