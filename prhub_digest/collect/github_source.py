"""The GitHub source: what was merged by GitHub's GraphQL API, with its conversation; diffs by git, else by REST."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from prhub_digest.collect.filters import listed_reason
from prhub_digest.collect.github_access import GitHubAccess
from prhub_digest.collect.github_api import GitHubApi
from prhub_digest.collect.github_authors import first_contributions
from prhub_digest.collect.github_details import read_details
from prhub_digest.collect.github_diffs import WeekDiffs
from prhub_digest.collect.github_listed import look_up
from prhub_digest.collect.github_listing import list_pulls
from prhub_digest.collect.github_pulls import ListedPull, PullDetail, PullDiff
from prhub_digest.collect.github_rest_files import files_by_rest
from prhub_digest.collect.github_threads import lines_changed_later
from prhub_digest.collect.masking import mask, mask_collection
from prhub_digest.models.filters import Filters, SetAside
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, PullRequest, ReviewThread


class GitHubSource:
    """The pull requests that GitHub counts as merged in a period.

    Args:
        repository: `owner/name`, also an old one of a renamed repository.
        access: finds address and token; called when something is really asked for.
        filters: what the lists show to be outside of the digest is set aside, and nothing more is asked about it.
        max_wait: seconds that the waits for GitHub's limits may take together.
        say: called with each wait, and with git's own progress lines while it fetches.
    """

    rereads = False

    def __init__(
        self,
        repository: str,
        access: Callable[[], GitHubAccess],
        filters: Filters,
        max_wait: float,
        say: Callable[[str], None],
    ) -> None:
        self._given = repository
        self._access = access
        self._filters = filters
        self._max_wait = max_wait
        self._say = say
        self._listed: dict[int, ListedPull] = {}

    @property
    def repository(self) -> str:
        """The name as it was given; the collection holds the one that GitHub uses."""
        return self._given

    def head(self) -> None:
        return None

    def collection(self, period: Period) -> Collection:
        """Which pull requests were merged in the period, by three lists that are compared.

        Raises:
            SettingsError: no token, or an address that cannot be used.
            SourceError: no such repository, or the token cannot see it.
            ServiceError: GitHub failed, or asks to wait for too long.
        """
        with self._api(self._access()) as api:
            listing = list_pulls(api, self._given, period)
        self._listed = {pull.number: pull for pull in listing.pulls}
        set_aside = []
        for pull in listing.pulls:
            reason = listed_reason(self._filters, listing.default_branch, pull.base_branch, pull.author)
            if reason is not None:
                set_aside.append(SetAside(number=pull.number, title=pull.title, reason=reason[0], detail=reason[1]))
        outside = {pull.number for pull in set_aside}
        collection = Collection(
            repository=listing.repository,
            source="github",
            web_url=listing.web_url,
            period=period,
            numbers=tuple(pull.number for pull in listing.pulls if pull.number not in outside),
            direct_commits=listing.direct_commits,
            filters=self._filters,
            set_aside=tuple(set_aside),
            attributes=listing.attributes,
            notes=listing.notes,
        )
        return mask_collection(collection)

    def pull_requests(self, collection: Collection, skip: frozenset[int]) -> Iterator[PullRequest]:
        """The collection's pull requests one at a time, those whose conversation or diff is incomplete marked so.

        Raises:
            SettingsError: as in `collection`.
            ServiceError: as in `collection`.
        """
        access, repository = self._access(), collection.repository
        numbers = [number for number in collection.numbers if number not in skip]
        with self._api(access) as api, WeekDiffs(access, repository, self._say) as diffs:
            pulls = self._looked_up(api, repository, numbers)
            new = first_contributions(api, repository, collection.period, (pull.author for pull in pulls))
            diffs.fetch(pulls)
            for listed, detail in zip(pulls, read_details(api, repository, pulls), strict=True):
                diff = diffs.diff(listed, detail) or files_by_rest(api, repository, listed, detail)
                pull = _pull_request(listed, detail, diff, diffs)
                yield mask(pull.updated(first_contribution=new.get(pull.author.login or "")))

    def _looked_up(self, api: GitHubApi, repository: str, numbers: Sequence[int]) -> tuple[ListedPull, ...]:
        """As listed; a run that continues an earlier one has no list and asks for the few that are left."""
        unknown = [number for number in numbers if number not in self._listed]
        self._listed |= {pull.number: pull for pull in look_up(api, repository, unknown)} if unknown else {}
        return tuple(self._listed[number] for number in numbers)

    @contextmanager
    def _api(self, access: GitHubAccess) -> Iterator[GitHubApi]:
        api = GitHubApi(access, max_wait=self._max_wait, say=self._say)
        try:
            yield api
        finally:
            self._max_wait -= api.waited
            api.close()


def _pull_request(listed: ListedPull, detail: PullDetail, diff: PullDiff, diffs: WeekDiffs) -> PullRequest:
    pull = detail.pull
    threads = pull.threads and tuple(_thread(thread, listed, detail, diffs) for thread in pull.threads)
    notes = (*pull.completeness.notes, *diff.notes)
    return pull.updated(
        files=diff.files,
        merge_kind=diff.merge_kind,
        threads=threads,
        completeness=pull.completeness.updated(diff=diff.state, notes=notes),
    )


def _thread(thread: ReviewThread, listed: ListedPull, detail: PullDetail, diffs: WeekDiffs) -> ReviewThread:
    anchor = detail.anchors.get(thread.id)
    if anchor is None:
        return thread
    changed = lines_changed_later(anchor, detail.head_commit, diffs.text(listed, thread.path))
    return thread.updated(lines_changed_later=changed)
