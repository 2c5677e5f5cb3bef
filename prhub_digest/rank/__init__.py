"""Summaries and signals to the order of the week; pure."""

from prhub_digest.rank.ranking import HIGHLIGHT_SHARE_PERCENT, rank

__all__ = ["HIGHLIGHT_SHARE_PERCENT", "rank"]
