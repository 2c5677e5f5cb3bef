"""Which pull requests are highlights: the best, but not all from one corner of the repository."""

from collections import Counter
from collections.abc import Mapping, Sequence

# Of 24 highlights at most six of one area; where the other areas have nothing to show, the quota gives way.
_QUOTA = 4
# An area with this share of all pull requests is shown with its best, if that stands among twice as many.
_MUST_SHOW_PERCENT = 8
_NEAR_TIMES = 2


def choose(order: Sequence[int], areas: Mapping[int, str], wanted: int, forced: frozenset[int]) -> frozenset[int]:
    """Exactly `wanted` pull requests of `order`, or all where there are fewer; `order` holds one a unit, best first.

    First all that people have `forced`, be they more than `wanted`, then by place within the quota of an area, and last
    by place alone. The best of a large area that has none takes the place of the last one of an area that has several.
    """
    chosen = [pull for pull in order if pull in forced]
    wanted = max(wanted, len(chosen))
    taken = Counter(areas[pull] for pull in chosen)
    limit = max(2, -(-wanted // _QUOTA))
    for pull in order:
        if len(chosen) < wanted and pull not in chosen and taken[areas[pull]] < limit:
            chosen.append(pull)
            taken[areas[pull]] += 1
    chosen += [pull for pull in order if pull not in chosen][: wanted - len(chosen)]
    for best in _best_of_large_areas(order, areas, wanted):
        shown = Counter(areas[pull] for pull in chosen)
        spare = [pull for pull in order if pull in chosen and pull not in forced and shown[areas[pull]] > 1]
        if not shown[areas[best]] and spare:
            chosen[chosen.index(spare[-1])] = best
    return frozenset(chosen)


def _best_of_large_areas(order: Sequence[int], areas: Mapping[int, str], wanted: int) -> list[int]:
    """The best of each area that must be shown, if it stands near enough; the largest area first."""
    sizes = Counter(areas[pull] for pull in order)
    best: dict[str, int] = {}
    for pull in order[: _NEAR_TIMES * wanted]:
        best.setdefault(areas[pull], pull)
    large = [area for area in best if sizes[area] > 1 and sizes[area] * 100 >= _MUST_SHOW_PERCENT * len(order)]
    return [best[area] for area in sorted(large, key=lambda area: -sizes[area])]
