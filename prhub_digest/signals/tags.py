"""Platforms and modules that a pull request touches: tags beside its one area, so that neither hides the other."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from prhub_digest.models.globs import matches_any
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.signal_settings import SignalSettings, Tag
from prhub_digest.models.signals import Tags
from prhub_digest.signals.platforms import BY_ENDING, PLATFORMS, SYSTEMS

_BETWEEN_PARTS = re.compile(r"[^0-9A-Za-z]+")
_WORD = re.compile(r"[0-9A-Za-z]+(?:[-_][0-9A-Za-z]+)*")
# Who writes `[Arm]` or `fix(arm):` names a thing; in the rest of a title `arm` may be a verb.
_NAMING = re.compile(r"\[([^\]\n]{1,40})\]|^\s*\w+\(([^()\n]{1,60})\)!?:")
_DEFAULTS = SignalSettings()


def tags_of(pull: PullRequest, settings: SignalSettings = _DEFAULTS) -> Tags:
    """Tags by path, title and labels, in the order of the settings; the shipped platforms where these name none.

    The ending of a file (`.cu`) names a platform only where nothing else does: others compile such files, too.
    """
    platforms = settings.platforms or PLATFORMS
    found = _named(pull, platforms)
    if not found and not settings.platforms:
        found = {BY_ENDING[ending] for file in pull.files if (ending := _ending(file.path)) in BY_ENDING}
    modules = _named(pull, settings.modules) if settings.modules else set()
    return Tags(
        platforms=tuple(tag.key for tag in platforms if tag.key in found),
        modules=tuple(tag.key for tag in settings.modules if tag.key in modules),
    )


def _named(pull: PullRequest, tags: tuple[Tag, ...]) -> set[str]:
    by_part = _by_part(tags)
    found = {tag.key for tag in tags if tag.paths for file in pull.files if matches_any(file.path, tag.paths)}
    for file in pull.files:
        found |= _of_path(file.path, by_part)
    said = _Said.by(pull)
    return found | {tag.key for tag in tags if any(said.names(word) for word in tag.words)}


@lru_cache(maxsize=8)
def _by_part(tags: tuple[Tag, ...]) -> Mapping[str, list[str]]:
    by_part: dict[str, list[str]] = {}
    for tag in tags:
        for part in tag.parts:
            by_part.setdefault(part.casefold(), []).append(tag.key)
    return by_part


def _of_path(path: str, by_part: Mapping[str, list[str]]) -> set[str]:
    """What the deepest folder names that names any, else the file; an operating system beside a kind of hardware."""
    found: set[str] = set()
    for systems in (False, True):
        named = (
            {key for key in keys if (key in SYSTEMS) is systems}
            for keys in (_keys(name, by_part) for name in _inside_out(path))
        )
        found |= next(filter(None, named), set())
    return found


def _inside_out(path: str) -> Iterator[str]:
    """The folders from the deepest up, and then the file."""
    *folders, name = path.split("/")
    yield from reversed(folders)
    yield name


def _keys(name: str, by_part: Mapping[str, list[str]]) -> Iterator[str]:
    return (key for part in _BETWEEN_PARTS.split(name.casefold()) for key in by_part.get(part, ()))


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].casefold()


@dataclass(frozen=True, slots=True)
class _Said:
    """Words of the title as written, and in small letters; in small letters those of labels and tags in brackets."""

    written: frozenset[str]
    small: frozenset[str]
    naming: frozenset[str]

    @classmethod
    def by(cls, pull: PullRequest) -> "_Said":
        written = frozenset(_words((pull.title,)))
        naming = (found[1] or found[2] for found in _NAMING.finditer(pull.title))
        return cls(
            written,
            frozenset(word.casefold() for word in written),
            frozenset(word.casefold() for word in _words((*naming, *(pull.labels or ())))),
        )

    def names(self, word: str) -> bool:
        small = word.casefold()
        return small in self.naming or word in (self.small if word == small else self.written)


def _words(texts: Iterable[str]) -> Iterator[str]:
    """Words with the hyphens inside them, and their parts: `bare-metal` is three."""
    for text in texts:
        for match in _WORD.finditer(text):
            yield match[0]
            yield from _BETWEEN_PARTS.split(match[0])
