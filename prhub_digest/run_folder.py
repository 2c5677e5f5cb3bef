"""The folder in which the stages of one run meet: every file whole or not there at all.

A file is written beside its place, flushed to the disk and renamed; a run that is killed leaves only whole files and,
at worst, a temporary file that the next run removes.
"""

import fcntl
import hashlib
import itertools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Self, TypeVar

from pydantic import ValidationError

from prhub_digest.errors import UsageError
from prhub_digest.models.base import Record

# Every file this tool makes in a run folder. Nothing else is written, so `remove` deletes all of it and only it.
OWN_FILES = (
    "run.json",
    "collecting.json",
    "collection.json",
    "signals.json",
    "stats.json",
    "ranking.json",
    "plan.json",
    "coverage.json",
    "digest.*",
    "verification.*.json",
    "pulls/*.json",
    "summaries/*.json",
    "coverage/*.json",
    "chunks/*.json",
    "batch/round-[0-9][0-9][0-9].jsonl",
    "batch/round-[0-9][0-9][0-9].part-[0-9][0-9][0-9].jsonl",
    "batch/rounds.json",
    "batch/tries.json",
    "batch/jobs.json",
    "batch/downloaded-*.jsonl",
)
_TEMPORARY = re.compile(r"\..+\.\d+-\d+\.tmp")
_LOCK = ".lock"
_UNSAFE = re.compile(r"[^\w.-]+")
_LONGEST_NAME = 120
_serial = itertools.count()

AnyRecord = TypeVar("AnyRecord", bound=Record)


def pull_name(number: int) -> str:
    return f"pulls/{number}.json"


def summary_name(number: int) -> str:
    return f"summaries/{number}.json"


