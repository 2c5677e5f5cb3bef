"""The git side of a fake repository: a bare repository in a temporary folder, which real git reads and writes."""

import os
import re
import shutil
import subprocess
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from threading import RLock

_FULL_ID = re.compile(rb"^[0-9a-f]{40}\n", re.MULTILINE)
_DIFF = ("diff-tree", "--stdin", "-r", "-M", "--full-index")
_CONFIG = (
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
    "[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n[http]\n\treceivepack = false\n"
    "[gc]\n\tauto = 0\n"
)
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C",
    "HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


@dataclass(frozen=True)
class Blob:
    """A file with a mode: "100755" is executable, "120000" a link, "160000" a submodule (content: its commit)."""

    content: str | bytes
    mode: str = "100644"


Files = Mapping[str, "str | bytes | Blob | None"]  # None removes the file


@dataclass(frozen=True)
class FakeFile:
    """One file of a diff as git gives it; `patch` holds the hunks from the first `@@` on, None when there are none."""

    path: str
    status: str  # added, removed, modified, renamed, changed (its mode)
    additions: int
    deletions: int
    patch: bytes | None
    binary: bool = False
    previous_path: str | None = None
    blob: str = "0" * 40


@dataclass(frozen=True)
class Signature:
    name: str
    when: datetime
    email: str = "someone@example.invalid"

    def __str__(self) -> str:
        return f"{self.name} <{self.email}> {int(self.when.timestamp())} +0000"


class Store:
    """Commits are collected and written by one `git fast-import` when somebody asks for an object name."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="fake-github-"))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("objects", "refs"):
            (self.folder / name).mkdir()
        (self.folder / "config").write_text(_CONFIG, encoding="utf-8")
        (self.folder / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        self._waiting: list[bytes] = []
        self._marks = 0
        self._names: dict[int, str] = {}
        self._diffs: dict[tuple[str, str], tuple[FakeFile, ...]] = {}
        self._lock = RLock()

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        command = ["git", f"--git-dir={self.folder}", *arguments]
        done = subprocess.run(command, input=stdin, env=ENVIRONMENT, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout

    def commit(
        self, ref: str, message: str, author: Signature, committer: Signature, parents: Sequence[int], files: Files
    ) -> int:
        """The mark of a new commit, the new tip of `ref`; its files are those of the first parent and `files`."""
        self._marks += 1
        head = [
            f"commit {ref}\nmark :{self._marks}\nauthor {author}\ncommitter {committer}\n".encode("utf-8", "replace"),
            _data(message.encode("utf-8", "replace")),
        ]
        links = [f"{'merge' if place else 'from'} :{parent}\n".encode() for place, parent in enumerate(parents)]
        self._waiting += [*head, *links, *(_change(path, file) for path, file in files.items()), b"\n"]
        return self._marks

    def point(self, ref: str, mark: int) -> None:
        self._waiting.append(f"reset {ref}\nfrom :{mark}\n\n".encode())

    def head(self, branch: str) -> None:
        (self.folder / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8")

    def oid(self, mark: int) -> str:
        if mark not in self._names:
            self.write()
        return self._names[mark]

    def content(self, name: str) -> str | None:
        """The text of a file, such as `HEAD:folder/name`; None when there is none."""
        self.write()
        command = ["git", f"--git-dir={self.folder}", "cat-file", "blob", name]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=False)
        return None if done.returncode else done.stdout.decode("utf-8")

    def write(self) -> None:
        """Write what is waiting."""
        with self._lock:
            if not self._waiting:
                return
            stream, self._waiting = b"".join(self._waiting), []
            marks = self.folder / "marks"
            options = ("--quiet", "--force", f"--import-marks-if-exists={marks}", f"--export-marks={marks}")
            self.git("fast-import", *options, stdin=stream)
            for line in marks.read_text(encoding="ascii").splitlines():
                mark, name = line.split()
                self._names[int(mark[1:])] = name

    def knows(self, pair: tuple[str, str]) -> bool:
        return pair in self._diffs

    def diff(self, pair: tuple[str, str]) -> tuple[FakeFile, ...]:
        """The files that changed from the first to the second commit, when they were read."""
        return self._diffs[pair]

    def read_diffs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Read the diffs that are not known yet, with two git runs for all of them."""
        with self._lock:
            new = {head: base for base, head in pairs if (base, head) not in self._diffs}
            stdin = "".join(f"{head} {base}\n" for head, base in new.items()).encode()
            listed = dict(_listed(self.git(*_DIFF, "-z", "--raw", "--numstat", stdin=stdin)))
            patches = dict(_patches(self.git(*_DIFF, "--patch", "-U3", stdin=stdin)))
            for head, base in new.items():
                self._diffs[base, head] = _files(listed.get(head, ([], [])), patches.get(head, []))


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _change(path: str, file: str | bytes | Blob | None) -> bytes:
    name = b'"' + path.encode("utf-8").replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
    if file is None:
        return b"D " + name + b"\n"
    blob = file if isinstance(file, Blob) else Blob(file)
    content = blob.content if isinstance(blob.content, bytes) else blob.content.encode()
    if blob.mode == "160000":
        return b"M 160000 " + content + b" " + name + b"\n"
    return b"M " + blob.mode.encode() + b" inline " + name + b"\n" + _data(content)


