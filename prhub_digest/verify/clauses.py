"""Clauses of a sentence beside the clauses of what it cites: does what is nearest to one say the same?

A cue somewhere in what a sentence cites may belong to another statement. So each clause is compared with the clauses
that share most of its words: the content words of English. Of Chinese only the Latin words can be compared.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from prhub_digest.evidence import content_words
from prhub_digest.verify.occurrences import plain

_JOINTS = r"[;；，。！？：、\n]|[.:!?](?=\s|$)|\b(?:and|but|because|while|whereas|although|though|so)\b"
_ENDS = re.compile(_JOINTS, re.IGNORECASE)
_PARTS = re.compile(rf"{_JOINTS}|,(?=\s)|\b(?:which|whose|that|when|if)\b", re.IGNORECASE)
_LATIN = re.compile(r"[A-Za-z0-9_]{2,}")
_FOCUS = 3


@dataclass(frozen=True, slots=True)
class Clause:
    """`words` are the stems of its Latin content words."""

    text: str
    words: frozenset[str]

    def nearest(self, others: Iterable["Clause"]) -> float:
        """The largest share of its words that one of the others has."""
        return max((len(self.words & other.words) / len(self.words) for other in others), default=0.0)


def stem(word: str) -> str:
    """A word without its commonest English endings: `caching`, `cached`, `caches` and `cache` are one."""
    for ending in ("ization", "ations", "ation", "ings", "ing", "ies", "ed", "es", "er", "ly", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            root = word.removesuffix(ending)
            return root[:-1] if len(root) > 3 and root[-1] == root[-2] else root.removesuffix("e")
    return word


def whole(text: str, cues: re.Pattern[str]) -> Clause:
    """A text as one clause."""
    return Clause(text.strip(), frozenset(_words(cues.sub(" ", text))))


def clauses(text: str, cues: re.Pattern[str]) -> list[Clause]:
    """The clauses of a text that hold other words than those of `cues`."""
    return _clauses(_ENDS.split(text), cues)


def parts(text: str, cues: re.Pattern[str]) -> list[Clause]:
    """Clauses cut at every comma too, and before what a relative clause or a condition adds."""
    return _clauses(_PARTS.split(text), cues)


def focus(text: str, match: re.Match[str], cues: re.Pattern[str]) -> Clause:
    """The nearest words to a cue in its own part: those after it, and where these are one or none, those before it."""
    before, after = _PARTS.split(text[: match.start()])[-1], _PARTS.split(text[match.end() :])[0]
    found = _words(cues.sub(" ", after))[:_FOCUS]
    if len(found) < 2:
        found = [*_words(cues.sub(" ", before)), *found][-_FOCUS:]
    return Clause(match[0] + after, frozenset(found))


def _clauses(texts: Iterable[str], cues: re.Pattern[str]) -> list[Clause]:
    found = (whole(text, cues) for text in texts)
    return [clause for clause in found if clause.words]


def _words(text: str) -> list[str]:
    return [stem(word) for word in content_words(" ".join(_LATIN.findall(plain(text))))]
