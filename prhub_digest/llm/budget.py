"""What a run pays, counted call by call, and the limits it must not cross."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from prhub_digest.console import counted
from prhub_digest.errors import BudgetError, UsageError
from prhub_digest.llm.breaker import CONTINUES
from prhub_digest.llm.input_check import InputCheck
from prhub_digest.llm.prices import PriceList, dollars
from prhub_digest.llm.request_tokens import most_input_tokens
from prhub_digest.models.llm import LogicalRequest, Message, Usage

_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Spent:
    """On some calls. `usd` is None as soon as one of them has no known price.

    `counted` are the calls whose tokens the endpoint did not report: they were counted here. `unanswered` are calls
    beside those in `usage`: nobody said what they cost.
    """

    usage: Usage = field(default_factory=Usage)
    usd: Decimal | None = _ZERO
    counted: int = 0
    unanswered: int = 0

    def __add__(self, other: "Spent") -> "Spent":
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        unanswered = self.unanswered + other.unanswered
        return Spent(self.usage + other.usage, usd, self.counted + other.counted, unanswered)

    @property
    def tokens(self) -> int:
        return self.usage.input_tokens + self.usage.output_tokens


@dataclass(frozen=True, slots=True)
class Call:
    """A call in flight, and the most that it may cost: nothing where no limit is set."""

    request: LogicalRequest
    messages: tuple[Message, ...]
    most: Spent


class Budget:
    """Counts what this run pays; may be used by many threads at once. Stored replies never come here.

    Before each call the most that it may cost is held, beside what is in flight: its input, and output up to its limit.
    Afterwards that gives way to what the endpoint reports, or to our own count where it reports nothing. A call for
    which there is no room waits while others are in flight, since most take less than was held for them. One that does
    not fit into what is really left ends the run, for all threads. A call without an answer costs nothing. What is
    reported for an input is held against what it was expected to take, by `check`.
    """

    def __init__(
        self,
        prices: PriceList | None = None,
        count: Callable[[str], int] = lambda _: 0,
        *,
        usd: Decimal | None = None,
        tokens: int | None = None,
        check: InputCheck | None = None,
    ) -> None:
        self.check = check or InputCheck()
        self.prices = prices or PriceList()
        self.count = count
        self._usd, self._tokens = usd, tokens
        self._changed = threading.Condition()
        self._held_tokens, self._held_usd = 0, _ZERO
        self._spent: dict[str, Spent] = {}
        self._unanswered: dict[str, int] = {}
        self._over = ""

    @property
    def spent(self) -> dict[str, Spent]:
        """By prompt."""
        with self._changed:
            return dict(self._spent)

    @property
    def account(self) -> dict[str, Spent]:
        """The same with the calls that got no answer; those in flight have none yet."""
        with self._changed:
            open_calls = {prompt: Spent(unanswered=calls) for prompt, calls in self._unanswered.items() if calls}
            prompts = sorted({*self._spent, *open_calls})
            return {own: self._spent.get(own, Spent()) + open_calls.get(own, Spent()) for own in prompts}

    def refuse_unpriced(self, models: Iterable[str]) -> None:
        """Raises UsageError when money is limited and one of these models has no known price."""
        unpriced = [model for model in dict.fromkeys(models) if self.prices.find(model) is None]
        if self._usd is not None and unpriced:
            raise UsageError(
                f"--budget-usd cannot be kept: no price is known for the model {' and for '.join(map(repr, unpriced))}"
                f" at {self.prices.provider!r}. Check the name; or give its price in prhub.toml, as [[prices]] with"
                f' model = "{unpriced[0]}", input and output in US dollars per million tokens (0 for an endpoint of'
                " your own); or limit the tokens with --budget-tokens"
            )

    def begin(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Call:
        """Hold what one call may cost; `end` gives it back.

        Raises:
            BudgetError: it does not fit into what is left.
        """
        if self._usd is None and self._tokens is None:
            with self._changed:
                return self._begun(Call(request, messages, Spent()))
        usage = Usage(calls=1, input_tokens=self.input_tokens(request, messages), output_tokens=max_output_tokens)
        call = Call(request, messages, Spent(usage, self.prices.usd(request.model, usage)))
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._room(call, beside=True) or not self._room(call))
            if not (self._over or self._room(call)):
                self._over = self._reached(call)
                self._changed.notify_all()
            if self._over:
                raise BudgetError(self._over)
            self._hold(call, 1)
            return self._begun(call)

    def end(self, call: Call, usage: Usage, content: str, *, sent: bool = True) -> None:
        """`usage` is what the endpoint reported for `content`, without a call when no answer came.

        Not `sent`: the call was not made after all.
        """
        spent = self._paid(call, usage, content) if usage.calls else None
        prompt = call.request.prompt
        with self._changed:
            self._hold(call, -1)
            if spent is not None or not sent:
                self._unanswered[prompt] -= 1
            if spent is not None:
                self._spent[prompt] = self._spent.get(prompt, Spent()) + spent
            self._changed.notify_all()

    def _begun(self, call: Call) -> Call:
        prompt = call.request.prompt
        self._unanswered[prompt] = self._unanswered.get(prompt, 0) + 1
        return call

    def input_tokens(self, request: LogicalRequest, messages: tuple[Message, ...]) -> int:
        """At most what an endpoint counts for them, with what it adds to each message."""
        return most_input_tokens(request, messages, self.count)

    def _paid(self, call: Call, usage: Usage, content: str) -> Spent:
        reported = usage.input_tokens > 0
        most = call.most.usage.input_tokens or self.input_tokens(call.request, call.messages)
        if reported:
            self.check.hold(call.request, most, usage.input_tokens)
        else:
            usage = usage.updated(input_tokens=most, output_tokens=usage.output_tokens or self.count(content))
        return Spent(usage, self.prices.usd(call.request.model, usage), int(not reported))

    @property
    def _so_far(self) -> Spent:
        return sum(self._spent.values(), Spent())

    def _hold(self, call: Call, sign: int) -> None:
        self._held_tokens += sign * call.most.tokens
        self._held_usd += sign * (call.most.usd or _ZERO)

    def _room(self, call: Call, *, beside: bool = False) -> bool:
        """Whether the call fits into what was not paid yet; `beside` what is held for others, too."""
        whole = self._so_far + call.most
        if self._tokens is not None and whole.tokens + self._held_tokens * beside > self._tokens:
            return False
        return self._usd is None or (whole.usd is not None and whole.usd + self._held_usd * beside <= self._usd)

    def _reached(self, call: Call) -> str:
        spent, most = self._so_far, call.most
        name = f"{call.request.prompt}/{call.request.subject}"
        if self._tokens is not None and spent.tokens + most.tokens > self._tokens:
            limit, option = f"{self._tokens:,} tokens", "--budget-tokens"
            paid, next_one = f"{spent.tokens:,} tokens", f"{most.tokens:,}"
        else:
            limit, option = dollars(self._usd), "--budget-usd"
            paid, next_one = dollars(spent.usd), dollars(most.usd)
        return (
            f"the budget of {limit} ({option}) is used up: {paid} for {counted(spent.usage.calls, 'call')} so far, and"
            f" the next one ({name}) may take {next_one}; {CONTINUES} with a higher budget, and pays nothing twice"
        )
