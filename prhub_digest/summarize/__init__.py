"""The chunks of one pull request -> one structured, grounded summary."""

from prhub_digest.summarize.summarize import SummaryTask, chunk_requests, fallback, summarize

__all__ = ["SummaryTask", "chunk_requests", "fallback", "summarize"]
