"""The SDK's client for one endpoint: bounded, without retries of its own, its failures in our words.

The only module that imports openai, when a client is made.
"""

import json
import math
import os
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from prhub_digest.errors import FatalServiceError, PrhubError, SettingsError
from prhub_digest.llm.abilities import plain_address
from prhub_digest.llm.api_errors import NAMED_BY, connection_error, status_error
from prhub_digest.llm.http_bounds import Call, Streams, bounded_client

OPENAI_BASE_URL = "https://api.openai.com/v1"
_SHORTEST_KEY = 8
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Endpoint:
    """One connection pool for all threads. Raises SettingsError without a usable key.

    `base_url` None is OpenAI's own; any other endpoint gets no header that the environment holds for OpenAI, and a
    placeholder for a missing key. `timeout` is the time for all of one HTTP request, in seconds; `until`, in monotonic
    seconds, is when the last one is broken off. `named_by` says for messages where the user named a model.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
        connections: int,
        *,
        until: float = math.inf,
        named_by: Mapping[str, str] | None = None,
    ) -> None:
        import openai  # noqa: PLC0415 - 0.6 s: paid only by a run that asks a model

        url = (base_url or OPENAI_BASE_URL).strip()
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
        if parts.scheme not in {"http", "https"} or not host:
            raise SettingsError(f"the base URL of the model endpoint must begin with http:// or https://: {url}")
        own = host == "openai.com" or host.endswith(".openai.com")
        if own and not api_key:
            raise SettingsError("OPENAI_API_KEY is not set (for another endpoint, set OPENAI_BASE_URL)")
        self._place = plain_address(url)
        self._key = api_key or "none"
        self._timeout, self.until = timeout, until
        self._named_by = dict(named_by or {})
        self._answered = False
        self._openai = openai
        self._call = Call(Streams())
        foreign_headers: Any = {} if own else dict.fromkeys(_environment_headers(), openai.Omit())
        for name in foreign_headers:
            if name.lower() == "authorization":
                foreign_headers[name] = f"Bearer {self._key}"
        limits = type(openai.DEFAULT_CONNECTION_LIMITS)(
            max_connections=connections, max_keepalive_connections=connections
        )
        self._client = openai.OpenAI(
            base_url=url,
            api_key=self._key,
            max_retries=0,
            default_headers=foreign_headers,
            http_client=bounded_client(
                openai,
                self._call,
                base_url=url,
                timeout=timeout,
                limits=limits,
                follow_redirects=False,  # what is sent goes to the host the user named, and to no other
                trust_env=host not in _LOOPBACK,  # a proxy cannot reach this machine's own endpoint
            ),
            timeout=timeout,
        )
        if not own:
            self._client.organization = None
            self._client.project = None
            self._client.admin_api_key = None

    def close(self) -> None:
        """Also for threads whose call is in flight: it fails at once, and they can make no other."""
        self._call.streams.close()
        self._client.close()

    def _begin(self) -> None:
        self._call.streams.refuse_when_closed()
        self._call.begin(max(min(self._timeout, self.until - time.monotonic()), 0.0), self._place)

    def _fault(self, status: int, body: Any, model: str, *, inside_200: bool = False) -> "StatusFault":
        headers = self._call.headers or {}
        body = self._without_key(body)
        named_by = self._named_by.get(model, NAMED_BY)
        error = status_error(
            status, body, headers, place=self._place, model=model, named_by=named_by, inside_200=inside_200
        )
        return StatusFault(status, body, error)

    def _translated(self, error: Exception, model: str) -> Exception:
        sdk = self._openai
        if isinstance(error, sdk.APIStatusError):
            self._answered = True
            return self._fault(error.status_code, error.body, model)
        if isinstance(error.__cause__, PrhubError):
            return error.__cause__
        if isinstance(error, sdk.APITimeoutError):
            return self._call.too_late()
        if isinstance(error, sdk.APIConnectionError):
            return connection_error(error.__cause__, place=self._place, answered=self._answered)
        return FatalServiceError(f"{self._place}: {type(error).__name__}: {error}")

    def _without_key(self, body: Any) -> Any:
        """A body before anything of it is shortened, so that no piece of an echoed key is left."""
        if len(self._key) < _SHORTEST_KEY:
            return body
        return json.loads(json.dumps(body, default=str).replace(self._key, "***"))

    def _hide_key(self, error: PrhubError) -> None:
        """An endpoint may echo the key it was given, in whatever it says. Words like `none` or `EMPTY` are no keys."""
        if len(self._key) >= _SHORTEST_KEY:
            error.args = tuple(str(argument).replace(self._key, "***") for argument in error.args)


class StatusFault(Exception):  # noqa: N818 - on its way to becoming `error`
    """A response that says what went wrong: perhaps only that something has to be asked for differently."""

    def __init__(self, status: int, body: Any, error: PrhubError) -> None:
        super().__init__(status)
        self.status = status
        self.body = body
        self.error = error


def _environment_headers() -> list[str]:
    """Names of the headers that the SDK would take from the environment."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    return [line.partition(":")[0].strip() for line in lines if ":" in line]
