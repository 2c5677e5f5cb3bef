"""The limits of a run's calls: alone, with many threads, and with all second chances of a request."""

import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_server import ModelServer, Reply, completion, failure
from toy_requests import ToyReply, toy_content, toy_request

from prhub_digest.errors import BudgetError, UsageError
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.budget import Budget, Spent
from prhub_digest.llm.input_check import InputCheck
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.prices import PriceList
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.llm import Message, Usage
from prhub_digest.models.prices import Price

# A dollar a token in, two a token out, for `toy-model`.
DEAR = PriceList([Price(model="toy-model", input=Decimal(1_000_000), output=Decimal(2_000_000))])
REQUEST = toy_request()


def one_a_text(_: str) -> int:
    """Counts a text as one token: a request of two messages and a schema has 3, and 8 for each message beside."""
    return 1


HELD = 3 + 2 * 8


def limited(**limits: Any) -> Budget:
    return Budget(DEAR, one_a_text, **limits)


def spend(budget: Budget, output: int, usage: Usage) -> None:
    budget.end(budget.begin(REQUEST, REQUEST.messages, output), usage, "an answer")


def used(tokens_in: int, tokens_out: int = 0) -> Usage:
    return Usage(calls=1, input_tokens=tokens_in, output_tokens=tokens_out)


def test_a_call_that_may_not_fit_is_not_made() -> None:
    budget = limited(tokens=HELD + 10)
    spend(budget, 10, used(5, 4))
    with pytest.raises(BudgetError) as raised:
        budget.begin(REQUEST, REQUEST.messages, 10)
    assert str(raised.value) == (
        "the budget of 29 tokens (--budget-tokens) is used up: 9 tokens for 1 call so far, and the next one (toy/pr-1)"
        " may take 29; what was answered is stored; the same command continues with a higher budget, and pays nothing"
        " twice"
    )


def test_money_counts_input_and_output_at_their_prices() -> None:
    budget = limited(usd=Decimal(HELD + 20))  # 10 tokens of output at two dollars
    spend(budget, 10, used(0, 0).updated(input_tokens=19, output_tokens=3))
    assert budget.spent == {"toy": Spent(used(19, 3), Decimal(25))}
    with pytest.raises(BudgetError, match=r"the budget of \$39.00 .*: \$25.00 for 1 call so far.* may take \$39.00"):
        budget.begin(REQUEST, REQUEST.messages, 10)


def test_once_used_up_it_stays_so_for_smaller_calls() -> None:
    budget = limited(tokens=HELD + 10)
    with pytest.raises(BudgetError) as first:
        budget.begin(REQUEST, REQUEST.messages, 11)
    with pytest.raises(BudgetError) as second:
        budget.begin(REQUEST, REQUEST.messages, 1)
    assert str(first.value) == str(second.value)


def test_a_call_without_an_answer_costs_nothing() -> None:
    budget = limited(tokens=HELD + 10)
    for _ in range(3):
        spend(budget, 10, Usage())
    assert budget.spent == {}
    assert budget.account == {"toy": Spent(unanswered=3)}


def test_a_call_in_flight_has_no_answer_yet() -> None:
    budget = limited(tokens=3 * HELD)
    call = budget.begin(REQUEST, REQUEST.messages, 10)
    assert (budget.spent, budget.account) == ({}, {"toy": Spent(unanswered=1)})
    budget.end(call, used(19, 3), "")
    assert budget.account == budget.spent == {"toy": Spent(used(19, 3), Decimal(25))}
    budget.end(budget.begin(REQUEST, REQUEST.messages, 1), Usage(), "", sent=False)
    assert budget.account == budget.spent


def test_what_an_endpoint_does_not_report_is_counted_here() -> None:
    budget = limited(tokens=2 * HELD + 10)
    spend(budget, 10, Usage(calls=1))
    assert budget.spent == {"toy": Spent(used(HELD, 1), Decimal(HELD + 2), counted=1)}
    unlimited = limited()
    spend(unlimited, 10, Usage(calls=1))
    assert unlimited.spent == budget.spent


