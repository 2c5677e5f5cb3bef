"""Money and tokens at the command line: limits that end a run, what it says of its costs, and that no page depends on
either."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome
from model_server import ModelServer, Reply, Request, completion
from scripted_model import content_for, field
from small_week import write_week

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy")
# A dollar is a million tokens, in or out.
PRICES = '[[prices]]\nmodel = "toy"\ninput = 1\ncached_input = 0.5\noutput = 1\nbatch = 0.5\n'
IN, OUT = 2_000, 300


def answer(request: Request) -> Reply:
    return completion(content_for(request.body), usage=(IN, OUT))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(answer) as server:
        yield server


@pytest.fixture
def against(command: CommandLine, server: ModelServer) -> Callable[..., Outcome]:
    """The run of a small week with a price for its model, and whatever more."""
    write_week(command.folder / "week")
    settings(PRICES)
    command.set(OPENAI_BASE_URL=server.base_url)
    return lambda *more: command(*COMMAND, *more)


def settings(text: str) -> None:
    Path("prhub.toml").write_text(text, encoding="utf-8", newline="")


def refs(server: ModelServer) -> list[str]:
    """What was asked so far, which is then forgotten."""
    found = [field(request.messages[1]["content"], "ref") for request in server.requests]
    server.requests.clear()
    return found


def pages(folder: Path = RUN) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("digest.*"))}


def manifest(folder: Path = RUN) -> Any:
    return json.loads((folder / "run.json").read_bytes())


@pytest.mark.parametrize(
    ("prices", "options", "name"),
    [
        (PRICES, ("--model", "claude-opus-4.1-typo"), "claude-opus-4.1-typo"),
        (PRICES, ("--small-model", "toy-smal"), "toy-smal"),
        ("", ("--fresh",), "toy"),
    ],
)
def test_a_limit_of_money_needs_a_price(
    against: Callable[..., Outcome], server: ModelServer, prices: str, options: tuple[str, ...], name: str
) -> None:
    """H-27: a name with one different character has no price, so that any cap would pass."""
    settings(prices)
    outcome = against("--budget-usd", "0.50", *options)
    assert (outcome.code, outcome.out, server.requests) == (2, "", [])
    assert f"--budget-usd cannot be kept: no price is known for the model '{name}' at 'local'" in outcome.err
    assert f'[[prices]] with model = "{name}"' in outcome.err
    assert "--budget-tokens" in outcome.err
    assert "$0" not in outcome.err
    assert not Path("runs").exists()


def test_an_endpoint_that_is_declared_free_is_within_any_limit(
    against: Callable[..., Outcome], server: ModelServer
) -> None:
    settings('[[prices]]\nprovider = "local"\ninput = 0\noutput = 0\n')
    outcome = against("--budget-usd", "0")
    assert outcome.code == 0, outcome.err
    assert len(refs(server)) == 11
    assert re.search(r"^total +11 +22,000 +0 +3,300 +\$0\.00 +11 +\$0\.00$", outcome.err, re.MULTILINE)


def test_a_used_up_budget_ends_the_run_and_a_higher_one_pays_only_the_rest(
    command: CommandLine, against: Callable[..., Outcome], server: ModelServer
) -> None:
    """At any point: before the first call, in the summaries, at the plan, in the wordings."""
    assert against("--out", "whole", "--concurrency", "1").code == 0
    whole = refs(server)
    assert whole[3:5] == ["theme-1", "plan"]
    a_call = IN + OUT
    # One more call may take as much as this: its longest answer, its messages and its schema.
    most = 7_000
    for answers in (0, 2, 3, len(whole) - 1):
        command.set(PRHUB_CACHE_DIR=str(command.folder / f"cache-{answers}"))
        out = ("--out", f"out-{answers}", "--concurrency", "1")
        folder = command.folder / f"out-{answers}/toy__pages/2026-W06"
        # Room for so many answers, and for none of the size of a plan or a summary beside.
        tokens = answers * a_call + (1_000 if answers else 0)
        ended = against("--budget-tokens", str(max(tokens, 0)), *out)
        asked = refs(server)
        assert (ended.code, ended.out) == (5, ""), ended.err
        assert asked == whole[: len(asked)]
        assert len(asked) * a_call <= tokens
        assert tokens < len(asked) * a_call + most
        assert f"error: the budget of {tokens:,} tokens (--budget-tokens) is used up: " in ended.err
        assert "the same command continues with a higher budget, and pays nothing twice" in ended.err
        assert not list(folder.glob("digest.*"))
        again = against("--budget-tokens", str(len(whole) * a_call + most), *out)
        assert (again.code, asked + refs(server)) == (0, whole), again.err
        assert "settings changed" not in again.err
        assert pages(folder) == pages(command.folder / "whole/toy__pages/2026-W06")


@pytest.mark.parametrize("limit", [("--budget-tokens", "9450"), ("--budget-usd", "0.00945")])
def test_eight_calls_at_once_do_not_cross_it(
    against: Callable[..., Outcome], server: ModelServer, limit: tuple[str, str]
) -> None:
    """Of three summaries that together may take more than that, those that do not fit wait for those in flight."""
    outcome = against(*limit, "--concurrency", "8")
    assert outcome.code == 5, outcome.err
    asked = refs(server)
    assert sorted(asked[:3]) == ["pr-101", "pr-102", "pr-103"]
    assert len(asked) in {3, 4}  # the plan of a theme is the smallest call
    assert re.search(
        rf"for {len(asked)} calls so far, and the next one \(compose_(?:theme/theme-1|plan/plan)\) may take",
        outcome.err,
    )
    assert not pages()


def test_both_limits_hold_and_the_message_names_the_one_that_was_met(against: Callable[..., Outcome]) -> None:
    assert "of $0.0001 (--budget-usd)" in against("--budget-usd", "0.0001", "--budget-tokens", "1000000").err
    assert "of 100 tokens (--budget-tokens)" in against("--budget-usd", "100", "--budget-tokens", "100").err


def test_limits_stand_in_the_file_too_and_in_no_record(against: Callable[..., Outcome]) -> None:
    settings(f"budget_usd = 0.0001\nbudget_tokens = 90\n{PRICES}")
    assert against().code == 5
    assert against("--budget-usd", "1", "--budget-tokens", "1000000").code == 0
    stored = json.loads((RUN / "run.json").read_bytes())["settings"]
    assert stored.keys().isdisjoint({"budget_usd", "budget_tokens", "prices"})


@pytest.mark.parametrize("value", ["-1", "nan", "many"])
def test_a_limit_that_is_none(against: Callable[..., Outcome], value: str) -> None:
    for option in ("--budget-usd", "--budget-tokens"):
        outcome = against(option, value)
        assert outcome.code == 2
        assert "--budget" in outcome.err


def test_each_stage_says_what_it_costs(against: Callable[..., Outcome]) -> None:
    """Three summaries and eight calls of compose, each of 2,000 tokens in and 300 out."""
    outcome = against("--json")
    said = json.loads(outcome.out)["costs"]
    assert [(own["stage"], own["usage_usd"], own["paid_usd"], own["counted"]) for own in said] == [
        ("summarize", 0.0069, 0.0069, 0),
        ("compose", 0.0184, 0.0184, 0),
    ]
    assert [own["paid"]["calls"] for own in said] == [3, 8]
    table = outcome.err.split("\n")[-5:]
    assert [re.split(" {2,}", line.strip()) for line in table[:-1]] == [
        ["stage", "calls", "tokens in", "cached", "tokens out", "USD", "asked now", "USD now"],
        ["summarize", "3", "6,000", "0", "900", "$0.0069", "3", "$0.0069"],
        ["compose", "8", "16,000", "0", "2,400", "$0.0184", "8", "$0.0184"],
        ["total", "11", "22,000", "0", "3,300", "$0.0253", "11", "$0.0253"],
    ]
    made = manifest()
    assert [made["stages"][stage]["usage_usd"] for stage in ("collect", "summarize", "compose")] == [
        0.0,
        0.0069,
        0.0184,
    ]
    assert {stage: own["usd"] for stage, own in made["paid"].items()} == {"summarize": 0.0069, "compose": 0.0184}
    again = against("--json")
    now = json.loads(again.out)["costs"]
    assert [(own["usage_usd"], own["paid_usd"], own["paid"]["calls"]) for own in now] == [
        (0.0069, 0.0, 0),
        (0.0184, 0.0, 0),
    ]
    assert re.search(r"^total .* \$0\.0253 +0 +-$", again.err, re.MULTILINE)


def test_cached_input_costs_what_it_costs(command: CommandLine) -> None:
    def cached(request: Request) -> Reply:
        reply = answer(request)
        reply.body["usage"]["prompt_tokens_details"] = {"cached_tokens": 1_000}
        return reply

    write_week(command.folder / "week")
    settings(PRICES)
    with ModelServer(cached) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        said = json.loads(command(*COMMAND, "--json").out)["costs"]
    assert [own["usage_usd"] for own in said] == [0.0054, 0.0144]  # 1,000 + 500 + 300 a call


def test_two_models_have_their_own_prices(against: Callable[..., Outcome]) -> None:
    settings(PRICES + '[[prices]]\nmodel = "toy-small"\ninput = 0.1\noutput = 0.2\n')
    said = json.loads(against("--small-model", "toy-small", "--json").out)["costs"]
    assert [own["usage_usd"] for own in said] == [0.00078, 0.0184]  # 3 calls of 2,000 at 0.1 and 300 at 0.2


def test_an_unknown_price_is_called_unknown(against: Callable[..., Outcome]) -> None:
    settings("")
    outcome = against("--json", "--budget-tokens", "1000000")
    assert outcome.code == 0, outcome.err
    assert [own["usage_usd"] for own in json.loads(outcome.out)["costs"]] == [None, None]
    assert re.search(r"^summarize +3 +6,000 +0 +900 +unknown +3 +unknown$", outcome.err, re.MULTILINE)
    assert re.search(r"^total .* unknown +11 +unknown$", outcome.err, re.MULTILINE)
    assert "no price is known for 'toy'; [[prices]] in prhub.toml gives it one" in outcome.err
    assert "$0" not in outcome.err
    assert (manifest()["stages"]["compose"]["usage_usd"], manifest()["paid"]["compose"]["usd"]) == (None, None)


def test_a_sum_of_which_a_part_is_unknown_says_at_least(against: Callable[..., Outcome]) -> None:
    outcome = against("--small-model", "no-price")
    assert re.search(r"^total .* at least \$0\.0184 +11 +at least \$0\.0184$", outcome.err, re.MULTILINE)


def test_an_endpoint_that_reports_no_tokens(command: CommandLine) -> None:
    """They are counted for the budget, and nobody knows what stored replies took."""
    write_week(command.folder / "week")
    settings(PRICES)
    with ModelServer(lambda request: completion(content_for(request.body), usage=None)) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        outcome = command(*COMMAND, "--json", "--budget-usd", "1")
        said = json.loads(outcome.out)["costs"]
        assert [(own["usage_usd"], own["counted"]) for own in said] == [(None, 3), (None, 8)]
        assert all(0.004 < own["paid_usd"] < 0.02 for own in said)
        assert "the endpoint did not report the tokens of 11 calls: they are counted here" in outcome.err
        again = command(*COMMAND)
        assert "USD" not in again.err  # nothing is known, and nothing was asked


def test_no_page_depends_on_prices_or_on_what_was_paid_now(against: Callable[..., Outcome]) -> None:
    assert against().code == 0
    with_prices = pages()
    settings("")
    assert against("--fresh").code == 0
    assert pages() == with_prices


def test_a_replay_and_a_run_without_a_model_pay_nothing(command: CommandLine) -> None:
    limits = ("--budget-usd", "0", "--budget-tokens", "0")
    replay = command("run", "--dry-run", *limits)
    assert replay.code == 0, replay.err
    write_week(command.folder / "week")
    facts = command("run", "--fixture", "./week/", "--llm", "none", *limits)
    assert facts.code == 0, facts.err
    assert "USD" not in replay.err + facts.err
