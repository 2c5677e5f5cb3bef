"""`run`: from a repository's week to its digest, and what it says at the end."""

import json
from collections import Counter
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prhub_digest.cli.asked import Asked, begin
from prhub_digest.cli.batch_budget import limits_of, round_budget
from prhub_digest.cli.costs import costs_as_json, say_costs
from prhub_digest.cli.options import (
    AllowPartial,
    Authors,
    Base,
    BotsShown,
    BudgetTokens,
    BudgetUsd,
    Config,
    DryRun,
    Fixture,
    Fresh,
    Json,
    Labels,
    MaxWait,
    Out,
    Paths,
    Refresh,
    Replay,
    Repository,
    Since,
    Source,
    Timezone,
    Until,
    Week,
)
from prhub_digest.cli.setup import Lang
from prhub_digest.cli.target import ModelKind
from prhub_digest.console import Console, counted
from prhub_digest.errors import PendingReplies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prhub_digest.llm.batch import PendingClient
    from prhub_digest.llm.batch_budget import Limits
    from prhub_digest.models.filters import SetAsideReason
    from prhub_digest.models.llm import Usage
    from prhub_digest.models.pull_request import Collection
    from prhub_digest.models.run import Failure
    from prhub_digest.pipeline.context import Run
    from prhub_digest.pipeline.run import RunResult
    from prhub_digest.render import Mark

_ASIDE: dict["SetAsideReason", str] = {
    "bot": "by bots",
    "base": "into other branches",
    "author": "by author",
    "label": "by label",
    "path": "by path",
}


def add(app: typer.Typer) -> None:
    app.command("run", help="Make the digest of a week: collect, summarize, rank, compose, verify, render.")(run)


def run(
    repository: Repository = None,
    week: Week = None,
    since: Since = None,
    until: Until = None,
    tz: Timezone = None,
    lang: Annotated[list[Lang] | None, typer.Option(help="Language of the digest; repeatable. Default: en.")] = None,
    source: Source = None,
    base: Base = None,
    labels: Labels = None,
    authors: Authors = None,
    paths: Paths = None,
    bots: BotsShown = None,
    max_wait: MaxWait = None,
    llm: Annotated[
        ModelKind | None,
        typer.Option(help="Who answers: an OpenAI-compatible endpoint, batch files, a replay, or no model."),
    ] = None,
    dry_run: DryRun = False,
    fixture: Fixture = None,
    replay: Replay = None,
    model: Annotated[str | None, typer.Option(help="Model name. There is no default.")] = None,
    small_model: Annotated[str | None, typer.Option(help="Model for single pull requests. Default: --model.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Calls at once. Default: 8.")] = None,
    run_timeout_seconds: Annotated[
        float | None,
        typer.Option(
            "--run-timeout",
            metavar="SECONDS",
            help="After that, calls are broken off. Exit 4. Default: 21600 (6 hours).",
        ),
    ] = None,
    budget_usd: BudgetUsd = None,
    budget_tokens: BudgetTokens = None,
    prompts: Annotated[
        str | None, typer.Option(metavar="PATH", help="Folder whose prompt files replace the shipped ones.")
    ] = None,
    highlights: Annotated[int | None, typer.Option(help="Highlighted pull requests at most. Default: 24.")] = None,
    out: Out = None,
    config: Config = None,
    allow_partial: AllowPartial = False,
    brief: Annotated[
        bool, typer.Option("--brief", help="Also a one-minute page, digest.LANG.brief.md: no further calls.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 if a check or a stage left anything.")] = False,
    refresh: Refresh = False,
    fresh: Fresh = False,
    as_json: Json = False,
) -> None:
    console = Console()
    asked = Asked(repository, source, llm, dry_run, fixture, week, since, until, replay)
    flags: dict[str, Any] = {
        "base": base,
        "labels": labels,
        "authors": authors,
        "paths": paths,
        "bots": bots,
        "max_wait": max_wait,
        "model": model,
        "small_model": small_model,
        "concurrency": concurrency,
        "run_timeout_seconds": run_timeout_seconds,
        "budget_usd": budget_usd,
        "budget_tokens": budget_tokens,
        "prompts": prompts,
        "highlights": highlights,
        "languages": [language.value for language in lang] if lang else None,
        "timezone": tz,
        "out": out,
        "allow_partial": allow_partial or None,
        "strict": strict or None,
    }
    settings, opened, whence, period = begin(asked, config, flags, console, fresh=fresh)
    from prhub_digest.llm.batch_files import discard_rounds
    from prhub_digest.pipeline.run import run_all

    limits = limits_of(opened, settings) if batch_client(opened) else None
    with opened.folder.lock(), closing(opened):
        if fresh:
            opened.start_over(keep="batch/jobs.json")  # they have to be paid for, and their replies are still of use
        try:
            result = run_all(opened, whence, period, refresh=refresh, brief=brief)
        except PendingReplies as pending:
            raise export_pending(opened, pending, limits=limits) from None
        if batch_client(opened):
            discard_rounds(opened.folder)
    warn_of_missing(console, result.collection)
    report(console, opened, result, as_json=as_json)
    wanting = result.partial and not settings.allow_partial
    if wanting or result.errors or (settings.strict and (result.findings or result.failures)):
        raise typer.Exit(1)


