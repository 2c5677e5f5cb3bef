"""git by subprocess, in a surrounding that no user setting changes. The only module that starts git."""

import os
import re
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO

from prhub_digest.errors import SourceError

# Variables of an enclosing git (a hook, for example), and those that change what diff and log print.
_DROPPED = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_GRAFT_FILE",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_ATTR_SOURCE",
    "GIT_DIFF_OPTS",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_CONFIG_PARAMETERS",
    "GIT_LITERAL_PATHSPECS",
]
# Traces can hold settings and headers, and a token with them; those of git's second kind can be on by a setting, too.
_TRACES = ("GIT_TRACE", "GIT_CURL_VERBOSE")
_NO_TRACES = {"GIT_TRACE2": "0", "GIT_TRACE2_EVENT": "0", "GIT_TRACE2_PERF": "0"}
_NOT_INSTALLED = "git is not installed, or not on PATH; install git, or use --source github"
_NOTHING: Mapping[str, str] = MappingProxyType({})
_SETTINGS = {
    "core.quotePath": "true",  # names in the headers of a diff are ASCII, so that other bytes are of its lines
    "core.attributesFile": os.devnull,
    "core.bare": "true",  # no work tree, for the same reason as no index
    "core.bigFileThreshold": "512m",  # a larger file is taken for binary
    "diff.suppressBlankEmpty": "false",
    "diff.renameLimit": "1000",
    "i18n.logOutputEncoding": "UTF-8",
    "log.showSignature": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
_MISSING_OBJECT = re.compile(
    r"missing|unable to read|bad object|could not (?:fetch|read)|not our ref|promisor|loose object"
)
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@]+@")


class GitFailedError(Exception):
    """git ended with an error; adapters turn it into one of ours."""

    def __init__(self, stderr: str) -> None:
        super().__init__(without_credentials(last_line(stderr)))
        self.stderr = stderr


def without_credentials(text: str) -> str:
    return _CREDENTIALS.sub("", text)


def last_line(stderr: str) -> str:
    """What git says at last; the lines before are mostly progress or advice."""
    lines = [line.strip() for line in stderr.replace("\r", "\n").split("\n") if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return (fatal or lines or ["git gave no reason"])[-1]


def environment(git_dir: Path | None = None) -> dict[str, str]:
    """The environment for git: English messages, never a question to the terminal, no index.

    Without an index, .gitattributes of a checkout cannot change what the history says.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED and not name.startswith(_TRACES)}
    index = {"GIT_INDEX_FILE": str(git_dir / "no-such-index")} if git_dir else {}
    return {
        **kept,
        **index,
        **_NO_TRACES,
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
    }


def run_git(arguments: Sequence[str], git_dir: Path | None = None, stdin: bytes = b"") -> bytes:
    """The output of one git command.

    Raises:
        GitFailedError: git ended with an error.
        SourceError: git is not installed.
    """
    command, env = ["git", *arguments], environment(git_dir)
    try:
        done = subprocess.run(command, env=env, input=stdin, capture_output=True, check=False)
    except FileNotFoundError:
        raise SourceError(_NOT_INSTALLED) from None
    if done.returncode != 0:
        raise GitFailedError(done.stderr.decode("utf-8", "replace"))
    return done.stdout


def run_git_shown(
    arguments: Sequence[str],
    git_dir: Path,
    progress: Callable[[str], None],
    *,
    stdin: bytes = b"",
    variables: Mapping[str, str] = _NOTHING,
) -> None:
    """One git command that takes its time: each line that it reports goes to `progress`, as it comes.

    `variables` go into the environment of this command, beside the usual ones or in their place.

    Raises:
        GitFailedError: git ended with an error.
        SourceError: git is not installed.
    """
    said: deque[str] = deque(maxlen=200)
    with TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        try:
            process = subprocess.Popen(
                ["git", *arguments],
                env={**environment(git_dir), **variables},
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,  # a group of its own, and no terminal to ask a question on
            )
        except FileNotFoundError:
            raise SourceError(_NOT_INSTALLED) from None
        with process:
            assert process.stderr is not None  # noqa: S101 - a pipe
            try:
                for line in _reported(process.stderr):
                    said.append(line)
                    progress(line)
                process.wait()
            finally:
                if process.poll() is None:  # with the helper that reads from the network, which would read on
                    os.killpg(process.pid, signal.SIGKILL)
    if process.returncode != 0:
        raise GitFailedError("\n".join(said))


def _reported(stream: IO[bytes]) -> Iterator[str]:
    """What git reports ends in line feeds, and in carriage returns while a number grows."""
    rest = b""
    while block := os.read(stream.fileno(), 4096):
        *whole, rest = re.split(rb"[\r\n]", rest + block)
        yield from _shown(whole)
    yield from _shown([rest])


def _shown(lines: Sequence[bytes]) -> Iterator[str]:
    for line in lines:
        if text := without_credentials(line.decode("utf-8", "replace")).strip():
            yield text


@dataclass(frozen=True, slots=True)
class Git:
    """Commands on one repository; `git_dir` is the folder that holds its objects, `label` names it in messages."""

    git_dir: Path
    label: str
    bare: bool = True

    def read(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """The output of a reading command.

        Raises:
            SourceError: git failed; a missing object says so and how to get it.
        """
        try:
            return run_git([*self._prefix(), *arguments], self.git_dir, stdin)
        except GitFailedError as error:
            raise self._source_error(error) from error

    def line(self, *arguments: str) -> str | None:
        """The output of a command that may find nothing, None in that case."""
        try:
            return run_git([*self._prefix(), *arguments], self.git_dir).decode("utf-8", "replace").strip() or None
        except GitFailedError:
            return None

    def records(self, *arguments: str) -> Iterator[bytes]:
        """The NUL-separated records of a command, while it runs: a long history is never held in memory.

        Raises:
            SourceError: as in `read`.
        """
        command = ["git", *self._prefix(), *arguments]
        env = environment(self.git_dir)
        with (
            TemporaryFile() as said,
            subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=said) as process,
        ):
            assert process.stdout is not None  # noqa: S101 - a pipe
            rest = b""
            try:
                while block := process.stdout.read(1 << 16):
                    *whole, rest = (rest + block).split(b"\0")
                    yield from whole
                process.wait()
            finally:
                process.kill()  # the reader has had enough; does nothing to one that has ended
            if process.returncode != 0:
                said.seek(0)
                raise self._source_error(GitFailedError(said.read().decode("utf-8", "replace")))
        if rest:
            yield rest

    def shown(
        self, *arguments: str, progress: Callable[[str], None], stdin: bytes, variables: Mapping[str, str]
    ) -> None:
        """A command as `run_git_shown` runs it.

        Raises:
            GitFailedError: git ended with an error.
            SourceError: git is not installed.
        """
        command = [*self._prefix(), *arguments]
        run_git_shown(command, self.git_dir, progress, stdin=stdin, variables=variables)

    def started(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A command that answers what is written to it; the caller ends it. What it reports is not kept."""
        return subprocess.Popen(
            ["git", *self._prefix(), *arguments],
            env=environment(self.git_dir),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def _prefix(self) -> list[str]:
        settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        return [f"--git-dir={self.git_dir}", "--no-pager", *settings]

    def _source_error(self, error: GitFailedError) -> SourceError:
        if _MISSING_OBJECT.search(error.stderr):
            return SourceError(
                f"{self.label}: objects of the history are missing ({error});"
                " a partial or damaged clone cannot be read; use a full clone (git clone without --filter)"
            )
        return SourceError(f"{self.label}: git failed: {error}")
