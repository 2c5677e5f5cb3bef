"""`estimate`, held against what a run then asks, and against the demo's recorded requests and replies."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, Outcome
from model_server import ModelServer, Reply, Request, completion
from scripted_model import content_for
from small_week import pull_request, write_week

from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.llm import StoredReply, Usage
from prhub_digest.models.pull_request import FileChange
from prhub_digest.pipeline.calibrating import calibration
from prhub_digest.shipped import fixture_dir
from prhub_digest.tokens import tokenizer_for

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--llm", "openai")
WITH_MODEL = ("--model", "gpt-5-mini")
UNKNOWN = 1.07 / 1.25  # of a vocabulary: what is expected over what is counted
PARTS = ("summarize", "headline", "rank", "themes", "plan", "wording")
PROMPTS = dict(
    zip(
        ("summarize_pr", "headline", "rank_compare", "compose_theme", "compose_plan", "compose_wording"),
        PARTS,
        strict=True,
    )
) | {"compose_headings": "wording", "compose_lines": "wording"}


def answer(request: Request) -> Reply:
    return completion(content_for(request.body), usage=(2_000, 300))


def said(outcome: Outcome) -> Any:
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)


def by_part(values: Any, name: str) -> dict[str, Any]:
    return {own["part"]: own[name] for own in values["parts"]}


def write_large_week(folder: Path) -> Path:
    """Three pull requests, of which the last one takes several chunks."""
    lines = "".join(f"+pages.register(queue, name='item-{number}', keep=True)\n" for number in range(120))
    patch = f"@@ -1,2 +1,122 @@\n import pages\n{lines} run()"
    large = FileChange(path="pages/queue.py", status="modified", additions=120, deletions=0, patch=patch)
    pulls = {number: pull_request(number, f"Change {number} of the queue") for number in (101, 102, 103)}
    pulls[103] = pulls[103].updated(files=(large,))
    return write_week(folder, pulls)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def demo_truth(vocabulary: float = 1.07) -> dict[str, tuple[int, float, float]]:
    """Calls, input and output of the demo's recorded requests and replies, in so many times the tokens of o200k."""
    count = tokenizer_for("gpt-5-mini").count
    truth: dict[str, Counter[str]] = {part: Counter() for part in PARTS}
    for path in fixture_dir("demo").glob("replies/*/*.json"):
        stored = StoredReply.model_validate_json(path.read_bytes())
        own = truth[PROMPTS[stored.request.prompt]]
        own["calls"] += len(stored.attempts)
        own["input"] += sum(count(message.content) for message in stored.request.messages)
        own["output"] += count(stored.content)
    return {part: (own["calls"], own["input"] * vocabulary, own["output"] * vocabulary) for part, own in truth.items()}


def near(value: float, truth: float, share: float) -> bool:
    return abs(value - truth) <= share * truth


def test_the_demo_takes_what_was_estimated(command: CommandLine) -> None:
    """Within a tenth: each part's input, all input, all output and what they cost together."""
    values = said(command("estimate", "--fixture", "demo", "--lang", "en", "--lang", "zh", "--json"))
    truth = demo_truth()
    assert set(by_part(values, "stored").values()) == {0}
    for part, (calls, tokens_in, tokens_out) in truth.items():
        assert near(by_part(values, "calls")[part], calls, 0.1), part
        assert near(by_part(values, "input_tokens")[part], tokens_in, 0.1), part
        assert near(by_part(values, "output_tokens")[part], tokens_out, 0.1), part
    assert near(by_part(values, "input_tokens")["summarize"], truth["summarize"][1], 0.001)  # counted, not estimated
    total_in, total_out = (sum(own[place] for own in truth.values()) for place in (1, 2))
    total = values["total"]
    assert near(total["input_tokens"], total_in, 0.1)
    assert near(total["output_tokens"], total_out, 0.1)
    assert near(total["input_tokens"] + 8 * total["output_tokens"], total_in + 8 * total_out, 0.1)
    for name in ("input_tokens", "output_tokens"):
        assert near(values["at_most"][name], total[name] * 1.25 / 1.07, 0.001), name


def test_one_language_of_the_demo(command: CommandLine) -> None:
    values = said(command("estimate", "--fixture", "demo", "--lang", "en", "--json"))
    count = tokenizer_for("gpt-5-mini").count
    english = [
        StoredReply.model_validate_json(path.read_bytes())
        for path in fixture_dir("demo").glob("replies/compose_wording/en.*.json")
    ]
    truth = 1.1 * sum(count(message.content) for stored in english for message in stored.request.messages)
    assert near(by_part(values, "input_tokens")["wording"], truth, 0.1)


