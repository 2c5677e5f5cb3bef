"""`show`: look at a run, at its statistics, or at one pull request of it."""

from typing import TYPE_CHECKING, Annotated

import typer

from prhub_digest.cli.costs import PAID_COLUMNS, STAGE_COLUMNS, paid_rows, stage_rows
from prhub_digest.cli.show_pull import mark_lines, show_pull, write_lines
from prhub_digest.cli.show_stats import show_stats
from prhub_digest.cli.stages import PullNumber, RunPath, stored_manifest
from prhub_digest.console import Console, counted
from prhub_digest.errors import UsageError

if TYPE_CHECKING:
    from prhub_digest.models.run import RunManifest, StageName
    from prhub_digest.run_folder import RunFolder

# The stages that leave a record in run.json; `verify` is a part of `compose`.
_RECORDED: "tuple[StageName, ...]" = ("collect", "chunk", "summarize", "rank", "compose", "render")
Json = Annotated[bool, typer.Option("--json", help="The stored record as JSON.")]
Statistics = Annotated[bool, typer.Option("--stats", help="The statistics, as tables.")]


def add(app: typer.Typer) -> None:
    app.command(
        "show",
        help="A run, its statistics, or with --pr a pull request's summary, its evidence and why it ranks so.",
    )(show)


def show(run: RunPath, number: PullNumber = None, stats: Statistics = False, as_json: Json = False) -> None:
    from prhub_digest.run_folder import RunFolder

    if stats and number is not None:
        raise UsageError("--stats is about all pull requests of a run, --pr about one; give one of them")
    folder = RunFolder(run)
    manifest, _ = stored_manifest(run)
    if stats:
        show_stats(folder, as_json=as_json)
    elif number is None:
        _show_run(manifest, folder, as_json=as_json)
    else:
        show_pull(manifest, folder, number, as_json=as_json)


def _show_run(manifest: "RunManifest", folder: "RunFolder", *, as_json: bool) -> None:
    from prhub_digest.render import escaped

    console = Console()
    if as_json:
        console.product(escaped(manifest.to_json()))
        return
    write_lines(
        console,
        [
            f"{manifest.repository}, {manifest.period}, prhub-digest {manifest.version}",
            str(folder.path),
            *_in_figures(manifest, folder),
            *_input_reported(manifest),
            *mark_lines(manifest.usage),
            "",
        ],
    )
    console.table(
        "Stages, and what the replies cost that they are made from", STAGE_COLUMNS, stage_rows(manifest, _RECORDED)
    )
    paid = paid_rows(manifest)
    if paid:
        console.table("\nPaid for calls by all commands on this folder, and by the last one", PAID_COLUMNS, paid)
    highlights = _highlights(folder)
    if highlights:
        whose = "" if manifest.is_done("rank") else " (of an earlier run)"
        console.table(f"\nHighlights{whose}", ("place", "PR", "importance", "headline"), highlights)
    if manifest.failures:
        failures = [(failure.stage, failure.subject, failure.reason) for failure in manifest.failures]
        console.table("\nFailures", ("stage", "subject", "reason"), failures)


def _in_figures(manifest: "RunManifest", folder: "RunFolder") -> list[str]:
    """How many pull requests there are, and how many of them are not whole."""
    from prhub_digest.models.pull_request import Collection
    from prhub_digest.pipeline.collecting import COLLECTION

    collection = folder.read_valid(COLLECTION, Collection)
    if collection is None:
        return ["no pull requests collected", "unfinished: collect has not ended; the same command continues"]
    stages = [failure.stage for failure in manifest.failures]
    others = f", {len(collection.set_aside)} more set aside" if collection.set_aside else ""
    merged = counted(len(collection.numbers), "merged pull request")
    known = f"{merged}{others}, {stages.count('collect')} incomplete"
    unfinished = _unfinished(manifest, folder, collection.numbers)
    return [known, unfinished] if unfinished else [f"{known}, {stages.count('summarize')} not summarized"]


def _input_reported(manifest: "RunManifest") -> list[str]:
    """How well the tokens of requests are known."""
    if manifest.input_ratio is None:
        return []
    return [f"input tokens as the endpoint reports them: up to {manifest.input_ratio:.2f} of those expected at most"]


def _unfinished(manifest: "RunManifest", folder: "RunFolder", numbers: tuple[int, ...]) -> str | None:
    """How far the run came, when a stage is not done or a summary is not there; None when it is whole."""
    from prhub_digest.models.summary import PullRequestSummary
    from prhub_digest.run_folder import summary_name

    stored = [folder.read_valid(summary_name(number), PullRequestSummary) for number in numbers]
    whole = [own for own, number in zip(stored, numbers, strict=True) if own is not None and own.pull == number]
    open_stages = [name for name in _RECORDED if not manifest.is_done(name)]
    if not open_stages and len(whole) == len(numbers):
        return None
    stage = f"{open_stages[0]} has not ended; " if open_stages else ""
    earlier = ", ".join(name for name in open_stages[bool(stage) :] if name in manifest.stages)
    if earlier:
        stage += f"what there is of {earlier} was made by an earlier run; "
    if manifest.is_done("summarize") or "summarize" not in manifest.stages:
        done = sum(own.status == "summarized" for own in whole)
        so_far = f"{done} of {counted(len(numbers), 'pull request')} summarized so far"
    else:
        so_far = "summaries that it has not made again are of an earlier run, too"
    return f"unfinished: {stage}{so_far}; the same run command continues"


def _highlights(folder: "RunFolder") -> list[tuple[str, str, str, str]]:
    from prhub_digest.models.ranking import Ranking
    from prhub_digest.models.summary import PullRequestSummary
    from prhub_digest.pipeline.ranking import RANKING
    from prhub_digest.run_folder import summary_name

    ranking = folder.read_valid(RANKING, Ranking)
    rows = []
    for entry in ranking.entries if ranking else ():
        if entry.highlight:
            summary = folder.read_valid(summary_name(entry.pull), PullRequestSummary)
            headline = summary.headline if summary else ""
            rows.append((str(entry.place), f"#{entry.pull}", f"{entry.importance:.1f}", headline))
    return rows
