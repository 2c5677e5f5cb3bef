"""`batch submit | status | cancel` against a Batch API on a real socket."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_model import COMMAND, KEY, RUN, jobs, reply, waiting_run
from batch_server import ALL_WELL, BatchServer, Fault
from command_line import CommandLine, Outcome
from model_server import ModelServer, Reply, closed_port, failure
from scripted_model import answer
from small_week import write_week

pytest_plugins = ["command_fixture"]

WAIT = ("--wait", "--poll", "0")


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer(reply) as running:
        yield running


@pytest.fixture
def waiting(command: CommandLine, server: BatchServer) -> CommandLine:
    waiting_run(command, server.base_url)
    return command


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses, which take no time."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    return pauses


def warnings(outcome: Outcome) -> list[str]:
    return [line for line in outcome.err.split("\n") if line.startswith("warning: ")]


def test_a_week_is_made_by_one_command(waiting: CommandLine, server: BatchServer) -> None:
    with ModelServer(answer) as live:
        waiting.set(OPENAI_BASE_URL=live.base_url, PRHUB_CACHE_DIR=str(waiting.folder / "live-cache"))
        assert waiting(*COMMAND[:-2], "--llm", "openai", "--out", "live").code == 0
    waiting.set(OPENAI_BASE_URL=server.base_url, PRHUB_CACHE_DIR=str(waiting.folder / "cache"))
    outcome = waiting("batch", "submit", RUN, *WAIT)
    assert (outcome.code, outcome.out, warnings(outcome)) == (0, "", []), outcome.err
    assert f"submitted {RUN}/batch/round-001.jsonl: batch_1 (round 1, 3 requests): validating\n" in outcome.err
    assert "batch_1 (round 1, 3 requests): completed, 3 completed, 0 failed\n" in outcome.err
    assert "every reply is there; go on with: prhub-digest render " in outcome.err
    for name in ("digest.en.md", "digest.en.json"):
        assert (RUN / name).read_bytes() == (Path("live/toy__pages/2026-W06") / name).read_bytes(), name
    assert len(server.tenant.submitted) == len({*server.tenant.submitted}) == 4
    assert server.keys == {f"Bearer {KEY}"}
    for path in (path for path in Path().rglob("*") if path.is_file()):
        assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in outcome.err
    done = waiting("batch", "submit", RUN)
    assert (done.code, "every reply is there" in done.err, len(server.tenant.batches)) == (0, True, 4)
    recorded = {json.loads(path.read_bytes())["recorded"] for path in Path("cache/replies").rglob("*.json")}
    assert all(own.startswith("Batch API, 20") for own in recorded)


def test_step_by_step(waiting: CommandLine, server: BatchServer) -> None:
    assert "nothing of runs/toy__pages/2026-W06 is under way" in waiting("batch", "status", RUN).err
    outcome = waiting("batch", "submit", RUN)
    assert outcome.code == 0
    assert f"look at them with: prhub-digest batch status {RUN}\n" in outcome.err
    again = waiting("batch", "submit", RUN)
    assert (again.code, [*server.tenant.batches]) == (0, ["batch_1"])
    assert "all that waits is under way: batch_1 (round 1, 3 requests): validating\n" in again.err
    told = waiting(*COMMAND)
    assert f"its replies come with: prhub-digest batch status {RUN}\n" in told.err
    for words in ("in_progress", "finalizing"):
        look = waiting("batch", "status", RUN)
        assert (look.code, f"batch_1 (round 1, 3 requests): {words}\n" in look.err) == (0, True)
        assert "still under way; look again with: " in look.err
    look = waiting("batch", "status", RUN)
    assert f"{RUN}/batch/downloaded-batch_1.jsonl: 3 replies imported, 0 requests without a line\n" in look.err
    assert f"round 2 (plan): 2 requests in {RUN}/batch/round-002.jsonl; or have a server" in look.err
    assert [(job["status"], job["done"], job["completed"]) for job in jobs()] == [("completed", True, 3)]
    assert "nothing of runs/toy__pages/2026-W06 is under way" in waiting("batch", "status", RUN).err


@pytest.mark.parametrize("status", ["expired", "cancelled"])
def test_what_was_answered_before_the_end_counts_and_the_rest_waits(
    waiting: CommandLine, server: BatchServer, status: str
) -> None:
    def partly(line: dict[str, Any]) -> dict[str, Any]:
        if "pr-102" in line["custom_id"]:
            error = {"code": f"batch_{status}", "message": "This request could not be executed in time."}
            return {"id": "1", "custom_id": line["custom_id"], "response": None, "error": error}
        return reply(line)

    server.answer, server.statuses = partly, ("validating", "in_progress", status)
    waiting("batch", "submit", RUN)
    outcome = waiting("batch", "status", RUN, *WAIT)
    assert outcome.code == 1
    assert f"batch_1 (round 1, 3 requests): {status}, 2 completed, 1 failed\n" in outcome.err
    (warning,) = warnings(outcome)
    assert warning.startswith("warning: #102: This request could not be executed in time.; waits again (summarize_pr/")
    assert f"round 1 (summaries): 1 request in {RUN}/batch/round-001.jsonl;" in outcome.err
    server.answer, server.statuses = reply, ALL_WELL
    rest = waiting("batch", "submit", RUN, *WAIT)
    assert rest.code == 0, rest.err
    assert "batch_2 (round 1, 1 request): completed, 1 completed, 0 failed\n" in rest.err


def test_a_batch_that_fails_as_a_whole_is_not_submitted_again_by_itself(
    waiting: CommandLine, server: BatchServer
) -> None:
    server.statuses = ("validating", "failed")
    server.problem = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached", "line": None}
    outcome = waiting("batch", "submit", RUN, *WAIT)
    assert outcome.code == 1
    assert "batch_1 (round 1, 3 requests): failed: Enqueued token limit reached\n" in outcome.err
    assert [*server.tenant.batches] == ["batch_1"]
    server.statuses = ALL_WELL
    assert waiting("batch", "submit", RUN, *WAIT).code == 0
    first, second, *_ = server.tenant.submitted
    assert first == second  # the same file, on request


def test_failed_lines_are_asked_again_and_given_up_in_the_end(waiting: CommandLine, server: BatchServer) -> None:
    asked = []

    def failing(line: dict[str, Any]) -> dict[str, Any]:
        if "pr-102" in line["custom_id"]:
            asked.append(line["custom_id"])
            body = {"error": {"message": f"boom {len(asked)}"}}
            response = {"status_code": 500, "body": body}
            return {"id": "1", "custom_id": line["custom_id"], "response": response, "error": {"message": "boom"}}
        return reply(line)

    server.answer = failing
    outcome = waiting("batch", "submit", RUN, *WAIT)
    assert (outcome.code, len(asked)) == (1, 3)  # 1: the digest lacks a summary
    assert [line.partition(" (summarize")[0] for line in warnings(outcome)] == [
        "warning: #102: HTTP 500: boom 1; waits again (1 of 3 times asked)",
        "warning: #102: HTTP 500: boom 2; waits again (2 of 3 times asked)",
        "warning: #102: HTTP 500: boom 3 (asked 3 times); falls back",
    ]
    run = waiting(*COMMAND)
    assert (run.code, "summarize pr-102: HTTP 500: boom 3 (asked 3 times)\n" in run.err) == (1, True)


def test_what_no_try_can_change_ends_the_waiting(waiting: CommandLine, server: BatchServer) -> None:
    """All lines fail for a reason that is not theirs: nothing is counted, and nothing submitted again and again."""

    def refused(line: dict[str, Any]) -> dict[str, Any]:
        response = {"status_code": 401, "body": {"error": {"message": "bad key"}}}
        return {"id": "1", "custom_id": line["custom_id"], "response": response, "error": {"message": "bad key"}}

    server.answer = refused
    outcome = waiting("batch", "submit", RUN, *WAIT)
    assert (outcome.code, len(server.tenant.batches), len(warnings(outcome))) == (1, 1, 3)


def modern(line: dict[str, Any]) -> dict[str, Any]:
    """A model that takes neither `max_tokens` nor a temperature."""
    body = line["body"]
    if "max_tokens" not in body and "temperature" not in body:
        return reply(line)
    words = (
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        if "max_tokens" in body
        else "Unsupported value: 'temperature' does not support 0.0; only the default (1) is supported."
    )
    response = {"status_code": 400, "body": {"error": {"message": words}}}
    return {"id": "1", "custom_id": line["custom_id"], "response": response, "error": {"message": words}}


def test_what_the_endpoint_does_not_take_is_learnt_from_its_errors(waiting: CommandLine, server: BatchServer) -> None:
    server.answer = modern
    outcome = waiting("batch", "submit", RUN, *WAIT)
    assert outcome.code == 0, outcome.err
    assert len(server.tenant.batches) == 4 + 2
    assert sum(line.endswith(")") and "waits again, asked for differently" in line for line in warnings(outcome)) == 6


def test_a_file_that_ends_later_is_judged_by_how_it_was_sent(waiting: CommandLine, server: BatchServer) -> None:
    """Its rejections say what an earlier file of the round taught; each request is rejected twice, not for ever."""
    server.answer, server.stagger = modern, 3
    outcome = waiting("batch", "submit", RUN, *WAIT, "--most-requests", "2")
    assert outcome.code == 0, outcome.err
    rejected = [line for line in warnings(outcome) if "waits again, asked for differently" in line]
    assert (len(rejected), len(warnings(outcome))) == (6, 6)


def by_hand(paths: list[Path]) -> list[str]:
    """Files of replies to the files of a round."""
    names = [f"replies-{number}.jsonl" for number, _ in enumerate(paths)]
    for path, name in zip(paths, names, strict=True):
        lines = [json.loads(line) for line in path.read_bytes().decode().split("\n")[:-1]]
        Path(name).write_text("".join(f"{json.dumps(modern(line))}\n" for line in lines), encoding="utf-8")
    return names


def test_parts_that_are_imported_one_after_the_other(waiting: CommandLine) -> None:
    """Each was answered as it was exported; imported once more, it teaches and counts nothing."""
    waiting("batch", "export", RUN, "--most-requests", "2")
    first, second = by_hand(sorted(RUN.glob("batch/round-*.jsonl")))
    for name in (first, second):
        outcome = waiting("batch", "import", RUN, name)
        assert {line.rpartition(" (")[0].rpartition("; ")[2] for line in warnings(outcome)} == {
            "waits again, asked for differently"
        }
    lines = [line for path in RUN.glob("batch/round-*.jsonl") for line in path.read_bytes().decode().split("\n")[:-1]]
    bodies = [json.loads(line)["body"] for line in lines]
    assert [("max_tokens" in body, "max_completion_tokens" in body) for body in bodies] == [(False, True)] * 3
    assert waiting("batch", "import", RUN, first, second).err.count("as imported before: rejected; waits again") == 3
    for name in by_hand(sorted(RUN.glob("batch/round-*.jsonl"))):
        assert "asked for differently" in waiting("batch", "import", RUN, name).err
    *_, last = [waiting("batch", "import", RUN, name) for name in by_hand(sorted(RUN.glob("batch/round-*.jsonl")))]
    assert "round 2 (plan): 2 requests" in last.err


@pytest.mark.parametrize("page", ["<html>log in</html>", '{"error": {"message": "busy"}}'])
def test_a_download_that_holds_no_replies_is_fetched_again(
    waiting: CommandLine, server: BatchServer, page: str
) -> None:
    """The batch was paid for: it stays under way, and is not bought again; other batches come in."""
    server.statuses = ("validating", "completed")
    waiting("batch", "submit", RUN, "--most-requests", "2")
    server.faults["GET /files/*/content"] = [Fault(Reply(page, headers={"content-type": "text/html"}))]
    outcome = waiting("batch", "status", RUN)
    assert outcome.code == 4
    words = "batch_1 has ended, and 0 of 2 replies came (file-3 holds not one line of a reply)"
    assert f"error: {words}" in outcome.err
    assert [job["done"] for job in jobs()] == [False, True]
    submit = waiting("batch", "submit", RUN)
    assert "all that waits is under way: batch_1 (round 1, 2 requests): completed" in submit.err
    assert len(server.tenant.batches) == 2
    again = waiting("batch", "status", RUN)
    assert (again.code, f"{RUN}/batch/downloaded-batch_1.jsonl: 2 replies imported" in again.err) == (0, True)


def output_of(server: BatchServer, requests: str) -> list[str]:
    """The lines that answer an uploaded file."""
    lines = server.tenant.files[requests].decode().split("\n")[:-1]
    return [f"{json.dumps(reply(json.loads(line)))}\n" for line in lines]


BROKEN: list[tuple[Callable[[list[str]], Reply], int, str]] = [
    (lambda lines: Reply("".join(lines[:2])), 2, "2 of 3 replies came from http"),
    (lambda lines: Reply("".join(lines)[:-40]), 2, "2 of 3 replies came (file-2 ends inside a line) from http"),
    (lambda _: Reply("\n"), 0, "0 of 3 replies came (an empty file) from http"),
    (lambda _: Reply("<h1>Not found</h1>", 404), 0, "0 of 3 replies came (file-2 is gone from the server) from http"),
]


@pytest.mark.parametrize(("made_of", "came", "words"), BROKEN, ids=["short", "cut", "empty", "gone"])
def test_a_broken_download_is_no_end_and_is_not_paid_twice(
    waiting: CommandLine, server: BatchServer, made_of: Callable[[list[str]], Reply], came: int, words: str
) -> None:
    server.statuses = ("validating", "completed")
    waiting("batch", "submit", RUN)
    broken = Fault(made_of(output_of(server, "file-1")))
    for _ in range(2):
        server.faults["GET /files/*/content"] = [broken]
        outcome = waiting("batch", "status", RUN)
        assert (outcome.code, warnings(outcome)) == (4, [])
        assert f"error: batch_1 has ended, and {words}" in outcome.err
        assert "If it stays so: prhub-digest batch submit --again forgets" in outcome.err
        submit = waiting("batch", "submit", RUN)
        assert (submit.code, len(server.tenant.batches)) == (0, 1)
        assert f"3 completed, 0 failed: {words.rpartition(' from')[0]}\n" in submit.err
    assert len([*Path("cache/replies").rglob("*.json")]) == came
    server.faults["GET /files/*/content"] = [broken, broken]
    whole = waiting("batch", "status", RUN, *WAIT)
    assert (whole.code, len(warnings(whole))) == (0, 2), whole.err
    assert whole.err.count("replies imported, ") + whole.err.count("1 reply imported, ") == (
        2 if came else 1
    )  # the same pieces but once
    assert len([*Path("cache/replies").rglob("*.json")]) == 3
    assert "round 2 (plan): 2 requests" in whole.err


def test_of_a_server_that_counts_nothing_a_cut_or_empty_file_is_seen(waiting: CommandLine, server: BatchServer) -> None:
    """That a file is short is not: what has no line waits again."""
    server.statuses = ("validating", "completed")
    server.words = lambda batch: {**batch, "request_counts": None}
    waiting("batch", "submit", RUN)
    lines = output_of(server, "file-1")
    server.faults["GET /files/*/content"] = [Fault(Reply("".join(lines)[:-40])), Fault(Reply("".join(lines[:2])))]
    cut = waiting("batch", "status", RUN)
    assert (cut.code, "and 2 of 3 replies came (file-2 ends inside a line)" in cut.err) == (4, True)
    server.faults["GET /files/*/content"].insert(0, Fault(Reply("")))
    empty = waiting("batch", "status", RUN)
    assert (empty.code, "and 0 of 3 replies came (an empty file)" in empty.err) == (4, True)
    short = waiting("batch", "status", RUN)
    assert (short.code, "0 replies imported, 1 request without a line\n" in short.err) == (0, True)
    assert "round 1 (summaries): 1 request in " in short.err


def test_a_file_that_says_more_than_was_asked_is_whole(waiting: CommandLine, server: BatchServer) -> None:
    """When every request has its line, no count and no rest of a line holds it back."""
    server.statuses = ("validating", "completed")
    server.words = lambda batch: {**batch, "request_counts": {"total": 9, "completed": 9, "failed": 0}}
    waiting("batch", "submit", RUN)
    server.faults["GET /files/*/content"] = [Fault(Reply("".join(output_of(server, "file-1")) + "# end\n"))]
    outcome = waiting("batch", "status", RUN)
    assert (outcome.code, "3 replies imported" in outcome.err) == (1, True)
    assert [line.rpartition("/")[2] for line in warnings(outcome)] == [
        "downloaded-batch_1.jsonl, line 4: not a line of a batch output file"
    ]
    assert jobs()[0]["done"]


def test_what_is_under_way_is_offered_by_no_command(waiting: CommandLine, server: BatchServer) -> None:
    """To have it answered another way would be to pay twice."""
    server.stagger = 3
    waiting("batch", "submit", RUN, "--most-requests", "2")
    (RUN / "batch/jobs.json").write_text(json.dumps({"jobs": jobs()[:1]}))  # as if the second file had been refused
    rest = f"round 1 (summaries): 1 request in {RUN}/batch/round-001.jsonl"
    assert rest in waiting(*COMMAND).err
    assert waiting("batch", "export", RUN).out == f"{RUN}/batch/round-001.jsonl\n"
    assert "1 request waiting\n" in waiting("batch", "export", RUN, "--to", "mine.jsonl").err
    assert waiting("batch", "submit", RUN).code == 0
    run = waiting(*COMMAND)
    assert (run.code, "REPLIES.jsonl" in run.err, "round 1" in run.err.replace("(round 1,", "")) == (0, False, False)
    assert f"all that waits is under way; go on with: prhub-digest batch status {RUN}\n" in run.err
    export = waiting("batch", "export", RUN)
    assert (export.out, "all that waits is under way; its replies come with: " in export.err) == ("", True)
    while not jobs()[0]["done"]:
        status = waiting("batch", "status", RUN)
    assert "jsonl: 2 replies imported, 0 requests without a line, 1 under way\n" in status.err
    assert "\nunder way: #103\n" in status.err
    assert "batch submit" not in status.err


def test_a_live_run_that_is_finished_needs_no_batch(waiting: CommandLine, server: BatchServer) -> None:
    with ModelServer(answer) as live:
        waiting.set(OPENAI_BASE_URL=live.base_url)
        assert waiting(*COMMAND[:-2], "--llm", "openai", "--out", "live").code == 0
        for action in ("export", "submit"):
            outcome = waiting("batch", action, "live/toy__pages/2026-W06")
            assert (outcome.code, "every reply is there; go on with: " in outcome.err) == (0, True), outcome.err
            assert "settings changed" not in outcome.err


def test_the_settings_file_of_a_run_is_that_of_its_batches(
    command: CommandLine, server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_week(command.folder / "week")
    command.set(OPENAI_API_KEY=KEY, HOME=str(command.folder / "home"))
    monkeypatch.delenv("PRHUB_CACHE_DIR")
    own = ("--config", "own.toml")
    Path("own.toml").write_text(f'cache_dir = "elsewhere"\nbase_url = "{server.base_url}"\n')
    server.statuses = ("validating", "completed")
    assert command(*COMMAND, *own).code == 0
    assert command("batch", "submit", RUN, *own).code == 0
    status = command("batch", "status", RUN, *own)
    assert (status.code, len([*Path("elsewhere/replies").rglob("*.json")])) == (0, 3), status.err
    assert command("batch", "export", RUN, *own).out == f"{RUN}/batch/round-002.jsonl\n"
    assert not Path("home").exists()
    assert command("batch", "cancel", RUN, "--config", "none.toml").code == 2


def test_a_cancelled_run(waiting: CommandLine, server: BatchServer) -> None:
    assert "nothing of" in waiting("batch", "cancel", RUN).err
    waiting("batch", "submit", RUN)
    outcome = waiting("batch", "cancel", RUN)
    assert (outcome.code, "batch_1 (round 1, 3 requests): cancelling\n" in outcome.err) == (0, True)
    status = waiting("batch", "status", RUN)
    assert (status.code, "3 replies imported" in status.err) == (1, True)  # what it had done by then


def test_a_server_without_a_batch_api(waiting: CommandLine, server: BatchServer) -> None:
    for kind in ("GET /batches", "POST /files"):
        server.faults[kind].append(Fault(failure(404, "Not Found")))
    outcome = waiting("batch", "submit", RUN)
    assert outcome.code == 4
    assert f"error: {server.base_url} has no Batch API (" in outcome.err
    assert f"have {RUN}/batch/round-001.jsonl answered in another way, such as vllm run-batch" in outcome.err
    assert jobs() == []
    assert waiting("batch", "submit", RUN).code == 0  # when it has one


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (failure(401, f"Incorrect API key provided: {KEY}"), "refused the key (HTTP 401): check OPENAI_API_KEY"),
        (failure(429, "You exceeded your quota", "insufficient_quota"), "the account's quota is used up (HTTP 429)"),
        (failure(400, f"no batches for {KEY}"), "rejected this (HTTP 400): no batches for ***"),
    ],
)
def test_errors_are_those_of_any_call(waiting: CommandLine, server: BatchServer, fault: Any, words: str) -> None:
    server.faults["POST /batches"].append(Fault(fault))
    outcome = waiting("batch", "submit", RUN)
    assert (outcome.code, words in outcome.err, KEY in outcome.err) == (4, True, False)
    assert KEY not in (RUN / "batch/jobs.json").read_text()
    assert waiting("batch", "submit", RUN).code == 0
    assert [*server.tenant.batches] == ["batch_1"]


def test_nobody_listens(waiting: CommandLine) -> None:
    waiting.set(OPENAI_BASE_URL=f"http://127.0.0.1:{closed_port()}/v1")
    outcome = waiting("batch", "submit", RUN)
    assert (outcome.code, "error: cannot connect to http://127.0.0.1:" in outcome.err) == (4, True)


def test_a_server_that_restarts_while_it_is_waited_for(
    waiting: CommandLine, server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 1:
            server.stop()
        if len(pauses) == 9:  # after one look with all its tries, and into the next one
            server.start()

    monkeypatch.setattr(time, "sleep", pause)
    waiting("batch", "submit", RUN)
    outcome = waiting("batch", "status", RUN, "--wait", "--poll", "60")
    assert (outcome.code, "3 replies imported" in outcome.err) == (0, True), outcome.err
    (warning,) = warnings(outcome)
    assert "gave up after 6 attempts" in warning
    assert [own for own in pauses if own >= 60] == [60, 120, 240]


def test_patience_has_an_end(waiting: CommandLine, server: BatchServer, no_pause: list[float]) -> None:
    server.statuses = ("validating", *["in_progress"] * 99)
    outcome = waiting("batch", "submit", RUN, "--wait", "--max-wait", "60", "--poll", "100")
    assert (outcome.code, no_pause) == (4, [])
    assert "error: still under way, and --max-wait is over; nothing is lost, look again with: " in outcome.err
    status = waiting("batch", "status", RUN, "--wait", "--max-wait", "0")
    assert status.code == 4
    (warning,) = warnings(status)
    assert warning.startswith("warning: --max-wait was over before http")


def test_a_batch_that_the_server_does_not_know(waiting: CommandLine, server: BatchServer) -> None:
    waiting("batch", "submit", RUN)
    server.tenant.batches.clear()
    outcome = waiting("batch", "status", RUN)
    assert outcome.code == 4
    assert "is it the key with which batch_1 was submitted? If the batch is gone: prhub-digest batch sub" in outcome.err
    assert waiting("batch", "submit", RUN, "--again").code == 0
    assert [(job["batch"], job["done"]) for job in jobs()] == [("batch_1", True), ("batch_1", False)]  # counted anew


def test_another_server_is_not_asked_about_it(waiting: CommandLine, server: BatchServer) -> None:
    waiting("batch", "submit", RUN)
    with BatchServer(reply) as other:
        waiting.set(OPENAI_BASE_URL=other.base_url)
        for action in ("submit", "status", "cancel"):
            outcome = waiting("batch", action, RUN)
            assert outcome.code == 2
            assert f"batch_1 was submitted to {server.base_url}, not to {other.base_url}; set OPEN" in outcome.err
        assert other.requests == []


def test_an_output_file_that_is_gone_for_good(waiting: CommandLine, server: BatchServer) -> None:
    """It is paid for again only when that is said; what has ended is not cancelled."""
    server.statuses = ("completed",)
    waiting("batch", "submit", RUN)
    server.tenant.batches["batch_1"]["output_file_id"] = "file-99"
    for _ in range(2):
        outcome = waiting("batch", "status", RUN)
        assert (outcome.code, "replies came (file-99 is gone from the server)" in outcome.err) == (4, True)
    assert waiting("batch", "cancel", RUN).code == 0
    assert "POST /batches/*/cancel" not in server.requests
    assert waiting("batch", "submit", RUN, "--again").code == 0
    first, second = server.tenant.submitted
    assert first == second


def test_a_batch_that_names_no_file_has_ended(waiting: CommandLine, server: BatchServer) -> None:
    server.statuses = ("completed",)
    waiting("batch", "submit", RUN)
    outcome = waiting("batch", "status", RUN)
    assert (outcome.code, "batch_1 brought no answer; its requests wait again\n" in outcome.err) == (1, True)
    assert (waiting("batch", "submit", RUN).code, len(server.tenant.batches)) == (0, 2)


def test_parts_of_a_round_and_replies_that_came_by_hand(waiting: CommandLine, server: BatchServer) -> None:
    """What is under way is never submitted again, however the rest is cut; what was answered by hand is no fault."""
    server.faults["POST /batches"] = [Fault(failure(401, "no"))]
    assert waiting("batch", "submit", RUN, "--most-requests", "1").code == 4
    server.faults["POST /batches"] = [Fault(reply=None, done=True)]  # made, and the answer lost
    assert waiting("batch", "submit", RUN).code == 0
    assert len(server.tenant.submitted) == len({*server.tenant.submitted}) == 3
    line = json.loads(server.tenant.files["file-2"].decode().split("\n")[0])
    Path("by-hand.jsonl").write_bytes(json.dumps(reply(line)).encode() + b"\n")
    outcome = waiting("batch", "import", RUN, "by-hand.jsonl")
    assert (outcome.code, "1 reply imported" in outcome.err) == (0, True)
    assert "all that waits is under way" in waiting("batch", "submit", RUN, "--most-requests", "50").err
    status = waiting("batch", "status", RUN, *WAIT)
    assert (status.code, "3 files: 2 replies imported" in status.err, "stored already: #" in status.err) == (
        0,
        True,
        True,
    )
    assert waiting("batch", "submit", RUN, *WAIT).code == 0
    assert len(server.tenant.submitted) == len({*server.tenant.submitted})


def test_a_file_that_was_submitted_from_elsewhere_is_found(waiting: CommandLine, server: BatchServer) -> None:
    """Such as from a folder that was lost: what was paid for is used."""
    waiting("batch", "submit", RUN)
    (RUN / "batch/jobs.json").unlink()
    outcome = waiting("batch", "submit", RUN)
    assert "round-001.jsonl was submitted before: batch_1 (round 1, 3 requests): validating\n" in outcome.err
    assert (len(server.tenant.batches), len(server.tenant.files)) == (1, 1)
    assert waiting("batch", "submit", RUN, *WAIT).code == 0


def interrupted(state: dict[str, Any]) -> None:
    """`jobs.json` as a kill leaves it between the upload and the answer to the creation."""
    (job,) = jobs()
    job |= {"batch": None, "status": "begun", **state}
    (RUN / "batch/jobs.json").write_text(json.dumps({"jobs": [job]}))


def test_an_interruption_is_settled_by_the_list(waiting: CommandLine, server: BatchServer) -> None:
    waiting("batch", "submit", RUN)
    interrupted({})
    assert "the submission of round-001.jsonl was interrupted" in waiting("batch", "status", RUN).err
    outcome = waiting("batch", "submit", RUN)
    assert (outcome.code, [job["batch"] for job in jobs()]) == (0, ["batch_1"])
    server.tenant.batches.clear()  # it was never made
    interrupted({})
    waiting("batch", "submit", RUN)
    assert (len(server.tenant.batches), len(server.tenant.files)) == (1, 1)  # nor uploaded again


def test_without_a_list_nothing_is_submitted_twice(waiting: CommandLine, server: BatchServer) -> None:
    def nothing_listed() -> None:
        server.faults["GET /batches"] = [Fault(failure(405, "Method Not Allowed"))]

    nothing_listed()
    assert waiting("batch", "submit", RUN).code == 0  # nothing of it can be there
    interrupted({})
    nothing_listed()
    outcome = waiting("batch", "submit", RUN)
    assert (outcome.code, len(server.tenant.batches)) == (4, 1)
    assert "whether a batch was made of round-001.jsonl before the interruption is not known" in outcome.err
    interrupted({"input_file": None})  # killed before the upload was known: no batch can have been made
    nothing_listed()
    assert waiting("batch", "submit", RUN).code == 0
    interrupted({})
    nothing_listed()
    assert waiting("batch", "submit", RUN, "--again").code == 0
    assert len(server.tenant.batches) == 3


def test_an_upload_of_another_round_is_named(waiting: CommandLine, server: BatchServer) -> None:
    waiting("batch", "submit", RUN)
    interrupted({"sha256": "of other requests"})
    server.tenant.batches.clear()
    outcome = waiting("batch", "submit", RUN)
    assert "file-1 was uploaded before an interruption and is of no use any more\n" in outcome.err
    assert len(jobs()) == 1


def test_a_damaged_list_of_jobs_is_not_overlooked(waiting: CommandLine) -> None:
    waiting("batch", "submit", RUN)
    (RUN / "batch/jobs.json").write_bytes(b"{")
    for action in ("submit", "status", "cancel"):
        outcome = waiting("batch", action, RUN)
        assert (outcome.code, "jobs.json is not a valid" in outcome.err) == (2, True)


def test_starting_over_keeps_what_is_under_way(waiting: CommandLine, server: BatchServer) -> None:
    waiting("batch", "submit", RUN)
    fresh = waiting(*COMMAND, "--fresh")
    assert "under way: batch_1 (round 1, 3 requests): validating\n" in fresh.err
    outcome = waiting("batch", "submit", RUN, *WAIT)
    assert (outcome.code, len(server.tenant.submitted)) == (0, len({*server.tenant.submitted}))
