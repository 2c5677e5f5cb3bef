"""What stored replies say of an estimate: the tokens that an endpoint reported for a model, over those expected."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice

from prhub_digest.compose import SENTENCES_PROMPT
from prhub_digest.models.llm import StoredReply
from prhub_digest.pipeline.estimating import SUMMARY, PartEstimate
from prhub_digest.pipeline.expected import Items
from prhub_digest.pipeline.expected_answer import answer_tokens

# Fewer replies are an accident; more say nothing new.
_FEWEST, _MOST = 8, 300
_MOST_LOOKED_AT = 3_000
_NO_ITEMS = Items({})  # no plan is among the replies


@dataclass(frozen=True, slots=True)
class Calibration:
    """By how much reported tokens exceeded the expected ones, in so many replies.

    That of the input tells of the model's vocabulary, of its chat template and, where an endpoint counts it, of the
    schema; that of the output also of how long the model's answers are, and of its thinking.
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
            schema_tokens=0,
        )


def calibration(
    stored: Iterable[StoredReply], model: str, provider: str, count: Callable[[str], int], factor: float
) -> Calibration | None:
    """From the replies of a model under one label, won by one call whose tokens were reported; None from too few."""
    fitting = (reply for reply in islice(stored, _MOST_LOOKED_AT) if _says(reply, model, provider))
    replies, reported, expected_input, expected_output = 0, [0, 0], 0, 0
    for reply in islice(fitting, _MOST):
        size = sum(count(message.content) for message in reply.request.messages)
        expected_input += size
        expected_output += answer_tokens(reply.request, size, _NO_ITEMS, factor)
        reported[0] += reply.usage.input_tokens
        reported[1] += reply.usage.output_tokens
        replies += 1
    if replies < _FEWEST or not expected_output:
        return None
    return Calibration(replies, reported[0] / expected_input, reported[1] / expected_output)


def _says(reply: StoredReply, model: str, provider: str) -> bool:
    request, usage = reply.request, reply.usage
    asked = request.prompt in {SUMMARY, SENTENCES_PROMPT} and (request.model, request.provider) == (model, provider)
    return asked and usage.calls == 1 and usage.input_tokens > 0 and usage.output_tokens > 0
