"""What the batch commands share: a run or a recording that goes as far as stored replies and given lines reach."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from prhub_digest.cli.live_endpoint import ability_store
from prhub_digest.cli.recording import open_recording
from prhub_digest.cli.setup import pending_client, reply_store
from prhub_digest.cli.stages import reopen
from prhub_digest.cli.target import ModelKind
from prhub_digest.console import counted
from prhub_digest.errors import PendingReplies, PrhubError, UsageError

if TYPE_CHECKING:
    from prhub_digest.llm.abilities import Abilities
    from prhub_digest.llm.batch import PendingClient
    from prhub_digest.llm.batch_files import Exported
    from prhub_digest.llm.batch_lines import Lines
    from prhub_digest.llm.import_report import ImportReport
    from prhub_digest.models.settings import Settings
    from prhub_digest.pipeline.context import Run


@dataclass(frozen=True)
class Through:
    """A run that has gone as far as it can; its folder is locked meanwhile.

    `error` ended it, if anything but a missing reply did. `then` is the command that goes on with it.
    """

    run: "Run"
    client: "PendingClient"
    is_stored: Callable[[str], bool]
    error: PrhubError | None
    then: str

    def report(self) -> "ImportReport":
        """What became of the lines. Raises TypeError where none were given, a mistake of the caller."""
        from prhub_digest.llm.batch_files import current_round
        from prhub_digest.llm.batch_import import ImportingClient
        from prhub_digest.llm.batch_jobs import ids_awaited

        if not isinstance(self.client, ImportingClient):
            raise TypeError("no lines were imported")
        folder = self.run.folder
        return self.client.report(self.is_stored, current_round(folder).ids, ids_awaited(folder))

    def export(self, *, most_requests: int | None = None, most_bytes: int | None = None) -> "Exported | None":
        """The files of what waits now and is not under way; None, and no file is left, when nothing waits.

        Raises:
            BudgetError: it would cost more than the run may; no file is left.
            PrhubError: what ended the run before it could say what waits.
        """
        from prhub_digest.cli.batch_budget import round_budget
        from prhub_digest.llm.batch_files import discard_rounds, export_round
        from prhub_digest.llm.batch_jobs import ids_under_way

        if self.error is not None:
            raise self.error
        if not self.client.waiting:
            discard_rounds(self.run.folder)
            return None
        return export_round(
            self.run.folder,
            self.client,
            leave_out=ids_under_way(self.run.folder),
            most_requests=most_requests,
            most_bytes=most_bytes,
            budget=round_budget(self.run),
        )


@contextmanager
def through_run(
    run: Path,
    lines: "Lines | None" = None,
    recorded: str = "",
    *,
    config: Path | None = None,
    base_url: str | None = None,
    again: bool = False,
    sent: "Mapping[Path, Abilities] | None" = None,
) -> Iterator[Through]:
    """A run with the settings file `config`; `base_url` is the endpoint that will be asked.

    `again`: requests that were given up wait once more. `sent` says how requests were sent, by the file that
    answers them, where that is known.
    """
    from prhub_digest.llm.batch import is_stored
    from prhub_digest.llm.batch_files import current_round
    from prhub_digest.llm.batch_import import BatchAsker, ImportingClient
    from prhub_digest.llm.batch_rejections import Sent
    from prhub_digest.pipeline.run import run_until
    from prhub_digest.settings import load_settings

    settings = load_settings(config, {}, os.environ)
    settings = settings.updated(base_url=base_url or settings.base_url)
    opened = reopen(run, llm=ModelKind.batch, config=config)
    assert opened.asker is not None  # noqa: S101 - a run with batch files has one
    store = reply_store(settings, opened.console)
    with opened.folder.lock(), closing(opened):
        client = opened.asker.client = pending_client(settings, opened.folder)
        if lines is not None:
            ways = Sent(current_round(opened.folder).sent, sent or {})
            client = ImportingClient(lines, client.tries, client.abilities, sent=ways)
            opened.asker = BatchAsker(client, store, recorded, opened.asker.budget)
        if again:
            opened.console.message(f"{counted(client.tries.forget_failures(), 'request')} waiting once more")
        error = _go(partial(run_until, opened, "render"), client, settings)
        then = f"prhub-digest render {run}, or the run command again"
        yield Through(opened, client, partial(is_stored, store=store), error, then)


@contextmanager
def through_fixture(
    fixture: str,
    lines: "Lines | None" = None,
    recorded: str = "",
    *,
    config: Path | None = None,
    again: bool = False,
) -> Iterator[Through]:
    """The recording of a fixture."""
    from prhub_digest.llm.batch_files import current_round
    from prhub_digest.llm.batch_import import ImportingClient, RecordingBatchAsker
    from prhub_digest.llm.batch_rejections import Sent
    from prhub_digest.settings import load_settings

    recording = open_recording(fixture, ModelKind.batch, config=config)
    client, opened = recording.pending, recording.run
    assert client is not None  # noqa: S101 - a recording with batch files has one
    if lines is not None:
        ways = Sent(current_round(opened.folder).sent)
        client = ImportingClient(lines, client.tries, client.abilities, sent=ways)
        opened.asker = RecordingBatchAsker(client, recording.replies, recorded)
    if again:
        opened.console.message(f"{counted(client.tries.forget_failures(), 'request')} waiting once more")
    error = _go(recording.go, client, load_settings(config, {}, os.environ))
    yield Through(opened, client, recording.replies.is_answered, error, f"prhub-digest record --fixture {fixture}")


def through(
    run: Path | None,
    fixture: str | None,
    lines: "Lines | None" = None,
    recorded: str = "",
    *,
    config: Path | None = None,
    again: bool = False,
) -> AbstractContextManager[Through]:
    """Of the two, the one that is given.

    Raises:
        UsageError: none is, or both are.
    """
    if fixture is not None and run is None:
        return through_fixture(fixture, lines, recorded, config=config, again=again)
    if run is not None and fixture is None:
        return through_run(run, lines, recorded, config=config, again=again)
    raise UsageError("give a run folder, or --fixture NAME")


def _go(go: Callable[[], object], client: "PendingClient", settings: "Settings") -> PrhubError | None:
    """What ended the run, but for missing replies; what was found out about requests and the endpoint is kept."""
    from prhub_digest.llm.batch_import import ImportingClient
    from prhub_digest.llm.endpoint import OPENAI_BASE_URL

    error: PrhubError | None = None
    try:
        go()
    except PendingReplies:
        pass
    except PrhubError as fault:
        error = fault
    if isinstance(client, ImportingClient):
        for model, abilities in client.learnt.items():
            ability_store(settings).save(settings.base_url or OPENAI_BASE_URL, model, abilities)
    client.tries.save()  # last: the lines that taught something count as read only now
    return error