def inputs_hash(*parts: str | bytes | Record) -> str:
    """SHA-256 of the parts, in hexadecimal. Their order and their boundaries matter: `ab, c` is not `a, bc`."""
    digest = hashlib.sha256()
    for part in parts:
        text = part.to_json() if isinstance(part, Record) else part
        data = text.encode() if isinstance(text, str) else text
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def name_as_text(name: str) -> str:
    """A name that came from the system (argument, path) as text that JSON can hold.

    Under a locale that is not UTF-8, Python hands bytes over as lone surrogates. Bytes that are UTF-8 come out as
    the text they are, others as escapes.
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def text_as_name(text: str) -> str:
    """The reverse: a name that the system takes, whatever the locale."""
    return os.fsdecode(text.encode("utf-8"))


@dataclass(frozen=True, slots=True)
class RunFolder:
    path: Path

    @classmethod
    def of(cls, out: Path, repository: str, period_label: str) -> Self:
        """`<out>/<owner>__<name>/<label>`. Whatever the names hold, the folder lies two levels below `out`."""
        owner_and_name = "__".join(_slug(part) for part in repository.split("/"))
        return cls(out / text_as_name(_slug(owner_and_name)) / text_as_name(_slug(period_label)))

    def file(self, name: str) -> Path:
        """The place of one of this tool's files.

        Raises:
            ValueError: the name is not in `OWN_FILES`; a mistake of the caller.
        """
        if not _is_own(name):
            raise ValueError(f"{name!r} is no file of a run folder; add it to OWN_FILES")
        return self.path / name

    def write_text(self, name: str, text: str) -> None:
        """Write a file, whole or not at all: readers see the old content or the new one.

        Raises:
            UsageError: the folder cannot be written.
        """
        target = self.file(name)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _replace(target, text.encode())
        except OSError as error:
            raise UsageError(f"cannot write {target}: {_reason(error)}; choose another folder with --out") from error

    def write_record(self, name: str, record: Record) -> None:
        self.write_text(name, record.to_json())

    def read_text(self, name: str) -> str | None:
        """The content of a file, None when it is absent.

        Raises:
            UsageError: the file is there and cannot be read.
        """
        data = self._read_bytes(name)
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError as error:
            raise UsageError(f"cannot read {self.file(name)}: {_reason(error)}; {_FRESH}") from error

    def _read_bytes(self, name: str) -> bytes | None:
        target = self.file(name)
        try:
            return target.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"cannot read {target}: {_reason(error)}; {_FRESH}") from error

    def read_record(self, name: str, cls: type[AnyRecord]) -> AnyRecord | None:
        """The record in a file, None when the file is absent.

        Raises:
            UsageError: the file is there and is not such a record.
        """
        data = self._read_bytes(name)
        if data is None:
            return None
        try:
            return cls.model_validate_json(data)  # bytes: text of a large record takes several times as much memory
        except ValidationError as error:
            raise UsageError(f"{self.file(name)} is not a valid {cls.__name__} ({_first(error)}); {_FRESH}") from error

    def read_valid(self, name: str, cls: type[AnyRecord]) -> AnyRecord | None:
        """The record in a file, None when it is absent or a leftover that does not validate: it is made again."""
        try:
            return self.read_record(name, cls)
        except UsageError:
            return None

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other runs out of this folder meanwhile; the system ends the lock with the process.

        Raises:
            UsageError: another process works in this folder, or the folder cannot be made.
        """
        place = self.path / _LOCK
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            handle = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise UsageError(f"cannot write {place}: {_reason(error)}; choose another folder with --out") from error
        try:
            self._claim(handle)
            self._remove_temporary()
            yield
        finally:
            os.close(handle)

    def _claim(self, handle: int) -> None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(handle, 20, 0).decode(errors="replace").strip() or "unknown"
            raise UsageError(
                f"process {owner} is working in {self.path}; wait until it ends, or choose another folder with --out"
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)

    def remove(self, keep: str | None = None) -> None:
        """Delete what this tool made here, for `--fresh`, except files of the pattern `keep`; files of others stay.

        Raises:
            UsageError: a file cannot be deleted.
        """
        try:
            self._remove_temporary()
            for path in self._own_paths():
                if keep is None or not fnmatchcase(path.relative_to(self.path).as_posix(), keep):
                    path.unlink(missing_ok=True)
            for folder in sorted({PurePosixPath(name).parent for name in OWN_FILES if "/" in name}):
                with suppress(OSError):  # not there, or not empty
                    (self.path / folder).rmdir()
        except OSError as error:
            raise UsageError(f"cannot empty {self.path}: {_reason(error)}") from error

    def discard(self, pattern: str) -> None:
        """Delete the files of one pattern of `OWN_FILES`, so that none of them reads as made by this run."""
        for path in self.path.glob(pattern):
            path.unlink(missing_ok=True)

    def _own_paths(self) -> list[Path]:
        found = (path for pattern in OWN_FILES for path in self.path.glob(pattern))
        return [path for path in found if path.is_symlink() or path.is_file()]

    def _remove_temporary(self) -> None:
        for folder in {self.path, *(self.path / PurePosixPath(name).parent for name in OWN_FILES)}:
            for path in folder.glob(".*.tmp"):
                if _TEMPORARY.fullmatch(path.name):
                    path.unlink(missing_ok=True)


_FRESH = "delete it, or start over with --fresh"


def _is_own(name: str) -> bool:
    depth = name.count("/")
    return ".." not in name and any(fnmatchcase(name, pattern) for pattern in OWN_FILES if pattern.count("/") == depth)


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{next(_serial)}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with open(handle, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """A rename survives a power cut only when the folder is on the disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _slug(name: str) -> str:
    """A file name out of any text: letters of every script, digits, `_`, `-` and inner dots; never empty or `..`."""
    slug = _UNSAFE.sub("-", name).lstrip(".-").rstrip(".") or "_"
    if len(slug.encode()) <= _LONGEST_NAME:
        return slug
    kept = slug.encode()[: _LONGEST_NAME - 9].decode(errors="ignore")
    return f"{kept}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "not UTF-8"


def _first(error: ValidationError) -> str:
    detail = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in detail["loc"])
    return f"{where}: {detail['msg']}" if where else detail["msg"]
