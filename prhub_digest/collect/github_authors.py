"""Which people of a period had no pull request merged before it, by GitHub's search."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from prhub_digest.collect.github_api import Answer, GitHubApi
from prhub_digest.collect.github_queries import AUTHOR_BATCH, authored
from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.models.people import is_bot
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Person

_LOGIN = re.compile(r"[A-Za-z0-9][\w-]*", re.ASCII)


def first_contributions(
    api: GitHubApi, repository: str, period: Period, authors: Iterable[Person]
) -> Mapping[str, bool]:
    """By login, whether it is the first period with a merged pull request; who is not in it is not known.

    An account that the search does not find in the period either is one that it cannot find: it is left out.

    Raises:
        FatalServiceError: the token is refused; any other failure leaves out those that were asked about.
    """
    logins = sorted({author.login for author in authors if author.login and _is_searched(author)})
    found: dict[str, bool] = {}
    for start in range(0, len(logins), AUTHOR_BATCH):
        batch = logins[start : start + AUTHOR_BATCH]
        try:
            answer = api.query(authored(len(batch)), _queries(repository, period, batch))
        except FatalServiceError:
            raise
        except ServiceError:
            break  # a search that fails will fail for the others, too
        found |= _first(batch, answer)
    return found


def _is_searched(author: Person) -> bool:
    return author.kind == "human" and not is_bot(author) and _LOGIN.fullmatch(author.login or "") is not None


def _queries(repository: str, period: Period, logins: Sequence[str]) -> dict[str, str]:
    """The texts of the searches: what was merged before the period, and before its end."""
    ends = {"before": period.since, "until": period.until}
    return {
        f"{name}{place}": f"repo:{repository} is:pr is:merged author:{login} merged:<{_timestamp(end)}"
        for place, login in enumerate(logins)
        for name, end in ends.items()
    }


def _first(logins: Sequence[str], answer: Answer) -> dict[str, bool]:
    counts = {name: (found or {}).get("issueCount") for name, found in answer.data.items()}
    return {
        login: counts[f"before{place}"] == 0
        for place, login in enumerate(logins)
        if counts[f"until{place}"] and counts[f"before{place}"] is not None
    }


def _timestamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
