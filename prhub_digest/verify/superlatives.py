"""A sentence that calls a counted thing the most or the fewest: the counts of its group must agree.

A change and its revert are no work that lasts, so that they make nothing the most: what they leave is compared.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from prhub_digest.models.digest import Sentence
from prhub_digest.models.stats import Stats

_MOST = re.compile(
    r"(?<!at )\bmost\b|\b(?:largest|biggest|highest|lead(?:s|ing)?|dominat\w+|dominant)\b"
    r"|最多|最大|最高|主导|领先|居首",
    re.IGNORECASE,
)
_FEWEST = re.compile(r"(?<!at )\bleast\b|\b(?:fewest|smallest|lowest)\b|最少|最小|最低", re.IGNORECASE)
# Groups whose members are of one kind; `pulls.net` and `pulls.reverts` are not.
_COMPARABLE = ("areas", "platforms", "modules", "types", "labels", "files", "authors", "reviewers", "flags")


def superlative_fault(sentence: Sentence, stats: Stats, cancelled: frozenset[int]) -> tuple[str, str] | None:
    """What its statistics contradict, and the word; None when they agree, or when it says nothing of the kind."""
    cited = [stats.at(path) for path in sentence.stats if stats.has(path)]

    def values(group: str) -> dict[str, float]:
        return {count.path: count.net(cancelled) for count in stats.group(group)}

    for pattern, extreme in ((_MOST, max), (_FEWEST, min)):
        match = pattern.search(sentence.text)
        groups = {count.group for count in cited if count.group in _COMPARABLE}
        if match and groups and not any(_reaches(extreme, values(group), sentence) for group in groups):
            which = "largest" if extreme is max else "smallest"
            return f"{match[0]!r}: no statistic it cites is the {which} of its group, net of reverts", match[0]
    return None


def _reaches(extreme: Callable[[Iterable[float]], float], values: Mapping[str, float], sentence: Sentence) -> bool:
    edge = extreme(values.values())
    return any(value == edge for path, value in values.items() if path in sentence.stats)