def test_an_estimate_asks_nobody_and_leaves_the_folder_as_it_is(command: CommandLine) -> None:
    write_week(command.folder / "week")
    assert command("collect", "--fixture", "./week/").code == 0
    before = contents(command.folder)
    command.set(OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    outcome = command("estimate", RUN, *WITH_MODEL)
    assert outcome.code == 0, outcome.err
    assert contents(command.folder) == before


def test_the_summaries_are_what_is_asked(command: CommandLine) -> None:
    """Requests and their tokens exactly, also for a pull request of several chunks; the others in number."""
    write_large_week(command.folder / "week")
    assert command("collect", "--fixture", "./week/").code == 0
    values = said(command("estimate", RUN, *WITH_MODEL, "--json"))
    count = tokenizer_for("gpt-5-mini").count
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command(*COMMAND, *WITH_MODEL).code == 0
    asked = [request for request in server.requests if "\nPart: " in request.messages[1]["content"]]
    assert len(asked) > 3
    assert by_part(values, "calls")["summarize"] == len(asked)
    exact = sum(count(message["content"]) for request in asked for message in request.messages)
    assert by_part(values, "input_tokens")["summarize"] == exact
    assert by_part(values, "calls")["headline"] == 1
    assert by_part(values, "calls")["themes"] == 1
    assert by_part(values, "calls")["plan"] == 1


def test_what_is_stored_costs_nothing(command: CommandLine) -> None:
    write_large_week(command.folder / "week")
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command(*COMMAND, *WITH_MODEL, "--budget-tokens", "8000", "--concurrency", "1").code == 5
        paid = len(server.requests)
        half = said(command("estimate", RUN, "--json"))
        assert sum(by_part(half, "stored").values()) == paid > 0
        assert half["total"]["usd"] > 0
        assert command(*COMMAND, *WITH_MODEL).code == 0
        whole = len(server.requests)
        repairs = sum("These sentences were refused" in own.messages[1]["content"] for own in server.requests)
        done = command("estimate", RUN)
        assert "every reply is stored: the run asks for nothing" in done.err
        values = said(command("estimate", RUN, "--json"))
        assert values["total"] == {
            "calls": whole - repairs,  # whether a sentence will be refused, nobody knows before
            "stored": whole - repairs,
            "input_tokens": 0,
            "output_tokens": 0,
            "schema_tokens": 0,
            "usd": 0.0,
            "batch_usd": 0.0,
        }
        more = said(command("estimate", RUN, "--lang", "zh", "--json"))
        assert by_part(more, "stored") == by_part(values, "stored")
        assert by_part(more, "calls")["wording"] > by_part(values, "calls")["wording"]
        other = said(command("estimate", RUN, "--model", "gpt-5-nano", "--json"))
        assert (other["total"]["stored"], {own["model"] for own in other["parts"]}) == (0, {"gpt-5-nano"})
        collected_anew = said(command("estimate", "--fixture", "./week/", *WITH_MODEL, "--out", "other", "--json"))
        assert (
            collected_anew["total"] == values["total"]
        )  # the label is the endpoint's, not that of the fixture's replay
        assert len(server.requests) == whole


@pytest.fixture
def estimated(command: CommandLine) -> Callable[..., Any]:
    """The estimate of a small week that is collected first, with other settings and models."""
    write_week(command.folder / "week")

    def estimate(text: str, *more: str) -> Any:
        Path("prhub.toml").write_text(text, encoding="utf-8", newline="")
        return said(command("estimate", "--fixture", "./week/", *more, "--json"))

    return estimate


def test_money_live_and_in_a_batch(estimated: Callable[..., Any]) -> None:
    price = '[[prices]]\nmodel = "toy"\ninput = 1\noutput = 3\n'
    values = estimated(f"{price}batch = 0.5\n")
    total = values["total"]
    assert total["usd"] == round((total["input_tokens"] + 3 * total["output_tokens"]) / 1_000_000, 6)
    assert total["batch_usd"] == pytest.approx(total["usd"] / 2, abs=2e-6)
    assert values["prices"]["toy"]["input"] == "1"
    assert estimated(price)["total"]["batch_usd"] is None


def test_an_unknown_price_is_unknown(command: CommandLine, estimated: Callable[..., Any]) -> None:
    values = estimated("")
    assert values["total"]["usd"] is None
    assert values["prices"] == {"toy": None}
    outcome = command("estimate", RUN)
    assert "no price is known for 'toy'" in outcome.err
    assert "$0" not in outcome.out
    assert outcome.out.count("unknown") == 10  # four parts with calls, and their sum, live and in a batch


def test_two_models(estimated: Callable[..., Any]) -> None:
    """The small one summarizes; a small model that only followed the other one goes on to follow it."""
    models = ("toy",) * len(PARTS)
    assert tuple(by_part(estimated(""), "model").values()) == models
    values = estimated("", "--model", "gpt-5-mini", "--small-model", "gpt-5-nano")
    assert tuple(by_part(values, "model").values()) == (*("gpt-5-nano",) * 2, *("gpt-5-mini",) * 4)
    assert values["total"]["usd"] > 0


def test_a_table_with_the_dates_of_its_prices(command: CommandLine) -> None:
    write_week(command.folder / "week")
    outcome = command("estimate", "--fixture", "./week/", *WITH_MODEL)
    assert outcome.code == 0
    title, head, *rows = outcome.out.rstrip("\n").split("\n")
    assert title == "toy/pages, 2026-W06"
    assert head.split()[:4] == ["part", "model", "calls", "stored"]
    assert [row.split()[0] for row in rows] == [*PARTS, "total"]
    assert "3 merged pull requests" in outcome.err
    assert "where an endpoint counts the schema of the answers, " in outcome.err
    assert "gpt-5-mini: $0.25 in, $2.00 out, a million tokens, on 2026-" in outcome.err


def test_a_week_without_pull_requests_asks_for_nothing(command: CommandLine) -> None:
    write_week(command.folder / "week", {})
    values = said(command("estimate", "--fixture", "./week/", *WITH_MODEL, "--json"))
    assert {own["part"]: own["calls"] for own in values["parts"]} == dict.fromkeys(PARTS, 0)


def test_what_cannot_be_estimated(command: CommandLine) -> None:
    write_week(command.folder / "week")
    nothing = command("estimate")
    assert (nothing.code, "which repository?" in nothing.err) == (2, True)
    absent = command("estimate", "runs/none")
    assert absent.code == 2
    assert command("collect", "--fixture", "./week/").code == 0
    values = json.loads((RUN / "run.json").read_bytes())
    values["settings"] |= {"model": None, "small_model": None}
    (RUN / "run.json").write_text(json.dumps(values), encoding="utf-8")
    without = command("estimate", RUN)
    assert (without.code, "no model is set" in without.err) == (2, True)
    (RUN / "pulls/102.json").unlink()
    gone = command("estimate", RUN, *WITH_MODEL)
    assert (gone.code, "102.json is gone; collect again with --refresh" in gone.err) == (2, True)


def report_as(path: Path, share_in: float, share_out: float) -> None:
    """The reply of the demo, as an endpoint of another model reported its tokens, in the user's store.

    The shares are of the tokens that a budget counts.
    """
    stored = StoredReply.model_validate_json(path.read_bytes())
    count, request = tokenizer_for("claude").count, stored.request.updated(model="toy", provider="openai")
    usage = Usage(
        calls=1,
        input_tokens=round(share_in * sum(count(message.content) for message in request.messages)),
        output_tokens=round(share_out * count(stored.content)),
    )
    kept = stored.updated(request=request, attempts=[stored.attempts[-1].updated(usage=usage)])
    ReplyStore(Path("cache/replies"), print).save(kept)


def test_replies_of_an_unknown_vocabulary_correct_the_estimate(command: CommandLine) -> None:
    """A model whose tokens are fewer than what is counted for it, and whose thinking doubles its answers."""
    command.set(PRHUB_CACHE_DIR="cache")
    shares = (0.85, 1.64)
    asked = ("estimate", "--fixture", "demo", "--lang", "en", "--lang", "zh", "--model", "toy", "--json")
    plain = said(command(*asked))
    assert plain["expected_over_counted"]["toy"] == pytest.approx({"replies": 0, "input": UNKNOWN, "output": UNKNOWN})
    summaries = sorted(fixture_dir("demo").glob("replies/summarize_pr/*.json"))
    report_as(summaries[0], *shares)
    first = said(command(*asked))["expected_over_counted"]["toy"]
    assert (first["replies"], near(first["input"], shares[0], 0.001)) == (1, True)
    for path in summaries[1:12]:
        report_as(path, *shares)
    values = said(command(*asked))
    assert (values["expected_over_counted"]["toy"]["replies"], values["at_most"]) == (12, None)
    assert near(values["expected_over_counted"]["toy"]["input"], shares[0], 0.001)
    assert by_part(values, "stored")["summarize"] == 12
    count = tokenizer_for("claude").count
    rest = [StoredReply.model_validate_json(path.read_bytes()) for path in summaries[12:]]
    took_in = shares[0] * sum(count(message.content) for own in rest for message in own.request.messages)
    took_out = shares[1] * sum(count(own.content) for own in rest)
    assert near(by_part(values, "input_tokens")["summarize"], took_in, 0.01)
    assert near(by_part(values, "output_tokens")["summarize"], took_out, 0.15)
    truth = demo_truth(1.25)
    for part, place, name in (
        (part, place, name) for part in PARTS[1:] for place, name in ((1, "input"), (2, "output"))
    ):
        assert near(by_part(values, f"{name}_tokens")[part], shares[place - 1] * truth[part][place], 0.15), part
    told = command(*asked[:-1]).err
    assert "toy: 1.06 times the tokens of o200k are expected as input, and 1." in told
    assert (
        " times the average output, second chances included, by what its endpoint reported for 12 stored replies\n"
        in told
    )
    assert "vocabulary is not known" not in told


def stored_reply(model: str, *usages: tuple[int, int]) -> StoredReply:
    """To a summary's request of 1,000 tokens of o200k, for which an answer of 457 is expected; a usage for each try."""
    values = json.loads(next(fixture_dir("demo").glob("replies/summarize_pr/*.json")).read_bytes())
    values["request"] |= {"model": model, "messages": [{"role": "user", "content": " word" * 1_000}]}
    last = values["attempts"][-1]
    values["attempts"] = [
        last | {"usage": {"calls": 1, "input_tokens": own[0], "output_tokens": own[1]}} for own in usages
    ]
    return StoredReply.model_validate(values)


@pytest.mark.parametrize(
    ("model", "reported", "expected"),
    [
        ("toy", [], (0, UNKNOWN, UNKNOWN)),
        ("gpt-5-mini", [], (0, 1.0, 1.0)),
        # The input as it was reported; the output half way to it, and more with each further reply.
        ("toy", [[(1_050, 457)]], (1, 1_050 / 1_250, (457 / 571 + UNKNOWN) / 2)),
        ("gpt-5-mini", [[(1_010, 914)]], (1, 1.01, (2.0 + 1.0) / 2)),
        ("gpt-5-mini", [[(1_010, 914)]] * 3, (3, 1.01, (3 * 2.0 + 1.0) / 4)),
        ("gpt-5-mini", [[(1_000, 457)], [(1_000, 914)], [(1_300, 1_371)]], (3, 1.1, (3 * 2.0 + 1.0) / 4)),
        # A second chance: of two replies one took 2,600 tokens more than the 2,000 of the first tries.
        ("gpt-5-mini", [[(1_000, 654), (2_600, 260)], [(1_000, 457)]], (2, (2 * 2.3 + 1) / 3, (2 * 1.5 + 1) / 3)),
        # An endpoint that reports nothing.
        ("gpt-5-mini", [[(0, 0)], [(1_100, 457)]], (1, 1.1, 1.0)),
    ],
)
def test_what_is_expected_over_what_is_counted(
    model: str, reported: list[list[tuple[int, int]]], expected: tuple[int, float, float]
) -> None:
    replies = [stored_reply(model, *usages) for usages in reported]
    other = stored_reply("another", (9, 9))
    found = calibration([other, *replies], model, other.request.provider, tokenizer_for(model))
    assert (found.replies, found.input, found.output) == pytest.approx(expected, rel=1e-9)
    assert calibration(replies, model, "elsewhere", tokenizer_for(model)).replies == 0


def test_the_range_of_an_unknown_vocabulary(command: CommandLine) -> None:
    """7 % more than o200k's tokens are expected; a quarter more, as budgets count, is the most."""
    write_week(command.folder / "week")
    Path("prhub.toml").write_text('[[prices]]\nmodel = "toy"\ninput = 100\noutput = 0\n', encoding="utf-8")
    values = said(command("estimate", "--fixture", "./week/", "--json"))
    exact = said(command("estimate", RUN, *WITH_MODEL, "--json"))
    counted = by_part(exact, "input_tokens")["summarize"]
    assert near(by_part(values, "input_tokens")["summarize"], 1.07 * counted, 0.001)
    assert near(values["at_most"]["usd"], values["total"]["usd"] * 1.25 / 1.07, 0.001)
    assert exact["at_most"] is None
    most = values["at_most"]
    told = command("estimate", RUN).err
    assert "not known: 1.07 times the tokens of o200k are expected, at most 1.25 times, as budgets count: " in told
    money = f"${most['usd']:.2f} live, unknown in a batch"
    assert f": {most['input_tokens']:,} in and {most['output_tokens']:,} out, {money}\n" in told
