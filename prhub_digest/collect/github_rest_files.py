"""The files of a pull request by GitHub's REST API, for when git cannot give its diff.

A page has a budget of lines: past it, rows come without patch, without counts even, and nothing marks them. What looks
so is read again in small pages; what GitHub still does not show is named.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from prhub_digest.collect.github_api import GitHubApi, well_formed
from prhub_digest.collect.github_counts import Agreement, compared
from prhub_digest.collect.github_pulls import ListedPull, PullDetail, PullDiff
from prhub_digest.diff import count_changes
from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.models.pull_request import FileChange, FileStatus, PatchState

if TYPE_CHECKING:
    import github

_PAGE = 100
_SMALL_PAGE = 10
_MOST_FILES = 3000
_NAMED = 5
_STATUS: dict[str, FileStatus] = {"added": "added", "removed": "deleted", "renamed": "renamed", "copied": "copied"}
_SUBMODULE = re.compile(r"@@[^\n]*@@(?:\n[-+]Subproject commit [0-9a-f]{40,64}(?:-dirty)?)+\n?")
_BY_REST = "the diff is from GitHub's REST API, not from git"
_NO_FILES = "GitHub lists no files and counts none, as it may for a very large pull request, too"

_Row = dict[str, Any]
_State = Literal["complete", "uncertain", "partial", "missing"]


def files_by_rest(api: GitHubApi, repository: str, listed: ListedPull, detail: PullDetail) -> PullDiff:
    """The files as GitHub shows them; complete only when nothing is cut and they add up to GitHub's own counts.

    Raises:
        ServiceError: GitHub refuses the token, asks to wait for too long, or its REST API fails as a whole.
    """
    path = f"/repos/{repository}/pulls/{listed.number}/files"
    try:
        files = _files(api, path, detail)
    except FatalServiceError:
        raise
    except ServiceError as error:
        _ask_light(api, repository)
        return PullDiff((), "missing", notes=(f"the diff could not be read: {error}",))
    agreement, notes = compared(files, detail)
    if agreement == "same" and not files:
        notes = (_NO_FILES,)
    if agreement != "same" and len(files) >= _MOST_FILES:
        notes += (f"GitHub lists no more than {_MOST_FILES} files of a pull request",)
    return PullDiff(files, _state(files, agreement), notes=(_BY_REST, *notes, *_notes(files)))


def _state(files: Sequence[FileChange], agreement: Agreement) -> _State:
    if not files:
        return "uncertain" if agreement == "same" else "missing"
    cut = any(file.patch_state in {"not_given", "truncated"} for file in files)
    if cut or agreement == "different" or (agreement == "unknown" and len(files) >= _MOST_FILES):
        return "partial"
    return "complete" if agreement == "same" else "uncertain"


def _files(api: GitHubApi, path: str, detail: PullDetail) -> tuple[FileChange, ...]:
    """All rows, those that look cut read a second time.

    Raises:
        ServiceError: GitHub does not answer.
    """
    rows = _rows(api, path)
    agreement, _ = compared([_file(row) for row in rows], detail)
    for start in range(0, len(rows) if len(rows) > _SMALL_PAGE else 0, _SMALL_PAGE):
        place = slice(start, start + _SMALL_PAGE)
        if any(_looks_cut(row, sums_match=agreement == "same") for row in rows[place]):
            rows[place] = _reread(api, path, start // _SMALL_PAGE + 1, rows[place])
    return tuple(map(_file, rows))


def _reread(api: GitHubApi, path: str, number: int, rows: list[_Row]) -> list[_Row]:
    """The rows of a small page, as they were when that cannot be read.

    Raises:
        FatalServiceError: as above.
    """
    try:
        again, _ = _page(api, path, _SMALL_PAGE, number)
    except FatalServiceError:
        raise
    except ServiceError:
        return rows
    return again if [row["filename"] for row in again] == [row["filename"] for row in rows] else rows


def _rows(api: GitHubApi, path: str) -> list[_Row]:
    rows: list[_Row] = []
    for number in range(1, _MOST_FILES // _PAGE + 1):
        page, more = _page(api, path, _PAGE, number)
        rows += page
        if not more:
            break
    return rows


def _page(api: GitHubApi, path: str, size: int, number: int) -> tuple[list[_Row], bool]:
    """One page, and whether there is another; a request of its own, so that its failure costs no other page."""
    return api.rest(partial(_ask, path=path, size=size, number=number), f"GET {path}")


def _ask_light(api: GitHubApi, repository: str) -> None:
    """Whether the REST API answers at all: then what failed is one pull request's affair.

    Raises:
        ServiceError: it does not.
    """
    path = f"/repos/{repository}"
    api.rest(lambda client: client.requester.requestJsonAndCheck("GET", path), f"GET {path}")


def _ask(client: "github.Github", path: str, size: int, number: int) -> tuple[list[_Row], bool]:
    headers, rows = client.requester.requestJsonAndCheck("GET", path, {"per_page": size, "page": number})
    if not isinstance(rows, list):
        raise ValueError("not a list")  # noqa: TRY004 - a bad value of the server's, no bad type here
    return well_formed(rows), 'rel="next"' in headers.get("link", "")


def _looks_cut(row: _Row, *, sums_match: bool) -> bool:
    """Without a patch, unless the sums of all rows show that there is nothing to show."""
    return row.get("patch") is None and (not sums_match or row["additions"] + row["deletions"] > 0)


def _file(row: _Row) -> FileChange:
    patch = row.get("patch") or None
    return FileChange(
        path=row["filename"],
        previous_path=row.get("previous_filename"),
        status=_STATUS.get(row["status"], "modified"),
        additions=row["additions"],
        deletions=row["deletions"],
        patch=patch,
        patch_state=_patch_state(patch, row["additions"], row["deletions"]),
    )


def _patch_state(patch: str | None, additions: int, deletions: int) -> PatchState:
    if patch is None:
        return "not_given" if additions or deletions else "no_text_change"
    if _SUBMODULE.fullmatch(patch):
        return "submodule"
    shown = count_changes(patch)
    return "truncated" if shown[0] < additions or shown[1] < deletions else "complete"


def _notes(files: Sequence[FileChange]) -> Iterator[str]:
    """What is not shown, by name."""
    not_given = [file.path for file in files if file.patch_state == "not_given"]
    if not_given:
        yield f"content not shown by GitHub, too large: {_listed(not_given)}"
    truncated = [file.path for file in files if file.patch_state == "truncated"]
    if truncated:
        yield f"content shown by GitHub in part: {_listed(truncated)}"
    silent = [file.path for file in files if file.patch_state == "no_text_change" and file.previous_path is None]
    if silent:
        yield f"no change of text shown; a binary or empty file or a mode, REST does not tell which: {_listed(silent)}"


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(paths[:_NAMED]) + more
