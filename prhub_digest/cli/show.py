"""`show`: look at a run, at its statistics, or at one pull request of it."""

from datetime import UTC
from typing import TYPE_CHECKING, Annotated

import typer

from prhub_digest.cli.show_stats import show_stats
from prhub_digest.cli.stages import PullNumber, RunPath, refuse_unknown, stored_manifest
from prhub_digest.console import Console, counted, visible_line
from prhub_digest.errors import UsageError

if TYPE_CHECKING:
    from prhub_digest.models.llm import Usage
    from prhub_digest.models.pull_request import FollowUp
    from prhub_digest.models.ranking import RankEntry, Ranking
    from prhub_digest.models.run import RunManifest
    from prhub_digest.models.summary import Evidence, PullRequestSummary
    from prhub_digest.run_folder import RunFolder

# The stages that leave a record in run.json; `verify` is a part of `compose`.
_RECORDED = ("collect", "chunk", "summarize", "rank", "compose", "render")
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
        _show_pull(folder, number, as_json=as_json)


def _show_run(manifest: "RunManifest", folder: "RunFolder", *, as_json: bool) -> None:
    from prhub_digest.render import escaped

    console = Console()
    if as_json:
        console.product(escaped(manifest.to_json()))
        return
    _write(
        console,
        [
            f"{manifest.repository}, {manifest.period}, prhub-digest {manifest.version}",
            str(folder.path),
            *_in_figures(manifest, folder),
            *_mark(manifest.usage),
            "",
        ],
    )
    rows = [
        (
            stage,
            f"{record.seconds:.1f}",
            str(record.usage.calls),
            str(record.paid.calls),
            f"{record.usage.input_tokens:,}",
            f"{record.usage.output_tokens:,}",
        )
        for stage, record in manifest.stages.items()
    ]
    columns = ("stage", "seconds", "calls", "asked now", "tokens in", "tokens out")
    console.table("Stages", columns, rows)
    highlights = _highlights(folder)
    if highlights:
        console.table("\nHighlights", ("place", "PR", "importance", "headline"), highlights)
    if manifest.failures:
        failures = [(failure.stage, failure.subject, failure.reason) for failure in manifest.failures]
        console.table("\nFailures", ("stage", "subject", "reason"), failures)


def _write(console: Console, lines: list[str]) -> None:
    """Lines on stdout; foreign text in one stays in it, and nothing of it acts on a terminal."""
    console.product("".join(f"{visible_line(line)}\n" for line in lines))


def _mark(usage: "Usage") -> list[str]:
    """A line that says so when stale replies or stubs stand behind what is shown."""
    from prhub_digest.render import mark_of

    mark = mark_of(usage)
    return [mark.text] if mark else []


def _in_figures(manifest: "RunManifest", folder: "RunFolder") -> list[str]:
    """How many pull requests there are, and how many of them are not whole."""
    from prhub_digest.models.pull_request import Collection
    from prhub_digest.pipeline.collecting import COLLECTION

    collection = folder.read_valid(COLLECTION, Collection)
    if collection is None:
        return ["no pull requests collected"]
    stages = [failure.stage for failure in manifest.failures]
    others = f", {len(collection.set_aside)} more set aside" if collection.set_aside else ""
    merged = counted(len(collection.numbers), "merged pull request")
    known = f"{merged}{others}, {stages.count('collect')} incomplete"
    unfinished = _unfinished(manifest, folder, collection.numbers)
    return [known, unfinished] if unfinished else [f"{known}, {stages.count('summarize')} not summarized"]


def _unfinished(manifest: "RunManifest", folder: "RunFolder", numbers: tuple[int, ...]) -> str | None:
    """How far the run came, when a stage has no record or a summary is not there; None when it is whole."""
    from prhub_digest.models.summary import PullRequestSummary
    from prhub_digest.run_folder import summary_name

    stored = [folder.read_valid(summary_name(number), PullRequestSummary) for number in numbers]
    whole = [own for own, number in zip(stored, numbers, strict=True) if own is not None and own.pull == number]
    stage = next((name for name in _RECORDED if name not in manifest.stages), None)
    if stage is None and len(whole) == len(numbers):
        return None
    done = sum(own.status == "summarized" for own in whole)
    return (
        f"unfinished: {f'{stage} has not ended; ' if stage else ''}"
        f"{done} of {counted(len(numbers), 'pull request')} summarized so far; the same run command continues"
    )


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


