"""What run.json says of the money, whatever ends a run; and which stages it says are of an earlier one."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome
from model_server import ModelServer, Reply, Request, completion, failure
from scripted_model import content_for, field
from small_week import write_week

from prhub_digest.pipeline import context

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--concurrency", "1")
# A dollar is a million tokens, in or out.
PRICES = '[[prices]]\nmodel = "toy"\ninput = 1\ncached_input = 0.5\noutput = 1\n'
IN, CACHED, OUT = 2_000, 1_000, 300
A_CALL = 0.0018
NO_MONEY = failure(429, "You exceeded your current quota", "insufficient_quota")
PAGES = ("digest.en.md", "digest.en.json", "plan.json", "stats.json", "verification.en.json")


def answer(request: Request) -> Reply:
    reply = completion(content_for(request.body), usage=(IN, OUT))
    reply.body["usage"]["prompt_tokens_details"] = {"cached_tokens": CACHED}
    return reply


def after(answers: int, end: Reply) -> Callable[[Request], Reply]:
    """So many answers, then always the same."""
    left = [answers]

    def reply(request: Request) -> Reply:
        left[0] -= 1
        return answer(request) if left[0] >= 0 else end

    return reply


@pytest.fixture
def week(command: CommandLine) -> CommandLine:
    """Three pull requests: the digest takes three calls for summaries, two for the plan, six for the wordings."""
    write_week(command.folder / "week")
    Path("prhub.toml").write_text(PRICES, encoding="utf-8", newline="")
    return command


def against(week: CommandLine, reply: Callable[[Request], Reply], *more: str, model: str = "toy") -> Outcome:
    with ModelServer(reply) as server:
        week.set(OPENAI_BASE_URL=server.base_url)
        return week(*COMMAND, "--model", model, *more)


def manifest(folder: Path = RUN) -> Any:
    return json.loads((folder / "run.json").read_bytes())


def told(paid: dict[str, Any]) -> dict[str, Any]:
    """By stage: calls, tokens in, cached, out, US dollars; and calls without an answer, where there are any."""
    return {
        stage: (*own["usage"].values(), own["usd"], *((own["unanswered"],) if "unanswered" in own else ()))
        for stage, own in paid.items()
    }


def calls(number: int, unanswered: int = 0) -> tuple[float, ...]:
    used = (number, IN * number, OUT * number, CACHED * number, round(A_CALL * number, 6))
    return (*used, unanswered) if unanswered else used


def states(folder: Path = RUN) -> dict[str, str]:
    return {stage: own.get("state", "done") for stage, own in manifest(folder)["stages"].items()}


def contents(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in PAGES]


def test_what_ended_runs_paid_adds_up_and_changes_no_byte_of_the_digest(week: CommandLine) -> None:
    """The quota ends at the second call, the budget at the fifth, the key is refused at the ninth."""
    assert against(week, after(1, NO_MONEY)).code == 4
    assert told(manifest()["paid"]) == told(manifest()["paid_in_all"]) == {"summarize": calls(1, 1)}
    assert against(week, answer, "--budget-tokens", "8500").code == 5
    assert told(manifest()["paid"]) == {"summarize": calls(2), "compose": calls(1)}
    assert told(manifest()["paid_in_all"]) == {"summarize": calls(3, 1), "compose": calls(1)}
    assert against(week, after(4, failure(401, "no"))).code == 4
    assert told(manifest()["paid"]) == {"compose": calls(4, 1)}
    assert "compose" not in manifest()["stages"]
    assert against(week, answer).code == 0
    assert told(manifest()["paid"]) == {"compose": calls(3)}
    assert told(manifest()["paid_in_all"]) == {"summarize": calls(3, 1), "compose": calls(8, 1)}
    week.set(PRHUB_CACHE_DIR=str(week.folder / "other"))
    assert against(week, answer, "--out", "whole").code == 0
    assert contents(RUN) == contents(Path("whole/toy__pages/2026-W06"))


def test_what_is_paid_is_written_while_the_stage_goes_on(week: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a kill loses little of it; here run.json is read in the middle of the summaries."""
    monkeypatch.setattr(context, "_SECONDS_BETWEEN_WRITES", 0.0)
    seen: list[dict[str, Any]] = []

    def look(request: Request) -> Reply:
        if field(request.messages[1]["content"], "ref") == "pr-103":
            deadline = time.monotonic() + 10
            while not manifest()["paid"].get("summarize") and time.monotonic() < deadline:
                time.sleep(0.01)
            seen.append(manifest()["paid"])
        return answer(request)

    assert against(week, look).code == 0
    assert [paid["summarize"]["usage"]["calls"] > 0 for paid in seen] == [True]


def test_a_run_that_asks_nobody_paid_nothing(week: CommandLine) -> None:
    assert against(week, answer).code == 0
    before = contents(RUN)
    assert told(manifest()["paid"]) == {"summarize": calls(3), "compose": calls(8)}
    assert against(week, answer).code == 0
    assert (manifest()["paid"], contents(RUN)) == ({}, before)
    assert told(manifest()["paid_in_all"]) == {"summarize": calls(3), "compose": calls(8)}
    assert [own["usage"]["calls"] for own in manifest()["stages"].values()] == [0, 0, 3, 0, 8, 0]
    assert against(week, answer, "--fresh").code == 0
    assert manifest()["paid_in_all"] == {}  # all was stored


