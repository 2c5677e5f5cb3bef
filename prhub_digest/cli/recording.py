"""What `record` and `batch` share: a run that fills a fixture's replies."""

import os
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from prhub_digest.cli.known_secrets import secrets_in
from prhub_digest.cli.live_endpoint import live_endpoint
from prhub_digest.cli.setup import (
    effective,
    fixture_manifest,
    open_run,
    pending_client,
    reply_store,
    source_of,
)
from prhub_digest.cli.target import ModelKind, SourceKind, Target
from prhub_digest.console import Console

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prhub_digest.llm.batch import PendingClient
    from prhub_digest.llm.budget import Budget
    from prhub_digest.llm.record import RecordingAsker, RecordingReplies
    from prhub_digest.models.fixture import FixtureManifest
    from prhub_digest.models.settings import Settings
    from prhub_digest.pipeline.context import Run
    from prhub_digest.pipeline.run import RunResult

# In a fixture's folder until its recording is finished; then the same `record` may go on with it.
UNFINISHED = "unfinished.txt"


@dataclass(frozen=True)
class Recording:
    """`pending` collects the requests that no stored reply answers; None when an endpoint is asked at once."""

    folder: Path
    manifest: "FixtureManifest"
    run: "Run"
    asker: "RecordingAsker"
    replies: "RecordingReplies"
    pending: "PendingClient | None"

    def go(self) -> "RunResult":
        """As far as the replies allow.

        Raises:
            PendingReplies: requests wait for replies.
        """
        from prhub_digest.collect.fixture import FixtureSource
        from prhub_digest.pipeline.run import run_all

        with self.run.folder.lock(), closing(self.run):
            # A stage that is skipped looks up no reply, which would then count as unused. The batch files stay: their
            # replies may still be on their way.
            self.run.start_over(keep="batch/*")
            return run_all(self.run, FixtureSource(self.folder), self.manifest.collection.period, refresh=True)

    def finish(self) -> tuple[Path, ...]:
        """Say in the manifest how the replies came about and what failed, and drop replies that nothing uses.

        Raises:
            UsageError: a reason of a failure holds a secret; the manifest stays as it was.
        """
        from prhub_digest.llm.batch_files import forget_batches
        from prhub_digest.llm.secret_scan import refuse_secrets
        from prhub_digest.llm.store import write_whole

        forget_batches(self.run.folder)
        path = self.folder / "manifest.json"
        manifest = self.manifest.updated(recorded=self.replies.recorded, failed=self.asker.failed)
        refuse_secrets(path, manifest, secrets_in)
        write_whole(path, manifest.to_json())
        (self.folder / UNFINISHED).unlink(missing_ok=True)
        return self.replies.remove_unused()


def open_recording(
    fixture: str,
    llm: ModelKind,
    *,
    from_store: bool = False,
    limits: "Mapping[str, object] | None" = None,
    config: Path | None = None,
) -> Recording:
    """A recording of a fixture with the model, label, budgets and languages of its manifest.

    `limits` are the settings that bound what an endpoint is paid.
    """
    from prhub_digest.llm.record import RecordingAsker, RecordingReplies
    from prhub_digest.run_folder import RunFolder
    from prhub_digest.settings import load_settings
    from prhub_digest.shipped import fixture_dir, fixture_name

    console = Console()
    target = Target(SourceKind.fixture, ModelKind.replay, None, fixture_name(fixture))
    manifest = fixture_manifest(target)
    assert manifest is not None  # noqa: S101 - a target with a fixture has a manifest
    loaded = load_settings(config, {"languages": list(manifest.languages), **(limits or {})}, os.environ)
    settings = effective(loaded, target, manifest).updated(out=loaded.out / "recording")
    replies = RecordingReplies(
        fixture_dir(fixture), reply_store(settings, console) if from_store else None, console.warning, secrets_in
    )
    source = source_of(target, settings, console)
    folder = RunFolder.of(settings.out, source.repository, manifest.collection.period.label)
    pending = None if llm is ModelKind.openai else pending_client(loaded, folder)
    run = open_run(
        settings,
        replace(target, llm=ModelKind.batch if pending else ModelKind.openai),
        console,
        repository=source.repository,
        period=manifest.collection.period,
        folder=folder,
        asker=lambda budget: _asker(loaded, manifest, replies, pending, budget),
        fresh=True,
    )
    assert isinstance(run.asker, RecordingAsker)  # noqa: S101 - as `_asker` made it
    return Recording(fixture_dir(fixture), manifest, run, run.asker, replies, pending)


def _asker(
    loaded: "Settings",
    manifest: "FixtureManifest",
    replies: "RecordingReplies",
    pending: "PendingClient | None",
    budget: "Budget",
) -> "RecordingAsker":
    """Of an endpoint where nothing is collected in `pending`: the user's, for the models of the manifest."""
    from prhub_digest.llm.record import RecordingAsker

    if pending is not None:
        return RecordingAsker(pending, replies, budget=budget)
    named = "model and small_model in the fixture's manifest.json"
    live = live_endpoint(loaded, Console(), dict.fromkeys((manifest.model, manifest.small_model), named))
    return RecordingAsker(live.client, replies, breaker=live.breaker, deadline=live.deadline, budget=budget)
