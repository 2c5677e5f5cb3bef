"""`show --stats`: what was counted, group by group, with the pull requests behind each number."""

from typing import TYPE_CHECKING

from prhub_digest.console import Console
from prhub_digest.errors import UsageError

if TYPE_CHECKING:
    from prhub_digest.models.stats import Count
    from prhub_digest.run_folder import RunFolder

_PULLS_NAMED = 8


def show_stats(folder: "RunFolder", *, as_json: bool) -> None:
    """The statistics of a run on stdout.

    Raises:
        UsageError: the run has none yet.
    """
    from prhub_digest.models.stats import GROUPS, Stats
    from prhub_digest.pipeline.collecting import STATS
    from prhub_digest.render import escaped

    stats = folder.read_record(STATS, Stats)
    if stats is None:
        raise UsageError(f"{folder.path} has no {STATS}; make it with: prhub-digest rank {folder.path}")
    console = Console()
    if as_json:
        console.product(escaped(stats.to_json()))
        return
    console.product(f"{stats.repository}, {stats.period.label}\n")
    for group in GROUPS:
        counts = stats.group(group)
        if counts:
            title = group.replace("_", " ")
            console.table(f"\n{title[0].upper()}{title[1:]}", ("name", "value", "of", "PRs"), list(map(_row, counts)))


def _row(count: "Count") -> tuple[str, str, str, str]:
    value = f"{count.value:,.1f}".removesuffix(".0")
    named = [f"#{number}" for number in count.pulls[:_PULLS_NAMED]]
    more = len(count.pulls) - len(named)
    if more:
        named.append(f"and {more} more")
    return (
        count.key or "(empty)",
        value if count.unit == "pulls" else f"{value} {_unit(count)}",
        "" if count.denominator is None else f"{count.denominator:,}",
        " ".join(named),
    )


def _unit(count: "Count") -> str:
    if count.value != 1:
        return count.unit
    return "person" if count.unit == "people" else count.unit.removesuffix("s")
