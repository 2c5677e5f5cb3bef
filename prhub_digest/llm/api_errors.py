"""What an endpoint's failure means for us. Pure; no message holds a key."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from prhub_digest.errors import FatalServiceError, PrhubError, ServiceError
from prhub_digest.llm.chat_format import error_text
from prhub_digest.llm.client import ContextLengthError, UnusableReplyError
from prhub_digest.retry import RetriableError, retry_after_seconds

_NO_MONEY = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
)
_CONTEXT = re.compile(
    r"context[ _](length|size|window)|exceed_context|prompt is too long|too many tokens", re.IGNORECASE
)
_NO_MODEL = re.compile(r"model_not_found|model\b.{0,80}\b(not found|does not exist)|unknown model", re.IGNORECASE)
_NO_SCHEMA = re.compile(r"response_format|json_schema|structured output", re.IGNORECASE)


def status_error(status: int, body: Any, headers: Mapping[str, str], *, place: str, model: str) -> PrhubError:
    """The error for a response with status 300 or above; `body` as the SDK decoded it, `headers` in lower case."""
    if status < 400:
        host = urlsplit(headers.get("location", "")).netloc or "another address"
        return FatalServiceError(
            f"{place} redirects (HTTP {status}) to {host}: nothing is sent to a host that you did not name;"
            " set OPENAI_BASE_URL to the right address"
        )
    words = error_text(body) if body else f"HTTP {status}"
    if status in {401, 403}:
        return FatalServiceError(
            f"{place} refused the key (HTTP {status}): check OPENAI_API_KEY, and OPENAI_BASE_URL that it belongs to"
        )
    if status == 402 or _codes(body) & _NO_MONEY:
        return FatalServiceError(f"{place}: the account's quota is used up (HTTP {status}): {words}")
    if status in {408, 409, 429} or status >= 500:
        return RetriableError(f"{place} answered HTTP {status}: {words}", retry_after_seconds(headers))
    return _rejection(status, words, " ".join(_codes(body)), place=place, model=model)


def _rejection(status: int, words: str, codes: str, *, place: str, model: str) -> PrhubError:
    """The error for a request that would be rejected again."""
    if status == 404 or _NO_MODEL.search(words) or "model_not_found" in codes:
        return FatalServiceError(
            f"{place} does not know the model {model!r} (HTTP {status}: {words}): "
            "check --model or PRHUB_MODEL, and the base URL, which mostly ends in /v1"
        )
    if status == 413 or _CONTEXT.search(words) or _CONTEXT.search(codes):
        return ContextLengthError(f"the request does not fit into the model's context: {words}")
    if status in {400, 422} and _NO_SCHEMA.search(words):
        return FatalServiceError(
            f"{place} takes no JSON schema for model {model!r} (HTTP {status}: {words}): choose a model or a server "
            "with structured output (response_format json_schema)"
        )
    return UnusableReplyError(f"{place} rejected the request (HTTP {status}): {words}")


def connection_error(cause: BaseException | None, *, place: str, answered: bool) -> ServiceError:
    """A lost connection may come back; one that never stood is most likely a wrong address."""
    words = error_text(str(cause)) if cause is not None and str(cause) else "connection failed"
    if type(cause).__name__ == "ConnectError" and not answered:
        return FatalServiceError(
            f"cannot connect to {place}: {words}: is the server running, and is OPENAI_BASE_URL right?"
        )
    return RetriableError(f"the connection to {place} broke: {words}")


def _codes(body: Any) -> set[str]:
    """`code` and `type` of an error body, which the SDK hands over with or without its outer `error`."""
    inner = body.get("error", body) if isinstance(body, dict) else {}
    if not isinstance(inner, dict):
        return set()
    return {value for value in (inner.get("code"), inner.get("type")) if isinstance(value, str)}
