"""Recorded replies of a fixture: the same answers, and the same failures, without connecting anywhere."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from prhub_digest.errors import ReplayError
from prhub_digest.llm.client import Completion, UnusableReplyError
from prhub_digest.llm.difference import differences
from prhub_digest.llm.store import write_whole
from prhub_digest.models.llm import LogicalRequest, Message, StoredReply

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def subject_path(folder: Path, prompt: str, subject: str) -> Path:
    """Where the fixture in `folder` keeps the reply. Raises ReplayError for a name that is no plain file name."""
    for name in (prompt, subject):
        if not _NAME.fullmatch(name):
            raise ReplayError(f"{name!r} cannot name a recorded reply")
    return folder / "replies" / prompt / f"{subject}.json"


def write_reply(folder: Path, stored: StoredReply) -> Path:
    """Records a reply in the fixture, in place of an older one of its subject."""
    path = subject_path(folder, stored.request.prompt, stored.request.subject)
    write_whole(path, stored.to_json())
    return path


class ReplayStore:
    """Strict: a request is answered by the reply recorded for exactly it, or by a ReplayError that says why not.

    `failed` maps `<prompt>/<subject>` to the reason why the recording got no usable reply; such a request raises
    UnusableReplyError with that reason, so that the same fallback follows. `fixture` is the fixture's name or folder
    as the user gave it.
    """

    def __init__(self, folder: Path, failed: Mapping[str, str], fixture: str) -> None:
        self._folder = folder
        self._failed = failed
        command = f"prhub-digest record --fixture {shlex.quote(fixture)}"
        self._remedy = f"`{command}` asks again for what is missing or stale"

    def find(self, request: LogicalRequest) -> StoredReply:
        name = _name(request)
        if name in self._failed:
            raise UnusableReplyError(self._failed[name])
        path = subject_path(self._folder, request.prompt, request.subject)
        try:
            stored = StoredReply.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            raise ReplayError(f"no reply is recorded for {name} ({path}): {self._remedy}") from None
        except ValidationError as error:
            raise ReplayError(f"{path} is not a recorded reply ({error.errors()[0]['msg']}): {self._remedy}") from None
        if stored.request.request_hash != request.request_hash:
            lines = "".join(f"\n  {line}" for line in differences(stored.request, request))
            raise ReplayError(f"the reply recorded for {name} answers another request:{lines}\n{self._remedy}")
        return stored

    def reject(self, request: LogicalRequest, reason: str) -> None:
        raise ReplayError(f"the reply recorded for {_name(request)} is not valid any more: {reason}: {self._remedy}")

    def save(self, stored: StoredReply) -> None:
        raise ReplayError(f"a replay records nothing: {_name(stored.request)}")


class ReplayClient:
    """The client beside a ReplayStore, which has the last word on every request; it never connects."""

    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        del messages, max_output_tokens
        raise ReplayError(f"no reply is recorded for {_name(request)}")

    def close(self) -> None:
        pass


def _name(request: LogicalRequest) -> str:
    return f"{request.prompt}/{request.subject}"
