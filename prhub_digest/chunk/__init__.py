"""A pull request cut into what fits a token budget, and the count of what does not. Pure."""

from prhub_digest.chunk.chunker import chunk_pull_request
from prhub_digest.chunk.coverage import week_coverage

__all__ = ["chunk_pull_request", "week_coverage"]
