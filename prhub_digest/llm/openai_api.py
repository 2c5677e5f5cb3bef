"""Any endpoint that speaks OpenAI's chat completions."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from prhub_digest.errors import FatalServiceError, PrhubError
from prhub_digest.llm.abilities import Abilities, AbilityStore
from prhub_digest.llm.api_errors import address_hint, enclosed_status
from prhub_digest.llm.chat_format import chat_body, decoded_body, listed_models, read_completion
from prhub_digest.llm.client import Completion, ContextLengthError, NoAnswerError, StrangeAnswerError
from prhub_digest.llm.endpoint import Endpoint, StatusFault
from prhub_digest.llm.ladder import Ladder
from prhub_digest.llm.rejections import room_left
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
        until: float = math.inf,
        named_by: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(base_url, api_key, timeout, concurrency, until=until, named_by=named_by)
        self._ladder = Ladder(self._place, abilities)
        self._throttle = throttle

    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        """One HTTP request; again at once, differently, when the endpoint rejects what it turns out not to take."""
        tried = [self._ladder.first(request)]
        room = max_output_tokens
        try:
            while True:
                body = adapted_body(request, messages, room, tried[-1])
                limit = _limit(room, tried[-1])
                try:
                    answer = self._send(body)
                except StatusFault as fault:
                    left = room_left(fault.body, limit)
                    if left is not None:
                        room = left
                        continue
                    lower = self._ladder.after(request, tried, fault.status, fault.body, limit)
                    if lower is None:
                        raise fault.error from None
                    tried.append(lower)
                    continue
                completion = self._read(answer, tried[-1])
                whole = None if completion.finish_reason == "length" else completion.content
                self._ladder.answered(request, tried[-1], whole)
                if whole is None and limit < max_output_tokens:
                    return _cut_by_endpoint(completion, limit, by_context=limit == room)
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
        """The names that GET /models lists; many servers list none, or not to everybody.

        Raises ServiceError when nobody answers, or the key is refused.
        """
        self._begin()
        try:
            data = self._client.get("/models", cast_to=bytes, options={"security": {"bearer_auth": True}})
            return listed_models(decoded_body(data))
        except self._openai.AuthenticationError as error:
            raise self._fault(error.status_code, error.body, "").error from None
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
                    self._throttle.slow_down(wait, str(fault.error))
                raise
            self._throttle.answered(self._call.headers or {})
            return answer

    def _answer(self, body: dict[str, Any]) -> Any:
        self._begin()
        try:
            # The SDK's own method would walk through every field of the body: a third of a call's CPU time.
            data = self._client.post(
                "/chat/completions", cast_to=bytes, body=body, options={"security": {"bearer_auth": True}}
            )
        except self._openai.OpenAIError as error:
            raise self._translated(error, body["model"]) from error
        self._answered = True
        try:
            answer = decoded_body(data)
        except StrangeAnswerError as error:
            raise self._strange(error) from None
        status = enclosed_status(answer)
        if status is not None:
            raise self._fault(status, answer, body["model"], inside_200=True)
        return answer

    def _read(self, answer: Any, trial: Abilities) -> Completion:
        try:
            return read_completion(answer, trial.rung)
        except StrangeAnswerError as error:
            raise self._strange(error) from None

    def _strange(self, error: StrangeAnswerError) -> StrangeAnswerError:
        return StrangeAnswerError(f"{self._place}: {error}; {address_hint(self._place)}", error.usage)


def _cut_by_endpoint(completion: Completion, limit: int, *, by_context: bool) -> Completion:
    """An answer that was cut at fewer tokens than it was to have. Raises ContextLengthError when the input is why."""
    if by_context:
        raise ContextLengthError(
            f"{ContextLengthError.SAYS}: the answer was cut at the {limit} tokens that were left beside the request",
            completion.usage,
        )
    return replace(completion, most=limit)


def adapted_body(
    request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int, abilities: Abilities
) -> dict[str, Any]:
    """The body of the request, as an endpoint of these abilities takes it."""
    body = chat_body(request, messages, max_output_tokens, abilities.rung)
    del body["max_tokens"]
    if abilities.limit_name:
        body[abilities.limit_name] = _limit(max_output_tokens, abilities)
    if not abilities.temperature:
        del body["temperature"]
    return body


def _limit(max_output_tokens: int, abilities: Abilities) -> int:
    return min(max_output_tokens, abilities.most_output or max_output_tokens)
