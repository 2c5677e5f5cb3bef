"""Recorded replies of a fixture: the same answers, and the same failures, without connecting anywhere.

What answers a request that is not just the recorded one, the policy decides: `strict` refuses, `nearest` takes the
older reply and marks it; a third, `stub`, looks at no recorded reply (`llm/stub.py`).
"""

import hashlib
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from prhub_digest.errors import ReplayError
from prhub_digest.llm.client import Completion, ContextLengthError, UnusableReplyError
from prhub_digest.llm.difference import differences
from prhub_digest.llm.store import write_whole
from prhub_digest.models.llm import LogicalRequest, Message, StoredReply, canonical_json

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def subject_path(folder: Path, prompt: str, subject: str) -> Path:
    """Where the fixture in `folder` keeps the reply. Raises ReplayError for a name that is no plain file name."""
    for name in (prompt, subject):
        if not _NAME.fullmatch(name):
            raise ReplayError(f"{name!r} cannot name a recorded reply")
    return folder / "replies" / prompt / f"{subject}.json"


def write_reply(folder: Path, stored: StoredReply) -> Path:
    """Records a reply in the fixture, in place of an older one of its subject.

    Raises:
        ReplayError: it stands in for a model's reply to another request, or for none; such a reply is never recorded.
    """
    if stored.usage.stand_ins:
        raise ReplayError(f"{_name(stored.request)} has no reply of a model, so there is none to record")
    path = subject_path(folder, stored.request.prompt, stored.request.subject)
    write_whole(path, stored.to_json())
    return path


def recorded_failure(reason: str) -> UnusableReplyError:
    """The failure that a recording met: after a request that was too long, a replay goes on as the recording did."""
    return (ContextLengthError if reason.startswith(ContextLengthError.SAYS) else UnusableReplyError)(reason)


def replies_hash(folder: Path, failed: Mapping[str, str]) -> str:
    """SHA-256 of all recorded replies in a fixture's folder, and of what its recording failed with."""
    digest = hashlib.sha256(canonical_json(dict(failed)).encode())
    for path in sorted(folder.glob("replies/*/*.json")):
        name = path.relative_to(folder).as_posix()
        digest.update(f"\n{name} {hashlib.sha256(path.read_bytes()).hexdigest()}".encode())
    return digest.hexdigest()


class ReplayStore:
    """Strict: a request is answered by the reply recorded for exactly it, or by a ReplayError that says why not.

    `failed` maps `<prompt>/<subject>` to the reason why the recording got no usable reply; such a request raises
    UnusableReplyError with that reason, so that the same follows as then. `fixture` is the fixture's name or folder as
    the user gave it.
    """

    def __init__(self, folder: Path, failed: Mapping[str, str], fixture: str) -> None:
        self._folder = folder
        self._failed = failed
        command = f"prhub-digest record --fixture {shlex.quote(fixture)}"
        self._remedy = f"`{command}` asks again for what is missing or stale"

    def find(self, request: LogicalRequest) -> StoredReply:
        name = _name(request)
        if name in self._failed:
            raise recorded_failure(self._failed[name])
        path = subject_path(self._folder, request.prompt, request.subject)
        try:
            stored = StoredReply.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            raise ReplayError(f"no reply is recorded for {name} ({path}): {self._remedy}") from None
        except ValidationError as error:
            raise ReplayError(f"{path} is not a recorded reply ({_fault(error)}): {self._remedy}") from None
        return stored if stored.request.request_hash == request.request_hash else self._of_another(request, stored)

    def reject(self, request: LogicalRequest, reason: str) -> None:
        raise ReplayError(f"the reply recorded for {_name(request)} is not valid any more: {reason}: {self._remedy}")

    def _of_another(self, request: LogicalRequest, stored: StoredReply) -> StoredReply:
        """What answers a request when the reply recorded for its subject answers another one."""
        found = differences(stored.request, request)
        lines = "".join(f"\n  {line}" for line in found)
        same_prompt = all(line.startswith("message ") for line in found)
        edited = "if a file of the run folder was edited, --fresh makes it anew; else " if same_prompt else ""
        raise ReplayError(
            f"the reply recorded for {_name(request)} answers another request:{lines}\n{edited}{self._remedy}"
        )

    def save(self, stored: StoredReply) -> None:
        raise ReplayError(f"a replay records nothing: {_name(stored.request)}")


class NearestReplies(ReplayStore):
    """Nearest: a reply recorded for an older request of the same prompt and subject is used, and counted as stale.

    It is held to everything that the present request asks of a reply. A subject without a recorded reply, or with one
    that does not pass, is a ReplayError as in a strict replay: nothing is made up.
    """

    def _of_another(self, request: LogicalRequest, stored: StoredReply) -> StoredReply:
        recorded, wanted = _name(stored.request), _name(request)
        if recorded != wanted:
            raise ReplayError(f"the reply recorded for {wanted} is one to {recorded}: {self._remedy}")
        *before, last = stored.attempts
        return stored.updated(attempts=(*before, last.updated(usage=last.usage.updated(stale=1))))


class ReplayClient:
    """The client beside a ReplayStore, which has the last word on every request; it never connects."""

    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        del messages, max_output_tokens
        raise ReplayError(f"no reply is recorded for {_name(request)}")

    def close(self) -> None:
        pass


def _name(request: LogicalRequest) -> str:
    return f"{request.prompt}/{request.subject}"


def _fault(error: ValidationError) -> str:
    """The first one, with the field that it is in."""
    fault = error.errors()[0]
    return f"{'.'.join(map(str, fault['loc'])) or 'the file'}: {fault['msg'].removeprefix('Value error, ')}"
