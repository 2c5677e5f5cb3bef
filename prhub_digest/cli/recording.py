"""What `record` and `batch` share: a run that fills a fixture's replies."""

import os
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from prhub_digest.cli.setup import (
    effective,
    fixture_manifest,
    live_endpoint,
    open_run,
    pending_client,
    reply_store,
    source_of,
)
from prhub_digest.cli.target import ModelKind, SourceKind, Target
from prhub_digest.console import Console

if TYPE_CHECKING:
    from prhub_digest.llm.batch import PendingClient
    from prhub_digest.llm.record import RecordingAsker, RecordingReplies
    from prhub_digest.models.fixture import FixtureManifest
    from prhub_digest.pipeline.context import Run
    from prhub_digest.pipeline.run import RunResult

_KEYS = ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "GITHUB_TOKEN", "GH_TOKEN")
_SHORTEST_KEY = 8  # a local server is given a word such as `none`, which stands in many a text


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
        return self.replies.remove_unused()


def secrets_in(text: str) -> tuple[str, ...]:
    """The kinds of the secrets in a text: keys of this process by name, then what the rules of collecting know."""
    from prhub_digest.collect.masking import secrets_in as secrets_by_rules

    return (*keys_in(text), *secrets_by_rules(text))


def keys_in(text: str) -> tuple[str, ...]:
    """The variables of the environment whose key or token stands in a text; a word such as `none` is no key."""
    values = ((name, os.environ.get(name, "").strip()) for name in _KEYS)
    return tuple(name for name, value in values if len(value) >= _SHORTEST_KEY and value in text)


def open_recording(fixture: str, llm: ModelKind, *, from_store: bool = False) -> Recording:
    """A recording of a fixture with the model, label, budgets and languages of its manifest."""
    from prhub_digest.llm.record import RecordingAsker, RecordingReplies
    from prhub_digest.run_folder import RunFolder
    from prhub_digest.settings import load_settings
    from prhub_digest.shipped import fixture_dir

    console = Console()
    target = Target(SourceKind.fixture, ModelKind.replay, None, fixture)
    manifest = fixture_manifest(target)
    assert manifest is not None  # noqa: S101 - a target with a fixture has a manifest
    loaded = load_settings(None, {"languages": list(manifest.languages)}, os.environ)
    settings = effective(loaded, target, manifest).updated(out=loaded.out / "recording")
    replies = RecordingReplies(
        fixture_dir(fixture), reply_store(settings, console) if from_store else None, console.warning, secrets_in
    )
    source = source_of(target, settings, console)
    folder = RunFolder.of(settings.out, source.repository, manifest.collection.period.label)
    if llm is ModelKind.openai:
        pending = None
        live = live_endpoint(loaded)  # of the user, not of the manifest
        asker = RecordingAsker(live.client, replies, breaker=live.breaker, deadline=live.deadline)
    else:
        pending = pending_client(loaded, folder)
        asker = RecordingAsker(pending, replies)
    run = open_run(
        settings,
        replace(target, llm=ModelKind.batch if pending else ModelKind.openai),
        console,
        repository=source.repository,
        period=manifest.collection.period,
        folder=folder,
        asker=asker,
        fresh=True,
    )
    return Recording(fixture_dir(fixture), manifest, run, asker, replies, pending)
