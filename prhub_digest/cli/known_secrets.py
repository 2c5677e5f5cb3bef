"""The secrets that a command knows: keys of its environment by name, and what the rules of collecting find."""

import os
from collections.abc import Iterator

_KEYS = ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "GITHUB_TOKEN", "GH_TOKEN")
_SHORTEST_KEY = 8  # a local server is given a word such as `none`, which stands in many a text


def keys_in(text: str) -> tuple[str, ...]:
    """The variables of the environment whose key or token stands in a text; a word such as `none` is no key."""
    return tuple(name for name, value in _keys() if value in text)


def secrets_in(text: str) -> tuple[str, ...]:
    """The kinds of the secrets in a text: keys of this process by name, then what the rules of collecting know."""
    from prhub_digest.collect.masking import secrets_in as secrets_by_rules

    return (*keys_in(text), *secrets_by_rules(text))


def clean_answer(content: str) -> str:
    """A model's answer as it may be kept: each secret in it is `[secret:<kind>]`."""
    from prhub_digest.llm.secret_scan import without_secrets

    return without_secrets(content, _masked, secrets_in)


def _masked(text: str) -> str:
    from prhub_digest.collect.masking import mask_text

    for name, value in _keys():
        text = text.replace(value, f"[secret:{name}]")
    return mask_text(text)


def _keys() -> Iterator[tuple[str, str]]:
    for name in _KEYS:
        value = os.environ.get(name, "").strip()
        if len(value) >= _SHORTEST_KEY:
            yield name, value
