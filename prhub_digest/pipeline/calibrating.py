"""From tokens counted as for a budget, which are on the safe side, to those that an endpoint will report."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

from prhub_digest.compose import SENTENCES_PROMPT
from prhub_digest.models.llm import StoredReply, Usage
from prhub_digest.pipeline.estimating import SUMMARY, PartEstimate
from prhub_digest.pipeline.expected import Items
from prhub_digest.pipeline.expected_answer import answer_tokens
from prhub_digest.tokens import Tokenizer

# By o200k's tokens, of a vocabulary that is not known: no more than a tenth beside it for all that take 0.98 to 1.18
# times as many. Qwen2.5 takes 1.05 for the demo's requests with the chat template, 1.02 for its answers; SmolLM2 1.23.
OTHER_VOCABULARY = 1.07
_MOST, _MOST_LOOKED_AT = 300, 3_000  # more say nothing new
_NO_ITEMS = Items({})  # no plan is among the replies


@dataclass(frozen=True, slots=True)
class Calibration:
    """The tokens expected for a model over those counted, by what an endpoint reported for so many replies.

    That of the input tells of the model's vocabulary, of its chat template, of second chances and, where an endpoint
    counts it, of the schema; that of the output also of how long the model's answers are, and of its thinking.
    """

    replies: int
    input: float
    output: float

    def of(self, part: PartEstimate) -> PartEstimate:
        """The estimate as it will be reported."""
        return replace(
            part,
            input_tokens=round(part.input_tokens * self.input),
            output_tokens=round(part.output_tokens * self.output),
            schema_tokens=0 if self.replies else round(part.schema_tokens * self.input),
        )


def calibration(stored: Iterable[StoredReply], model: str, provider: str, tokenizer: Tokenizer) -> Calibration:
    """From the replies of a model under one label, where tokens were reported.

    How many tokens a text takes shows at the first reply. Whether there are second chances, and how long answers are,
    differs more, so that the expectation without any reply counts as one more.
    """
    before = 1.0 if tokenizer.exact else OTHER_VOCABULARY / tokenizer.factor
    fitting = (reply for reply in islice(stored, _MOST_LOOKED_AT) if _says(reply, model, provider))
    replies, first, reported, counted_input, counted_output = 0, Usage(), Usage(), 0, 0
    for reply in islice(fitting, _MOST):
        size = sum(tokenizer.count(message.content) for message in reply.request.messages)
        counted_input += size
        counted_output += answer_tokens(reply.request, size, _NO_ITEMS, tokenizer.factor)
        first += reply.attempts[0].usage
        reported += reply.usage
        replies += 1
    if not counted_output:
        return Calibration(0, before, before)
    calls = (replies * reported.input_tokens / first.input_tokens + 1) / (replies + 1)
    output = (replies * reported.output_tokens / counted_output + before) / (replies + 1)
    return Calibration(replies, first.input_tokens / counted_input * calls, output)


def _says(reply: StoredReply, model: str, provider: str) -> bool:
    request = reply.request
    asked = request.prompt in {SUMMARY, SENTENCES_PROMPT} and (request.model, request.provider) == (model, provider)
    return asked and all(own.usage.input_tokens > 0 and own.usage.output_tokens > 0 for own in reply.attempts)