def _show_pull(folder: "RunFolder", number: int, *, as_json: bool) -> None:
    from prhub_digest.models.pull_request import Collection, PullRequest
    from prhub_digest.models.ranking import Ranking
    from prhub_digest.models.summary import PullRequestSummary
    from prhub_digest.pipeline.collecting import COLLECTION
    from prhub_digest.pipeline.ranking import RANKING
    from prhub_digest.render import escaped
    from prhub_digest.run_folder import pull_name, summary_name

    console = Console()
    collection = folder.read_record(COLLECTION, Collection)
    if collection is not None:
        refuse_unknown(number, collection, folder.path)
    summary = folder.read_record(summary_name(number), PullRequestSummary)
    if summary is not None and summary.pull != number:
        raise UsageError(
            f"{folder.file(summary_name(number))} holds the summary of pull request {summary.pull};"
            f" make it again with: prhub-digest rank {folder.path}"
        )
    if summary is None:
        raise UsageError(f"{folder.path} has no summary of pull request {number}; see: prhub-digest rank {folder.path}")
    if as_json:
        console.product(escaped(summary.to_json()))
        return
    ranking = folder.read_record(RANKING, Ranking)
    entry = next((entry for entry in ranking.entries if entry.pull == number), None) if ranking else None
    pull = folder.read_valid(pull_name(number), PullRequest)
    follow_ups = pull.follow_ups or () if pull is not None and pull.number == number else ()
    lines = [
        *_head_lines(summary),
        *_statement_lines(summary),
        *map(_follow_up, follow_ups),
        *_rank_lines(entry),
        *_comparison_lines(ranking, number),
    ]
    _write(console, lines)


def _head_lines(summary: "PullRequestSummary") -> list[str]:
    lines = [*_mark(summary.usage), f"#{summary.pull} {summary.headline}"]
    if summary.status == "fallback":
        lines.append(f"not summarized: {summary.reason}")
    lines.append(f"{summary.area}, {summary.change_type}, default {summary.default_state}")
    for label, text in (("scope", summary.scope), ("condition", summary.condition)):
        if text:
            lines += [f"{label}: {text.text}", _quote(text.evidence)]
    return lines


def _statement_lines(summary: "PullRequestSummary") -> list[str]:
    lines = [""]
    for claim in summary.claims:
        lines += [f"claim: {claim.text}", _quote(claim.evidence)]
    for figure in summary.figures:
        baseline = f", baseline {figure.baseline}" if figure.baseline else ""
        condition = f", {figure.condition}" if figure.condition else ""
        lines += [
            f"figure: {figure.metric} {figure.value} {figure.unit}{baseline}{condition} (by {figure.measured_by})",
            _quote(figure.evidence),
        ]
    for risk in summary.risks:
        lines += [f"risk ({risk.severity}): {risk.text}", _quote(risk.evidence)]
    for thread in summary.open_threads:
        lines.append(f"open thread {thread.thread} ({thread.severity}): {thread.text}")
    for dropped in summary.dropped:
        lines.append(f"dropped {dropped.kind}: {dropped.text} ({dropped.reason})")
    return lines


def _follow_up(pull: "FollowUp") -> str:
    """A pull request that names this one, and whether it is merged."""
    state = f"merged {pull.merged_at.astimezone(UTC):%Y-%m-%d}" if pull.merged_at else "not merged"
    return f"named by #{pull.number} ({state}): {pull.title}"


def _rank_lines(entry: "RankEntry | None") -> list[str]:
    if entry is None:
        return []
    lines = ["", f"place {entry.place}, importance {entry.importance:.1f}{', a highlight' if entry.highlight else ''}"]
    for score in entry.scores:
        lines.append(f"  {score.name} {score.value} (by {score.source})")
        if score.evidence:
            lines.append(_quote(score.evidence))
    lines += [f"  {adjustment.signal} {adjustment.points:+.2f}" for adjustment in entry.adjustments]
    return lines


def _comparison_lines(ranking: "Ranking | None", number: int) -> list[str]:
    """What moved it among near-equals, and its place in each group that the model put in order."""
    if ranking is None:
        return []
    shift = next((entry.shift for entry in ranking.entries if entry.pull == number), 0.0)
    looks = [own for own in ranking.comparisons if number in own.order]
    lines = [f"  compared with near-equals {shift:+.2f}"] if looks else []
    for look in looks:
        order = " ".join(f"#{pull}" for pull in look.order)
        lines.append(f"    shuffle {look.shuffle}, place {look.order.index(number) + 1} of {len(look.order)}: {order}")
    return lines


def _quote(evidence: "Evidence") -> str:
    place = evidence.place
    where = " ".join(str(part) for part in (place.kind, place.path, place.line) if part is not None)
    return f"    {where}: {evidence.quote}"
