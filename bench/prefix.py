"""How much of the instructions two requests for pull requests share as a common prefix, which endpoints can cache.

Instructions are all tokens of a request that are no material of the pull request: what stands outside its data tags.
The figure is that of the worst pair of neighbours in the demo week.
"""

import itertools
import os
import re
from collections.abc import Iterator
from typing import Literal

from bench import Measure
from prhub_digest.chunk import chunk_pull_request
from prhub_digest.collect.fixture import FixtureSource, read_manifest
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.llm import LogicalRequest
from prhub_digest.prompts import load_prompts
from prhub_digest.shipped import fixture_dir, prompts_dir
from prhub_digest.signals import compute_signals
from prhub_digest.summarize import chunk_requests
from prhub_digest.tokens import tokenizer_for

_MATERIAL = re.compile(r"<(data-[0-9a-f]{8})>\n.*?\n</\1>", re.DOTALL)


def measure() -> Iterator[Measure]:
    count = tokenizer_for("gpt-4o").count
    texts = ["\n".join(message.content for message in request.messages) for request in _requests()]
    shares = []
    for one, other in itertools.pairwise(texts):
        shared = count(os.path.commonprefix([one, other]))  # noqa: RUF071 - characters are meant
        shares.append(shared / max(count(_MATERIAL.sub("", text)) for text in (one, other)))
    yield Measure("shared_instruction_tokens", min(shares), 0.90, at_least=True)


def _requests() -> Iterator[LogicalRequest]:
    """The summarize requests of the demo week."""
    folder = fixture_dir("demo")
    manifest = read_manifest(folder)
    pulls = list(FixtureSource(folder).pull_requests(manifest.collection, frozenset()))
    tokenizer = tokenizer_for(manifest.model)
    models: dict[Literal["small", "large"], str] = {"small": manifest.small_model, "large": manifest.model}
    builder = RequestBuilder(load_prompts(prompts_dir(), None), models, manifest.provider, tokenizer.count)
    signals = compute_signals(pulls, manifest.areas)
    for pull in pulls:
        chunks, _ = chunk_pull_request(
            pull, budget=manifest.chunk_tokens, max_chunks=manifest.max_chunks, tokenizer=tokenizer
        )
        yield from chunk_requests(builder, chunks, signals.of(pull.number), manifest.collection.repository)
