"""What an endpoint's failure means for us. Pure; no message holds a key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from prhub_digest.errors import FatalServiceError, PrhubError, ServiceError
from prhub_digest.llm.chat_format import error_text, error_words, usage_of
from prhub_digest.llm.client import ContextLengthError, NoAnswerError, UnusableReplyError
from prhub_digest.retry import RetriableError, retry_after_seconds

NAMED_BY = "--model or PRHUB_MODEL"
_NO_MONEY = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"}
)
_CONTEXT = re.compile(
    r"context[ _](length|size|window|limit)|exceed_context|prompt is too long|too many tokens|`inputs` tokens \+",
    re.IGNORECASE,
)
# In the words of OpenAI, DeepSeek, OpenRouter, Mistral, Groq, Moonshot, LiteLLM, Ollama and vLLM.
_NO_MODEL = re.compile(
    r"model_not_found|model\b.{0,80}\b(not found|not exist|been decommissioned)|(unknown|no such) model\b"
    r"|invalid model( (id|name)s?\b|:)|not a valid model\b|not found the model\b|access to (the )?model\b"
    r"|supported( api)? models?( names?)? are\b",
    re.IGNORECASE,
)
_NO_MODEL_CODES = frozenset({"model_not_found", "model_decommissioned", "invalid_model"})
# Names that an error inside a 200 goes by, where it has no number.
_BUSY = re.compile(r"rate.?limit|too.?many.?requests|resource.?exhausted", re.IGNORECASE)
_BROKEN = re.compile(
    r"(server|internal).?error|\binternal\b|overloaded|unavailable|timeout|timed.?out|bad.?gateway", re.IGNORECASE
)
_STATUS = re.compile("[45][0-9][0-9]")
# What OpenSSL says of a server that answers in plain text.
_NO_TLS = re.compile(r"WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE|UNEXPECTED_EOF|http request", re.IGNORECASE)
# What servers of https answer to http: nginx, Go's.
_WANTS_HTTPS = re.compile(r"to (an )?HTTPS (port|server)", re.IGNORECASE)
# No service asks for a longer wait than until its daily limit is back.
_LONGEST_WAIT = 86_400.0


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for, for a message: the address, the model, and where the user named that."""

    place: str
    model: str
    named_by: str


def status_error(
    status: int,
    body: Any,
    headers: Mapping[str, str],
    *,
    place: str,
    model: str,
    named_by: str = NAMED_BY,
    inside_200: bool = False,
) -> PrhubError:
    """The error for a response with status 300 or above; `body` as the SDK decoded it, `headers` in lower case.

    `named_by` is where the user named the model. `inside_200`: the status stood in the body of a response that claimed
    success.
    """
    if status < 400:
        host = urlsplit(headers.get("location", "")).netloc or "another address"
        return FatalServiceError(
            f"{place} redirects (HTTP {status}) to {host}: nothing is sent to a host that you did not name;"
            " set OPENAI_BASE_URL to the right address"
        )
    words = error_text(body) if body else "it says no more"
    named = f"error {status} inside HTTP 200" if inside_200 else f"HTTP {status}"
    if status == 402 or about_money(body):
        return FatalServiceError(f"{place}: the account's quota is used up ({named}): {words}")
    if status in {408, 409, 429} or status >= 500:
        return RetriableError(f"{place} answered {named}: {words}", _wait(headers), status)
    if inside_200:
        usage = usage_of(body if isinstance(body, dict) else {})
        return NoAnswerError(f"the endpoint answered 200 with an error: {words}", usage)
    if status == 401:
        return FatalServiceError(
            f"{place} refused the key (HTTP 401): check OPENAI_API_KEY, and OPENAI_BASE_URL that it belongs to"
        )
    return _rejection(status, words, body, _Asked(place, model, named_by))


def _rejection(status: int, words: str, body: Any, asked: _Asked) -> PrhubError:
    """The error for a request that would be rejected again."""
    for_all = _rejection_of_all(status, words, body, asked)
    if for_all:
        return FatalServiceError(f"{asked.place} {for_all}")
    if status == 413 or about_context(body):
        return ContextLengthError(f"{ContextLengthError.SAYS}: {words}")
    return UnusableReplyError(f"{asked.place} rejected the request (HTTP {status}): {words}")


def _rejection_of_all(status: int, words: str, body: Any, asked: _Asked) -> str:
    """What the endpoint did, and what to check, where it would reject every other request too; empty elsewhere."""
    said = f"(HTTP {status}: {words})"
    if _about_model(words, body):
        return f"does not know the model {asked.model!r} {said}: check {asked.named_by}"
    if status == 403:
        return f"refused access {said}: check OPENAI_API_KEY, and OPENAI_BASE_URL that it belongs to"
    if status == 404:
        return (
            f"has no chat completions, or does not know the model {asked.model!r} {said}:"
            f" check {asked.named_by}, and the address: {address_hint(asked.place)}"
        )
    if status in {405, 410, 501}:
        return f"takes no chat completions {said}: {address_hint(asked.place)}"
    if _WANTS_HTTPS.search(words):
        return f"speaks https, and was asked in http (HTTP {status}): write https:// in OPENAI_BASE_URL"
    return ""


def address_hint(place: str) -> str:
    """What is most likely wrong with an address at which something answers, and no model endpoint."""
    path = urlsplit(place).path
    if path.endswith("/chat/completions"):
        return "OPENAI_BASE_URL ends before /chat/completions"
    if "://" not in place or "/v1" in path:
        return "is OPENAI_BASE_URL the address of a model endpoint?"
    return f"OPENAI_BASE_URL mostly ends in /v1: is it {place}/v1?"


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
        return FatalServiceError(f"cannot connect to {place}: {words}: {_connection_hint(words)}")
    return RetriableError(f"the connection to {place} broke: {words}")


def _connection_hint(words: str) -> str:
    if _NO_TLS.search(words):
        return "it does not speak https; for http, write http:// in OPENAI_BASE_URL"
    if "CERTIFICATE_VERIFY_FAILED" in words:
        return "its certificate is not trusted here; SSL_CERT_FILE names the authority of your own network"
    return "is the server running, and is OPENAI_BASE_URL right?"


def about_money(body: Any) -> bool:
    """Whether an error body says that the account is empty: no pause helps then."""
    return bool(_codes(body) & _NO_MONEY)


def about_context(body: Any) -> bool:
    """Whether an error body says that the request is too long for the model."""
    return bool(_CONTEXT.search(error_words(body)) or _CONTEXT.search(" ".join(_codes(body))))


def _about_model(words: str, body: Any) -> bool:
    """Whether a rejection is of the model that was named: in its words, its code, or the parameter that it blames."""
    inner = body.get("error", body) if isinstance(body, dict) else {}
    blamed = inner.get("param") if isinstance(inner, dict) else None
    return bool(_NO_MODEL.search(words) or _codes(body) & _NO_MODEL_CODES or blamed == "model")


def _wait(headers: Mapping[str, str]) -> float | None:
    wait = retry_after_seconds(headers)
    return wait if wait is None or wait <= _LONGEST_WAIT else None


def _codes(body: Any) -> set[str]:
    """`code`, `type` and `status` of an error body, which the SDK hands over with or without its outer `error`."""
    inner = body.get("error", body) if isinstance(body, dict) else {}
    if not isinstance(inner, dict):
        return set()
    return {value for name in ("code", "type", "status") if isinstance(value := inner.get(name), str)}
