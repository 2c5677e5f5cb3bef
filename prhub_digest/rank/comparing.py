"""One group of pull requests as a request, and its reply as a comparison."""

from collections.abc import Mapping
from string import ascii_uppercase

from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.llm import LogicalRequest
from prhub_digest.models.ranking import CompareReply, Comparison
from prhub_digest.models.summary import PullRequestSummary
from prhub_digest.rank.listwise import ComparisonGroup

COMPARE_PROMPT = "rank_compare"
# Enough to tell a change by; more would make long entries look important.
_CLAIMS = 2
_RISKS = 1


def comparison_request(
    group: ComparisonGroup, summaries: Mapping[int, PullRequestSummary], repository: str, builder: RequestBuilder
) -> LogicalRequest:
    """The entries under letters, so that neither number nor place says anything."""
    entries = (_entry(letter, summaries[pull]) for letter, pull in zip(ascii_uppercase, group.pulls, strict=False))
    return builder.build(
        COMPARE_PROMPT, subject=group.subject, values={"repository": repository, "entries": "\n".join(entries)}
    )


def comparison_fault(reply: CompareReply, group: ComparisonGroup) -> str | None:
    """What is wrong with an order, in words that the model can act on; None when every letter stands in it once."""
    letters = ascii_uppercase[: len(group.pulls)]
    faults = [f"there is no entry {letter!r}" for letter in dict.fromkeys(reply.order) if letter not in letters]
    faults += [f"entry {letter} is missing" for letter in letters if letter not in reply.order]
    faults += [f"entry {letter} stands more than once" for letter in letters if reply.order.count(letter) > 1]
    return "; ".join(faults) or None


def comparison_of(reply: CompareReply, group: ComparisonGroup) -> Comparison:
    """A reply without fault as a comparison."""
    return Comparison(
        shuffle=group.shuffle, order=tuple(group.pulls[ascii_uppercase.index(letter)] for letter in reply.order)
    )


def _entry(letter: str, summary: PullRequestSummary) -> str:
    state = f", {summary.default_state} by default" if summary.default_state in ("on", "off") else ""
    lines = [f"{letter} {summary.change_type} in {summary.area}{state}: {summary.headline}"]
    for label, statement in (("concerns", summary.scope), ("when", summary.condition)):
        if statement:
            lines.append(f"  {label}: {statement.text}")
    lines += [f"  {claim.text}" for claim in summary.claims[:_CLAIMS]]
    lines += [f"  risk: {risk.text}" for risk in summary.risks[:_RISKS]]
    lines += [f"  left open ({thread.severity}): {thread.text}" for thread in summary.unsettled_threads[:_RISKS]]
    return "\n".join(lines)
