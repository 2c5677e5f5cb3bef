"""`collect`: the merged pull requests of a week into a run folder, and what was found."""

import json
from typing import TYPE_CHECKING

import typer

from prhub_digest.cli.asked import Asked, begin
from prhub_digest.cli.options import (
    AllowPartial,
    Authors,
    Base,
    BotsShown,
    Config,
    Fixture,
    Fresh,
    Json,
    Labels,
    MaxWait,
    Out,
    Paths,
    Refresh,
    Repository,
    Since,
    Source,
    Timezone,
    Until,
    Week,
)
from prhub_digest.cli.run import in_words, warn_of_incomplete, warn_of_missing
from prhub_digest.console import Console, counted

if TYPE_CHECKING:
    from prhub_digest.models.pull_request import Collection
    from prhub_digest.pipeline.context import Run


def add(app: typer.Typer) -> None:
    app.command("collect", help="Collect the merged pull requests of a week into a run folder.")(collect)


def collect(
    repository: Repository = None,
    week: Week = None,
    since: Since = None,
    until: Until = None,
    tz: Timezone = None,
    source: Source = None,
    base: Base = None,
    labels: Labels = None,
    authors: Authors = None,
    paths: Paths = None,
    bots: BotsShown = None,
    max_wait: MaxWait = None,
    fixture: Fixture = None,
    out: Out = None,
    config: Config = None,
    allow_partial: AllowPartial = False,
    refresh: Refresh = False,
    fresh: Fresh = False,
    as_json: Json = False,
) -> None:
    console = Console()
    asked = Asked(repository, source, None, dry_run=False, fixture=fixture, week=week, since=since, until=until)
    flags = {
        "base": base,
        "labels": labels,
        "authors": authors,
        "paths": paths,
        "bots": bots,
        "max_wait": max_wait,
        "timezone": tz,
        "out": out,
        "allow_partial": allow_partial or None,
    }
    settings, opened, whence, period = begin(asked, config, flags, console, ask=False, fresh=fresh)
    from prhub_digest.pipeline.collecting import collect as collect_stage

    with opened.folder.lock():
        if fresh:
            opened.start_over()
        collection = collect_stage(opened, whence, period, refresh=refresh)
        _say(console, opened, collection)
    incomplete = [failure for failure in opened.manifest.failures if failure.stage == "collect"]
    for failure in incomplete:
        console.warning(f"{failure.stage} {failure.subject}: {failure.reason}")
    warn_of_incomplete(console, collection, incomplete)
    warn_of_missing(console, collection)
    if as_json:
        values = {
            "folder": str(opened.folder.path),
            "pull_requests": len(collection.numbers),
            "set_aside": [own.model_dump() for own in collection.set_aside],
            "failures": [failure.model_dump() for failure in incomplete],
            "notes": collection.notes,
        }
        console.product(json.dumps(values, ensure_ascii=False, indent=2) + "\n")
    else:
        console.product(f"{opened.folder.path}\n")
    if incomplete and not settings.allow_partial:
        raise typer.Exit(1)


def _say(console: Console, opened: "Run", collection: "Collection") -> None:
    """What was found, and how the lists agree."""
    from prhub_digest.collect.source import MAY_BE_MISSING
    from prhub_digest.pipeline.collecting import conversations

    direct = collection.direct_commits
    commits = "an unknown number of commits" if direct is None else counted(direct, "commit")
    console.message(
        f"{collection.repository}, {collection.period.label}: {in_words(collection)}, {commits} of no pull request"
    )
    said = conversations(opened, collection)
    if said is not None:
        console.message(
            f"{counted(said.threads, 'review thread')}, {said.unresolved:,} of them unresolved,"
            f" {said.own:,} opened by the author of the pull request"
        )
    for note in collection.notes:
        if not note.endswith(MAY_BE_MISSING):
            console.message(f"note: {note}")