@pytest.mark.parametrize(
    ("reply", "paid"),
    [
        (failure(400, "too odd for me"), calls(0, 3)),
        (completion("no", usage=(IN, OUT)), (6, 6 * IN, 6 * OUT, 0, 0.0138)),
    ],
)
def test_a_run_in_which_all_calls_failed_says_so(week: CommandLine, reply: Reply, paid: tuple[float, ...]) -> None:
    assert against(week, lambda _: reply).code == 4
    assert told(manifest()["paid"]) == {"summarize": paid}
    assert len(manifest()["failures"]) == 3


def test_an_unknown_price_stays_unknown(week: CommandLine) -> None:
    assert against(week, after(1, NO_MONEY), model="nobody-knows").code == 4
    assert manifest()["paid"]["summarize"]["usd"] is None
    assert "$" not in week("show", RUN).out


def shown(week: CommandLine) -> list[list[str]]:
    return [line.split() for line in week("show", RUN).out.split("\n")]


def test_show_tells_of_costs(week: CommandLine) -> None:
    assert against(week, after(1, NO_MONEY)).code == 4
    assert against(week, answer).code == 0
    lines = shown(week)
    summarize, compose = (
        next(line for line in lines if line[:2] == [name, "done"]) for name in ("summarize", "compose")
    )
    assert summarize[3:] == ["3", "6,000", "3,000", "900", "$0.0054"]
    assert compose[3:] == ["8", "16,000", "8,000", "2,400", "$0.0144"]
    at = next(place for place, line in enumerate(lines) if line[:3] == ["Paid", "for", "calls"])
    assert lines[at + 2 : at + 5] == [
        ["summarize", "3", "1", "6,000", "3,000", "900", "$0.0054", "2", "$0.0036"],
        ["compose", "8", "0", "16,000", "8,000", "2,400", "$0.0144", "8", "$0.0144"],
        ["total", "11", "1", "22,000", "11,000", "3,300", "$0.0198", "10", "$0.0180"],
    ]


def test_show_says_what_is_of_an_earlier_run(week: CommandLine) -> None:
    assert against(week, answer).code == 0
    assert against(week, after(1, NO_MONEY), model="other").code == 4
    outcome = week("show", RUN)
    assert (
        "\nunfinished: summarize has not ended; what there is of rank, compose, render was made by an earlier run;"
        " summaries that it has not made again are of an earlier run, too; the same run command continues\n"
    ) in outcome.out
    assert "\nHighlights (of an earlier run)\n" in outcome.out
    assert states() == {
        "collect": "done",
        "chunk": "done",
        "summarize": "begun",
        "rank": "earlier",
        "compose": "earlier",
        "render": "earlier",
    }
    lines = [line.split() for line in outcome.out.split("\n")]
    assert next(line[:3] for line in lines if line[:1] == ["summarize"]) == ["summarize", "not", "ended"]
    assert [line[:5] for line in lines if line[:1] == ["rank"]] == [["rank", "of", "an", "earlier", "run"]]
    assert (
        "unfinished: summarize has not ended; what follows may be of an earlier run\n"
        in week("show", RUN, "--pr", "101").out
    )
    assert against(week, answer, model="other").code == 0
    assert {*states().values()} == {"done"}
    assert "unfinished" not in week("show", RUN).out


def test_a_model_that_was_left_again_leaves_nothing_of_its_own(week: CommandLine) -> None:
    """One summary of the other model was written; the first model's digest is made from its own three."""
    assert against(week, answer).code == 0
    before = contents(RUN)
    assert against(week, after(1, NO_MONEY), model="other").code == 4
    assert not list(RUN.glob("digest.*"))
    assert against(week, after(0, NO_MONEY)).code == 0  # all is stored
    assert contents(RUN) == before
    assert {*states().values()} == {"done"}


def test_what_failed_before_a_vain_try_is_tried_again(week: CommandLine) -> None:
    """The try ended before it came to the pull request that had failed."""

    def odd(request: Request) -> Reply:
        ref = field(request.messages[1]["content"], "ref")
        return failure(400, "too odd for me") if ref == "pr-102" else answer(request)

    assert against(week, odd).code == 1
    before = contents(RUN)
    assert against(week, after(0, NO_MONEY)).code == 4
    assert contents(RUN) == before
    assert "unfinished: summarize has not ended; " in week("show", RUN).out
    with ModelServer(answer) as server:
        week.set(OPENAI_BASE_URL=server.base_url)
        assert week(*COMMAND, "--model", "toy").code == 0
        assert field(server.requests[0].messages[1]["content"], "ref") == "pr-102"
    assert json.loads((RUN / "summaries/102.json").read_bytes())["status"] == "summarized"


def test_a_collection_that_begins_again_is_unfinished(week: CommandLine) -> None:
    """As a kill between two pull requests leaves it."""
    assert week("run", "--fixture", "./week/", "--llm", "none").code == 0
    (RUN / "collection.json").unlink()
    outcome = week("show", RUN)
    assert "no pull requests collected\nunfinished: collect has not ended; the same command continues\n" in outcome.out


def test_how_much_input_was_reported_is_kept_and_shown(week: CommandLine) -> None:
    """It is far above what the toy's small prompts take: a warning for all calls, and the highest stays."""
    first = against(week, answer)
    assert (first.code, first.err.count(f"warning: the endpoint counts {IN:,} tokens of input for ")) == (0, 1)
    ratio = manifest()["input_ratio"]
    assert ratio > 1
    assert "the endpoint counts" not in against(week, answer).err  # nobody is asked
    assert manifest()["input_ratio"] == ratio
    shown = week("show", str(RUN)).out
    assert f"input tokens as the endpoint reports them: up to {ratio:.2f} of those expected at most\n" in shown
    assert against(week, answer, "--fresh").code == 0
    assert "input_ratio" not in manifest()
