"""A prompt and its values as the logical request that is stored, sent or replayed."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from prhub_digest.llm.wire_schema import wire_schema
from prhub_digest.models.llm import LogicalRequest, Parameters, canonical_json
from prhub_digest.models.replies import REPLIES
from prhub_digest.prompts import Prompt


@dataclass(frozen=True)
class RequestBuilder:
    """What all requests of a run share; `models` maps the prompt's tier to a model name."""

    prompts: Mapping[str, Prompt]
    models: Mapping[Literal["small", "large"], str]
    provider: str
    count: Callable[[str], int]

    def build(self, prompt_id: str, *, subject: str, values: Mapping[str, Any]) -> LogicalRequest:
        """The request of one prompt about one subject; the subject is also the `ref` that the reply must echo.

        Raises:
            PromptError: a value is missing, unknown or too long.
        """
        prompt = self.prompts[prompt_id]
        front = prompt.front
        return LogicalRequest(
            prompt=front.id,
            subject=subject,
            ref=subject,
            prompt_hash=prompt_hash(prompt),
            messages=prompt.render({**values, "ref": subject}, self.count),
            schema_name=front.output,
            wire_schema=_schema_of(front.output)[0],
            parameters=Parameters(temperature=front.temperature, max_output_tokens=front.max_output_tokens),
            model=self.models[front.model],
            provider=self.provider,
        )

    def hashes(self) -> dict[str, str]:
        """Every prompt's hash by id."""
        return {prompt_id: prompt_hash(prompt) for prompt_id, prompt in sorted(self.prompts.items())}


def prompt_hash(prompt: Prompt) -> str:
    """SHA-256 of the parsed template with its partials, the reply's wire schema and the hashed front matter."""
    schema = _schema_of(prompt.front.output)[1]
    return hashlib.sha256(f"{prompt.template_hash}\n{schema}".encode()).hexdigest()


@cache
def _schema_of(reply: str) -> tuple[dict[str, Any], str]:
    """The wire schema of a reply class, and its canonical JSON: all requests share one, and nobody changes it."""
    schema = wire_schema(REPLIES[reply])
    return schema, canonical_json(schema)
