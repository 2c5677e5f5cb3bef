"""Everything said about each pull request: asked in batches, every nested list read to its end.

What GitHub does not give is noted, and makes the pull request incomplete; the pull request itself is never left out.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from prhub_digest.collect.github_api import Answer, GitHubApi
from prhub_digest.collect.github_gaps import NO_ANSWER, WHOLE, mark_hidden, part_of, reason
from prhub_digest.collect.github_pages import Page, Reading
from prhub_digest.collect.github_parts import PartSize, in_parts
from prhub_digest.collect.github_pulls import ListedPull, PullDetail
from prhub_digest.collect.github_queries import DETAIL_BATCH, DETAILS, MORE_BATCH, REPOSITORY, more
from prhub_digest.errors import ServiceError

_MOST_UNANSWERED = 3


def read_details(api: GitHubApi, repository: str, pulls: Sequence[ListedPull]) -> Iterator[PullDetail]:
    """The details of each pull request, in the order given, batch by batch as they are taken.

    Args:
        api: the client of the run.
        repository: `owner/name`, as GitHub spells it.
        pulls: as listed; one whose details cannot be had is made from that alone.

    Raises:
        ServiceError: GitHub fails as a whole, or for several pull requests in a row, or asks to wait for too long. None
            of those in the row was given as read then.
    """
    unanswered: list[Reading] = []
    size, more_size = PartSize(DETAIL_BATCH), PartSize(MORE_BATCH)
    check_service = partial(_ask_light, api, repository)
    for part, answer in in_parts(pulls, size, partial(_ask_details, api), check_service):
        readings = [_reading(listed, place, answer) for place, listed in enumerate(part)]
        if isinstance(answer, ServiceError):
            unanswered += readings
            _end_a_row(unanswered, answer)
            continue
        yield from (reading.detail(repository) for reading in unanswered)
        unanswered.clear()
        pages = [page for reading in readings for page in reading.next_pages()]
        while pages:
            later: list[Page] = []
            for some, pages_answer in in_parts(pages, more_size, partial(_ask_more, api), check_service):
                later += (new for place, page in enumerate(some) for new in page.take(f"m{place}", pages_answer))
            pages = later
        yield from (reading.detail(repository) for reading in readings)
    yield from (reading.detail(repository) for reading in unanswered)


def _end_a_row(unanswered: Sequence[Reading], error: ServiceError) -> None:
    """One or two are their own affair; each takes long to be given up, and more will hardly fare better.

    Raises:
        ServiceError: as above.
    """
    if len(unanswered) == _MOST_UNANSWERED:
        named = ", ".join(f"#{reading.listed.number}" for reading in unanswered)
        raise ServiceError(
            f"GitHub did not answer for the details of {len(unanswered)} pull requests in a row ({named}): {error}"
        ) from error


def _ask_details(api: GitHubApi, pulls: Sequence[ListedPull], divisible: bool) -> Answer:
    return api.query(DETAILS, {"ids": [pull.id for pull in pulls]}, divisible=divisible)


def _ask_more(api: GitHubApi, pages: Sequence[Page], divisible: bool) -> Answer:
    variables: dict[str, str | None] = {}
    for place, page in enumerate(pages):
        variables |= {f"id{place}": page.owner["id"], f"after{place}": page.after}
    return api.query(more([page.connection for page in pages]), variables, divisible=divisible)


def _ask_light(api: GitHubApi, repository: str) -> Answer:
    """Whether GitHub answers at all: what fails then is one pull request's affair."""
    owner, _, name = repository.partition("/")
    return api.query(REPOSITORY, {"owner": owner, "name": name})


def _reading(listed: ListedPull, place: int, answer: Answer | ServiceError) -> Reading:
    """What an answer to DETAILS holds of the pull request at `place`."""
    if isinstance(answer, ServiceError):
        return Reading(listed, None, {**dict(listed.gaps), WHOLE: NO_ANSWER})
    reading = Reading(listed, answer.data["nodes"][place] or None, dict(listed.gaps))
    own = ("nodes", place)
    for problem in answer.problems:
        if problem.path[:2] == own[: len(problem.path)]:  # a path that ends above concerns all
            path = problem.path[2:]
            mark_hidden(reading.node, path)
            reading.add_gap(part_of(path), reason(problem))
    return reading
