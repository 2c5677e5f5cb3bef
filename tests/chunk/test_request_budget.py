"""No request is larger than its prompt and the budget of a chunk together, nor than what was expected of it at most."""

import json
from collections.abc import Callable

import pytest
from chunk_pulls import added, pull_request
from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.chunk import chunk_pull_request
from prhub_digest.llm.abilities import RUNGS
from prhub_digest.llm.chat_format import chat_body
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.llm.request_tokens import content_tokens, most_input_tokens
from prhub_digest.models.llm import LogicalRequest, Rung
from prhub_digest.prompts import load_prompts
from prhub_digest.shipped import prompts_dir
from prhub_digest.tokens import Tokenizer, tokenizer_for

# The two delimiters around the text come from its hash: so many tokens more than those around an empty one, at most.
_DELIMITERS = 2 * len("data-01234567")

PROMPTS = load_prompts(prompts_dir(), None)
TEXTS = st.text(alphabet="ab <|>=+-@\t/)索引👩\u200d\x0c[INST]\n", max_size=300)


def request(change: str, count: Callable[[str], int]) -> LogicalRequest:
    builder = RequestBuilder(PROMPTS, {"small": "s", "large": "l"}, "p", count)
    values = {"repository": "o/r", "areas": "a", "part": "1 of 1", "threads": "none", "change": change}
    return builder.build("summarize_pr", subject="pr-7", values=values)


@pytest.mark.parametrize("tokenizer", [tokenizer_for("gpt-4o"), tokenizer_for("other")])
@settings(max_examples=20)
@given(body=TEXTS, lines=st.lists(TEXTS, min_size=1, max_size=20), budget=st.integers(20, 800))
def test_no_request_is_over_its_budget(tokenizer: Tokenizer, body: str, lines: list[str], budget: int) -> None:
    files = (added("src/a.py", [line.replace("\n", "/") for line in lines]),)
    pull = pull_request(body=body, files=files)
    chunks, _ = chunk_pull_request(pull, budget=budget, max_chunks=2, tokenizer=tokenizer)
    empty = content_tokens(request("", tokenizer.count).messages, tokenizer.count)
    for chunk in chunks:
        made = request(chunk.text, tokenizer.count)
        own = content_tokens(made.messages, tokenizer.count)
        assert own <= empty + budget + _DELIMITERS
        assert own < most_input_tokens(made, made.messages, tokenizer.count)


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("tokenizer", [tokenizer_for("gpt-4o"), tokenizer_for("other")])
def test_the_most_expected_holds_however_the_form_is_asked_for(tokenizer: Tokenizer, rung: Rung) -> None:
    """A message takes three tokens more in OpenAI's chat format, an answer's beginning three."""
    made = request("D1|@@ -1,1 +1,1 @@\nD2|+x", tokenizer.count)
    body = chat_body(made, made.messages, 1, rung)
    sent = sum(tokenizer.count(message["content"]) for message in body["messages"])
    if "json_schema" in body.get("response_format", {}):
        sent += tokenizer.count(json.dumps(made.wire_schema, separators=(",", ":")))
    assert sent + 3 * len(body["messages"]) + 3 <= most_input_tokens(made, made.messages, tokenizer.count)
