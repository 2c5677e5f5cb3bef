"""Who had a commit in a repository's history before a period, as far as the history at hand tells."""

from dataclasses import dataclass

from prhub_digest.collect.git_command import Git
from prhub_digest.collect.git_log import LogEntry, Walk
from prhub_digest.collect.landing import person
from prhub_digest.models.people import is_bot

# Addresses that many accounts share.
_SHARED = frozenset({"", "noreply@github.com", "none@none"})


@dataclass(frozen=True, slots=True)
class EarlierAuthors:
    """Names and e-mail addresses in small letters; they stay in here. `whole`: no part of the history is cut off."""

    names: frozenset[str]
    emails: frozenset[str]
    whole: bool

    def first_contribution(self, entry: LogEntry) -> bool | None:
        """Whether the author of a commit of the period had none before; None for a bot, and when nobody can know."""
        if is_bot(person(entry.author)):
            return None
        if entry.author.casefold() in self.names or entry.email.casefold() in self.emails:
            return False
        return True if self.whole else None


def earlier_authors(git: Git, walked: Walk) -> EarlierAuthors:
    """The authors of all commits that the newest one before the period holds, other than those of its pull requests.

    Raises:
        SourceError: git cannot read the history.
    """
    own = {entry.sha for pull in walked.pulls for entry in pull.entries}
    names, emails = set(), set()
    if walked.before is not None:
        for record in git.records("log", "-z", "--format=%H%n%an%n%ae", walked.before, "--"):
            sha, name, email = record.decode("utf-8", "replace").casefold().split("\n", 2)
            if sha not in own:
                names.add(name)
                emails.add(email)
    whole = git.line("rev-parse", "--is-shallow-repository") == "false"
    return EarlierAuthors(frozenset(names), frozenset(emails - _SHARED), whole)
