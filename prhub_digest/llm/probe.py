"""What an endpoint can do for a model, found out by a tiny question on each rung of the ladder.

The question does not say what form its answer has: where the endpoint takes a schema, only the schema can have led to
an answer that fits. So a server that takes a schema and does not keep to it is found out, too.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prhub_digest.llm.abilities import RUNGS, Abilities, AbilityStore
from prhub_digest.llm.client import Completion, StrangeAnswerError, UnusableReplyError
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.reply_text import ReplyTextError, read_reply
from prhub_digest.llm.wire_schema import wire_schema
from prhub_digest.models.base import Record
from prhub_digest.models.llm import LogicalRequest, Message, Parameters, Usage
from prhub_digest.retry import call_with_retry

# Enough for a model that thinks before it answers.
_LIMIT = 1000
# A 500 that names no cause has to come three times before another rung is tried.
_ATTEMPTS = 5


class ProbeReply(Record):
    ref: Literal["probe"]
    fruit: str
    letters: int


@dataclass(frozen=True, slots=True)
class Tried:
    """One answer. `abilities` is what the endpoint took: a lower rung than the one tried when it rejected that one.

    `fault` says why the answer is no valid object; None for one that is. `seconds` is the time that it took, with the
    rejections before it.
    """

    abilities: Abilities
    fault: str | None
    usage: Usage
    seconds: float


class Probe:
    """Of one endpoint; it remembers nothing. The arguments are those of `OpenAIClient`, which says what it raises."""

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
        *,
        sleep: Callable[[float], None] = time.sleep,
        named_by: Mapping[str, str] | None = None,
    ) -> None:
        self._base_url, self._api_key, self._timeout = base_url, api_key, timeout
        self._sleep = sleep
        self._named_by = named_by

    def models(self) -> tuple[str, ...]:
        """The models that the endpoint lists, if it does. Raises ServiceError as the client does."""
        with closing(self._client(Abilities())) as client:
            return client.models()

    def best(self, model: str) -> Tried:
        """The answer on the highest rung that gives a valid object.

        Raises:
            UnusableReplyError: there is no such rung, or it is no model that answers.
            ServiceError: the endpoint fails, refuses the key or does not know the model.
        """
        start = Abilities()
        while True:
            tried = self.on(model, start)
            if tried.fault is None:
                return tried
            rung = tried.abilities.rung
            if rung == RUNGS[-1]:
                raise UnusableReplyError(f"no valid answer, however it is asked for: {tried.fault}", tried.usage)
            start = tried.abilities.updated(rung=RUNGS[RUNGS.index(rung) + 1])

    def on(self, model: str, start: Abilities) -> Tried:
        """What comes of asking with just these abilities. Raises ServiceError as `best` does."""
        request = _question(model)
        begun = time.monotonic()
        with closing(self._client(start)) as client:

            def ask() -> Completion:
                nonlocal begun
                begun = time.monotonic()
                return client.complete(request, request.messages, _LIMIT)

            try:
                completion = call_with_retry(ask, attempts=_ATTEMPTS, sleep=self._sleep)
            except StrangeAnswerError:
                raise
            except UnusableReplyError as error:
                return Tried(start, str(error), error.usage, time.monotonic() - begun)
            seconds = time.monotonic() - begun
            abilities = client.abilities(model).updated(rung=completion.rung)
        return Tried(abilities, _fault(completion), completion.usage, seconds)

    def _client(self, start: Abilities) -> OpenAIClient:
        return OpenAIClient(
            self._base_url, self._api_key, self._timeout, 1, abilities=_Beginning(start), named_by=self._named_by
        )


class _Beginning(AbilityStore):
    """Lets a client begin with given abilities, and keeps nothing of what it learns."""

    def __init__(self, start: Abilities) -> None:
        super().__init__(Path())
        self._start = start

    def find(self, base_url: str, model: str) -> Abilities | None:
        del base_url, model
        return self._start if self._start != Abilities() else None  # what is tried first is not known to work

    def save(self, base_url: str, model: str, abilities: Abilities) -> None:
        pass


def _question(model: str) -> LogicalRequest:
    return LogicalRequest(
        prompt="probe",
        subject="probe",
        ref="probe",
        prompt_hash="",
        messages=(
            Message(role="system", content="You answer briefly."),
            Message(
                role="user",
                content='Name a fruit, and say how many letters its name has. The ref of this question is "probe".',
            ),
        ),
        schema_name=ProbeReply.__name__,
        wire_schema=wire_schema(ProbeReply),
        parameters=Parameters(max_output_tokens=_LIMIT),
        model=model,
        provider="probe",
    )


def _fault(completion: Completion) -> str | None:
    if completion.finish_reason == "length":
        return f"the answer was cut at {_LIMIT} tokens"
    try:
        read_reply(completion.content, ProbeReply, "probe")
    except ReplyTextError as error:
        return str(error)
    return None
