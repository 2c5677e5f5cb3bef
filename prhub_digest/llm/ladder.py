"""How much of an answer's form an endpoint can be asked for: from a strict JSON schema down to plain text.

The ladder goes down only, and per model: where the endpoint rejects a rung, where it fails on every schema, and where
it takes a schema but does not keep to it. Whatever the rung, each answer is validated against the reply's class. What
an endpoint says of its abilities when it rejects a request is read in `rejections.py`.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from prhub_digest.llm.abilities import RUNGS, Abilities, AbilityStore
from prhub_digest.llm.rejections import less_of, lower_after, says_nothing
from prhub_digest.llm.schema_fit import answer_fits
from prhub_digest.models.llm import LogicalRequest, Rung

_SCHEMA_RUNGS = frozenset({"schema_strict", "schema"})
_WITHOUT_SCHEMA: Rung = "json"
# A 500 that names no cause may pass; only one that stays may come from the schema.
_BARE_FAILURES = 3
# Where those have come, a request is sent once on each rung below the one that is known, in this order.
_BELOW: dict[Rung, tuple[Rung, ...]] = {
    "schema_strict": ("json", "text"),
    "schema": ("json", "text"),
    "json": ("text",),
}
# A server that keeps to schemas lets none pass; two stubborn pull requests with their second chances make four.
_MISFITS = 5
_HELPED = 2


@dataclass(slots=True)
class _State:
    """`known` is what is tried next, `saved` what the store holds, `answered` the rungs that brought an answer once.

    `schema_kept`: one answer kept to the schema. Until then a second try of a request that got a misfit is made
    without a schema; `helped` counts how often that gave an answer that fits. `this_run`: an answer came in this run.
    `asked_for_less`: after a rejection without a reason, all that could be left out was left out, in vain. Requests
    that had `begun` before may do so, too: the reason may have lain in that one alone.
    """

    known: Abilities
    saved: Abilities | None
    answered: set[Rung]
    schema_kept: bool
    this_run: bool = False
    asked_for_less: bool = False
    begun: set[str] = field(default_factory=set)
    misfits: int = 0
    helped: int = 0

    @property
    def rung_works(self) -> bool:
        """Whether what is known has brought an answer; of schemas, one kind stands for the other."""
        rung = self.known.rung
        return bool(self.answered & (_SCHEMA_RUNGS if rung in _SCHEMA_RUNGS else {rung}))

    def saw_schema(self, *, misfit: bool, whole: bool) -> None:
        """An answer came to a request with a schema."""
        self.misfits = self.misfits + 1 if misfit else 0
        self.schema_kept = self.schema_kept or (whole and not misfit)

    def learn(self, tried: Abilities) -> None:
        """What was tried was answered; too many misfits in a row end the schemas."""
        if self.known != tried:
            self.known = _both(self.known, tried)
        if self.misfits >= _MISFITS and self.known.rung in _SCHEMA_RUNGS:
            self.known = self.known.updated(rung=_WITHOUT_SCHEMA)


class Ladder:
    """What is known of one endpoint's abilities, for all threads; kept in `store`, where there is one."""

    def __init__(self, base_url: str, store: AbilityStore | None = None) -> None:
        self._base_url = base_url
        self._store = store
        self._lock = threading.Lock()
        self._states: dict[str, _State] = {}
        self._bare: dict[str, int] = {}
        self._misfit: set[str] = set()

    def known(self, model: str) -> Abilities:
        """What the next request to this model is sent with."""
        with self._lock:
            return self._state(model).known

    def first(self, request: LogicalRequest) -> Abilities:
        """What this attempt is sent with: after three 500s without a cause, once each rung without a schema below.

        One without a schema too after an answer that did not keep to the schema, while none has.
        """
        with self._lock:
            state = self._state(request.model)
            known = state.known
            if not (state.this_run or state.asked_for_less):
                state.begun.add(request.request_hash)
            if request.request_hash in self._misfit and not state.schema_kept and known.rung in _SCHEMA_RUNGS:
                return known.updated(rung=_WITHOUT_SCHEMA)
            step = self._bare.get(request.request_hash, 0) - _BARE_FAILURES
            below = _BELOW.get(known.rung, ())
            return known.updated(rung=below[step]) if 0 <= step < len(below) else known

    def after(
        self, request: LogicalRequest, tried: Sequence[Abilities], status: int, body: Any, limit: int
    ) -> Abilities | None:
        """What to try at once after this error; None when the error is not about what the endpoint can do.

        `tried` is all that was tried at once, the last of it with the output limit `limit`.
        """
        lower = lower_after(tried[-1], status, body, limit)
        if lower and lower in tried and lower.limit_name != tried[-1].limit_name:
            lower = tried[-1].updated(limit_name=None)  # it takes neither name
        if lower is None and says_nothing(status, body):
            lower = self._less(request, tried)
        if lower is None and status == 500:
            with self._lock:
                self._bare[request.request_hash] = self._bare.get(request.request_hash, 0) + 1
        return None if lower in tried else lower

    def _less(self, request: LogicalRequest, tried: Sequence[Abilities]) -> Abilities | None:
        """The next of what can be left out; nothing where all was in vain.

        Once the endpoint has answered in this run, what it answered is tried, by a call that was sent before that was
        known; where the call was sent with just that, the reason lies in what it asks.
        """
        with self._lock:
            state = self._state(request.model)
            if state.this_run:
                return state.known
            if state.asked_for_less and request.request_hash not in state.begun:
                return None
            lower = next((less for less in less_of(tried[0]) if less not in tried), None)
            state.asked_for_less = state.asked_for_less or lower is None
            return lower

    def answered(self, request: LogicalRequest, tried: Abilities, content: str | None) -> None:
        """Told of each answer; `content` is None for one that was cut and shows nothing of the server's schema."""
        misfit = tried.rung in _SCHEMA_RUNGS and content is not None and not answer_fits(content, request.wire_schema)
        with self._lock:
            state = self._state(request.model)
            by_chance = self._bare.pop(request.request_hash, 0) >= _BARE_FAILURES
            second = request.request_hash in self._misfit
            state.answered.add(tried.rung)
            state.this_run = True
            if content is not None:
                self._misfit.discard(request.request_hash)
            if tried.rung in _SCHEMA_RUNGS:
                state.saw_schema(misfit=misfit, whole=content is not None)
                if misfit:
                    self._misfit.add(request.request_hash)
            elif second and state.known.rung in _SCHEMA_RUNGS:
                state.helped += content is not None and answer_fits(content, request.wire_schema)
                if state.schema_kept or state.helped < _HELPED:
                    return  # one misfit may be the model's, not the server's
            elif by_chance and state.rung_works and tried.rung != state.known.rung:
                return  # it takes what is known, so that it was the 500 that passed
            state.learn(tried)
            save = state.known == tried and state.saved != tried and not misfit
            if save:
                state.saved = tried
        if save and self._store:
            self._store.save(self._base_url, request.model, tried)

    def _state(self, model: str) -> _State:
        if model not in self._states:
            saved = self._store.find(self._base_url, model) if self._store else None
            known = saved or Abilities()
            answered = {saved.rung} if saved else set()
            self._states[model] = _State(known, saved, answered, schema_kept=bool(answered & _SCHEMA_RUNGS))
        return self._states[model]


def _both(known: Abilities, answered: Abilities) -> Abilities:
    """What is known now that this was answered: threads may have learnt different things at the same time."""
    most = [one.most_output for one in (known, answered) if one.most_output is not None]
    return Abilities(
        rung=max(known.rung, answered.rung, key=RUNGS.index),
        limit_name=answered.limit_name,
        temperature=known.temperature and answered.temperature,
        most_output=min(most, default=None),
    )
