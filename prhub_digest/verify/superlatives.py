"""A sentence that calls a counted thing the most or the fewest: the counts of its group must agree."""

import re
from collections.abc import Callable, Iterable

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


def superlative_fault(sentence: Sentence, stats: Stats) -> str | None:
    """What its statistics contradict; None when they agree, or when it says nothing of the kind."""
    cited = [stats.at(path) for path in sentence.stats if stats.has(path)]
    for pattern, extreme in ((_MOST, max), (_FEWEST, min)):
        match = pattern.search(sentence.text)
        groups = {count.group for count in cited if count.group in _COMPARABLE}
        if match and groups and not any(_reaches(extreme, group, sentence, stats) for group in groups):
            return (
                f"{match[0]!r}: no statistic it cites is the {'largest' if extreme is max else 'smallest'} of its group"
            )
    return None


def _reaches(extreme: Callable[[Iterable[float]], float], group: str, sentence: Sentence, stats: Stats) -> bool:
    members = stats.group(group)
    edge = extreme(count.value for count in members)
    return any(count.value == edge for count in members if count.path in sentence.stats)
