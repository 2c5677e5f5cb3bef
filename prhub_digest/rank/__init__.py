"""Summaries and signals to the order of the week; pure."""

from prhub_digest.rank.ranking import rank

__all__ = ["rank"]
