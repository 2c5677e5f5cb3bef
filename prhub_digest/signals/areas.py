"""The closed list of areas, and the one area of a pull request."""

import re
from collections import Counter
from collections.abc import Sequence

from prhub_digest.file_kinds import file_kind
from prhub_digest.models.globs import matches
from prhub_digest.models.pull_request import FileChange, PullRequest
from prhub_digest.models.signals import OTHER, Area
from prhub_digest.signals.changes import is_support, lines_of, without_noise

_MOST_AREAS = 12
# A folder that holds this share of the pull requests tells nothing as an area: its subfolders are the areas.
_DOMINANT_SHARE = 0.4
_DEEPEST = 5
# Folders that only hold packages; never an area of their own while they have subfolders.
_CONTAINERS = frozenset({"apps", "cmd", "crates", "internal", "lib", "libs", "modules", "packages", "pkg", "src"})
# In weeks of this size a folder must have been touched by two pull requests to become an area.
_LARGE_WEEK = 20
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
            "*.txt",
        ),
    ),
)
_RESERVED = frozenset({"doc", "website", "test", "build", OTHER, *(area.key for area in _SHARED_AREAS)})

_Buckets = dict[str, set[int]]


def area_list(pulls: Sequence[PullRequest], configured: tuple[Area, ...] = ()) -> tuple[Area, ...]:
    """The closed list: the configured one, or folders learned from the paths of the week, deepest first.

    `other` is always in it. The order of `pulls` does not matter.
    """
    areas = configured or (*_learned_areas(pulls), *_shared_areas(pulls))
    return areas if any(area.key == OTHER for area in areas) else (*areas, Area(key=OTHER))


def area_of(pull: PullRequest, areas: Sequence[Area]) -> str:
    """The area with most changed lines, of source files if there are any; ties go to the earlier area."""
    files = without_noise(pull) or pull.files
    decisive = [file for file in files if _is_source(file.path)] or files
    weights: Counter[str] = Counter()
    for file in decisive:
        # A rename without edits weighs one line.
        weights[_area_of_path(file.path, areas)] += max(1, lines_of((file,)))
    named = [area.key for area in areas if area.key in weights and area.key != OTHER]
    return max(named, key=lambda key: weights[key]) if named else OTHER


def _area_of_path(path: str, areas: Sequence[Area]) -> str:
    return next((area.key for area in areas if any(matches(path, pattern) for pattern in area.paths)), OTHER)


def _is_source(path: str) -> bool:
    return file_kind(path) == "source"


def _shared_areas(pulls: Sequence[PullRequest]) -> tuple[Area, ...]:
    paths = {file.path for pull in pulls for file in pull.files}
    return tuple(
        area for area in _SHARED_AREAS if any(matches(path, pattern) for path in paths for pattern in area.paths)
    )


def _learned_areas(pulls: Sequence[PullRequest]) -> tuple[Area, ...]:
    touched: dict[str, set[int]] = {}
    for pull in pulls:
        for file in pull.files:
            if _is_learnable(file):
                touched.setdefault(file.path, set()).add(pull.number)
    week = len(set().union(*touched.values())) if touched else 0
    buckets = _split(touched, "", week)
    least = 2 if week >= _LARGE_WEEK else 1
    folders = sorted(
        (folder for folder, numbers in buckets.items() if folder and len(numbers) >= least),
        key=lambda folder: (-len(buckets[folder]), folder),
    )[:_MOST_AREAS]
    keys = _keys(folders)
    # The first match wins, so a subfolder stands before the folder that holds it.
    deepest_first = sorted(folders, key=lambda folder: (-folder.count("/"), folder))
    return tuple(Area(key=keys[folder], paths=(f"{folder}/**",)) for folder in deepest_first)


def _is_learnable(file: FileChange) -> bool:
    return _is_source(file.path) and not is_support(file.path) and not file.path.startswith(".")


def _split(touched: _Buckets, folder: str, week: int) -> _Buckets:
    """Folders to the pull requests that touched them; a dominant folder is replaced by its subfolders.

    What lies directly in a split folder stays under the folder's own name.
    """
    prefix = f"{folder}/" if folder else ""
    children: dict[str, _Buckets] = {}
    buckets: _Buckets = {}
    for path, numbers in touched.items():
        head, slash, _ = path.removeprefix(prefix).partition("/")
        if slash and _slug(head) not in _RESERVED:
            children.setdefault(prefix + head, {})[path] = numbers
        else:
            buckets.setdefault(folder, set()).update(numbers)
    for child, paths in children.items():
        numbers = set().union(*paths.values())
        splits = child.count("/") < _DEEPEST and (
            child.rpartition("/")[2].casefold() in _CONTAINERS or len(numbers) >= _DOMINANT_SHARE * week
        )
        for name, inner in (_split(paths, child, week) if splits else {child: numbers}).items():
            buckets.setdefault(name, set()).update(inner)
    return buckets


def _keys(folders: Sequence[str]) -> dict[str, str]:
    """A short key for each folder: its name, deep down after the name of the chosen folder that holds it.

    A key that two folders would share is the whole path.
    """
    names = {folder: _named_parts(folder) for folder in folders}
    keys: dict[str, str] = {}
    for folder in folders:
        holders = [parent for parent in _parents(folder) if parent in names]
        name = names[folder][-1]
        keys[folder] = f"{names[holders[0]][-1]}-{name}" if len(holders) > 1 else name
    taken = Counter(keys.values())
    return {
        folder: key if taken[key] == 1 and key not in _RESERVED else "-".join(map(_slug, folder.split("/")))
        for folder, key in keys.items()
    }


def _named_parts(folder: str) -> list[str]:
    """The slugged parts of a path without the containers, unless there is nothing else."""
    parts = folder.split("/")
    return [_slug(part) for part in parts if part.casefold() not in _CONTAINERS] or [_slug(parts[-1])]


def _parents(folder: str) -> list[str]:
    """The folders above it, nearest first."""
    parts = folder.split("/")
    return ["/".join(parts[:length]) for length in range(len(parts) - 1, 0, -1)]


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text.casefold()).strip("-_") or "root"
