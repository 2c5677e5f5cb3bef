"""Every query that prhub_digest sends to GitHub, at its greatest size."""

from typing import Any

from prhub_digest.collect import github_queries
from prhub_digest.collect.github_queries import DETAIL_BATCH, MORE_BATCH, NESTED, THREAD_COMMENTS


def queries() -> list[tuple[str, str, dict[str, Any]]]:
    """Name, text and variables of each."""
    nested = (*NESTED, THREAD_COMMENTS)
    largest = max(nested, key=lambda one: len(one.fields))
    more = [(f"more {one.owner}.{one.name}", github_queries.more([one]), dict[str, Any]()) for one in nested]
    return [
        ("viewer", github_queries.VIEWER, {}),
        ("repository", github_queries.REPOSITORY, {}),
        ("attributes", github_queries.ATTRIBUTES, {}),
        ("updated", github_queries.UPDATED, {}),
        ("search", github_queries.SEARCH, {}),
        ("count", github_queries.COUNT, {}),
        ("history", github_queries.HISTORY, {}),
        ("authored", github_queries.authored(github_queries.AUTHOR_BATCH), {}),
        ("by number", github_queries.by_number(range(1, DETAIL_BATCH + 1)), {}),
        ("by number, in pieces", github_queries.by_number_in_pieces(range(1, DETAIL_BATCH // 2 + 1)), {}),
        ("details", github_queries.DETAILS, {"ids": [f"PR_{number}" for number in range(DETAIL_BATCH)]}),
        *more,
        ("more, full batch", github_queries.more([largest] * MORE_BATCH), {}),
    ]
