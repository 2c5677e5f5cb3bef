"""How much of an answer's form an endpoint can be asked for: from a strict JSON schema down to plain text.

The ladder goes down only, and per model: where the endpoint rejects a rung, where it fails on every schema, and where
it takes a schema but does not keep to it. Whatever the rung, each answer is validated against the reply's class.
"""

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from prhub_digest.llm.abilities import RUNGS, Abilities, AbilityStore
from prhub_digest.llm.api_errors import about_context, about_money
from prhub_digest.llm.reply_text import OutOfBoundsError, ReplyTextError, read_object
from prhub_digest.models.llm import LogicalRequest, Rung

_SCHEMA_RUNGS = frozenset({"schema_strict", "schema"})
_WITHOUT_SCHEMA: Rung = "json"
# A 500 that names no cause may pass; only one that stays may come from the schema.
_BARE_FAILURES = 3
# A server that keeps to schemas lets none pass; two stubborn pull requests with their second chances make four.
_MISFITS = 5
_HELPED = 2
_SHOWN = 8000

_FORMAT = re.compile(
    r"response[_ ]?format|json[_ ]?(schema|object|mode)|structured[_ ]?outputs?|guided[_ ](json|decoding)|grammar",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"\bstrict\b|unavailable", re.IGNORECASE)
_TEMPERATURE = re.compile(
    r"temperature\W.{0,40}(not support|unsupported|deprecated|only the default)"
    r"|(unsupported|deprecated)\b.{0,30}\Wtemperature",
    re.IGNORECASE,
)
_KINDS: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: not isinstance(value, bool) and isinstance(value, int | float) and value == value // 1,
}


@dataclass(slots=True)
class _State:
    """`known` is what is tried next, `saved` what the store holds. `schema_works`: it has answered a schema once.

    `schema_kept`: one such answer kept to the schema. Until then a second try of a request that got a misfit is made
    without a schema; `helped` counts how often that gave an answer that fits.
    """

    known: Abilities
    saved: Abilities | None
    schema_works: bool
    schema_kept: bool
    misfits: int = 0
    helped: int = 0

    def saw_schema(self, *, misfit: bool, whole: bool) -> None:
        """An answer came to a request with a schema."""
        self.schema_works = True
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
        """What this attempt is sent with: once, after three 500s without a cause, a rung without a schema.

        The same after an answer that did not keep to the schema, while none has.
        """
        with self._lock:
            state = self._state(request.model)
            known = state.known
            if request.request_hash in self._misfit and not state.schema_kept and known.rung in _SCHEMA_RUNGS:
                return known.updated(rung=_WITHOUT_SCHEMA)
            if self._bare and known.rung in _SCHEMA_RUNGS:
                key = request.request_hash
                if self._bare.get(key) == _BARE_FAILURES:
                    self._bare[key] += 1
                    return known.updated(rung=_WITHOUT_SCHEMA)
        return known

    def after(self, request: LogicalRequest, tried: Abilities, status: int, body: Any) -> Abilities | None:
        """What to try at once after this error; None when the error is not about what the endpoint can do."""
        lower = lower_after(tried, status, body)
        if lower is None and status in {500, 501} and tried.rung in _SCHEMA_RUNGS:
            with self._lock:
                self._bare[request.request_hash] = self._bare.get(request.request_hash, 0) + 1
        return lower

    def answered(self, request: LogicalRequest, tried: Abilities, content: str | None) -> None:
        """Told of each answer; `content` is None for one that was cut and shows nothing of the server's schema."""
        misfit = tried.rung in _SCHEMA_RUNGS and content is not None and not answer_fits(content, request.wire_schema)
        with self._lock:
            state = self._state(request.model)
            by_chance = bool(self._bare) and self._bare.pop(request.request_hash, 0) > _BARE_FAILURES
            second = request.request_hash in self._misfit
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
            elif by_chance and state.schema_works and tried.rung == _WITHOUT_SCHEMA:
                return  # it takes schemas, so that it was the 500 that passed
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
            works = saved is not None and saved.rung in _SCHEMA_RUNGS
            self._states[model] = _State(known, saved, works, works)
        return self._states[model]


def lower_after(tried: Abilities, status: int, body: Any) -> Abilities | None:
    """The next thing to try, after an error that says that the endpoint does not take a part of what was tried."""
    if status not in {400, 404, 422, 500, 501} or about_money(body) or about_context(body):
        return None
    message = _message(body)
    words = json.dumps(body, ensure_ascii=False, default=str)[:_SHOWN]
    if status in {400, 422}:
        if tried.limit_name == "max_tokens" and "max_completion_tokens" in words and "max_tokens" in words:
            return tried.updated(limit_name="max_completion_tokens")
        if tried.temperature and _TEMPERATURE.search(message):
            return tried.updated(temperature=False)
    rejected = _FORMAT.search(words) or (status in {400, 422} and _REFUSED.search(message))
    if rejected and tried.rung != "text":
        return tried.updated(rung=RUNGS[RUNGS.index(tried.rung) + 1])
    return None


def answer_fits(content: str, schema: dict[str, Any]) -> bool:
    """Whether a server that enforces the wire schema can have let this answer pass. Bounds are not in the schema."""
    try:
        value = read_object(content)
    except OutOfBoundsError:
        return True
    except ReplyTextError:
        return False
    return _fits(value, schema, schema.get("$defs", {}))


def _fits(value: Any, schema: dict[str, Any], named: dict[str, Any]) -> bool:
    if "$ref" in schema:
        return _fits(value, named[schema["$ref"].rpartition("/")[2]], named)
    if "anyOf" in schema:
        return any(_fits(value, option, named) for option in schema["anyOf"])
    kind = schema["type"]
    if not _KINDS[kind](value) or ("enum" in schema and value not in schema["enum"]):
        return False
    if kind == "array":
        return all(_fits(item, schema["items"], named) for item in value)
    if kind == "object":
        fields = schema["properties"]
        return value.keys() == fields.keys() and all(_fits(value[name], fields[name], named) for name in fields)
    return True


def _both(one: Abilities, other: Abilities) -> Abilities:
    """What both take: threads may have learnt different things at the same time."""
    return Abilities(
        rung=max(one.rung, other.rung, key=RUNGS.index),
        limit_name="max_tokens" if one.limit_name == other.limit_name == "max_tokens" else "max_completion_tokens",
        temperature=one.temperature and other.temperature,
    )


def _message(body: Any) -> str:
    """The words of the error itself, without what a server may repeat of the request."""
    inner = body.get("error", body) if isinstance(body, dict) else body
    words = inner.get("message") if isinstance(inner, dict) else inner
    return words[:_SHOWN] if isinstance(words, str) else ""
