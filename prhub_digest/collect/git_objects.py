"""Commits and files of a repository by name, through one `git cat-file` that stays open."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from prhub_digest.collect.git_command import Git
from prhub_digest.errors import SourceError

_AUTHOR = re.compile(rb"(.*?) ?<[^<>]*> (-?\d{1,18}) [-+]\d+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CommitObject:
    """One commit as it is stored: all its parents, also where a shallow repository ends."""

    sha: str
    parents: tuple[str, ...]
    author: str
    authored_at: datetime | None
    message: str


class GitObjects:
    """What a repository holds, by name; it must be closed."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process = git.started("cat-file", "--batch")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def commit(self, sha: str) -> CommitObject | None:
        """None when the repository does not hold it.

        Raises:
            SourceError: the repository is damaged.
        """
        data = self._content(sha, b"commit")
        return None if data is None else _commit(sha, data)

    def file(self, commit: str, path: str) -> bytes | None:
        """The content of a file or link; None when the commit has none of this name, or it is not here.

        Raises:
            SourceError: the repository is damaged.
        """
        return None if "\n" in path else self._content(f"{commit}:{path}", b"blob")

    def _content(self, name: str, kind: bytes) -> bytes | None:
        pipe_in, pipe_out = self._process.stdin, self._process.stdout
        assert pipe_in is not None  # noqa: S101 - a pipe
        assert pipe_out is not None  # noqa: S101 - a pipe
        try:
            pipe_in.write(name.encode("utf-8", "replace") + b"\n")
            pipe_in.flush()
        except OSError:
            pass  # it ended, as the missing answer will show
        answer = pipe_out.readline()
        if answer.endswith((b" missing\n", b" ambiguous\n")):
            return None
        _, found, size = answer.rsplit(b" ", 2) if answer else (b"", b"", b"0")
        data = pipe_out.read(int(size) + 1)
        if len(data) <= int(size):
            raise SourceError(f"{self._git.label}: git cannot read {name}; the repository is damaged")
        return data[:-1] if found == kind else None


def _commit(sha: str, data: bytes) -> CommitObject:
    head, _, message = data.partition(b"\n\n")
    fields = [line.partition(b" ")[::2] for line in head.split(b"\n")]
    author = _AUTHOR.fullmatch(next((value for name, value in fields if name == b"author"), b""))
    encoding = next((value for name, value in fields if name == b"encoding"), b"utf-8").decode("ascii", "replace")
    return CommitObject(
        sha=sha,
        parents=tuple(value.decode("ascii") for name, value in fields if name == b"parent"),
        author=_text(author[1], encoding) if author else "",
        authored_at=_moment(int(author[2])) if author else None,
        message=_text(message, encoding),
    )


def _text(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding, "replace")
    except LookupError:  # no such encoding
        return data.decode("utf-8", "replace")


def _moment(seconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
