"""Any endpoint that speaks OpenAI's chat completions. The only module that imports openai, when a client is made."""

import os
from typing import Any
from urllib.parse import urlsplit

from prhub_digest.errors import FatalServiceError, SettingsError
from prhub_digest.llm.api_errors import connection_error, status_error
from prhub_digest.llm.chat_format import chat_body, read_body
from prhub_digest.llm.client import Completion
from prhub_digest.models.llm import LogicalRequest, Message
from prhub_digest.retry import RetriableError

OPENAI_BASE_URL = "https://api.openai.com/v1"
_PARAMETERS_TO_LEARN = 2
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class OpenAIClient:
    """One connection pool for all threads; `timeout` in seconds, per read. Raises SettingsError without a usable key.

    `base_url` None is OpenAI's own; any other endpoint gets no header that the environment holds for OpenAI, and a
    placeholder for a missing key. A parameter that an endpoint rejects by name is replaced once and remembered.
    """

    def __init__(self, base_url: str | None, api_key: str | None, timeout: float, concurrency: int) -> None:
        import openai  # noqa: PLC0415 - 0.6 s: paid only by a run that asks a model

        url = (base_url or OPENAI_BASE_URL).strip()
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
        if parts.scheme not in {"http", "https"} or not host:
            raise SettingsError(f"the base URL of the model endpoint must begin with http:// or https://: {url}")
        own = host == "openai.com" or host.endswith(".openai.com")
        if own and not api_key:
            raise SettingsError("OPENAI_API_KEY is not set (for another endpoint, set OPENAI_BASE_URL)")
        port = f":{parts.port}" if parts.port else ""
        self._place = f"{parts.scheme}://{host}{port}{parts.path}"  # without a password that the URL may hold
        self._key = api_key or "none"
        self._limit_name = "max_tokens"
        self._temperature = True
        self._answered = False
        self._openai = openai
        foreign_headers: Any = {} if own else dict.fromkeys(_environment_headers(), openai.Omit())
        for name in foreign_headers:
            if name.lower() == "authorization":
                foreign_headers[name] = f"Bearer {self._key}"
        limits = type(openai.DEFAULT_CONNECTION_LIMITS)(
            max_connections=concurrency, max_keepalive_connections=concurrency
        )
        self._client = openai.OpenAI(
            base_url=url,
            api_key=self._key,
            max_retries=0,
            default_headers=foreign_headers,
            http_client=openai.DefaultHttpxClient(
                base_url=url,
                timeout=timeout,
                limits=limits,
                follow_redirects=False,  # what is sent goes to the host the user named, and to no other
                trust_env=host not in _LOOPBACK,  # a proxy cannot reach this machine's own endpoint
            ),
            timeout=timeout,
        )
        self._create: Any = self._client.chat.completions.with_raw_response.create
        if not own:
            self._client.organization = None
            self._client.project = None
            self._client.admin_api_key = None

    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        """One HTTP request (again when the endpoint rejects a parameter by name, until it is known)."""
        body = chat_body(request, messages, max_output_tokens)
        lessons = _PARAMETERS_TO_LEARN
        while True:
            try:
                text = self._send(body)
            except self._openai.OpenAIError as error:
                if lessons and self._learn(error):
                    lessons -= 1
                    continue
                raise self._translated(error, request.model) from error
            self._answered = True
            return read_body(text)

    def close(self) -> None:
        self._client.close()

    def _send(self, body: dict[str, Any]) -> str:
        adapted = dict(body)
        adapted[self._limit_name] = adapted.pop("max_tokens")
        if not self._temperature:
            del adapted["temperature"]
        # beside the SDK's own arguments, which it walks through field by field: a third of a call's CPU time
        schema = {"response_format": adapted.pop("response_format")}
        text: str = self._create(**adapted, extra_body=schema).text
        return text

    def _learn(self, error: Exception) -> bool:
        """Whether the endpoint rejected a parameter that it takes under another name, or only at its default."""
        words = str(error) if isinstance(error, self._openai.BadRequestError) else ""
        if "max_completion_tokens" in words and "not supported" in words:
            self._limit_name = "max_completion_tokens"
        elif "'temperature' does not support" in words:
            self._temperature = False
        else:
            return False
        return True

    def _translated(self, error: Exception, model: str) -> Exception:
        sdk = self._openai
        if isinstance(error, sdk.APIStatusError):
            self._answered = True
            translated = status_error(
                error.status_code, error.body, error.response.headers, place=self._place, model=model
            )
            return self._without_key(translated)
        if isinstance(error, sdk.APITimeoutError):
            return RetriableError(f"{self._place} did not answer in time")
        if isinstance(error, sdk.APIConnectionError):
            return connection_error(error.__cause__, place=self._place, answered=self._answered)
        return self._without_key(FatalServiceError(f"{self._place}: {type(error).__name__}: {error}"))

    def _without_key(self, error: Exception) -> Exception:
        """An endpoint may echo the key it was given."""
        error.args = tuple(str(argument).replace(self._key, "***") for argument in error.args)
        return error


def _environment_headers() -> list[str]:
    """Names of the headers that the SDK would take from the environment."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    return [line.partition(":")[0].strip() for line in lines if ":" in line]
