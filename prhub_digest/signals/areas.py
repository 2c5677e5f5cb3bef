"""The closed list of areas, and which of them a pull request is of: one by rule, or the few that a model may choose."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from prhub_digest.file_kinds import FileKinds
from prhub_digest.models.globs import matches_any, matches_text
from prhub_digest.models.pull_request import FileChange, PullRequest
from prhub_digest.models.signals import OTHER, Area
from prhub_digest.signals.area_learning import Change, learned_areas
from prhub_digest.signals.changes import BY_PATH, NOISE, lines_of

# An area with this share of the changed lines is the pull request's own.
_DECISIVE_SHARE = 2 / 3
# One with less than this is a side effect of the change, not a choice.
_LEAST_SHARE = 0.1
_MOST_CANDIDATES = 4
_SHARED_AREAS = (
    Area(key="docs", paths=("docs/**", "doc/**", "website/**", "**/*.md", "**/*.rst", "**/*.mdx")),
    Area(key="tests", paths=("test/**", "tests/**", "**/test/**", "**/tests/**", "**/test_*", "**/*_test.*")),
    Area(
        key="build",
        paths=(
            ".*",
            ".*/**",
            "docker/**",
            "**/Dockerfile*",
            "Makefile",
            "*.toml",
            "*.cfg",
            "*.json",
            "*.lock",
            "*requirements*.txt",
            "*constraints*.txt",
            "CMakeLists.txt",
        ),
    ),
)
# `[Scheduler] ...`, `[Core][Scheduler] ...`, `fix(scheduler): ...`, `scheduler: ...`
_TAGS = re.compile(r"\[([^\]\n]{1,40})\]|^\s*\w+\(([^()\n]{1,60})\)!?:|^\s*([\w/ -]{1,40}):\s")


def area_list(
    pulls: Sequence[PullRequest], configured: tuple[Area, ...] = (), kinds: FileKinds = BY_PATH
) -> tuple[Area, ...]:
    """The closed list: the configured one, or one learned from the week.

    `other` is always in it. The order of `pulls` does not matter.
    """
    if configured:
        return closed(configured)
    changes = [Change(f"#{pull.number}", tuple(file.path for file in pull.files), pull.labels) for pull in pulls]
    learned = tuple(found.area for found in learned_areas(changes, kinds=kinds))
    return closed((*learned, *shared_areas({file.path for pull in pulls for file in pull.files})))


def shared_areas(paths: set[str]) -> tuple[Area, ...]:
    """The areas that any repository has, as far as `paths` are in them; they stand after the learned ones."""
    return tuple(area for area in _SHARED_AREAS if any(matches_any(path, area.paths) for path in paths))


def closed(areas: tuple[Area, ...]) -> tuple[Area, ...]:
    return areas if any(area.key == OTHER for area in areas) else (*areas, Area(key=OTHER))


def area_candidates(pull: PullRequest, areas: Sequence[Area], kinds: FileKinds = BY_PATH) -> tuple[str, ...]:
    """The pull request's area alone where rules suffice, else the two to four that may be it, best first.

    The area with two thirds of the changed lines; else the only one with a tenth or more; else the only one of these
    that a label or a tag of the title names. Where no path is in an area, the labels and tags alone speak, and `other`.
    Lines are those of source files if there are any; ties go to the earlier area.
    """
    weights = _weights(pull, areas, kinds)
    named = _named(pull, areas)
    if not weights:
        return tuple(named) if len(named) == 1 else (*named[: _MOST_CANDIDATES - 1], OTHER)
    total = sum(weights.values())
    ranked = sorted(weights, key=lambda key: -weights[key])
    if weights[ranked[0]] >= _DECISIVE_SHARE * total:
        return (ranked[0],)
    choice = [key for key in ranked if weights[key] >= _LEAST_SHARE * total] or ranked[:1]
    both = [key for key in choice if key in named]
    return tuple(both if len(both) == 1 else choice[:_MOST_CANDIDATES])


def areas_touched(pull: PullRequest, areas: Sequence[Area], kinds: FileKinds = BY_PATH) -> tuple[str, ...]:
    """All areas that its files stand in, in the order of `areas`."""
    return tuple(_weights(pull, areas, kinds))


def _weights(pull: PullRequest, areas: Sequence[Area], kinds: FileKinds) -> Mapping[str, int]:
    """Changed lines by area, in the order of `areas`; what is in none has no weight."""
    with_kinds = [(file, kinds.of_file(file)) for file in pull.files]
    told = [(file, kind) for file, kind in with_kinds if kind not in NOISE]
    pages = [file for file, kind in told if kind == "docs"]
    others = [file for file, kind in told if kind != "docs"]
    decisive = (
        [file for file, kind in with_kinds if kind == "source"]
        # What a page tells of the rest of a change says no more where it is the smaller part.
        or (others if lines_of(others) > lines_of(pages) else others + pages)
        or list(pull.files)
    )
    weights: Counter[str] = Counter()
    for file in decisive:
        weights[_area_of_path(file, areas)] += max(1, lines_of((file,)))  # a rename without edits weighs one line
    return {area.key: weights[area.key] for area in areas if area.key != OTHER and area.key in weights}


def _area_of_path(file: FileChange, areas: Sequence[Area]) -> str:
    return next((area.key for area in areas if matches_any(file.path, area.paths)), OTHER)


def _named(pull: PullRequest, areas: Sequence[Area]) -> list[str]:
    """The areas that labels or tags of the title name, in the order of `areas`."""
    labels = pull.labels or ()
    tags = [tag for found in _TAGS.finditer(pull.title) for tag in (found[1] or found[2] or found[3]).split(",")]
    bare = (re.sub(r"^(?:[^:/]*[:/]|[a-zA-Z]-)\s*", "", label) for label in labels)
    spellings = {_spelling(text) for text in (*tags, *labels, *bare)}
    return [
        area.key
        for area in areas
        if area.key != OTHER
        and (
            _spelling(area.key) in spellings
            or any(matches_text(label, pattern) for label in labels for pattern in area.labels)
        )
    ]


@lru_cache(maxsize=4096)
def _spelling(text: str) -> str:
    return re.sub(r"[\W_]+", "-", text.casefold()).strip("-")
