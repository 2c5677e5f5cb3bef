"""Which files of a pull request change what it depends on."""

import re

from prhub_digest.file_kinds import file_kind
from prhub_digest.models.pull_request import FileChange, PullRequest

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
    r"""^[+-]\s*(?:
        ["']?(?P<key>[@A-Za-z][\w.@/-]*)["']?\s*[=:]\s*(?:\{[^}\n]*?version\s*=\s*)?["'][\^~=<>v\s]*\d   # name = "^1.2"
      | ["']?[A-Za-z][\w.-]*(?:\[[\w,\s-]+\])?\s*(?:[<>=!~]=|[<>])\s*\d                              # "name>=1.2"
      | <version>                                                                                  # Maven
      | (?:implementation|api|compileOnly|testImplementation)\b                                    # Gradle
    )""",
    re.MULTILINE | re.VERBOSE,
)
# Keys with versions of the package itself, or of its tools.
_OWN_KEYS = frozenset({"version", "edition", "target-version", "python_version", "schema", "license", "minversion"})


def dependency_files(pull: PullRequest) -> list[str]:
    """Lock files, files of requirements, and manifests of which a line with a requirement changed; in path order."""
    return sorted(file.path for file in pull.files if _changes_dependency(file))


def _changes_dependency(file: FileChange) -> bool:
    name = file.path.rpartition("/")[2]
    if file_kind(file.path) == "lock" or _PURE.fullmatch(name):
        return True
    if name not in _MIXED or (file.status == "renamed" and not file.additions + file.deletions):
        return False
    if file.patch is None:
        return True
    return any(found["key"] not in _OWN_KEYS for found in _REQUIREMENT.finditer(file.patch))
