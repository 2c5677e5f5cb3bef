"""Which git there is, and whether it is one that can fetch a week."""

import re
from dataclasses import dataclass

from prhub_digest.collect.git_command import GitFailedError, run_git
from prhub_digest.errors import SourceError

# The first that takes settings, and with them the token, from the environment (GIT_CONFIG_COUNT); reading the names of
# what to fetch from stdin (`fetch --stdin`) came two versions earlier.
OLDEST_GIT = (2, 31)
WANTED = f"git {'.'.join(map(str, OLDEST_GIT))} or later is wanted"
_VERSION = re.compile(r"git version (\d+)\.(\d+)")
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class FoundGit:
    """`says` is what it says of itself, or why it is of no use."""

    says: str
    usable: bool


def found_git() -> FoundGit:
    """The git on PATH; a broken one is found by what it says of itself."""
    try:
        lines = run_git(["--version"]).decode("utf-8", "replace").split("\n")
    except SourceError:
        return FoundGit("git is not installed, or not on PATH", usable=False)
    except (GitFailedError, OSError) as error:
        return FoundGit(f"git does not work: git --version failed ({error})", usable=False)
    line = lines[0].strip()[:_LONGEST]
    version = _VERSION.match(line)
    if version is None:
        return FoundGit(f"git does not work: git --version says {line!r}", usable=False)
    if (int(version[1]), int(version[2])) < OLDEST_GIT:
        return FoundGit(f"{line} is too old", usable=False)
    return FoundGit(line, usable=True)