def test_an_unknown_price_is_no_sum() -> None:
    budget = Budget(PriceList(), one_a_text, tokens=1000)
    spend(budget, 10, used(19, 3))
    assert budget.spent == {"toy": Spent(used(19, 3), None)}


def test_money_cannot_be_limited_where_no_price_is_known() -> None:
    prices = PriceList([Price(model="known", input=Decimal(1), output=Decimal(1))], "gate.example")
    with pytest.raises(UsageError) as raised:
        Budget(prices, one_a_text, usd=Decimal(1)).refuse_unpriced(["known", "one", "one", "other"])
    assert "no price is known for the model 'one' and for 'other' at 'gate.example'" in str(raised.value)
    assert 'model = "one"' in str(raised.value)
    Budget(prices, one_a_text, usd=Decimal(1)).refuse_unpriced(["known"])
    Budget(prices, one_a_text, tokens=1).refuse_unpriced(["one"])


def test_a_call_waits_for_room_that_one_in_flight_may_leave() -> None:
    budget = limited(tokens=2 * HELD + 10)
    first = budget.begin(REQUEST, REQUEST.messages, 10)
    begun = threading.Event()

    def second() -> None:
        budget.begin(REQUEST, REQUEST.messages, 5)
        begun.set()

    thread = threading.Thread(target=second, daemon=True)
    thread.start()
    assert not begun.wait(0.05)
    budget.end(first, used(HELD, 5), "")  # it took half of what it could
    assert begun.wait(5)


def test_a_call_that_waits_ends_when_there_was_no_room_after_all() -> None:
    budget = limited(tokens=2 * HELD + 10)
    first = budget.begin(REQUEST, REQUEST.messages, 10)
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(budget.begin, REQUEST, REQUEST.messages, 5) for _ in range(4)]
        budget.end(first, used(HELD, 10), "")
        assert all(isinstance(own.exception(timeout=5), BudgetError) for own in waiting)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32),
    threads=st.integers(1, 12),
    limit=st.integers(0, 60 * HELD),
    by_money=st.booleans(),
)
def test_no_number_of_threads_crosses_the_limit(seed: int, threads: int, limit: int, by_money: bool) -> None:
    """Whatever calls take of what was held for them; and the limit is used as far as the next call allows."""
    chance = random.Random(seed)
    budget = limited(usd=Decimal(limit)) if by_money else limited(tokens=limit)
    calls = [(chance.randint(1, 40), chance.random(), chance.random() < 0.2) for _ in range(60)]
    refused: list[int] = []

    def one(output: int, share: float, fails: bool) -> None:
        try:
            call = budget.begin(REQUEST, REQUEST.messages, output)
        except BudgetError:
            refused.append(output)
            return
        budget.end(call, Usage() if fails else used(round(HELD * share) or 1, round(output * share)), "")

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda own: one(*own), calls))
    spent = sum(budget.spent.values(), Spent())
    assert spent.usd is not None
    paid = spent.usd if by_money else spent.tokens
    assert paid <= limit
    if refused:
        assert paid + HELD + (2 if by_money else 1) * 40 > limit


@contextmanager
def asking(folder: Path, replies: list[Reply], **limits: Any) -> Iterator[tuple[Asker, ModelServer]]:
    with ModelServer(replies) as server:
        client = OpenAIClient(server.base_url, "key", 5.0, 4)
        store = ReplyStore(folder, lambda _: None)
        yield Asker(client, store, sleep=lambda _: None, budget=limited(**limits)), server
        client.close()


