import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_server import ModelServer, Reply, Request, completion
from test_reply_store import no_warning
from toy_requests import ToyReply, toy_content, toy_request

from prhub_digest.errors import BudgetError, FatalServiceError, PrhubError, ReplyError
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.pool import run_bounded
from prhub_digest.llm.store import ReplyStore


def test_h18_every_answer_sits_on_its_own_pull_request(tmp_path: Path) -> None:
    delays = {101: 0.03, 102: 0.01, 103: 0.02}

    def answer(request: Request) -> Reply:
        number = int(request.messages[1]["content"].removeprefix("Pull request "))
        return completion(toy_content(number), after=delays[number])

    with ModelServer(answer) as server:
        client = OpenAIClient(server.base_url, None, 5.0, 3)
        asker = Asker(client, ReplyStore(tmp_path, no_warning))
        results = dict(run_bounded(delays, lambda number: asker.ask(toy_request(number), ToyReply).reply, 3))
        client.close()
    assert {number: reply.summary for number, reply in results.items() if isinstance(reply, ToyReply)} == {
        101: "Adds 101",
        102: "Adds 102",
        103: "Adds 103",
    }


def test_results_come_as_they_end() -> None:
    gates = [threading.Event() for _ in range(3)]

    def work(index: int) -> int:
        gates[index].wait(5)
        return index * 10

    results = run_bounded(range(3), work, 3)
    order = []
    for index in (1, 2, 0):
        gates[index].set()
        order.append(next(results))
    assert order == [(1, 10), (2, 20), (0, 0)]
    assert list(results) == []


def test_never_more_at_once_than_allowed_and_tasks_start_late() -> None:
    lock = threading.Lock()
    now, most, taken = 0, 0, 0

    def tasks() -> Iterator[int]:
        nonlocal taken
        for taken in range(1, 41):
            assert taken - done <= 4
            yield taken

    done = 0

    def work(_: int) -> None:
        nonlocal now, most, done
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.002)
        with lock:
            now -= 1
            done += 1

    assert sorted(task for task, _ in run_bounded(tasks(), work, 4)) == list(range(1, 41))
    assert most == 4


def test_a_failed_task_is_a_result() -> None:
    def work(task: int) -> int:
        if task == 2:
            raise ReplyError("no")
        return task

    results = dict(run_bounded([1, 2, 3], work, 2))
    assert (results[1], results[3]) == (1, 3)
    assert isinstance(results[2], ReplyError)
    assert dict(run_bounded([], work, 4)) == {}


@pytest.mark.parametrize("error", [FatalServiceError("wrong key"), BudgetError("used up")])
def test_a_fatal_error_ends_the_run_after_what_is_in_flight(error: PrhubError) -> None:
    failed = threading.Event()
    started = []

    def work(task: int) -> int:
        started.append(task)
        if task == 1:
            failed.set()
            raise error
        failed.wait(5)
        time.sleep(0.05)
        return task

    seen: list[tuple[int, int | PrhubError]] = []
    with pytest.raises(type(error)) as raised:
        seen.extend(run_bounded(range(1000), work, 2))
    assert raised.value is error
    assert seen == [(0, 0)]
    assert sorted(started) == [0, 1]


def test_a_bug_is_raised() -> None:
    def work(_: int) -> None:
        raise KeyError("bug")

    with pytest.raises(KeyError, match="bug"):
        list(run_bounded([1], work, 2))

    def tasks() -> Iterator[int]:
        yield 1
        raise ReplyError("broken source")

    with pytest.raises(ReplyError, match="broken source"):
        list(run_bounded(tasks(), lambda task: task, 2))


@pytest.mark.parametrize("error", [SystemExit(0), KeyboardInterrupt()])
def test_a_thread_that_dies_is_a_bug(error: BaseException) -> None:
    def work(_: int) -> None:
        raise error

    with pytest.raises(RuntimeError, match="a thread ended with ") as raised:
        list(run_bounded(range(10), work, 2))
    assert raised.value.__cause__ is error


def test_a_call_that_hangs_does_not_keep_the_run_from_ending() -> None:
    release = threading.Event()
    hanging = threading.Event()

    def work(task: int) -> int:
        if task == 0:
            hanging.set()
            release.wait(60)
        elif task == 2:
            hanging.wait(5)
            raise FatalServiceError("wrong key")
        return task

    seen: list[tuple[int, int | PrhubError]] = []

    def run() -> None:
        try:
            seen.extend(run_bounded(range(1000), work, 2, grace=0.05))
        except FatalServiceError as error:
            seen.append((2, error))

    runner = threading.Thread(target=run, daemon=True)
    runner.start()
    runner.join(10)
    release.set()
    assert not runner.is_alive()
    assert seen[0] == (1, 1)
    assert [(task, str(result)) for task, result in seen[1:]] == [(2, "wrong key")]


def test_closing_starts_no_further_task() -> None:
    started = []

    def work(task: int) -> int:
        started.append(task)
        time.sleep(0.01)
        return task

    results = run_bounded(range(1000), work, 2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    time.sleep(0.05)
    assert len(started) <= 6


CTRL_C = """
import sys, time
from prhub_digest.llm.pool import run_bounded
def work(task):
    print(f"started {task}\\n", end="", flush=True)
    time.sleep(30)
try:
    list(run_bounded(range(100), work, 2))
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_ctrl_c_waits_for_nobody() -> None:
    with subprocess.Popen([sys.executable, "-c", CTRL_C], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert sorted(process.stdout.readline() for _ in range(2)) == ["started 0\n", "started 1\n"]
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130
        assert time.monotonic() - begin < 5
        assert process.stdout.read() == ""
