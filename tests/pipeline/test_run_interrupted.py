"""Ctrl-C or SIGTERM while calls are in flight."""

import json
import signal
import time
from pathlib import Path

import pytest
from command_line import ended, own_process
from model_server import ModelServer, Reply, Request
from scripted_model import answer, field
from small_week import pull_request, write_week

COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy", "--concurrency", "2")
RUN = "runs/toy__pages/2026-W06"
PULLS = {number: pull_request(number, f"Keep page {letter} open") for number, letter in enumerate("abcdefghij", 201)}


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_at_once_and_the_next_run_goes_on(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    write_week(tmp_path / "week", PULLS)
    slow = 1.0
    done: list[str] = []

    def answer_slowly(request: Request) -> Reply:
        """Two at once; from the fifth request on nobody gets an answer before the test ends."""
        ref = field(request.messages[1]["content"], "ref")
        done.append(ref)
        reply = answer(request)
        return Reply(reply.body, after=30.0 if len(done) > 4 and slow else 0.0)

    with ModelServer(answer_slowly) as server:
        process = own_process(tmp_path, *COMMAND, OPENAI_BASE_URL=server.base_url)
        deadline = time.monotonic() + 60
        while len(server.requests) < 6 and time.monotonic() < deadline:
            time.sleep(0.01)
        begin = time.monotonic()
        process.send_signal(sent)
        outcome = ended(process)
        assert outcome.code == code, outcome.err
        assert time.monotonic() - begin < 5
        assert "interrupted; the same command continues where it stopped\n" in outcome.err
        assert "Traceback" not in outcome.err
        paid = json.loads((tmp_path / RUN / "run.json").read_bytes())["paid"]["summarize"]
        assert (paid["usage"]["calls"], paid["usage"]["input_tokens"], paid["unanswered"]) == (4, 400, 2)
        answered, slow = done[:4], 0.0
        done.clear()
        again = ended(own_process(tmp_path, *COMMAND, OPENAI_BASE_URL=server.base_url))
    assert again.code == 0, again.err
    made = json.loads((tmp_path / RUN / "run.json").read_bytes())
    assert (made["paid"]["summarize"]["usage"]["calls"], made["paid_in_all"]["summarize"]["usage"]["calls"]) == (6, 10)
    assert {f"pr-{number}" for number in PULLS} - set(answered) == {ref for ref in done if ref.startswith("pr-")}
