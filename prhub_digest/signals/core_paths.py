"""Which files are core: named by the settings, or learned from what a week's pull requests change and import most."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import normpath

from prhub_digest.models.globs import matches_any
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import Flag
from prhub_digest.signals.flag_evidence import from_places, listed
from prhub_digest.signals.subject import Subject

# A file that one pull request changed is not core, however often it is imported.
_FEWEST_CHANGES = 2
_RELATIVE = re.compile(
    r"^(?:from\s+(?P<dots>\.+)(?P<python>[\w.]*)\s+import\b)|(?:from|import|require\()\s*[\"'](?P<script>\.{1,2}/[^\"']+)"
)
_ABSOLUTE = re.compile(
    r"^\s*(?:from\s+(?P<source>\w[\w.]*)\s+import\s+(?P<item>\w+)?|import\s+(?:static\s+)?(?P<module>[A-Za-z_][\w.]*)\s*(?:;|as\b|,|$)"
    r"|(?:pub(?:\(\w+\))?\s+)?use\s+(?P<use>\w[\w:]*)|#\s*include\s+\"(?P<include>[^\"]+)\"|(?:\w+\s+)?\"(?P<go>[\w.-]+\.[\w-]+/[\w./-]+)\"$)"
)
# One of them stands in every diff that shows an import; Go's stand alone, between quotation marks.
_IMPORT_WORDS = ("import", "include", "use ", "require(", '\t"')
_HOLDS_IMPORT = re.compile("|".join(map(re.escape, _IMPORT_WORDS))).search
_ROOTS = frozenset({"__init__", "mod", "lib", "index", "main"})


@dataclass(frozen=True, slots=True)
class Touched:
    """What one pull request adds to the learning.

    `paths` are the source files of which it changed code, the most changed first; `imports` are pairs of a file and a
    module that its diff shows an import of; `otherwise` is the flag when none of the files is core.
    """

    pull: int
    paths: tuple[str, ...]
    imports: tuple[tuple[str, str], ...]
    otherwise: Flag


def touched(subject: Subject) -> Touched:
    files = [file for file in subject.source if file.edits_code]
    files.sort(key=lambda file: (-file.change.additions - file.change.deletions, file.path))
    imports = {
        (file.path, module)
        for file in files
        if file.mentions(_IMPORT_WORDS)
        for hunk in file.hunks
        for row in hunk.new
        if _HOLDS_IMPORT(row.text)
        for module in _modules(file.path, row.text)
    }
    otherwise = from_places(subject.pull, "core_path", (), "no core file changed")
    return Touched(subject.pull.number, tuple(file.path for file in files), tuple(sorted(imports)), otherwise)


def core_path(own: Touched, core: Mapping[str, str] | None) -> Flag:
    """A core file changed; `core` is what `core_files` says."""
    if core is None:
        return Flag(name="core_path", raised=None, evidence="too few pull requests to learn which files are core")
    found = [f"{path} ({core[path]})" for path in own.paths if path in core]
    return Flag(name="core_path", raised=True, evidence=listed(found, "; ")) if found else own.otherwise


def core_files(week: Sequence[Touched], settings: SignalSettings) -> Mapping[str, str] | None:
    """Why a file is core, by path. None when nothing is configured and the week is too small to learn it."""
    if settings.core_paths:
        paths = {path for own in week for path in own.paths}
        return {path: "core by the settings" for path in paths if matches_any(path, settings.core_paths)}
    if sum(bool(own.paths) for own in week) < settings.core_pulls:
        return None
    changed: dict[str, set[int]] = defaultdict(set)
    for own in week:
        for path in own.paths:
            changed[path].add(own.pull)
    importers = _importers(week, changed)
    scores = {path: (len(pulls), len(importers[path])) for path, pulls in changed.items()}
    ranked = sorted(scores, key=lambda path: (-sum(scores[path]), path))
    most = max(1, len(ranked) * settings.core_percent // 100)
    core = [
        path
        for path in ranked[:most]
        if scores[path][0] >= _FEWEST_CHANGES and sum(scores[path]) >= settings.core_score
    ]
    return {path: f"changed by {scores[path][0]} pull requests, imported by {scores[path][1]} files" for path in core}


def _importers(week: Iterable[Touched], changed: Iterable[str]) -> dict[str, set[str]]:
    """The files whose diffs show an import of each changed file; a name that fits several files counts for none."""
    index: dict[str, set[str]] = defaultdict(set)
    for path in changed:
        for name in _names_of(path):
            index[name].add(path)
    found: dict[str, set[str]] = defaultdict(set)
    for own in week:
        for importer, module in own.imports:
            for path in _resolved(module, index):
                if path != importer:
                    found[path].add(importer)
    return found


def _names_of(path: str) -> Iterator[str]:
    """Under which names a file is imported: its path, and every ending of it of two parts or more.

    A package's root stands for its folder; a Go file too.
    """
    stem, _, ending = path.rpartition(".")
    parts = stem.split("/")
    if ending in {"h", "hpp", "cuh", "hh"}:
        parts = path.split("/")
    elif ending == "go":
        parts = parts[:-1]
    elif parts[-1] in _ROOTS:
        parts = parts[:-1]
        if parts and parts[-1] == "src":
            parts = parts[:-1]
        yield parts[-1] if parts else ""
    yield from ("/".join(parts[start:]) for start in range(len(parts) - 1))


def _resolved(module: str, index: Mapping[str, set[str]]) -> set[str]:
    """The files that a module names: the longest beginning of it that is known, then without what stands before."""
    parts = module.split("/")
    for first in range(len(parts)):
        for last in range(len(parts), first, -1):
            name = "/".join(parts[first:last])
            if name in index and (last - first > 1 or first == 0):
                return index[name] if len(index[name]) == 1 or name.count("/") else set()
        if first > 3:
            break
    return set()


def _modules(path: str, text: str) -> Iterator[str]:
    """The modules that a line imports, as parts of paths between `/`."""
    relative = _RELATIVE.search(text)
    if relative:
        folder = path.rpartition("/")[0]
        if relative["script"]:
            target = re.sub(r"\.[cm]?[jt]sx?$", "", relative["script"])
        else:
            target = "../" * (len(relative["dots"]) - 1) + relative["python"].replace(".", "/")
        yield normpath(f"{folder}/{target}")
        return
    found = _ABSOLUTE.match(text)
    if not found:
        return
    if found["source"]:
        yield "/".join((*found["source"].split("."), *([found["item"]] if found["item"] else ())))
    elif found["module"]:
        yield found["module"].replace(".", "/")
    elif found["use"]:
        yield found["use"].removeprefix("crate::").replace("::", "/")
    else:
        yield found["include"] or found["go"]
