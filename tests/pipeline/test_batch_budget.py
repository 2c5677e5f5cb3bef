"""A budget bounds batch files: a round that would cost more is not written, and a higher budget continues."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from batch_model import COMMAND, KEY, RUN, reply
from batch_server import BatchServer
from command_line import CommandLine, Outcome
from small_week import write_week

pytest_plugins = ["command_fixture"]

# A dollar is a million tokens, in or out; in a batch two millions.
PRICES = '[[prices]]\nmodel = "toy"\ninput = 1\noutput = 1\nbatch = 0.5\n'
ENOUGH = ("--budget-tokens", "50000")


@pytest.fixture
def week(command: CommandLine) -> CommandLine:
    write_week(command.folder / "week")
    settings(PRICES)
    return command


def settings(text: str) -> None:
    Path("prhub.toml").write_text(text, encoding="utf-8", newline="")


def files() -> list[str]:
    return sorted(path.name for path in RUN.glob("batch/round-*"))


def answered(tokens: int | None) -> None:
    """Replies to the round that waits, in `replies.jsonl`; each took so many tokens of input, and 300 of output.

    None: the service does not say.
    """
    lines = [json.loads(line) for line in (RUN / "batch" / files()[0]).read_bytes().split(b"\n")[:-1]]
    replies = [reply(line) for line in lines]
    for own in replies:
        own["response"]["body"]["usage"] = {"prompt_tokens": tokens, "completion_tokens": 300} if tokens else None
    Path("replies.jsonl").write_text("".join(f"{json.dumps(own)}\n" for own in replies), encoding="utf-8")


def refused(outcome: Outcome, *words: str) -> bool:
    assert outcome.code == 5, outcome.err
    assert "no batch file was written" in outcome.err
    for own in words:
        assert own in outcome.err, outcome.err
    return outcome.out == "" and files() == []


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (("--budget-tokens", "1000"), "the budget of 1,000 tokens (--budget-tokens) does not cover"),
        (("--budget-usd", "0.001"), "the budget of $0.001 (--budget-usd) does not cover"),
    ],
)
def test_a_round_that_would_cost_too_much_is_not_written(week: CommandLine, limit: tuple[str, str], words: str) -> None:
    assert refused(week(*COMMAND, *limit), words.replace("0.001 ", "0.0010 "), "the 3 requests of the next round")
    assert refused(week("batch", "export", RUN), words[:10])  # what `run` was told holds for the other commands
    assert refused(week("batch", "export", RUN, "--to", "mine.jsonl"))
    assert not Path("mine.jsonl").exists()
    assert week(*COMMAND, *ENOUGH).code == 0
    assert files() == ["round-001.jsonl"]


def test_what_was_paid_counts_and_a_higher_budget_pays_nothing_twice(week: CommandLine) -> None:
    assert week(*COMMAND, *ENOUGH).code == 0
    answered(16_000)
    outcome = week("batch", "import", RUN, "replies.jsonl", "--json")
    assert outcome.code == 5
    said = json.loads(outcome.out)
    assert (len(said["imported"]), said["waiting"]) == (3, None)
    assert "beside 48,900 for 3 answers so far" in outcome.err
    assert files() == []
    assert refused(week(*COMMAND, *ENOUGH), "does not cover the 2 requests of the next round")
    more = week(*COMMAND, "--budget-tokens", "100000")
    assert (more.code, "round 2 (plan): 2 requests" in more.err) == (0, True), more.err


def test_what_a_service_does_not_report_is_counted(week: CommandLine) -> None:
    assert week(*COMMAND, *ENOUGH).code == 0
    answered(None)
    assert week("batch", "import", RUN, "replies.jsonl").code == 0
    outcome = week(*COMMAND, "--budget-tokens", "11000")
    found = re.search(r"beside ([\d,]+) for 3 answers so far", outcome.err)
    assert found is not None, outcome.err
    assert 6_000 < int(found[1].replace(",", "")) < 11_000


def test_answers_that_could_not_be_used_were_paid_too(week: CommandLine) -> None:
    assert week(*COMMAND, *ENOUGH).code == 0
    answered(16_000)
    lines = Path("replies.jsonl").read_text(encoding="utf-8").replace('\\"ref\\": \\"pr-', '\\"ref\\": \\"another-')
    Path("replies.jsonl").write_text(lines, encoding="utf-8")
    assert "beside 48,900 for 3 answers so far" in week("batch", "import", RUN, "replies.jsonl").err


def test_money_is_that_of_a_batch(week: CommandLine) -> None:
    """The first round is some ten thousand tokens."""
    assert refused(week(*COMMAND, "--budget-usd", "0.003"))
    assert week(*COMMAND, "--budget-usd", "0.006").code == 0
    assert refused(week(*COMMAND, "--budget-tokens", "6000"))


def test_a_budget_that_is_not_given_again_holds_no_more(week: CommandLine) -> None:
    assert refused(week(*COMMAND, "--budget-tokens", "1"))
    assert week(*COMMAND).code == 0
    assert files() == ["round-001.jsonl"]


@pytest.mark.parametrize(
    ("prices", "words"),
    [
        ("", "--budget-usd cannot be kept: no price is known for the model 'toy' at "),
        (PRICES.replace("batch = 0.5\n", ""), "--budget-usd cannot be kept: what a batch costs of the price of the"),
    ],
)
def test_a_limit_of_money_needs_the_price_of_a_batch(week: CommandLine, prices: str, words: str) -> None:
    """H-27, for batch files."""
    settings(prices)
    outcome = week(*COMMAND, "--budget-usd", "0.50")
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert "$0" not in outcome.err
    assert not RUN.exists()


def test_a_batch_api_is_sent_no_round_beyond_the_budget(week: CommandLine) -> None:
    def costly(line: dict[str, Any]) -> dict[str, Any]:
        answer = reply(line)
        answer["response"]["body"]["usage"] = {"prompt_tokens": 16_000, "completion_tokens": 300}
        return answer

    with BatchServer(costly) as server:
        week.set(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY=KEY)
        assert week(*COMMAND, *ENOUGH).code == 0
        wait = ("batch", "submit", RUN, "--wait", "--poll", "0")
        assert refused(week(*wait), "beside 48,900 for 3 answers so far")
        assert [*server.tenant.batches] == ["batch_1"]
        assert refused(week(*wait))
        assert week(*COMMAND, "--budget-tokens", "1000000").code == 0
        assert week(*wait).code == 0
        assert len(server.tenant.submitted) == len({*server.tenant.submitted}) == 4
