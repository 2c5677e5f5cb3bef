"""The one GitHub client of a run: serial, every wait shown and bounded, every failure one of ours.

The only module that imports PyGithub. Its own retries and pauses are off: `retry.py` owns the retries, and serial
queries cannot break GitHub's limits by the minute (2,000 points, 60 seconds of its processors' time), so the second
that PyGithub waits before each POST would only cost a minute a week.
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import github

from prhub_digest import __version__
from prhub_digest.collect.github_access import GitHubAccess
from prhub_digest.collect.github_errors import (
    Asked,
    HeavyError,
    RateLimit,
    SilentError,
    date_of,
    errors_of,
    graphql_failure,
    http_failure,
    rate_limit,
    request_failure,
)
from prhub_digest.collect.github_waits import SHOWN_FROM, Waits
from prhub_digest.errors import FatalServiceError
from prhub_digest.retry import RetriableError

T = TypeVar("T")

_OPERATION = re.compile(r"\bquery\s+(\w+)")
_REDIRECTED = re.compile(r"redirected (?:from \S+ \S+ )?to ([^\s,]+)")  # in the words of PyGithub, and in ours
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class GraphQLProblem:
    """One entry of `errors` that came beside data; `kind` is GitHub's `type`, "" when it has none."""

    kind: str
    message: str
    path: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The `data` of an answer, every string of which can be written as UTF-8."""

    data: dict[str, Any]
    problems: tuple[GraphQLProblem, ...] = ()


class TooHeavyError(Exception):
    """The query was too much at once: ask in smaller parts."""


class GitHubApi:
    """Queries and REST calls, one at a time.

    Args:
        access: where GitHub is, and the token.
        max_wait: how many seconds all waits for GitHub's limits may take together.
        say: is told each wait before it begins.
        sleep: waits.
        timeout: how many seconds GitHub may be silent. It ends a query itself after 10.
    """

    def __init__(
        self,
        access: GitHubAccess,
        *,
        max_wait: float,
        say: Callable[[str], None],
        sleep: Callable[[float], None] = time.sleep,
        timeout: int = 30,
    ) -> None:
        self.calls = 0
        self.points = 0
        self.rest_calls = 0
        self.server_time: datetime | None = None
        self.remaining: RateLimit | None = None
        self._access = access
        self._say = say
        self._waits = Waits(max_wait, say, sleep)
        self._timeout = timeout
        self._token = _CountingToken(access.token.get_secret_value())
        self._host = urlsplit(access.api_url).netloc
        self._github = github.Github(
            auth=self._token,
            base_url=access.api_url,
            timeout=timeout,
            user_agent=f"prhub-digest/{__version__}",
            per_page=100,
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            lazy=True,
            api_version="2022-11-28",  # later ones lack merge_commit_sha in lists
        )

    @property
    def waited(self) -> float:
        """How many seconds went into waits for limits."""
        return self._waits.waited

    def query(self, text: str, variables: Mapping[str, Any], *, divisible: bool = False) -> Answer:
        """The answer to one GraphQL query.

        Raises:
            TooHeavyError: only when `divisible`: at once, for the caller to ask in smaller parts.
            SourceError: the repository does not exist, or the token cannot see it.
            FatalServiceError: the token is refused, or lacks a right.
            ServiceError: everything else, after retries and waits.
        """
        operation = _OPERATION.search(text)
        asked = Asked(
            self._host,
            f"query {operation[1]}" if operation else "query",
            self._access,
            repository=f"{variables.get('owner', '')}/{variables.get('name', '')}",
            graphql=True,
        )
        ask = self._divisible_once if divisible else self._query_once
        return self._waits.persist(partial(ask, text, dict(variables), asked))

    def rest(self, call: Callable[[github.Github], T], what: str = "REST request") -> T:
        """What `call` returns; it makes requests with PyGithub and may be called again from its start.

        Raises:
            FatalServiceError: the token is refused, or lacks a right.
            ServiceError: everything else, after retries and waits.
        """
        return self._waits.persist(partial(self._rest_once, call, Asked(self._host, what, self._access)))

    def close(self) -> None:
        self._github.close()

    def _divisible_once(self, text: str, variables: dict[str, Any], asked: Asked) -> Answer:
        began = time.monotonic()
        try:
            return self._query_once(text, variables, asked)
        except HeavyError as error:
            if isinstance(error, SilentError) or time.monotonic() - began > SHOWN_FROM:
                self._say(f"{error}; trying again with less at once")
            raise TooHeavyError(*error.args) from None

    def _query_once(self, text: str, variables: dict[str, Any], asked: Asked) -> Answer:
        self.calls += 1
        body, headers = self._guarded(lambda: self._graphql(text, variables), asked)
        self._count(body, headers)
        failure = graphql_failure(body, headers, asked)
        if failure:
            raise self._clean(failure)
        return _answer(body)

    def _graphql(self, text: str, variables: dict[str, Any]) -> tuple[dict[str, Any], Mapping[str, str]]:
        """Body and headers of an answer, errors in the body included.

        Raises:
            ValueError: the body is no JSON object.
        """
        try:
            headers, body = self._github.requester.graphql_query(text, variables)
        except github.GithubException as error:
            # what PyGithub makes of an answer with `errors`
            if error.status not in {400, 404} or not isinstance(error.data, dict) or "errors" not in error.data:
                raise
            return error.data, error.headers or {}
        except (TypeError, AttributeError):  # from PyGithub's own look at the body
            raise ValueError("the answer is not GraphQL") from None
        if "location" in headers:
            raise RuntimeError(f"redirected to {urlsplit(headers['location']).netloc}")
        if not isinstance(body, dict) or isinstance(body.get("data"), str):
            raise ValueError("the answer is not GraphQL")  # noqa: TRY004 - a bad value of the server's, no bad type here
        return body, headers

    def _rest_once(self, call: Callable[[github.Github], T], asked: Asked) -> T:
        before = self._token.requests
        try:
            return self._guarded(lambda: call(self._github), asked)
        finally:
            self.rest_calls += self._token.requests - before

    def _guarded(self, call: Callable[[], T], asked: Asked) -> T:
        """What `call` returns; the errors of PyGithub and below become ours."""
        failure: Exception
        try:
            return call()
        except github.GithubException as error:
            headers = error.headers or {}
            self.server_time = date_of(headers) or self.server_time
            failure = http_failure(error.status, error.data, headers, asked)
        except OSError as error:
            failure = request_failure(error, asked, self._timeout)
        except ValueError:
            failure = RetriableError(f"{asked}: the answer is cut, or is no JSON; is github_api_url right?")
        except (RuntimeError, AssertionError) as error:  # PyGithub's, when it is sent elsewhere
            failure = FatalServiceError(
                f"{asked}: it leads to another address ({_elsewhere(error)}): nothing is sent to a host that"
                " you did not name; set github_api_url to the right one"
            )
        # raised here, so that it does not carry the request, and with it the token, as its context
        raise self._clean(failure)

    def _count(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self.server_time = date_of(headers) or self.server_time
        data = body.get("data")
        limit = data.get("rateLimit") if isinstance(data, dict) else None
        if isinstance(limit, dict):  # null where limits are off, as on most Enterprise Servers
            self.points += limit.get("cost") or 0
        self.remaining = rate_limit(limit, headers) or self.remaining

    def _clean(self, error: Exception) -> Exception:
        """The error to raise; a server or a proxy may echo the token that it was sent."""
        token = self._access.token.get_secret_value()
        error.args = tuple(str(argument).replace(token, "***") for argument in error.args)
        return error


class _CountingToken(github.Auth.Token):
    """PyGithub asks it for the header of each request: the one public place where every request passes."""

    requests = 0

    def authentication(self, headers: dict[str, str]) -> None:
        self.requests += 1
        super().authentication(headers)


def _elsewhere(error: Exception) -> str:
    """Where a redirect or a page leads to: an address, or the part of it that is another one."""
    words = _REDIRECTED.search(str(error))
    return words[1] if words else str(error) or "without a host"


def well_formed(value: Any) -> Any:
    """A JSON value whose strings can be written as UTF-8: JSON lets half of a pair of surrogates through."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, dict):
        return {key: well_formed(item) for key, item in value.items()}
    return value


def _answer(body: Mapping[str, Any]) -> Answer:
    problems = (
        GraphQLProblem(error.get("type") or "", str(error.get("message", "")), tuple(error.get("path") or ()))
        for error in well_formed(errors_of(body))
    )
    return Answer(well_formed(body["data"]), tuple(problems))
