"""Any endpoint that speaks OpenAI's chat completions."""

from typing import Any

from prhub_digest.errors import FatalServiceError, PrhubError
from prhub_digest.llm.abilities import Abilities, AbilityStore
from prhub_digest.llm.api_errors import enclosed_status
from prhub_digest.llm.chat_format import chat_body, decoded_body, listed_models, read_completion
from prhub_digest.llm.client import Completion, NoAnswerError
from prhub_digest.llm.endpoint import Endpoint, StatusFault
from prhub_digest.llm.ladder import Ladder
from prhub_digest.llm.throttle import Throttle
from prhub_digest.models.llm import LogicalRequest, Message
from prhub_digest.retry import RetriableError


class OpenAIClient(Endpoint):
    """One connection pool for all threads. Raises SettingsError without a usable key.

    What the endpoint turns out not to take is learnt, and kept in `abilities` where given; `throttle` holds the threads
    back when the endpoint asks for it.
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
        super().__init__(base_url, api_key, timeout, concurrency)
        self._ladder = Ladder(self._place, abilities)
        self._throttle = throttle

    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        """One HTTP request; again at once, differently, when the endpoint rejects what it turns out not to take."""
        trial = self._ladder.first(request)
        try:
            while True:
                try:
                    answer = self._send(adapted_body(request, messages, max_output_tokens, trial))
                except StatusFault as fault:
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

    def models(self) -> tuple[str, ...]:
        """The names that GET /models lists; many servers list none.

        Raises ServiceError when nobody answers.
        """
        self._call.begin(self._timeout, self._place)
        try:
            data = self._client.get("/models", cast_to=bytes, options={"security": {"bearer_auth": True}})
            return listed_models(decoded_body(data))
        except (self._openai.APIStatusError, NoAnswerError):
            self._answered = True
            return ()
        except self._openai.OpenAIError as error:
            raise self._translated(error, "") from error

    def _send(self, body: dict[str, Any]) -> Any:
        """The decoded body of a good answer. Raises StatusFault for an error, also for one inside a 200."""
        if self._throttle is None:
            return self._answer(body)
        with self._throttle.turn():
            try:
                answer = self._answer(body)
            except StatusFault as fault:
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


def adapted_body(
    request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int, abilities: Abilities
) -> dict[str, Any]:
    """The body of the request, as an endpoint of these abilities takes it."""
    body = chat_body(request, messages, max_output_tokens, abilities.rung)
    body[abilities.limit_name] = body.pop("max_tokens")
    if not abilities.temperature:
        del body["temperature"]
    return body
