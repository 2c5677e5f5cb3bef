"""People as GitHub's GraphQL names them (pure)."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from prhub_digest.collect import landing
from prhub_digest.models.accounts import DELETED, account_name
from prhub_digest.models.pull_request import Person

_KINDS: dict[str, Literal["human", "bot"]] = {
    "Bot": "bot",
    "User": "human",
    "Mannequin": "human",
    "EnterpriseUserAccount": "human",
}


def person(actor: Mapping[str, Any] | None) -> Person:
    """The person of an `Actor`: None is a deleted account, one without a login is somebody whom we may not see."""
    if actor is None or actor.get("login") == DELETED:
        return Person(kind="deleted")
    login = actor.get("login")
    kind = _KINDS.get(actor.get("__typename") or "", "unknown")
    return Person(login=account_name(login) if login else None, name=actor.get("name") or None, kind=kind)


def commit_author(author: Mapping[str, Any] | None) -> Person:
    """The author of a commit: by account when GitHub knows it, else by the name that the commit carries."""
    name = (author or {}).get("name") or ""
    user = (author or {}).get("user")
    return person({"__typename": "User", "name": name, **user}) if user else landing.person(name)


def co_authors(author: Person, commits: Iterable[Mapping[str, Any]]) -> tuple[Person, ...]:
    """Who else wrote the commits or is named in their `Co-authored-by` lines: once each, accounts first."""
    people: list[Person] = []
    for commit in commits:
        people += (commit_author(commit.get("author")), *landing.co_authors(commit.get("message") or "", ""))
    own = _names(author).union(*(_names(known) for known in people if _account(known) & _account(author)))
    taken: set[str] = set()
    found = []
    for known in sorted(people, key=lambda known: known.login is None):
        names = _names(known)
        if names - {"unknown"} and not names & own and not (_account(known) or names) & taken:
            taken |= names
            found.append(known)
    return tuple(found)


def _account(known: Person) -> set[str]:
    return {known.login.casefold()} if known.login else set()


def _names(known: Person) -> set[str]:
    return {name.casefold() for name in (known.login, known.name) if name}
