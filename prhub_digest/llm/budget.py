"""What a run pays, counted call by call, and the limits it must not cross."""

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from prhub_digest.errors import BudgetError, UsageError
from prhub_digest.llm.breaker import CONTINUES
from prhub_digest.llm.prices import PriceList
from prhub_digest.models.llm import LogicalRequest, Message, Usage

# What an endpoint adds to each message: its role and where it begins and ends.
_A_MESSAGE = 8


@dataclass(frozen=True, slots=True)
class Hold:
    """The most that a call in flight may cost; `usd` is None where no price is known."""

    request: LogicalRequest
    messages: tuple[Message, ...]
    usage: Usage
    usd: Decimal | None

    @property
    def tokens(self) -> int:
        return _tokens(self.usage)


@dataclass(frozen=True, slots=True)
class Spent:
    """On the calls of one kind. `usd` is None as soon as one of them has no known price.

    `counted` are the calls whose tokens the endpoint did not report: they were counted here.
    """

    usage: Usage = field(default_factory=Usage)
    usd: Decimal | None = Decimal(0)
    counted: int = 0

    def __add__(self, other: "Spent") -> "Spent":
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Spent(self.usage + other.usage, usd, self.counted + other.counted)


class Budget:
    """Counts what this run pays; may be used by many threads at once. Stored replies never come here.

    Before each call the most that it may cost is held (its input, and output up to its limit), together with what is in
    flight; afterwards the hold gives way to what the endpoint reports, or to our own count where it reports nothing. A
    call that may not fit waits while others are in flight, since they mostly take less than was held for them. When it
    does not fit into what is really left, the run is over, for all threads. A call without an answer costs nothing.
    """

    def __init__(
        self,
        prices: PriceList | None = None,
        count: Callable[[str], int] = len,
        *,
        usd: Decimal | None = None,
        tokens: int | None = None,
    ) -> None:
        self.prices = prices or PriceList()
        self._count = count
        self._usd, self._tokens = usd, tokens
        self._changed = threading.Condition()
        self._held: list[Hold] = []
        self._spent: dict[str, Spent] = {}
        self._over = ""

    @property
    def spent(self) -> dict[str, Spent]:
        """By prompt."""
        with self._changed:
            return dict(self._spent)

    def refuse_unpriced(self, models: Iterable[str]) -> None:
        """Raises UsageError when money is limited and one of these models has no known price."""
        unpriced = [model for model in dict.fromkeys(models) if self.prices.find(model) is None]
        if self._usd is not None and unpriced:
            raise UsageError(
                f"--budget-usd cannot be kept: no price is known for {' and '.join(map(repr, unpriced))}"
                f" at {self.prices.provider!r}. Check the name; or give a price in prhub.toml,"
                f' [[prices]] with model = "{unpriced[0]}", input and output in US dollars per million tokens'
                " (0 for an endpoint of your own); or limit the tokens with --budget-tokens"
            )

    def hold(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Hold:
        """Room for one call; `settle` gives it back.

        Raises:
            BudgetError: it does not fit into what is left.
        """
        if self._usd is None and self._tokens is None:
            return Hold(request, messages, Usage(), None)
        size = self._input(request, messages)
        usage = Usage(calls=1, input_tokens=size, output_tokens=max_output_tokens)
        hold = Hold(request, messages, usage, self.prices.usd(request.model, usage))
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._fits(hold, self._held) or not self._fits(hold, ()))
            if not self._over and not self._fits(hold, self._held):
                self._over = self._reached(hold)
                self._changed.notify_all()
            if self._over:
                raise BudgetError(self._over)
            self._held.append(hold)
        return hold

    def settle(self, hold: Hold, usage: Usage, content: str) -> None:
        """The call has ended; `usage` is what the endpoint reported, without a call when no answer came."""
        spent = self._paid(hold, usage, content) if usage.calls else None
        prompt = hold.request.prompt
        with self._changed:
            if spent is not None:
                self._spent[prompt] = self._spent.get(prompt, Spent()) + spent
            if hold in self._held:
                self._held.remove(hold)
            self._changed.notify_all()

    def _paid(self, hold: Hold, usage: Usage, content: str) -> Spent:
        counted = not usage.input_tokens
        if counted:
            usage = usage.updated(
                input_tokens=hold.usage.input_tokens or self._input(hold.request, hold.messages),
                output_tokens=usage.output_tokens or self._count(content),
            )
        return Spent(usage, self.prices.usd(hold.request.model, usage), int(counted))

    def _input(self, request: LogicalRequest, messages: Sequence[Message]) -> int:
        """The tokens of the messages and of the schema, which some endpoints count, too."""
        schema = json.dumps(request.wire_schema, ensure_ascii=False, separators=(",", ":"))
        return self._count(schema) + sum(self._count(message.content) + _A_MESSAGE for message in messages)

    def _fits(self, hold: Hold, held: Sequence[Hold]) -> bool:
        """Whether there is room beside what was spent and what is `held`."""
        calls = [hold, *held]
        spent = self._spent.values()
        if self._tokens is not None:
            tokens = sum(_tokens(own.usage) for own in spent) + sum(call.tokens for call in calls)
            if tokens > self._tokens:
                return False
        if self._usd is None:
            return True
        dollars = [*(own.usd for own in spent), *(call.usd for call in calls)]
        return None not in dollars and sum(amount for amount in dollars if amount is not None) <= self._usd

    def _reached(self, hold: Hold) -> str:
        spent = sum(self._spent.values(), Spent())
        name = f"{hold.request.prompt}/{hold.request.subject}"
        so_far = f"{spent.usage.calls:,} calls took {_tokens(spent.usage):,} tokens"
        most = f"the next one ({name}) may take {hold.usage.input_tokens:,} + {hold.usage.output_tokens:,}"
        if self._fits_tokens(hold):
            limit, option = f"{_dollars(self._usd)} (budget_usd)", "--budget-usd"
            so_far += f", {_dollars(spent.usd)}"
            most += f", {_dollars(hold.usd)}"
        else:
            limit, option = f"{self._tokens:,} tokens (budget_tokens)", "--budget-tokens"
        return f"the budget of {limit} is used up: {so_far}; {most}; {CONTINUES} with a higher {option}"

    def _fits_tokens(self, hold: Hold) -> bool:
        spent = sum(_tokens(own.usage) for own in self._spent.values())
        return self._tokens is None or spent + hold.tokens <= self._tokens


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _dollars(amount: Decimal | None) -> str:
    return "an unknown amount" if amount is None else f"${amount:.4f}"
