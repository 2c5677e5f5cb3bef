"""Which folders have owners of their own, by a `CODEOWNERS` file of GitHub or GitLab (pure)."""

from collections.abc import Iterable


def owned_folders(text: str, paths: Iterable[str]) -> tuple[str, ...]:
    """The folders that a line names from the top of the repository, as far as one of `paths` is in them.

    No folder: a pattern of file names (`*.py`), a folder of any place (`docs/`), a line that takes owners away.
    """
    tops = {"/".join(parts[:depth]) for path in paths for parts in [path.split("/")] for depth in range(1, len(parts))}
    named = (_folder(line) for line in text.split("\n"))
    return tuple(dict.fromkeys(folder for folder in named if folder in tops))


def _folder(line: str) -> str | None:
    words = line.partition("#")[0].split()
    if len(words) < 2 or line.startswith(("[", "^[")):  # GitLab's sections have owners, but no folder
        return None
    bare = words[0].removesuffix("/**").removesuffix("/*").removesuffix("/")
    if any(mark in bare for mark in "*?[") or "/" not in words[0].rstrip("/"):
        return None
    return bare.removeprefix("/") or None
