"""How a statistic is made: a tally of pull requests, or a measure of them."""

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from statistics import median

from prhub_digest.models.stats import Count, Unit


def count_of(path: str, numbers: Iterable[int], *, denominator: int | None = None) -> Count:
    listed = tuple(sorted(numbers))
    return Count(path=path, value=len(listed), unit="pulls", denominator=denominator, pulls=listed)


def tally(group: str, pairs: Iterable[tuple[str, int]], denominator: int | None = None) -> list[Count]:
    """Pull requests by key; the same pair twice counts once."""
    by_key = groupby(sorted(set(pairs)), key=lambda pair: pair[0])
    return [
        count_of(f"{group}.{key}", [number for _, number in found], denominator=denominator) for key, found in by_key
    ]


def part(known: int, total: int) -> int | None:
    """A denominator is stated when it is not all pull requests."""
    return known if known != total else None


def distribution(group: str, values: Mapping[int, float], unit: Unit, total: int) -> list[Count]:
    """Median and nearest-rank 90th percentile of a value that some of `total` pull requests have, one decimal."""
    if not values:
        return []
    ordered = sorted(values.values())
    measures: Mapping[str, Callable[[list[float]], float]] = {
        "median": median,
        "p90": lambda ranked: ranked[math.ceil(0.9 * len(ranked)) - 1],
    }
    return [
        Count(
            path=f"{group}.{name}",
            value=round(float(measure(ordered)), 1),
            unit=unit,
            denominator=part(len(values), total),
            pulls=tuple(sorted(values)),
        )
        for name, measure in measures.items()
    ]