@pytest.mark.parametrize(
    ("first", "calls", "tokens"),
    [
        pytest.param(completion(toy_content(risk=9)), 1, 110, id="an answer that is wrong in form"),
        pytest.param(completion("{", finish_reason="length"), 1, 110, id="an answer that was cut"),
        pytest.param(completion(None), 1, 110, id="no content"),
        pytest.param(Reply("<html>"), 1, HELD + 1, id="no JSON, no usage"),
        pytest.param(completion(toy_content(risk=9), usage=None), 1, HELD + 1, id="no usage"),
    ],
)
def test_a_second_chance_is_a_call_like_any_other(tmp_path: Path, first: Reply, calls: int, tokens: int) -> None:
    """There is room for one call and its longest answer, not for two."""
    with asking(tmp_path, [first, completion(toy_content())], tokens=HELD + 100) as (asker, server):
        with pytest.raises(BudgetError, match=f"used up: {tokens} tokens for 1 call so far"):
            asker.ask(toy_request(), ToyReply)
        assert len(server.requests) == calls
        assert asker.budget.spent["toy"].tokens == tokens
    assert not list(tmp_path.rglob("*.json"))


def test_failed_calls_are_made_again_and_cost_nothing(tmp_path: Path) -> None:
    replies = [failure(500, "busy"), failure(429, "slow down"), completion(toy_content())]
    with asking(tmp_path, replies, tokens=HELD + 100) as (asker, server):
        answer = asker.ask(toy_request(), ToyReply)
        assert (answer.paid, len(server.requests)) == (used(100, 10), 3)
        assert asker.budget.spent == {"toy": Spent(used(100, 10), Decimal(120))}
        assert asker.budget.account == {"toy": Spent(used(100, 10), Decimal(120), unanswered=2)}


def test_a_stored_reply_needs_no_budget(tmp_path: Path) -> None:
    with asking(tmp_path, [completion(toy_content())]) as (asker, _):
        asker.ask(toy_request(), ToyReply)
    with asking(tmp_path, [failure(400, "not again")], tokens=0) as (asker, server):
        assert asker.ask(toy_request(), ToyReply).paid == Usage()
        assert (server.requests, asker.budget.spent) == ([], {})


def test_the_informed_retry_holds_its_longer_conversation(tmp_path: Path) -> None:
    replies = [completion(toy_content(risk=9)), completion(toy_content())]
    longer = 5 + 4 * 8  # four messages and a schema
    refused = pytest.raises(BudgetError, match=f"may take {longer + 100};")
    with asking(tmp_path, replies, tokens=110 + longer + 99) as (asker, _), refused:
        asker.ask(toy_request(), ToyReply)
    with asking(tmp_path, replies, tokens=110 + longer + 100) as (asker, _):
        assert asker.ask(toy_request(), ToyReply).paid == used(100, 10) + used(100, 10)


def test_input_reported_above_the_most_expected_is_warned_of_once(tmp_path: Path) -> None:
    """And the highest is kept. What reports nothing, or fails, is not compared; an unusable answer is."""
    warned: list[str] = []
    check = InputCheck(warned.append)
    replies = [
        completion(toy_content(1), usage=None),
        failure(500, "busy"),
        completion(toy_content(2), usage=(HELD, 10)),
        completion("no object", usage=(2 * HELD, 10)),
        completion(toy_content(3), usage=(4 * (HELD + 2 * 9), 10)),
        completion(toy_content(4), usage=(3, 10)),
    ]
    with asking(tmp_path, replies, check=check) as (asker, _):
        highest = []
        for number in range(1, 5):
            asker.ask(toy_request(number), ToyReply)
            highest.append(check.highest)
    assert highest == [None, 1.0, 4.0, 4.0]
    (warning,) = warned
    assert warning == (
        "the endpoint counts 38 tokens of input for toy/pr-3, where 19 were expected at most (2.00 times as many): the"
        " vocabulary of 'toy-model' is another one, or the endpoint adds text. Budgets may be crossed by that factor,"
        " and a request may be too long for the model's context: set budgets and chunk_tokens that much lower; and if"
        " the name is an alias, give the model the name that its maker gives it"
    )


def test_messages_of_any_length_are_held() -> None:
    budget = Budget(DEAR, len, tokens=10_000)
    long = (Message(role="user", content="x" * 9_000),)
    call = budget.begin(REQUEST, long, 1)
    schema = call.most.usage.input_tokens - 9_000 - 8
    assert 100 < schema < 1_000
