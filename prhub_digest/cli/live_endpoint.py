"""The model endpoint that the settings name, with what holds calls to it back or ends them."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prhub_digest.console import Console
    from prhub_digest.llm.abilities import AbilityStore
    from prhub_digest.llm.breaker import Breaker
    from prhub_digest.llm.client import Client
    from prhub_digest.models.settings import Settings


@dataclass(frozen=True)
class LiveEndpoint:
    """`deadline` (monotonic seconds) is when the run's time for it is used up."""

    client: "Client"
    breaker: "Breaker"
    deadline: float


def live_endpoint(settings: "Settings", console: "Console", named_by: Mapping[str, str] | None = None) -> LiveEndpoint:
    """`named_by` says for messages where each model is named; it is the settings that name it otherwise."""
    from prhub_digest.llm.breaker import Breaker
    from prhub_digest.llm.openai_api import OpenAIClient
    from prhub_digest.llm.throttle import Throttle

    throttle = Throttle(settings.concurrency, say=console.message)
    client = OpenAIClient(
        settings.base_url,
        key_of(settings),
        settings.timeout_seconds,
        settings.concurrency,
        abilities=ability_store(settings),
        throttle=throttle,
        named_by=named_by or models_named_by(settings),
    )
    # From now on: to import the SDK took a while, and is no call.
    deadline = client.until = throttle.until = time.monotonic() + settings.run_timeout_seconds
    return LiveEndpoint(client, Breaker.of(settings.concurrency, told=throttle.end), deadline)


def models_named_by(settings: "Settings") -> dict[str, str]:
    """Where to look for a mistake in each model's name."""
    named = {
        settings.small_model: "--small-model or PRHUB_SMALL_MODEL",
        settings.model: "--model or PRHUB_MODEL",
    }
    return {model: places for model, places in named.items() if model is not None}


def key_of(settings: "Settings") -> str | None:
    return settings.api_key.get_secret_value() if settings.api_key else None


def ability_store(settings: "Settings") -> "AbilityStore":
    from prhub_digest.llm.abilities import AbilityStore

    return AbilityStore(settings.cache_dir / "abilities")
