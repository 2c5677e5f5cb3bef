"""`run` and `collect`: from a repository's week to its digest."""

import json
import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prhub_digest.cli.setup import (
    REQUESTS,
    Lang,
    ModelKind,
    SourceKind,
    Target,
    effective,
    fixture_manifest,
    open_run,
    source_of,
    target_of,
)
from prhub_digest.console import Console, counted
from prhub_digest.errors import PendingReplies, UsageError

if TYPE_CHECKING:
    from prhub_digest.models.fixture import FixtureManifest
    from prhub_digest.models.period import Period
    from prhub_digest.models.pull_request import Collection
    from prhub_digest.pipeline.context import Run
    from prhub_digest.pipeline.run import RunResult
    from prhub_digest.settings import Settings

Repository = Annotated[
    str | None, typer.Argument(metavar="[REPOSITORY]", help="./PATH to a clone, a URL git can read, or OWNER/REPO.")
]
Week = Annotated[str | None, typer.Option(help="ISO week such as 2026-W23. Default: the last complete week.")]
Since = Annotated[str | None, typer.Option(help="First day, such as 2026-06-01; goes with --until.")]
Until = Annotated[str | None, typer.Option(help="The day after the last one.")]
Timezone = Annotated[str | None, typer.Option("--tz", help="Time zone of weeks and days. Default: UTC.")]
Source = Annotated[SourceKind | None, typer.Option(help="Where pull requests come from. Default: git.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Replay a fixture: no key, no network.")]
Fixture = Annotated[str | None, typer.Option(help="A shipped fixture's name, or a folder. Default: demo.")]
# Folders that are settings too are text here, so that the settings can refuse an empty one.
Out = Annotated[str | None, typer.Option(metavar="PATH", help="Folder for run folders. Default: runs.")]
Config = Annotated[Path | None, typer.Option(help="Settings file. Default: prhub.toml, if there is one.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Collect the pull requests again.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Forget this run folder and start over.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def add(app: typer.Typer) -> None:
    app.command("run", help="Make the digest of a week: collect, summarize, rank, compose, verify, render.")(run)
    app.command("collect", help="Collect the merged pull requests of a week into a run folder.")(collect)


def run(
    repository: Repository = None,
    week: Week = None,
    since: Since = None,
    until: Until = None,
    tz: Timezone = None,
    lang: Annotated[list[Lang] | None, typer.Option(help="Language of the digest; repeatable. Default: en.")] = None,
    source: Source = None,
    llm: Annotated[
        ModelKind | None,
        typer.Option(help="Who answers: an OpenAI-compatible endpoint, batch files, a replay, or no model."),
    ] = None,
    dry_run: DryRun = False,
    fixture: Fixture = None,
    model: Annotated[str | None, typer.Option(help="Model name. There is no default.")] = None,
    small_model: Annotated[str | None, typer.Option(help="Model for single pull requests. Default: --model.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Calls at once. Default: 8.")] = None,
    prompts: Annotated[
        str | None, typer.Option(metavar="PATH", help="Folder whose prompt files replace the shipped ones.")
    ] = None,
    highlights: Annotated[int | None, typer.Option(help="Highlighted pull requests at most. Default: 24.")] = None,
    out: Out = None,
    config: Config = None,
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Exit 0 although a pull request, the plan or a wording failed.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 if a check or a stage left anything.")] = False,
    refresh: Refresh = False,
    fresh: Fresh = False,
    as_json: Json = False,
) -> None:
    console = Console()
    target = target_of(repository, source, llm, dry_run=dry_run, fixture=fixture)
    if target.llm is ModelKind.replay and (model is not None or small_model is not None):
        raise UsageError("a replay's model comes from its fixture; leave --model and --small-model out")
    flags: dict[str, Any] = {
        "model": model,
        "small_model": small_model,
        "concurrency": concurrency,
        "prompts": prompts,
        "highlights": highlights,
        "languages": [language.value for language in lang] if lang else None,
        "timezone": tz,
        "out": out,
        "allow_partial": allow_partial or None,
        "strict": strict or None,
    }
    settings, manifest = _settings(config, flags, target)
    period = _period(week, since, until, settings.timezone, manifest, now())
    opened, whence = _open(settings, target, console, period, fresh=fresh)
    from prhub_digest.pipeline.run import run_all

    with opened.folder.lock(), closing(opened):
        if fresh:
            opened.start_over()
        try:
            result = run_all(opened, whence, period, refresh=refresh)
        except PendingReplies as pending:
            raise export_pending(opened, pending) from None
    _warn_of_missing(console, result.collection)
    report(console, opened, result, as_json=as_json)
    wanting = result.partial and not settings.allow_partial
    if wanting or result.errors or (settings.strict and (result.findings or result.failures)):
        raise typer.Exit(1)


def collect(
    repository: Repository = None,
    week: Week = None,
    since: Since = None,
    until: Until = None,
    tz: Timezone = None,
    source: Source = None,
    fixture: Fixture = None,
    out: Out = None,
    config: Config = None,
    refresh: Refresh = False,
    fresh: Fresh = False,
) -> None:
    console = Console()
    target = target_of(repository, source, None, dry_run=False, fixture=fixture)
    settings, manifest = _settings(config, {"timezone": tz, "out": out}, target)
    period = _period(week, since, until, settings.timezone, manifest, now())
    opened, whence = _open(settings, target, console, period, ask=False, fresh=fresh)
    from prhub_digest.collect.source import MAY_BE_MISSING
    from prhub_digest.pipeline.collecting import collect as collect_stage

    with opened.folder.lock():
        if fresh:
            opened.start_over()
        collection = collect_stage(opened, whence, period, refresh=refresh)
    direct = collection.direct_commits
    console.message(
        f"{collection.repository}, {period.label}: {counted(len(collection.numbers), 'merged pull request')},"
        f" {'an unknown number of commits' if direct is None else counted(direct, 'commit')} of no pull request"
    )
    for note in collection.notes:
        if not note.endswith(MAY_BE_MISSING):
            console.message(f"note: {note}")
    _warn_of_missing(console, collection)
    console.product(f"{opened.folder.path}\n")


def export_pending(opened: "Run", pending: PendingReplies, then: str | None = None) -> PendingReplies:
    """Write the requests that wait as a batch file; the message says what to do next (`then`: the import command)."""
    from prhub_digest.llm.batch import export

    path = opened.folder.file(REQUESTS)
    count = export(pending_requests(opened), path)
    return PendingReplies(
        f"{pending}.\n{counted(count, 'request')} in {path}\nHave them answered, then:"
        f" {then or f'prhub-digest batch import {opened.folder.path} REPLIES.jsonl'}\nand give this command again",
        pending.hashes,
    )


def pending_requests(opened: "Run") -> Any:
    from prhub_digest.llm.batch import PendingClient

    client = opened.asker.client if opened.asker else None
    return client.pending if isinstance(client, PendingClient) else ()


def report(console: Console, opened: "Run", result: "RunResult", *, as_json: bool) -> None:
    """The pages on stdout; what a person should know on stderr."""
    for failure in result.failures:
        console.warning(f"{failure.stage} {failure.subject}: {failure.reason}")
    paid, usage = result.paid, result.usage
    console.message(
        f"{counted(len(result.collection.numbers), 'merged pull request')}; replies of {counted(usage.calls, 'call')}"
        f" ({usage.input_tokens:,} tokens in, {usage.output_tokens:,} out), {paid.calls} of them asked now"
    )
    errors = len(result.errors)
    warnings = counted(len(result.findings) - errors, "warning")
    console.message(f"verification: {counted(errors, 'error')}, {warnings}")
    if as_json:
        values = {
            "folder": str(opened.folder.path),
            "pages": [str(page) for page in result.pages],
            "pull_requests": len(result.collection.numbers),
            "failures": [failure.model_dump() for failure in result.failures],
            "findings": [finding.model_dump() for finding in result.findings],
            "usage": usage.model_dump(),
            "paid": paid.model_dump(),
        }
        console.product(json.dumps(values, ensure_ascii=False, indent=2) + "\n")
    else:
        console.product("".join(f"{page}\n" for page in result.pages))


def _settings(
    config: Path | None, flags: dict[str, Any], target: Target
) -> tuple["Settings", "FixtureManifest | None"]:
    from prhub_digest.settings import load_settings

    manifest = fixture_manifest(target)
    return effective(load_settings(config, flags, os.environ), target, manifest), manifest


def now() -> datetime:
    """The clock: it decides the default week, and that there is no digest of what is to come; no page shows it."""
    return datetime.now(UTC)


def _period(
    week: str | None,
    since: str | None,
    until: str | None,
    timezone: str,
    manifest: "FixtureManifest | None",
    moment: datetime,
) -> "Period":
    from prhub_digest.models.period import Period

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


def _warn_of_missing(console: Console, collection: "Collection") -> None:
    from prhub_digest.collect.source import MAY_BE_MISSING

    for note in collection.notes:
        if note.endswith(MAY_BE_MISSING):
            console.warning(note)


def _open(
    settings: "Settings", target: Target, console: Console, period: "Period", *, ask: bool = True, fresh: bool = False
) -> tuple["Run", Any]:
    whence = source_of(target, settings, console)
    repository = whence.repository
    return open_run(settings, target, console, repository=repository, period=period, ask=ask, fresh=fresh), whence
