"""What a failure of GitHub means for us. No message holds a token.

`HeavyError` and `LimitError` do not leave the client: it halves, retries or waits.
"""

import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import requests
import urllib3

from prhub_digest.collect.github_access import HOW_TO_GET_ONE, GitHubAccess
from prhub_digest.errors import FatalServiceError, ServiceError, SourceError
from prhub_digest.retry import RetriableError, retry_after_seconds

_SECONDARY = re.compile(r"secondary rate limit|abuse detection|submitted too quickly", re.IGNORECASE)
_PRIMARY = re.compile(r"rate limit (?:already )?exceeded", re.IGNORECASE)
_PRIMARY_TYPES = frozenset({"RATE_LIMIT", "RATE_LIMITED"})
_HEAVY = re.compile(
    r"resource limits? for this query exceeded|something went wrong while executing your query"
    r"|result of a timeout|possible nodes which exceeds",
    re.IGNORECASE,
)
_HEAVY_TYPES = frozenset({"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"})
_RESET_MARGIN = 2  # seconds: the header has whole ones
_LONGEST_WAIT = 1e8  # seconds; beyond that, a wait would end after the last year that a datetime has
_LONGEST_WORDS = 300
_MOST_TEXTS = 3
# Without these fields an answer is none; below them, what is missing is one pull request's affair.
_WHOLE = ("repository", "search", "nodes")


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, for messages; `repository` is the `owner/name` that a query names."""

    host: str
    what: str
    access: GitHubAccess
    repository: str = ""
    graphql: bool = False

    def __str__(self) -> str:
        return f"{self.host}: {self.what}"


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Points of the GraphQL API: how many an hour, how many are left, and when they are full again."""

    limit: int
    remaining: int
    reset: datetime


class HeavyError(RetriableError):
    """Too much for one query, or a server in trouble: smaller queries may pass."""


class SilentError(HeavyError):
    """No answer came, for so long that a person should know."""


class LimitError(Exception):
    """A limit of GitHub is reached. `wait` None: it named no time. `now` is the server's clock."""

    def __init__(self, why: str, wait: float | None, now: datetime) -> None:
        super().__init__(why)
        self.wait = wait
        self.now = now


