"""Which merged pull requests the filters keep out of a digest, and why (pure).

What a list of pull requests shows decides first, so that nothing more is asked about one that it keeps out.
"""

from collections.abc import Callable, Sequence

from prhub_digest.models.accounts import account_name
from prhub_digest.models.filters import Filters, SetAside, SetAsideReason
from prhub_digest.models.globs import matches, matches_text
from prhub_digest.models.people import is_bot
from prhub_digest.models.pull_request import Person, PullRequest

_NOT = "!"


def listed_reason(
    filters: Filters, default_branch: str | None, base_branch: str | None, author: Person
) -> tuple[SetAsideReason, str] | None:
    """The reason that base branch or author give, with that branch or author; None for one that stays.

    Without patterns for `base` the default branch stays; when it is not known (None), every branch.
    """
    if not _base_stays(filters, default_branch, base_branch):
        return "base", base_branch or ""
    if not _stays(filters.authors, _names(author), _is_account):
        return "author", author.label
    if filters.bots == "group" and is_bot(author):
        return "bot", author.label
    return None


def read_reason(
    filters: Filters, pull: PullRequest, default_branch: str | None = None
) -> tuple[SetAsideReason, str] | None:
    """The same for a pull request that was read: its labels and its files may keep it out, too.

    What is not known keeps nothing out: labels that are None, files of a diff that is not whole.
    """
    listed = listed_reason(filters, default_branch, pull.base_branch, pull.author)
    if listed is not None:
        return listed
    if pull.labels is not None and not _stays(filters.labels, pull.labels, _is_label):
        return "label", ", ".join(pull.labels)
    paths = [path for file in pull.files for path in (file.path, file.previous_path) if path is not None]
    known = pull.completeness.diff in ("complete", "uncertain")
    if filters.paths and known and not any(_stays(filters.paths, (path,), matches) for path in paths):
        return "path", paths[0] if paths else ""
    return None


def set_aside(filters: Filters, pull: PullRequest) -> SetAside | None:
    """What is told of a pull request that the filters keep out; None for one that stays."""
    reason = read_reason(filters, pull)
    return SetAside(number=pull.number, title=pull.title, reason=reason[0], detail=reason[1]) if reason else None


def _base_stays(filters: Filters, default_branch: str | None, base_branch: str | None) -> bool:
    if filters.base:
        return _stays(filters.base, (base_branch,) if base_branch is not None else (), matches_text)
    return default_branch is None or base_branch is None or base_branch == default_branch


def _stays(patterns: Sequence[str], names: Sequence[str], match: Callable[[str, str], bool]) -> bool:
    """Whether one of the names matches a pattern (any, if there are none), and no name one that begins with `!`."""
    wanted = [pattern for pattern in patterns if not pattern.startswith(_NOT)]
    unwanted = [pattern.removeprefix(_NOT) for pattern in patterns if pattern.startswith(_NOT)]
    return (not wanted or _any(wanted, names, match)) and not _any(unwanted, names, match)


def _any(patterns: Sequence[str], names: Sequence[str], match: Callable[[str, str], bool]) -> bool:
    return any(match(name, pattern) for name in names for pattern in patterns)


def _names(person: Person) -> tuple[str, ...]:
    """Git knows a person's name only, GitHub the account too."""
    return tuple({name for name in (person.login, person.name, person.label) if name})


def _is_account(name: str, pattern: str) -> bool:
    """`dependabot[bot]` is `dependabot`, in upper or lower case."""
    return matches_text(account_name(name).casefold(), account_name(pattern).casefold())


def _is_label(label: str, pattern: str) -> bool:
    return matches_text(label.casefold(), pattern.casefold())