_Raw = tuple[str, str, str, str, str, str, str]  # modes, object names, letter, old path, path
_Counts = tuple[int, int, bool]


def _listed(output: bytes) -> Iterator[tuple[str, tuple[list[_Raw], list[_Counts]]]]:
    """For each commit the entries of `--raw` and those of `--numstat`, both NUL-separated."""
    fields = output.decode("utf-8", "surrogateescape").split("\0")[:-1]
    place = 0
    while place < len(fields):
        head, place = fields[place], place + 1
        raw: list[_Raw] = []
        counts: list[_Counts] = []
        while place < len(fields) and fields[place].startswith(":"):
            old_mode, new_mode, old, new, letter = fields[place][1:].split(" ")
            paths = 2 if letter[0] in "RC" else 1
            raw.append((old_mode, new_mode, old, new, letter[0], fields[place + 1], fields[place + paths]))
            place += 1 + paths
        while place < len(fields) and "\t" in fields[place]:
            added, deleted, path = fields[place].split("\t", 2)
            binary = added == "-"
            counts.append((0, 0, True) if binary else (int(added), int(deleted), False))
            place += 1 if path else 3
        yield head, (raw, counts)


def _patches(output: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """For each commit the text of its files, one text per `diff --git` line."""
    starts = [*(match.start() for match in _FULL_ID.finditer(output)), len(output)]
    for start, end in pairwise(starts):
        sections = (b"\n" + output[start + 41 : end]).split(b"\ndiff --git ")[1:]
        yield output[start : start + 40].decode(), sections


def _files(listed: tuple[list[_Raw], list[_Counts]], sections: list[bytes]) -> tuple[FakeFile, ...]:
    rest = iter(sections)
    files = []
    for (old_mode, new_mode, old, new, letter, old_path, path), (added, deleted, binary) in zip(*listed, strict=True):
        hunks = [_hunks(next(rest)) for _ in range(2 if letter == "T" else 1)]
        patch = b"\n".join(hunk for hunk in hunks if hunk is not None) or None
        only_mode = letter == "M" and old == new and old_mode != new_mode
        status = "changed" if only_mode else {"A": "added", "D": "removed", "R": "renamed"}.get(letter, "modified")
        previous = old_path if letter == "R" else None
        files.append(FakeFile(path, status, added, deleted, patch, binary, previous, old if letter == "D" else new))
    return tuple(files)


def _hunks(section: bytes) -> bytes | None:
    start = section.find(b"\n@@ ")
    return None if start < 0 else section[start + 1 :].removesuffix(b"\n")