def date_of(headers: Mapping[str, str]) -> datetime | None:
    try:
        moment = parsedate_to_datetime(headers.get("date", ""))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def errors_of(body: Any) -> list[dict[str, Any]]:
    errors = body.get("errors") if isinstance(body, dict) else None
    return [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []


def rate_limit(field: Any, headers: Mapping[str, str]) -> RateLimit | None:
    """From the `rateLimit` field of an answer, else from its headers; None where limits are off."""
    try:
        reset = datetime.fromisoformat(field["resetAt"]).astimezone(UTC)
        return RateLimit(int(field["limit"]), int(field["remaining"]), reset)
    except (KeyError, TypeError, ValueError):
        pass
    try:
        reset = datetime.fromtimestamp(int(headers["x-ratelimit-reset"]), UTC)
        return RateLimit(int(headers["x-ratelimit-limit"]), int(headers["x-ratelimit-remaining"]), reset)
    except (KeyError, ValueError, OverflowError, OSError):
        return None


def http_failure(status: int, body: Any, headers: Mapping[str, str], asked: Asked) -> Exception:
    """The error for an answer with a status of 400 or above; `headers` by lower-case name."""
    words = f"HTTP {status}" + "".join(f": {text}" for text in _texts(body)[:1])
    now = date_of(headers) or datetime.now(UTC)
    limit = _limit(status, body, headers, asked, now) if status in {403, 429} else None
    if limit:
        return limit
    if status >= 500 or status == 408:
        return _server_failure(status, f"{asked}: {words}", _asked_wait(headers, now), now)
    if status == 401:
        return FatalServiceError(
            f"{asked.host} refuses the token from {asked.access.token_from} ({words}): it is wrong, expired or"
            f" revoked; {HOW_TO_GET_ONE}"
        )
    if status == 403:
        return _saml(asked, words) if "x-github-sso" in headers or "SAML" in words else _forbidden(asked, words)
    if status == 404 and asked.graphql:
        return FatalServiceError(
            f"{asked} ({words}): there is no GraphQL API; check github_api_url ({asked.access.api_url})"
        )
    return ServiceError(f"{asked}: {words}")


def _server_failure(status: int, message: str, wait: float | None, now: datetime) -> Exception:
    if status in {502, 504}:
        return HeavyError(message, wait)
    return LimitError(message, wait, now) if wait else RetriableError(message)


def graphql_failure(body: Mapping[str, Any], headers: Mapping[str, str], asked: Asked) -> Exception | None:
    """The error for an answer with status 200; None when it can be used, all of it or with problems beside."""
    errors = errors_of(body)
    words = "; ".join(list(dict.fromkeys(_texts(body)))[:_MOST_TEXTS]) or "no data and no reason"
    limit = _limit(200, body, headers, asked, date_of(headers) or datetime.now(UTC))
    if limit:
        return limit
    if _types(body) & _HEAVY_TYPES or _HEAVY.search(words):
        return HeavyError(f"{asked}: {words}")
    if any(str(_extensions(error).get("code")).startswith("undefined") for error in errors):
        return FatalServiceError(
            f"{asked}: {words.rstrip('.')}: this GitHub Enterprise Server is too old for what is asked;"
            " update it, or read the repository with: --source git"
        )
    data = body.get("data")
    if not isinstance(data, dict):
        return ServiceError(f"{asked}: {words}")
    missing = [name for name in _WHOLE if name in data and data[name] is None]
    return _without(missing[0], errors, words, asked) if missing else None


def request_failure(error: OSError, asked: Asked, timeout: float) -> Exception:
    """The error for a request that got no whole answer."""
    root = _root(error)
    reason = getattr(root, "strerror", None) or str(root) or type(root).__name__
    if isinstance(root, ssl.SSLCertVerificationError):
        return FatalServiceError(
            f"{asked}: the certificate is not trusted ({root.verify_message}): if your network has a certificate"
            " authority of its own, set REQUESTS_CA_BUNDLE to the path of its PEM file"
        )
    if type(error) is OSError or _is_of_bundle(root):  # the first: what requests raises when the file is not there
        return FatalServiceError(f"{asked}: {reason}: check REQUESTS_CA_BUNDLE")
    if isinstance(error, requests.ReadTimeout) or _timed_out(error):
        return SilentError(f"{asked}: no answer within {timeout:g} s")
    if isinstance(error, requests.exceptions.ProxyError):
        return RetriableError(f"{asked}: the proxy that HTTPS_PROXY or HTTP_PROXY names failed: {reason}")
    return RetriableError(f"{asked}: {reason}")


def _without(field: str, errors: list[dict[str, Any]], words: str, asked: Asked) -> Exception:
    """The error for an answer that lacks the one thing that was asked for."""
    if any(_extensions(error).get("saml_failure") for error in errors):
        return _saml(asked, words)
    types = {error.get("type") for error in errors}
    if field == "repository" and types <= {"NOT_FOUND"}:
        return SourceError(
            f"{asked.access.server_url}/{asked.repository}: there is no such repository,"
            f" or the token from {asked.access.token_from} cannot see it"
        )
    return _forbidden(asked, words) if types == {"FORBIDDEN"} else ServiceError(f"{asked}: {words}")


def _saml(asked: Asked, words: str) -> Exception:
    return FatalServiceError(
        f"{asked.host}: the organization wants single sign-on for the token from {asked.access.token_from} ({words}):"
        " authorize it (on GitHub: Settings, Developer settings, your token, Configure SSO; or: gh auth refresh)"
    )


def _forbidden(asked: Asked, words: str) -> Exception:
    return FatalServiceError(
        f"{asked}: not allowed with the token from {asked.access.token_from} ({words}):"
        " it needs read access to Contents and Pull requests of the repository"
    )


def _limit(status: int, body: Any, headers: Mapping[str, str], asked: Asked, now: datetime) -> LimitError | None:
    words = " ".join(_texts(body)) or f"HTTP {status}"
    used_up = status != 200 and headers.get("x-ratelimit-remaining") == "0"
    wait = _asked_wait(headers, now)
    if not _SECONDARY.search(words) and (used_up or _PRIMARY.search(words) or _types(body) & _PRIMARY_TYPES):
        return LimitError(
            f"{asked.host}: the limit of this hour is used up: {words}", wait or _until_reset(headers, now), now
        )
    if status == 429 or _SECONDARY.search(words):
        return LimitError(f"{asked.host}: asked too much in a short time: {words}", wait, now)
    return None


def _asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    seconds = retry_after_seconds(headers, now)
    return min(seconds, _LONGEST_WAIT) if seconds is not None else None


def _until_reset(headers: Mapping[str, str], now: datetime) -> float | None:
    try:
        reset = datetime.fromtimestamp(float(headers["x-ratelimit-reset"]), UTC) + timedelta(seconds=_RESET_MARGIN)
    except (KeyError, ValueError, OverflowError, OSError):
        return None
    seconds = (reset - now).total_seconds()
    return seconds if seconds > 0 else None


def _extensions(error: Mapping[str, Any]) -> Mapping[str, Any]:
    extensions = error.get("extensions")
    return extensions if isinstance(extensions, dict) else {}


def _types(body: Any) -> set[str]:
    return {str(error.get("type")) for error in errors_of(body)}


def _texts(body: Any) -> list[str]:
    """What the answer says in words, each on one line, not too long, and fit for a terminal."""
    if not isinstance(body, dict):
        return []
    messages = [body.get("message"), *(error.get("message") for error in errors_of(body))]
    lines = (" ".join(text.split())[:_LONGEST_WORDS] for text in messages if isinstance(text, str))
    return ["".join(char if char.isprintable() else "\ufffd" for char in line) for line in lines if line]


def _timed_out(error: OSError) -> bool:
    """Whether the server fell silent in the middle of its answer."""
    return bool(error.args) and isinstance(error.args[0], urllib3.exceptions.ReadTimeoutError)


def _is_of_bundle(root: BaseException) -> bool:
    """Whether the file of certificates could not be read."""
    return isinstance(root, PermissionError) or getattr(root, "library", None) in {"X509", "PEM"}


def _root(error: BaseException) -> BaseException:
    while inner := error.__cause__ or error.__context__:
        error = inner
    return error
