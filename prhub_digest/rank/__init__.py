"""Summaries and signals to the order of the week; pure but for the requests it builds."""

from prhub_digest.rank.comparing import COMPARE_PROMPT, comparison_fault, comparison_of, comparison_request
from prhub_digest.rank.listwise import ComparisonGroup, comparison_groups, comparison_sizes
from prhub_digest.rank.ranking import HIGHLIGHT_SHARE_PERCENT, candidates, people_want, rank

__all__ = [
    "COMPARE_PROMPT",
    "HIGHLIGHT_SHARE_PERCENT",
    "ComparisonGroup",
    "candidates",
    "comparison_fault",
    "comparison_groups",
    "comparison_of",
    "comparison_request",
    "comparison_sizes",
    "people_want",
    "rank",
]
