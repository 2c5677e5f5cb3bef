"""Areas learned from changes: folders, owners' folders, folders that change together, labels that go with them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from prhub_digest.file_kinds import FileKinds
from prhub_digest.models.signals import OTHER, Area
from prhub_digest.signals.changes import BY_PATH, is_support

MOST_AREAS = 12
# A folder that holds this share of the changes tells nothing as an area: its subfolders are the areas.
_DOMINANT_SHARE = 0.4
_DEEPEST = 5
# Folders that only hold packages; never an area of their own while they have subfolders.
_CONTAINERS = frozenset({"apps", "cmd", "crates", "internal", "lib", "libs", "modules", "packages", "pkg", "src"})
# Among so many changes a folder must have been touched by two to become an area.
_MANY_CHANGES = 20
# A folder that has its own owners is an area of its own with this share of the changes.
_OWNED_SHARE = 0.02
# Two folders are one area when the smaller one hardly ever changes alone.
_TOGETHER, _TOGETHER_SHARE = 5, 0.8
# A label goes with an area when nearly all of its changes are there.
_LABELLED, _LABELLED_SHARE = 3, 0.8
_RESERVED = frozenset({"docs", "doc", "website", "tests", "test", "build", OTHER})

_Touched = dict[str, set[str]]


@dataclass(frozen=True, slots=True)
class Change:
    """One pull request or commit; `labels` is None when the source knows none."""

    id: str
    paths: tuple[str, ...]
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class LearnedArea:
    """An area, by how many changes its folders were touched, and what else speaks for it."""

    area: Area
    changes: int
    reasons: tuple[str, ...] = ()


@dataclass(slots=True)
class _Folder:
    """What will be an area: its folders, the largest first, and the changes that touched them."""

    paths: list[str]
    changes: set[str]
    reasons: list[str] = field(default_factory=list)


def learned_areas(
    changes: Iterable[Change],
    *,
    owned: Iterable[str] = (),
    kinds: FileKinds = BY_PATH,
    most: int = MOST_AREAS,
) -> tuple[LearnedArea, ...]:
    """Areas in the order in which they are matched: a subfolder stands before the folder that holds it.

    `owned` are folders with owners of their own (`CODEOWNERS`). The order of `changes` does not matter.
    """
    known = list(changes)
    touched: _Touched = {}
    for change in known:
        for path in change.paths:
            if _is_learnable(path, kinds):
                touched.setdefault(path, set()).add(change.id)
    folders = _together(_most_touched(touched, frozenset(owned), most))
    keys = _keys([folder.paths[0] for folder in folders])
    labels = _labels(known, {keys[folder.paths[0]]: folder.changes for folder in folders})
    deepest_first = sorted(folders, key=lambda folder: (-folder.paths[0].count("/"), folder.paths[0]))
    return tuple(_learned(folder, keys[folder.paths[0]], labels) for folder in deepest_first)


def _learned(folder: _Folder, key: str, labels: Mapping[str, Mapping[str, str]]) -> LearnedArea:
    found = labels.get(key, {})
    area = Area(key=key, paths=tuple(f"{path}/**" for path in folder.paths), labels=tuple(found))
    return LearnedArea(area, len(folder.changes), (*folder.reasons, *found.values()))


def _is_learnable(path: str, kinds: FileKinds) -> bool:
    return not path.startswith(".") and not is_support(path) and kinds.of(path) == "source"


def _most_touched(touched: _Touched, owned: frozenset[str], most: int) -> list[_Folder]:
    total = len(set().union(*touched.values())) if touched else 0
    buckets = _split(touched, "", total, owned)
    least = 2 if total >= _MANY_CHANGES else 1
    ranked = sorted(
        (path for path, ids in buckets.items() if path and len(ids) >= least),
        key=lambda path: (-len(buckets[path]), path),
    )
    folders = [_Folder([path], buckets[path]) for path in ranked[:most]]
    for folder in folders:
        if folder.paths[0] in owned:
            folder.reasons.append("CODEOWNERS names it")
    return folders


def _split(touched: _Touched, folder: str, total: int, owned: frozenset[str]) -> _Touched:
    """Folders to the changes that touched them; a dominant folder is replaced by its subfolders.

    What lies directly in a split folder stays under the folder's own name.
    """
    prefix = f"{folder}/" if folder else ""
    children: dict[str, _Touched] = {}
    buckets: _Touched = {}
    for path, ids in touched.items():
        head, slash, _ = path.removeprefix(prefix).partition("/")
        if slash and _slug(head) not in _RESERVED:
            children.setdefault(prefix + head, {})[path] = ids
        else:
            buckets.setdefault(folder, set()).update(ids)
    for child, paths in children.items():
        ids = set().union(*paths.values())
        for name, inner in (
            _split(paths, child, total, owned)
            if _is_split(child, len(ids), total)
            else _owned(paths, child, total, owned)
        ).items():
            buckets.setdefault(name, set()).update(inner)
    return buckets


def _is_split(folder: str, ids: int, total: int) -> bool:
    container = folder.rpartition("/")[2].casefold() in _CONTAINERS
    return folder.count("/") < _DEEPEST and (container or ids >= _DOMINANT_SHARE * total)


def _owned(touched: _Touched, folder: str, total: int, owned: frozenset[str]) -> _Touched:
    """A folder, without those below it that have owners of their own and are touched often enough."""
    below = sorted((path for path in owned if path.startswith(f"{folder}/")), key=lambda path: (-path.count("/"), path))
    rest, buckets = dict(touched), _Touched()
    for path in below:
        inside = [file for file in rest if file.startswith(f"{path}/")]
        ids = set().union(*(rest[file] for file in inside))
        if len(ids) >= max(2, _OWNED_SHARE * total):
            buckets[path] = ids
            rest = {file: ids for file, ids in rest.items() if file not in inside}
    if rest:
        buckets[folder] = set().union(*rest.values())
    return buckets


def _together(folders: Sequence[_Folder]) -> list[_Folder]:
    """Without folders that hardly ever change alone: each joins the larger one that it changes with.

    One that holds a third folder, or lies in one, stays: the order in which areas are matched decides between those.
    """
    kept: list[_Folder] = []
    for folder in folders:  # the largest first
        shared = [len(folder.changes & other.changes) for other in kept]
        common = max(shared, default=0)
        best = kept[shared.index(common)] if kept else folder
        apart = all(not _nested(folder, other) for other in folders if other is not folder and other is not best)
        if common < max(_TOGETHER, _TOGETHER_SHARE * len(folder.changes)) or not apart:
            kept.append(folder)
            continue
        best.reasons.append(f"{folder.paths[0]} changes with it in {common} of {len(folder.changes)}")
        best.paths += folder.paths
        best.changes = best.changes | folder.changes
    return kept


def _nested(one: _Folder, other: _Folder) -> bool:
    shorter, longer = sorted((one.paths[0], other.paths[0]), key=len)
    return longer.startswith(f"{shorter}/")


def _labels(changes: Sequence[Change], areas: Mapping[str, set[str]]) -> dict[str, dict[str, str]]:
    """For each area the labels that go with it, and why; in an area of many changes any label would."""
    labelled: dict[str, set[str]] = {}
    for change in changes:
        for label in change.labels or ():
            labelled.setdefault(label, set()).add(change.id)
    found: dict[str, dict[str, str]] = {}
    for label, ids in sorted(labelled.items()):
        for key, own in areas.items():
            inside = len(ids & own)
            telling = len(own) < _DOMINANT_SHARE * len(changes)
            if telling and inside >= max(_LABELLED, _LABELLED_SHARE * len(ids)):
                found.setdefault(key, {})[label] = f"label {label} in {inside} of {len(ids)}"
    return found


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
