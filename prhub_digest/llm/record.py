"""Recording a fixture: replies that are asked for only where one is missing or stale, and failures by subject."""

import threading
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from prhub_digest.errors import ReplyError
from prhub_digest.llm.ask import Answer, Asker, Check, R
from prhub_digest.llm.batch import custom_id
from prhub_digest.llm.breaker import Breaker
from prhub_digest.llm.budget import Budget
from prhub_digest.llm.client import Client
from prhub_digest.llm.replay import subject_path, write_reply
from prhub_digest.llm.secret_scan import Scan, refuse_secrets
from prhub_digest.llm.store import Replies
from prhub_digest.models.llm import LogicalRequest, StoredReply


class RecordingReplies:
    """A fixture's replies while it is recorded. `beside` (the user's store) is looked into for what it lacks.

    What `scan` finds a secret in is not written: UsageError.
    """

    def __init__(self, folder: Path, beside: Replies | None, warn: Callable[[str], None], scan: Scan) -> None:
        self._folder = folder
        self._written_in = folder.absolute()  # a call in flight may end when the working folder is another one
        self._beside = beside
        self._warn = warn
        self._scan = scan
        self._scanning = threading.Lock()
        self._used: dict[Path, str] = {}
        self._answered: set[str] = set()

    @property
    def recorded(self) -> str:
        """How the replies that the run used came about, each way once."""
        return "; ".join(sorted(set(self._used.values())))

    def find(self, request: LogicalRequest) -> StoredReply | None:
        path = subject_path(self._folder, request.prompt, request.subject)
        try:
            stored = StoredReply.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            stored = None
        except ValidationError:
            self._warn(f"{path} is no recorded reply; it is asked for again")
            stored = None
        if stored is not None and stored.request.request_hash == request.request_hash:
            self._note(path, stored)
            return stored
        found = self._beside.find(request) if self._beside else None
        if found is not None:
            self.save(found)
        return found

    def reject(self, request: LogicalRequest, reason: str) -> None:
        self._warn(f"{request.prompt}/{request.subject} is asked for again: {reason}")

    def save(self, stored: StoredReply) -> None:
        path = subject_path(self._folder, stored.request.prompt, stored.request.subject)
        with self._scanning:  # nobody says that a scanner may be shared by threads
            refuse_secrets(path, stored, self._scan)
        write_reply(self._written_in, stored)
        self._note(path, stored)

    def is_answered(self, name: str) -> bool:
        """Whether the run has the reply to the request of this batch id."""
        return name in self._answered

    def remove_unused(self) -> tuple[Path, ...]:
        """Delete the recorded replies that the run did not use; returns them."""
        unused = tuple(path for path in sorted(self._folder.glob("replies/*/*.json")) if path not in self._used)
        for path in unused:
            path.unlink()
        return unused

    def _note(self, path: Path, stored: StoredReply) -> None:
        self._used[path] = stored.recorded
        self._answered.add(custom_id(stored.request))


class RecordingAsker(Asker):
    """Notes the subjects without a usable reply, so that a replay goes on from there as the recording did."""

    def __init__(
        self,
        client: Client,
        replies: Replies,
        *,
        breaker: Breaker | None = None,
        deadline: float | None = None,
        budget: Budget | None = None,
    ) -> None:
        super().__init__(client, replies, breaker=breaker, deadline=deadline, budget=budget)
        self.failed: dict[str, str] = {}

    def ask(self, request: LogicalRequest, reply_class: type[R], check: Check[R] | None = None) -> Answer[R]:
        try:
            return super().ask(request, reply_class, check)
        except ReplyError as error:
            self.failed[f"{request.prompt}/{request.subject}"] = str(error)
            raise
