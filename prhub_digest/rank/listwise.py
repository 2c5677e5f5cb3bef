"""A second look at near-equals: who stands before whom in small groups. It orders; it never scores.

Pointwise scores of a model gather on a few values; comparing whole lists separates better, and shuffling the lists
evens out that a model prefers what stands first (https://arxiv.org/abs/2310.07712). A pull request moves by at most
0.25 points either way, so only pull requests within half a point of each other can change places.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from prhub_digest.models.ranking import Comparison, RankEntry

GROUP = 12
SHUFFLES = 3
NEAR = 0.5
# Three times what the reader is shown; who stands below is no candidate.
_SHORTLIST_TIMES = 3
# Neighbours by score share a band of two groups, so that a group holds near-equals.
_BAND = 2 * GROUP
# Fewer pull requests are nearly all shown, and one can read them side by side.
_FEWEST = 2 * GROUP


@dataclass(frozen=True, slots=True)
class ComparisonGroup:
    """Pull requests to compare, in the order in which they are shown; `subject` names the call."""

    subject: str
    shuffle: int
    pulls: tuple[int, ...]


def comparison_groups(candidates: Sequence[RankEntry], highlights: int, seed: str) -> tuple[ComparisonGroup, ...]:
    """The groups of one round: three seeded shuffles of the shortlist, at most 12 pull requests each.

    `candidates` are in the order of their scores. There are no groups where candidates are few, and none that holds no
    two near-equals.
    """
    shortlist = candidates[: _SHORTLIST_TIMES * highlights]
    if len(shortlist) <= _FEWEST:
        return ()
    return tuple(
        ComparisonGroup(f"shuffle-{shuffle}.{number}", shuffle, tuple(entry.pull for entry in group))
        for shuffle in range(1, SHUFFLES + 1)
        for number, group in enumerate(_groups(shortlist, shuffle, seed), 1)
        if _has_near_equals(group)
    )


def comparison_sizes(candidates: int, highlights: int) -> tuple[int, ...]:
    """How many pull requests each group of a round holds, if every group has near-equals; none where they are few."""
    length = min(candidates, _SHORTLIST_TIMES * highlights)
    if length <= _FEWEST:
        return ()
    sizes: list[int] = []
    for shuffle in range(1, SHUFFLES + 1):
        for start, end in _bands(length, shuffle):
            parts = -(-(end - start) // GROUP)
            sizes += [len(range(start + part, end, parts)) for part in range(parts)]
    return tuple(sizes)


def shifts(scores: Mapping[int, float], comparisons: Sequence[Comparison]) -> Mapping[int, float]:
    """The points by which each compared pull request moves: won minus lost of its pairs, as a share of `NEAR` / 2.

    `scores` are the exact ones, 0 to 10, by number. A pair counts where the two are within `NEAR`. The order of
    `comparisons` does not matter.
    """
    balance: dict[int, int] = {}
    met: dict[int, int] = {}
    for comparison in comparisons:
        for better, worse in combinations(comparison.order, 2):
            if abs(scores[better] - scores[worse]) > NEAR:
                continue
            for pull, point in ((better, 1), (worse, -1)):
                balance[pull] = balance.get(pull, 0) + point
                met[pull] = met.get(pull, 0) + 1
    return {pull: round(NEAR / 2 * balance[pull] / met[pull], 3) for pull in sorted(met)}


def _groups(shortlist: Sequence[RankEntry], shuffle: int, seed: str) -> Iterator[Sequence[RankEntry]]:
    for start, end in _bands(len(shortlist), shuffle):
        mixed = sorted(shortlist[start:end], key=lambda entry: _draw(seed, shuffle, entry.pull))
        parts = -(-len(mixed) // GROUP)
        yield from (mixed[part::parts] for part in range(parts))


def _bands(length: int, shuffle: int) -> Iterator[tuple[int, int]]:
    """Each shuffle cuts the bands at other places, so that no two neighbours are kept apart in all of them."""
    offset = (shuffle - 1) * _BAND // SHUFFLES
    yield from pairwise([0, *range(offset or _BAND, length, _BAND), length])


def _draw(seed: str, shuffle: int, pull: int) -> bytes:
    """A place in a shuffle that is the same on every machine, and does not depend on who else is in it."""
    return hashlib.sha256(f"{seed} {shuffle} {pull}".encode()).digest()


def _has_near_equals(group: Sequence[RankEntry]) -> bool:
    scores = sorted(entry.exact for entry in group)
    return any(after - before <= NEAR for before, after in pairwise(scores))