def export_pending(
    opened: "Run", pending: PendingReplies, then: str | None = None, limits: "Limits | None" = None
) -> PendingReplies:
    """Write the requests that wait as batch files; the message says what to do `then`; the default: import, go on.

    Raises:
        BudgetError: they would cost more than `limits`, or those that the run was given before.
    """
    from prhub_digest.llm.batch_files import export_round
    from prhub_digest.llm.batch_jobs import ids_under_way, jobs_under_way

    client = batch_client(opened)
    if client is None:
        return pending
    run = opened.folder.path
    leave_out = ids_under_way(opened.folder)
    exported = export_round(opened.folder, client, leave_out=leave_out, budget=round_budget(opened), limits=limits)
    for job in jobs_under_way(opened.folder):
        opened.console.message(f"under way: {job.words}\nits replies come with: prhub-digest batch status {run}")
    if not exported.count:
        return PendingReplies(
            f"{pending}.\nall that waits is under way; go on with: prhub-digest batch status {run}\n"
            "and give this command again",
            pending.hashes,
        )
    then = then or (
        f"prhub-digest batch import {run} REPLIES.jsonl\nand give this command again;"
        f" or let a server do it: prhub-digest batch submit {run}"
    )
    return PendingReplies(f"{pending}.\n{exported.words}\nHave them answered, then: {then}", pending.hashes)


def batch_client(opened: "Run") -> "PendingClient | None":
    """The client of a run with batch files."""
    from prhub_digest.llm.batch import PendingClient

    client = opened.asker.client if opened.asker else None
    return client if isinstance(client, PendingClient) else None


def report(console: Console, opened: "Run", result: "RunResult", *, as_json: bool) -> None:
    """The pages on stdout; what a person should know on stderr."""
    mark = warn_of_stand_ins(opened)
    for failure in result.failures:
        console.warning(f"{failure.stage} {failure.subject}: {failure.reason}")
    warn_of_incomplete(console, result.collection, result.failures)
    paid, usage = result.paid, result.usage
    console.message(
        f"{in_words(result.collection)}; replies of {counted(usage.calls, 'call')} ({_tokens(usage)}),"
        f" {paid.calls} of them asked now"
    )
    errors = len(result.errors)
    warnings = counted(len(result.findings) - errors, "warning")
    console.message(f"verification: {counted(errors, 'error')}, {warnings}")
    say_costs(console, opened)
    if as_json:
        values = {
            "folder": str(opened.folder.path),
            "pages": [str(page) for page in result.pages],
            "pull_requests": len(result.collection.numbers),
            "set_aside": len(result.collection.set_aside),
            "failures": [failure.model_dump() for failure in result.failures],
            "findings": [finding.model_dump() for finding in result.findings],
            "usage": usage.model_dump(),
            "paid": paid.model_dump(),
            "costs": costs_as_json(opened),
        } | ({"mark": asdict(mark)} if mark else {})
        console.product(json.dumps(values, ensure_ascii=False, indent=2) + "\n")
    else:
        console.product("".join(f"{page}\n" for page in result.pages))


def _tokens(usage: "Usage") -> str:
    if not usage.input_tokens:
        return "tokens not reported"
    cached = f", {usage.cached_tokens:,} of them cached" if usage.cached_tokens else ""
    return f"{usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out"


def warn_of_stand_ins(opened: "Run") -> "Mark | None":
    """What a reader of anything in the folder must not miss: that its replies are no answers to its requests."""
    from prhub_digest.render import mark_of

    mark = mark_of(opened.manifest.usage) if opened.options.stand_ins else None
    if mark is not None:
        opened.console.warning(mark.text)
    return mark


def warn_of_incomplete(console: Console, collection: "Collection", failures: "Iterable[Failure]") -> None:
    """What helps when GitHub did not give all of some pull requests: the same command asks it for nothing again."""
    count = sum(failure.stage == "collect" for failure in failures)
    if count and collection.source == "github":
        are = "is" if count == 1 else "are"
        console.warning(f"{counted(count, 'pull request')} {are} incomplete; --refresh reads the week again")


def warn_of_missing(console: Console, collection: "Collection") -> None:
    """What a reader of the digest must not miss: that it may lack pull requests, or all of them."""
    from prhub_digest.collect.source import MAY_BE_MISSING

    for note in collection.notes:
        if note.endswith(MAY_BE_MISSING):
            console.warning(note)
    if collection.set_aside and not collection.numbers:
        console.warning(f"the filters leave no pull request: {in_words(collection)}")


def in_words(collection: "Collection") -> str:
    """`306 merged pull requests, 14 more set aside (12 by bots, 2 into other branches)`."""
    merged = counted(len(collection.numbers), "merged pull request")
    if not collection.set_aside:
        return merged
    counts = Counter(own.reason for own in collection.set_aside)
    reasons = ", ".join(f"{counts[reason]} {words}" for reason, words in _ASIDE.items() if counts[reason])
    return f"{merged}, {len(collection.set_aside)} more set aside ({reasons})"
