"""Which files of a pull request change what it depends on."""

import re
from collections.abc import Iterable, Iterator

from prhub_digest.models.pull_request import PullRequest
from prhub_digest.signals.changes import file_diffs
from prhub_digest.signals.file_diffs import FileDiff, is_code
from prhub_digest.signals.flag_evidence import Place

# Files that hold nothing but dependencies: any change counts.
_PURE = re.compile(
    r"(?:[\w.-]*requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|go\.mod|Gemfile|environment\.ya?ml|Pipfile"
    r"|libs\.versions\.toml|Podfile|vcpkg\.json|conanfile\.txt)"
)
# Files that hold other settings too: a changed line must look like a requirement with a version.
_MIXED = frozenset(
    {
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "package.json",
        "Cargo.toml",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "composer.json",
        "Package.swift",
    }
)
_REQUIREMENT = re.compile(
    r"""^\s*(?:
        ["']?(?P<key>[@A-Za-z][\w.@/-]*)["']?\s*[=:]\s*(?:\{[^}\n]*?version\s*=\s*)?["'][\^~=<>v\s]*\d   # name = "^1.2"
      | ["']?[A-Za-z][\w.-]*(?:\[[\w,\s-]+\])?\s*(?:[<>=!~]=|[<>])\s*\d                              # "name>=1.2"
      | ["']?(?:[\w.-]*dependencies|\w*_?requires?)["']?\s*=\s*\[\s*["'][A-Za-z]    # dependencies = ["name"]
      | [\w.-]+\s*=\s*\[.*?["'][A-Za-z][\w.-]*(?:\[[\w,\s-]+\])?\s*(?:[<>=!~]=|[<>])\s*\d   # dev = ["name>=1.2"]
      | <version>                                                                                  # Maven
      | (?:implementation|api|compileOnly|testImplementation)\b                                    # Gradle
    )""",
    re.VERBOSE,
)
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")
# When a requirement applies: `marker = "python_full_version < '3.13'"`.
_CONDITION = re.compile(r"""\bmarkers?"?\s*[=:]\s*"[^"]*\"""")
_OWN_VERSION = re.compile(r"""^\s*["']?version["']?\s*[=:]\s*["'](?P<version>\d[\w.+-]*)["']""")
# Keys with versions of the package itself, or of its tools.
_OWN_KEYS = frozenset(
    {
        "version",
        "edition",
        "target-version",
        "python_version",
        "schema",
        "license",
        "minversion",
        "requires-python",
        "rust-version",
    }
)


def dependency_files(pull: PullRequest, read: Iterable[FileDiff] | None = None) -> list[str]:
    """Lock files, files of requirements, and manifests of which a line with a requirement changed; in path order.

    `read` are its files, where they are at hand.
    """
    files = file_diffs(pull) if read is None else read
    return sorted({place.path for place in dependency_places(files)})


def dependency_places(files: Iterable[FileDiff]) -> Iterator[Place]:
    """The first line of each file that changes what something depends on.

    A line that names nothing but the version which the repository's own packages get, or had, is none: a release.
    """
    listed = tuple(files)
    own = frozenset(version for file in listed for version in _own_versions(file))
    for file in listed:
        place = _dependency(file, own)
        if place is not None:
            yield place


def _own_versions(file: FileDiff) -> Iterator[str]:
    if file.kind == "lock" or file.path.rpartition("/")[2] not in _MIXED:
        return
    for row in (*file.added, *file.removed):
        found = _OWN_VERSION.match(row.text)
        if found:
            yield found["version"]


def _dependency(file: FileDiff, own: frozenset[str]) -> Place | None:
    name = file.path.rpartition("/")[2]
    pure = file.kind == "lock" or _PURE.fullmatch(name) is not None
    if not file.edited or not (pure or name in _MIXED):
        return None
    if file.change.patch is None:
        return Place(file.path, None, "changed")
    for rows, what in ((file.added, "added"), (file.removed, "removed")):
        for row in rows:
            if _counts(file, row.text, pure=pure) and own.isdisjoint(_VERSION.findall(row.text)):
                return Place(file.path, row.number, what, row.text)
    return None


def _counts(file: FileDiff, text: str, *, pure: bool) -> bool:
    """A lock file also names what depends on what, and its own format: only a line with a version counts there."""
    if file.kind == "lock":
        return _VERSION.search(_CONDITION.sub("", text)) is not None and "requires-python" not in text
    return is_code(text) if pure else _requires(text)


def _requires(text: str) -> bool:
    found = _REQUIREMENT.match(text)
    return found is not None and found["key"] not in _OWN_KEYS
