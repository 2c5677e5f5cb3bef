"""Where pull requests come from: the interface that every source implements."""

from collections.abc import Iterator
from typing import Protocol

from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, PullRequest

# A note of a collection that ends so is one that the user must not miss: it is a warning, too.
MAY_BE_MISSING = "pull requests may be missing"


class Source(Protocol):
    @property
    def rereads(self) -> bool:
        """Whether everything is read again each time: cheap, and it may have been edited."""
        ...

    @property
    def repository(self) -> str:
        """`owner/name`, or `local/<folder>`, found without the network.

        Raises:
            SourceError: the input cannot be used.
        """
        ...

    def head(self) -> str | None:
        """The commit that would be read now, found without the network; None when it is not known.

        Raises:
            SourceError: the input cannot be used.
        """
        ...

    def collection(self, period: Period) -> Collection:
        """Which pull requests landed in the period, without reading their diffs.

        Raises:
            SourceError: the input cannot be used (not a repository, history that lacks the period, ...).
            ServiceError: the remote side failed.
        """
        ...

    def pull_requests(self, collection: Collection, skip: frozenset[int]) -> Iterator[PullRequest]:
        """The pull requests of a collection, one at a time, secrets masked; those in `skip` are stored already.

        Raises:
            SourceError: as above.
            ServiceError: as above.
        """
        ...
