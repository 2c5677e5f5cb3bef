"""Any endpoint that speaks OpenAI's chat completions. The only module that imports openai, when a client is made."""

import os
from typing import Any
from urllib.parse import urlsplit

from prhub_digest.errors import FatalServiceError, PrhubError, SettingsError
from prhub_digest.llm.abilities import Abilities, AbilityStore, plain_address
from prhub_digest.llm.api_errors import connection_error, enclosed_status, status_error
from prhub_digest.llm.chat_format import chat_body, decoded_body, read_completion
from prhub_digest.llm.client import Completion
from prhub_digest.llm.http_bounds import Call, bounded_client
from prhub_digest.llm.ladder import Ladder
from prhub_digest.llm.throttle import Throttle
from prhub_digest.models.llm import LogicalRequest, Message
from prhub_digest.retry import RetriableError

OPENAI_BASE_URL = "https://api.openai.com/v1"
_SHORTEST_KEY = 8
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class OpenAIClient:
    """One connection pool for all threads. Raises SettingsError without a usable key.

    `base_url` None is OpenAI's own; any other endpoint gets no header that the environment holds for OpenAI, and a
    placeholder for a missing key. `timeout` is the time for all of one HTTP request, in seconds. What the endpoint
    turns out not to take is learnt, and kept in `abilities` where given; `throttle` holds the threads back when the
    endpoint asks for it.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
        concurrency: int,
        *,
        abilities: AbilityStore | None = None,
        throttle: Throttle | None = None,
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
        self._timeout = timeout
        self._answered = False
        self._openai = openai
        self._ladder = Ladder(self._place, abilities)
        self._throttle = throttle
        self._call = Call()
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

    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        """One HTTP request; again at once, differently, when the endpoint rejects what it turns out not to take."""
        trial = self._ladder.first(request)
        try:
            while True:
                try:
                    answer = self._send(_adapted(request, messages, max_output_tokens, trial))
                except _StatusFault as fault:
                    lower = self._ladder.after(request, trial, fault.status, fault.body)
                    if lower is None:
                        raise fault.error from None
                    trial = lower
                else:
                    completion = read_completion(answer, trial.rung)
                    whole = None if completion.finish_reason == "length" else completion.content
                    self._ladder.answered(request, trial, whole)
                    return completion
        except PrhubError as error:
            self._hide_key(error)
            if self._throttle and isinstance(error, FatalServiceError):
                self._throttle.end(error)
            raise

    def abilities(self, model: str) -> Abilities:
        """What is known by now of what the endpoint takes for this model."""
        return self._ladder.known(model)

    def close(self) -> None:
        self._client.close()

    def _send(self, body: dict[str, Any]) -> Any:
        """The decoded body of a good answer. Raises _StatusFault for an error, also for one inside a 200."""
        if self._throttle is None:
            return self._answer(body)
        with self._throttle.turn():
            try:
                answer = self._answer(body)
            except _StatusFault as fault:
                wait = fault.error.retry_after if isinstance(fault.error, RetriableError) else None
                if wait is not None or (fault.status == 429 and isinstance(fault.error, RetriableError)):
                    self._throttle.slow_down(wait)
                raise
            self._throttle.answered(self._call.headers or {})
            return answer

    def _answer(self, body: dict[str, Any]) -> Any:
        self._call.begin(self._timeout, self._place)
        try:
            # The SDK's own method would walk through every field of the body: a third of a call's CPU time.
            data = self._client.post(
                "/chat/completions", cast_to=bytes, body=body, options={"security": {"bearer_auth": True}}
            )
        except self._openai.OpenAIError as error:
            raise self._translated(error, body["model"]) from error
        self._answered = True
        answer = decoded_body(data)
        status = enclosed_status(answer)
        if status is not None:
            raise self._fault(status, answer, body["model"], inside_200=True)
        return answer

    def _fault(self, status: int, body: Any, model: str, *, inside_200: bool = False) -> "_StatusFault":
        headers = self._call.headers or {}
        error = status_error(status, body, headers, place=self._place, model=model, inside_200=inside_200)
        return _StatusFault(status, body, error)

    def _translated(self, error: Exception, model: str) -> Exception:
        sdk = self._openai
        if isinstance(error, sdk.APIStatusError):
            self._answered = True
            return self._fault(error.status_code, error.body, model)
        if isinstance(error, sdk.APITimeoutError):
            return self._call.too_late()
        if isinstance(error, sdk.APIConnectionError):
            return connection_error(error.__cause__, place=self._place, answered=self._answered)
        return FatalServiceError(f"{self._place}: {type(error).__name__}: {error}")

    def _hide_key(self, error: PrhubError) -> None:
        """An endpoint may echo the key it was given, in whatever it says. Words like `none` or `EMPTY` are no keys."""
        if len(self._key) >= _SHORTEST_KEY:
            error.args = tuple(str(argument).replace(self._key, "***") for argument in error.args)


class _StatusFault(Exception):  # noqa: N818 - on its way to becoming `error`
    """A response that says what went wrong: perhaps only that something has to be asked for differently."""

    def __init__(self, status: int, body: Any, error: PrhubError) -> None:
        super().__init__(status)
        self.status = status
        self.body = body
        self.error = error


def _adapted(
    request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int, abilities: Abilities
) -> dict[str, Any]:
    body = chat_body(request, messages, max_output_tokens, abilities.rung)
    body[abilities.limit_name] = body.pop("max_tokens")
    if not abilities.temperature:
        del body["temperature"]
    return body


def _environment_headers() -> list[str]:
    """Names of the headers that the SDK would take from the environment."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    return [line.partition(":")[0].strip() for line in lines if ":" in line]
