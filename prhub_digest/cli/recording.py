"""What `record` and `batch` share: a run that fills a fixture's replies."""

import os
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from prhub_digest.cli.setup import (
    REQUESTS,
    effective,
    fixture_manifest,
    live_client,
    open_run,
    reply_store,
    source_of,
)
from prhub_digest.cli.target import ModelKind, SourceKind, Target
from prhub_digest.console import Console

if TYPE_CHECKING:
    from prhub_digest.llm.batch import PendingClient
    from prhub_digest.llm.client import Client
    from prhub_digest.llm.record import RecordingAsker, RecordingReplies
    from prhub_digest.models.fixture import FixtureManifest
    from prhub_digest.pipeline.context import Run


@dataclass(frozen=True)
class Recording:
    """`pending` collects the requests that no stored reply answers; None when an endpoint is asked at once."""

    folder: Path
    manifest: "FixtureManifest"
    run: "Run"
    asker: "RecordingAsker"
    replies: "RecordingReplies"
    pending: "PendingClient | None"

    def go(self) -> None:
        """As far as the replies allow.

        Raises:
            PendingReplies: requests wait for replies.
        """
        from prhub_digest.collect.fixture import FixtureSource
        from prhub_digest.pipeline.run import run_all

        with self.run.folder.lock(), closing(self.run):
            # A stage that is skipped looks up no reply, which would then count as unused. The exported requests stay:
            # their replies may still be on their way.
            self.run.start_over(keep=REQUESTS)
            run_all(self.run, FixtureSource(self.folder), self.manifest.collection.period, refresh=True)

    def finish(self) -> tuple[Path, ...]:
        """Drop replies that nothing uses, and say in the manifest how the others came about and what failed."""
        from prhub_digest.llm.store import write_whole

        self.run.folder.discard(REQUESTS)
        removed = self.replies.remove_unused()
        manifest = self.manifest.updated(recorded=self.replies.recorded, failed=self.asker.failed)
        write_whole(self.folder / "manifest.json", manifest.to_json())
        return removed


def open_recording(fixture: str, llm: ModelKind, *, from_store: bool = False) -> Recording:
    """A recording of a fixture with the model, label, budgets and languages of its manifest."""
    from prhub_digest.llm.batch import PendingClient
    from prhub_digest.llm.record import RecordingAsker, RecordingReplies
    from prhub_digest.settings import load_settings
    from prhub_digest.shipped import fixture_dir

    console = Console()
    target = Target(SourceKind.fixture, ModelKind.replay, None, fixture)
    manifest = fixture_manifest(target)
    assert manifest is not None  # noqa: S101 - a target with a fixture has a manifest
    loaded = load_settings(None, {"languages": list(manifest.languages)}, os.environ)
    settings = effective(loaded, target, manifest).updated(out=loaded.out / "recording")
    replies = RecordingReplies(
        fixture_dir(fixture), reply_store(settings, console) if from_store else None, console.warning
    )
    pending = None if llm is ModelKind.openai else PendingClient()
    client: Client = pending if pending is not None else live_client(loaded)  # of the user, not of the manifest
    asker = RecordingAsker(client, replies)
    source = source_of(target, settings, console)
    run = open_run(
        settings,
        replace(target, llm=ModelKind.batch if pending else ModelKind.openai),
        console,
        repository=source.repository,
        period=manifest.collection.period,
        asker=asker,
        fresh=True,
    )
    return Recording(fixture_dir(fixture), manifest, run, asker, replies, pending)
