"""One stage at a time on a run folder: `summarize`, `rank`, `compose`, `verify`, `render`."""

import os
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prhub_digest.cli.run import export_pending, warn_of_stand_ins
from prhub_digest.cli.setup import Lang, effective, fixture_manifest, open_run
from prhub_digest.cli.target import ModelKind, Target
from prhub_digest.console import Console, counted, visible_line
from prhub_digest.errors import PendingReplies, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from prhub_digest.models.digest import Language as LanguageName
    from prhub_digest.models.pull_request import Collection
    from prhub_digest.models.run import RunManifest, StageName
    from prhub_digest.pipeline.context import Run
    from prhub_digest.pipeline.week import Week

RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, such as runs/owner__repo/2026-W23.")]
PullNumber = Annotated[int | None, typer.Option("--pr", help="One pull request.")]
Language = Annotated[list[Lang] | None, typer.Option(help="Language; repeatable. Default: as in the run.")]
_SETTINGS = "Settings are those of the run."


class Format(StrEnum):
    md = "md"
    text = "text"
    json = "json"


def add(app: typer.Typer) -> None:
    app.command("summarize", help=f"Summarize the collected pull requests. {_SETTINGS}")(summarize)
    app.command("rank", help=f"Rank the summarized pull requests. {_SETTINGS}")(rank)
    app.command("compose", help=f"Plan and word the digest; exit 1 if its checks left an error. {_SETTINGS}")(compose)
    app.command("verify", help=f"Check the digest against its sources; exit 1 if an error is left. {_SETTINGS}")(verify)
    app.command("render", help=f"Print the digest in a format; exit 1 if its checks left an error. {_SETTINGS}")(render)


def reopen(
    folder: Path,
    lang: list[Lang] | None = None,
    llm: ModelKind | None = None,
    *,
    ask: bool = True,
    console: Console | None = None,
    changes: "Mapping[str, object] | None" = None,
    config: Path | None = None,
) -> "Run":
    """A run on an existing folder, with the settings that its run.json holds; `llm` asks somebody else.

    Languages of `lang` come to those that the folder has; none of these is dropped. `changes` are other settings;
    `config` is the settings file for those that run.json does not hold.

    Raises:
        UsageError: it is no run folder.
    """
    from prhub_digest.cli.stored_settings import TABLES
    from prhub_digest.models.filters import Filters
    from prhub_digest.models.pull_request import Collection
    from prhub_digest.pipeline.collecting import COLLECTION
    from prhub_digest.run_folder import RunFolder, text_as_name
    from prhub_digest.settings import load_settings

    manifest, stored = stored_manifest(folder)
    target = Target.of_settings(stored | ({"llm": llm} if llm else {}))
    flags = {
        key: value for key, value in stored.items() if key not in ("source", "llm", "location", "fixture", "replay")
    }
    flags |= {key: text_as_name(stored[key]) for key in ("out", "prompts") if stored[key] is not None}
    flags["languages"] = [*stored["languages"], *(language.value for language in lang or ())]
    flags |= changes or {}
    settings = effective(load_settings(config, flags, os.environ), target, fixture_manifest(target))
    # A list that is empty here is no flag; what a settings file says in its place is not the run's.
    names = (*Filters.model_fields, *TABLES)
    settings = settings.updated(**{name: stored[name] for name in names if name in stored})
    collection = RunFolder(folder).read_record(COLLECTION, Collection)
    if collection is None:
        raise UsageError(f"{folder} holds no collected pull requests; start with: prhub-digest collect")
    return open_run(
        settings,
        target,
        console or Console(),
        repository=manifest.repository,
        period=collection.period,
        folder=RunFolder(folder),
        ask=ask,
    )


def _chosen(opened: "Run", lang: list[Lang] | None) -> "tuple[LanguageName, ...]":
    return tuple(language.value for language in lang) if lang else opened.options.languages


def stored_manifest(folder: Path) -> tuple["RunManifest", dict[str, Any]]:
    from prhub_digest.models.run import RunManifest
    from prhub_digest.pipeline.context import MANIFEST
    from prhub_digest.run_folder import RunFolder

    manifest = RunFolder(folder).read_record(MANIFEST, RunManifest)
    if manifest is None:
        raise UsageError(f"{folder} is no run folder: it has no run.json; prhub-digest run makes one")
    return manifest, dict(manifest.settings)


