"""What the round that waits would cost, beside what earlier rounds did, and the limits that its files must keep to."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from prhub_digest.console import counted
from prhub_digest.errors import BudgetError, UsageError
from prhub_digest.llm.batch import Question, Tries, first_id, stored_reply
from prhub_digest.llm.budget import Budget, Spent
from prhub_digest.llm.prices import dollars
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.base import Record
from prhub_digest.models.llm import Attempt, StoredReply, Usage


class Limits(Record):
    """What the batches of a run may cost in all; None: no limit. They stand in `rounds.json`."""

    usd: Decimal | None = None
    tokens: int | None = None

    @property
    def any(self) -> bool:
        return (self.usd, self.tokens) != (None, None)


@dataclass(frozen=True, slots=True)
class RoundBudget:
    """Prices what was answered by its usage, and what waits by an estimate, all at the price of a batch.

    `models` are the models by prompt. `output_of` estimates the tokens of the answer to a question with so many tokens
    of input.
    """

    budget: Budget
    store: ReplyStore
    models: Mapping[str, str]
    output_of: Callable[[Question, int], int]

    def refuse_unpriced(self, limits: Limits) -> None:
        """Raises UsageError when money is limited and what a batch of some model costs is not known."""
        if limits.usd is None:
            return
        Budget(self.budget.prices, usd=limits.usd).refuse_unpriced(self.models.values())
        for model in dict.fromkeys(self.models.values()):
            if self.budget.prices.usd(model, Usage(calls=1, input_tokens=1_000_000)) is None:
                raise UsageError(
                    f"--budget-usd cannot be kept: what a batch costs of the price of the model {model!r} is not known;"
                    " say so in prhub.toml (batch = 0.5 in its [[prices]]), or limit the tokens with --budget-tokens"
                )

    def refuse_over(self, limits: Limits, waiting: Iterable[Question], asked: Iterable[str], tries: Tries) -> None:
        """Raises BudgetError when what waits does not fit beside the replies to what was `asked` in earlier rounds."""
        if not limits.any:
            return
        paid = self._paid(asked, tries)
        questions = tuple(waiting)
        whole = paid + sum(map(self._estimate, questions), Spent())
        if limits.tokens is not None and whole.tokens > limits.tokens:
            limit, so_far = f"{limits.tokens:,} tokens (--budget-tokens)", f"{paid.tokens:,}"
            more = f"{whole.tokens - paid.tokens:,}"
        elif limits.usd is not None and (whole.usd is None or whole.usd > limits.usd):
            limit, so_far = f"{dollars(limits.usd)} (--budget-usd)", dollars(paid.usd)
            more = "unknown" if whole.usd is None or paid.usd is None else dollars(whole.usd - paid.usd)
        else:
            return
        raise BudgetError(
            f"the budget of {limit} does not cover the {counted(len(questions), 'request')} of the next round: about"
            f" {more} for them, beside {so_far} for {counted(paid.usage.calls, 'answer')} so far; no batch file was"
            " written. The run command with a higher budget continues, and pays nothing twice"
        )

    def _estimate(self, question: Question) -> Spent:
        size = self.budget.input_tokens(question.request, question.messages)
        usage = Usage(calls=1, input_tokens=size, output_tokens=min(question.limit, self.output_of(question, size)))
        return Spent(usage, self.budget.prices.usd(question.request.model, usage))

    def _paid(self, asked: Iterable[str], tries: Tries) -> Spent:
        """On all answers to these questions, usable or not; a question and its second chance are one request."""
        spent = Spent()
        for name in dict.fromkeys(map(first_id, asked)):
            stored = stored_reply(name, self.store)
            for attempt in stored.attempts if stored else tries.named(name).attempts:
                spent += self._spent(name, attempt, stored)
        return spent

    def _spent(self, name: str, attempt: Attempt, stored: StoredReply | None) -> Spent:
        """On one answer; what the service did not report is counted here as far as it is known."""
        usage = attempt.usage.updated(calls=1)
        if not usage.input_tokens:
            size = self.budget.input_tokens(stored.request, stored.request.messages) if stored else 0
            usage = usage.updated(input_tokens=size, output_tokens=self.budget.count(attempt.content))
        return Spent(usage, self.budget.prices.usd(self.models.get(name.partition("/")[0], ""), usage))
