"""git by subprocess, in a surrounding that no user setting changes. The only module that starts git."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

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
    "GIT_TRACE",
    "GIT_CONFIG_PARAMETERS",
    "GIT_LITERAL_PATHSPECS",
]
_SETTINGS = {
    "core.quotePath": "false",
    "core.attributesFile": os.devnull,
    "core.bare": "true",  # no work tree, for the same reason as no index
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
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    index = {"GIT_INDEX_FILE": str(git_dir / "no-such-index")} if git_dir else {}
    return {
        **kept,
        **index,
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
    }


def run_git(arguments: Sequence[str], git_dir: Path | None = None) -> bytes:
    """The output of one git command.

    Raises:
        GitFailedError: git ended with an error.
        SourceError: git is not installed.
    """
    try:
        done = subprocess.run(["git", *arguments], env=environment(git_dir), capture_output=True, check=False)
    except FileNotFoundError:
        raise SourceError("git is not installed, or not on PATH; install git, or use --source github") from None
    if done.returncode != 0:
        raise GitFailedError(done.stderr.decode("utf-8", "replace"))
    return done.stdout


@dataclass(frozen=True, slots=True)
class Git:
    """Commands on one repository; `git_dir` is the folder that holds its objects, `label` names it in messages."""

    git_dir: Path
    label: str
    bare: bool = True

    def read(self, *arguments: str) -> bytes:
        """The output of a reading command.

        Raises:
            SourceError: git failed; a missing object says so and how to get it.
        """
        try:
            return run_git([*self._prefix(), *arguments], self.git_dir)
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
            except GeneratorExit:
                process.kill()  # the reader has had enough
                raise
            if process.wait() != 0:
                said.seek(0)
                raise self._source_error(GitFailedError(said.read().decode("utf-8", "replace")))
        if rest:
            yield rest

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