def refuse_unknown(number: int, collection: "Collection", run: Path) -> None:
    aside = next((pull for pull in collection.set_aside if pull.number == number), None)
    if aside is not None:
        why = visible_line(f"{aside.reason} {aside.detail}".rstrip())
        raise UsageError(f"pull request {number} is set aside in {run} ({why}); the filters keep it out of the digest")
    if number not in collection.numbers:
        raise UsageError(f"pull request {number} is not in {run}")


def until(opened: "Run", stage: "StageName") -> "Week":
    """The stages up to one; exit 1 when replies are waited for, since what the command is for was not done."""
    from prhub_digest.pipeline.run import run_until

    with opened.folder.lock(), closing(opened):
        try:
            week = run_until(opened, stage)
        except PendingReplies as pending:
            opened.console.message(str(export_pending(opened, pending)))
            raise typer.Exit(1) from None
    if opened.asker is not None:
        warn_of_stand_ins(opened)
    return week


def summarize(run: RunPath) -> None:
    opened = reopen(run)
    week = until(opened, "summarize")
    rows = [
        (f"#{number}", summary.status, summary.area, summary.headline)
        for number, summary in sorted(week.summaries.items())
    ]
    opened.console.table("Summaries", ("PR", "status", "area", "headline"), rows)


def rank(run: RunPath) -> None:
    opened = reopen(run)
    week = until(opened, "rank")
    rows = [
        (
            str(entry.place),
            f"#{entry.pull}",
            f"{entry.importance:.1f}",
            "yes" if entry.highlight else "",
            week.summaries[entry.pull].headline,
        )
        for entry in week.ranking.entries
    ]
    opened.console.table("Ranking", ("place", "PR", "importance", "highlight", "headline"), rows)


def compose(run: RunPath, lang: Language = None) -> None:
    from prhub_digest.pipeline.composing import digest_name

    opened = reopen(run, lang)
    until(opened, "compose")
    opened.console.product(
        "".join(f"{opened.folder.file(digest_name(language))}\n" for language in _chosen(opened, lang))
    )
    _leave_if_wrong(opened, _chosen(opened, lang))


def verify(run: RunPath, lang: Language = None) -> None:
    from prhub_digest.models.digest import Digest
    from prhub_digest.models.plan import Plan
    from prhub_digest.pipeline.composing import digest_name
    from prhub_digest.pipeline.composing import verify as verify_stage
    from prhub_digest.pipeline.planning import PLAN

    opened = reopen(run, lang)
    week = until(opened, "rank")
    plan = opened.folder.read_record(PLAN, Plan)
    failed = False
    for language in _chosen(opened, lang):
        digest = opened.folder.read_record(digest_name(language), Digest)
        if plan is None or digest is None:
            raise UsageError(f"{run} has no digest in {language}; make it with: prhub-digest compose {run}")
        verification = verify_stage(opened, week, plan, digest)
        rows = [(f.severity, f.check, f.item or "", f.message) for f in verification.findings]
        if rows:
            opened.console.table(f"Findings ({language})", ("severity", "check", "item", "message"), rows)
        else:
            opened.console.product(f"Findings ({language}): none\n")
        failed = failed or bool(verification.errors)
    if failed:
        raise typer.Exit(1)


def render(
    run: RunPath,
    lang: Language = None,
    output: Annotated[Format, typer.Option("--format", help="Markdown, plain text or JSON.")] = Format.md,
    brief: Annotated[
        bool,
        typer.Option("--brief", help="What one reads in a minute: summary, five highlights, what to look at."),
    ] = False,
) -> None:
    from prhub_digest.pipeline.rendering import FORMATS, pull_heads, view

    opened = reopen(run, lang)
    week = until(opened, "render")
    heads = pull_heads(opened, week)
    write, languages = FORMATS[output.value], _chosen(opened, lang)
    pages = [write(view(opened, week, language, heads, brief=brief)) for language in languages]
    if output is Format.json and len(pages) > 1:
        opened.console.product("[\n" + ",\n".join(page.rstrip("\n") for page in pages) + "\n]\n")
    else:
        opened.console.product("\n".join(pages))
    _leave_if_wrong(opened, languages)


def _leave_if_wrong(opened: "Run", languages: "Iterable[LanguageName]") -> None:
    """Exit 1 when the checks left errors, and say how many."""
    from prhub_digest.models.verification import Verification
    from prhub_digest.pipeline.composing import verification_name

    failed = False
    for language in languages:
        verification = opened.folder.read_record(verification_name(language), Verification)
        if verification is not None and verification.errors:
            errors = counted(len(verification.errors), "error")
            opened.console.warning(
                f"verification ({language}): {errors}; listed by: prhub-digest verify {opened.folder.path}"
            )
            failed = True
    if failed:
        raise typer.Exit(1)
