"""One pull request of a run, for `show --pr`: its summary, the evidence, and why it ranks where it does."""

from datetime import UTC
from typing import TYPE_CHECKING

from prhub_digest.cli.stages import refuse_unknown
from prhub_digest.console import Console, visible_line
from prhub_digest.errors import UsageError

if TYPE_CHECKING:
    from prhub_digest.models.llm import Usage
    from prhub_digest.models.pull_request import FollowUp
    from prhub_digest.models.ranking import RankEntry, Ranking
    from prhub_digest.models.run import RunManifest
    from prhub_digest.models.summary import Evidence, PullRequestSummary
    from prhub_digest.run_folder import RunFolder


def show_pull(manifest: "RunManifest", folder: "RunFolder", number: int, *, as_json: bool) -> None:
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
    head = [*_perhaps_earlier(manifest), *_head_lines(summary)]
    told = [*_statement_lines(summary), *map(_follow_up, follow_ups)]
    write_lines(console, [*head, *told, *_rank_lines(entry), *_comparison_lines(ranking, number)])


def _perhaps_earlier(manifest: "RunManifest") -> list[str]:
    """A line that says so when the summary, or the place, may not be of the run that has not ended."""
    begun = [name for name in ("summarize", "rank") if name in manifest.stages and not manifest.is_done(name)]
    return [f"unfinished: {begun[0]} has not ended; what follows may be of an earlier run"] if begun else []


def _head_lines(summary: "PullRequestSummary") -> list[str]:
    lines = [*mark_lines(summary.usage), f"#{summary.pull} {summary.headline}"]
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
        baseline = f", baseline {figure.baseline} ({figure.baseline_is})" if figure.baseline else ""
        condition = f", {figure.condition}" if figure.condition else ""
        lines += [
            f"figure: {figure.metric} {figure.value} {figure.unit}{baseline}{condition} (by {figure.measured_by})",
            _quote(figure.evidence),
        ]
    for risk in summary.risks:
        lines += [f"risk ({risk.severity}): {risk.text}", _quote(risk.evidence)]
    for thread in summary.unsettled_threads:
        lines.append(f"unsettled thread {thread.thread} ({thread.severity}): {thread.text}")
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


def write_lines(console: Console, lines: list[str]) -> None:
    """Lines on stdout; foreign text in one stays in it, and nothing of it acts on a terminal."""
    console.product("".join(f"{visible_line(line)}\n" for line in lines))


def mark_lines(usage: "Usage") -> list[str]:
    """A line that says so when stale replies or stubs stand behind what is shown."""
    from prhub_digest.render import mark_of

    mark = mark_of(usage)
    return [mark.text] if mark else []
