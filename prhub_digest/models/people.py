"""Who is a bot, and whether two records name the same person."""

from prhub_digest.models.accounts import account_name, named_as_bot
from prhub_digest.models.pull_request import Person

# Accounts that act by themselves without the `[bot]` ending.
_KNOWN_BOTS = frozenset(
    {
        "bors",
        "codecov-commenter",
        "codecov-io",
        "copilot",
        "copilot-swe-agent",
        "copybara-service",
        "coveralls",
        "dependabot",
        "dependabot-preview",
        "gemini-code-assist",
        "github-actions",
        "k8s-ci-robot",
        "mergify",
        "pre-commit-ci",
        "pytorchmergebot",
        "renovate",
        "renovate-bot",
        "rustbot",
    }
)
# GitHub itself commits what is merged with its button; that says nothing about who pressed it.
_NOBODY = frozenset({"github", "web-flow"})


def is_bot(person: Person) -> bool:
    """True for a bot by its kind, by the ending `[bot]`, or by a known name."""
    if person.kind == "bot" or named_as_bot(person.label):
        return True
    return account_name(person.label).casefold() in _KNOWN_BOTS


def same_person(one: Person, other: Person) -> bool | None:
    """Whether two records are one person; None when they cannot be compared (a login against a bare name).

    Nobody knows whether two deleted accounts were one.
    """
    if "deleted" in {one.kind, other.kind}:
        return False if one.login or other.login else None
    if one.kind == other.kind == "bot":
        return _account(one.label) == _account(other.label)
    if one.login and other.login:
        kinds_differ = {one.kind, other.kind} == {"human", "bot"}
        return not kinds_differ and _account(one.login) == _account(other.login)
    if one.name and other.name and not (one.login or other.login):
        return None if {one.name.casefold(), other.name.casefold()} & _NOBODY else one.name == other.name
    return None


def _account(name: str) -> str:
    return account_name(name).casefold()
