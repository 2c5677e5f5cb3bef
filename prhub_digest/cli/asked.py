"""From the arguments of `run` and `collect` to a run that can begin."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prhub_digest.cli.setup import effective, fixture_manifest, open_run, source_of
from prhub_digest.cli.target import ModelKind, ReplayKind, SourceKind, Target, target_of
from prhub_digest.console import Console
from prhub_digest.errors import UsageError

if TYPE_CHECKING:
    from prhub_digest.collect.source import Source
    from prhub_digest.models.fixture import FixtureManifest
    from prhub_digest.models.period import Period
    from prhub_digest.models.settings import Settings
    from prhub_digest.pipeline.context import Run

_FILTERS = ("base", "labels", "authors", "paths", "bots")


@dataclass(frozen=True, slots=True)
class Asked:
    """Which pull requests a command is about, as its arguments say it."""

    repository: str | None
    source: SourceKind | None
    llm: ModelKind | None
    dry_run: bool
    fixture: str | None
    week: str | None
    since: str | None
    until: str | None
    replay: ReplayKind | None = None


def begin(
    asked: Asked,
    config: Path | None,
    flags: dict[str, Any],
    console: Console,
    *,
    ask: bool = True,
    fresh: bool = False,
) -> "tuple[Settings, Run, Source, Period]":
    """The settings that hold, and a run with the source and the period that it reads.

    Raises:
        UsageError: the arguments contradict each other, or the folder cannot be used.
        SettingsError: a setting is wrong.
    """
    settings, target, manifest = _settle(asked, config, flags)
    period = _period(asked, settings.timezone, manifest)
    source = source_of(target, settings, console)
    run = open_run(settings, target, console, repository=source.repository, period=period, ask=ask, fresh=fresh)
    return settings, run, source, period


def now() -> datetime:
    """The clock: it decides the default week, and that there is no digest of what is to come; no page shows it."""
    return datetime.now(UTC)


def _settle(
    asked: Asked, config: Path | None, flags: dict[str, Any]
) -> "tuple[Settings, Target, FixtureManifest | None]":
    """The settings that hold, what they are for, and the fixture's manifest if it is one.

    Raises:
        UsageError: the arguments contradict each other.
        SettingsError: a setting is wrong.
    """
    from prhub_digest.settings import FLAGS, load_settings

    settings = load_settings(config, flags, os.environ)
    target = target_of(
        asked.repository,
        asked.source,
        asked.llm,
        dry_run=asked.dry_run,
        fixture=asked.fixture,
        server_url=settings.github_server_url,
        replay=asked.replay,
    )
    if target.llm is ModelKind.replay and (flags.get("model") is not None or flags.get("small_model") is not None):
        raise UsageError("a replay's model comes from its fixture; leave --model and --small-model out")
    if target.source is SourceKind.fixture:
        given = [FLAGS.get(name, f"--{name}") for name in _FILTERS if flags.get(name)]
        if given:
            raise UsageError(f"a fixture holds what was recorded; leave {' and '.join(given)} out")
    manifest = fixture_manifest(target)
    return effective(settings, target, manifest), target, manifest


def _period(asked: Asked, timezone: str, manifest: "FixtureManifest | None") -> "Period":
    from prhub_digest.models.period import Period

    week, since, until, moment = asked.week, asked.since, asked.until, now()
    if week is not None and (since is not None or until is not None):
        raise UsageError("give --week, or --since and --until, not both")
    if (since is None) != (until is None):
        raise UsageError("--since and --until go together")
    if week is not None:
        period = Period.from_week(week, timezone)
    elif since is not None and until is not None:
        period = Period.from_dates(since, until, timezone)
    else:
        return manifest.collection.period if manifest else Period.last_complete_week(moment, timezone)
    if manifest is None and period.since > moment:
        raise UsageError(f"{period.label} has not begun yet; choose a period that is over, such as the last week")
    return period
