"""What an endpoint's failure means for us. Pure; no message holds a key."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from prhub_digest.errors import FatalServiceError, PrhubError, ServiceError
from prhub_digest.llm.chat_format import error_text, usage_of
from prhub_digest.llm.client import ContextLengthError, NoAnswerError, UnusableReplyError
from prhub_digest.retry import RetriableError, retry_after_seconds

_NO_MONEY = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
)
_CONTEXT = re.compile(
    r"context[ _](length|size|window)|exceed_context|prompt is too long|too many tokens", re.IGNORECASE
)
_NO_MODEL = re.compile(r"model_not_found|model\b.{0,80}\b(not found|does not exist)|unknown model", re.IGNORECASE)
# Names that an error inside a 200 goes by, where it has no number.
_BUSY = re.compile(r"rate.?limit|too.?many.?requests|resource.?exhausted", re.IGNORECASE)
_BROKEN = re.compile(
    r"(server|internal).?error|\binternal\b|overloaded|unavailable|timeout|timed.?out|bad.?gateway", re.IGNORECASE
)
_STATUS = re.compile("[45][0-9][0-9]")
# No service asks for a longer wait than until its daily limit is back.
_LONGEST_WAIT = 86_400.0


def status_error(
    status: int, body: Any, headers: Mapping[str, str], *, place: str, model: str, inside_200: bool = False
) -> PrhubError:
    """The error for a response with status 300 or above; `body` as the SDK decoded it, `headers` in lower case.

    `inside_200`: the status stood in the body of a response that claimed success.
    """
    if status < 400:
        host = urlsplit(headers.get("location", "")).netloc or "another address"
        return FatalServiceError(
            f"{place} redirects (HTTP {status}) to {host}: nothing is sent to a host that you did not name;"
            " set OPENAI_BASE_URL to the right address"
        )
    words = error_text(body) if body else f"HTTP {status}"
    named = f"error {status} inside HTTP 200" if inside_200 else f"HTTP {status}"
    if status == 402 or about_money(body):
        return FatalServiceError(f"{place}: the account's quota is used up ({named}): {words}")
    if status in {408, 409, 429} or status >= 500:
        return RetriableError(f"{place} answered {named}: {words}", _wait(headers), status)
    if inside_200:
        usage = usage_of(body if isinstance(body, dict) else {})
        return NoAnswerError(f"the endpoint answered 200 with an error: {words}", usage)
    if status in {401, 403}:
        return FatalServiceError(
            f"{place} refused the key (HTTP {status}): check OPENAI_API_KEY, and OPENAI_BASE_URL that it belongs to"
        )
    return _rejection(status, words, body, place=place, model=model)


def _rejection(status: int, words: str, body: Any, *, place: str, model: str) -> PrhubError:
    """The error for a request that would be rejected again."""
    if status == 404 or _NO_MODEL.search(words) or "model_not_found" in _codes(body):
        return FatalServiceError(
            f"{place} does not know the model {model!r} (HTTP {status}: {words}): "
            "check --model or PRHUB_MODEL, and the base URL, which mostly ends in /v1"
        )
    if status == 413 or about_context(body):
        return ContextLengthError(f"{ContextLengthError.SAYS}: {words}")
    return UnusableReplyError(f"{place} rejected the request (HTTP {status}): {words}")


def enclosed_status(body: Any) -> int | None:
    """The status that an error in the body of a 200 stands for; None when there is no error, or it does not say."""
    error = body.get("error") if isinstance(body, dict) else None
    if not error:
        return None
    inner = error if isinstance(error, dict) else {"message": error}
    for value in (inner.get("code"), inner.get("status"), inner.get("status_code"), body.get("code")):
        if _STATUS.fullmatch(str(value)):
            return int(str(value))
    if about_money(body):
        return 402
    names = " ".join(_codes(body))
    return 429 if _BUSY.search(names) else 500 if _BROKEN.search(names) else None


def connection_error(cause: BaseException | None, *, place: str, answered: bool) -> ServiceError:
    """A lost connection may come back; one that never stood is most likely a wrong address."""
    words = error_text(str(cause)) if cause is not None and str(cause) else "connection failed"
    if type(cause).__name__ == "ConnectError" and not answered:
        return FatalServiceError(
            f"cannot connect to {place}: {words}: is the server running, and is OPENAI_BASE_URL right?"
        )
    return RetriableError(f"the connection to {place} broke: {words}")


def about_money(body: Any) -> bool:
    """Whether an error body says that the account is empty: no pause helps then."""
    return bool(_codes(body) & _NO_MONEY)


def about_context(body: Any) -> bool:
    """Whether an error body says that the request is too long for the model."""
    return bool(_CONTEXT.search(error_text(body)) or _CONTEXT.search(" ".join(_codes(body))))


def _wait(headers: Mapping[str, str]) -> float | None:
    wait = retry_after_seconds(headers)
    return wait if wait is None or wait <= _LONGEST_WAIT else None


def _codes(body: Any) -> set[str]:
    """`code`, `type` and `status` of an error body, which the SDK hands over with or without its outer `error`."""
    inner = body.get("error", body) if isinstance(body, dict) else {}
    if not isinstance(inner, dict):
        return set()
    return {value for name in ("code", "type", "status") if isinstance(value := inner.get(name), str)}
