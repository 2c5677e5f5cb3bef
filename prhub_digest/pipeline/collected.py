"""A collection that is stored: its pull requests, and the attributes and overrides that were to apply to it."""

from collections.abc import Iterable, Iterator, Sequence

from prhub_digest.errors import UsageError
from prhub_digest.models.pull_request import Collection, PullRequest
from prhub_digest.models.ranking import Override
from prhub_digest.run_folder import RunFolder, pull_name

# The only one that the GitHub source reads: that of the top folder.
_ATTRIBUTES = ".gitattributes"


def stored_pull(folder: RunFolder, number: int) -> PullRequest:
    """A collected pull request.

    Raises:
        UsageError: its file is gone, damaged, or holds another one.
    """
    name = pull_name(number)
    pull = folder.read_record(name, PullRequest)
    if pull is None:
        raise UsageError(f"{folder.file(name)} is gone; collect again with --refresh")
    if pull.number != number:
        raise UsageError(f"{folder.file(name)} holds pull request {pull.number}; collect again with --refresh")
    return pull


def without_own_attributes(collection: Collection, pulls: Iterable[PullRequest]) -> Collection:
    """The collection, without attributes where one of its pull requests changes them; a note says so.

    Such a pull request could hide with them what it does itself, and what others do. The git source reads the
    attributes as they were before the period, GitHub gives those of now.
    """
    if collection.source != "github" or not collection.attributes:
        return collection
    changing = [pull.number for pull in pulls if _changes_attributes(pull)]
    if not changing:
        return collection
    named = ", ".join(f"#{number}" for number in changing)
    note = f"{_ATTRIBUTES} is not used, since it was changed in the period ({named}): it could hide what was changed"
    return collection.updated(attributes=(), notes=(*collection.notes, note))


def unused_overrides(overrides: Sequence[Override], collection: Collection) -> Iterator[str]:
    """What of `[[overrides]]` cannot apply to this collection, a sentence each, for a warning."""
    labels = dict.fromkeys(label for override in overrides for label in override.labels)
    if collection.source == "git" and labels:
        yield f"[[overrides]] by label ({', '.join(labels)}) do nothing: git does not know labels; name pulls instead"
    named = dict.fromkeys(number for override in overrides for number in override.pulls)
    others = [f"#{number}" for number in named if number not in collection.numbers]
    if others:
        yield f"[[overrides]] name pull requests that are not in {collection.period.label}: {', '.join(others)}"


def _changes_attributes(pull: PullRequest) -> bool:
    return any(_ATTRIBUTES in (file.path, file.previous_path) for file in pull.files)
