"""The Batch API over a real socket: every call, its failures, and servers that are not quite like OpenAI's."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer, Fault
from model_server import Reply, closed_port, failure

from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.llm.batch_api import BatchApi, NoBatchApiError, RejectedError, made_for
from prhub_digest.llm.batch_files import whole_file

KEY = "sk-test-not-a-real-key"
Api = tuple[BatchApi, BatchServer]


@contextmanager
def connected(answer: Callable[[dict[str, Any]], dict[str, Any] | None] = dict) -> Iterator[Api]:
    with BatchServer(answer) as server, closing(BatchApi(server.base_url, KEY, 5.0, sleep=lambda _: None)) as api:
        yield api, server


@pytest.fixture
def connection() -> Iterator[Api]:
    with connected() as both:
        yield both


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    path = tmp_path / "round-001.jsonl"
    path.write_bytes(b'{"custom_id": "a"}\n{"custom_id": "b", "error": "lost"}\n')
    return path


def create(api: BatchApi, path: Path, sha256: str = "abc") -> str:
    return api.create(api.upload(path), sha256, {"round": "1"}, frozenset()).id


def test_the_whole_way(connection: Api, requests: Path, tmp_path: Path) -> None:
    api, server = connection
    state = api.create(api.upload(requests), "abc", {"round": "1"}, frozenset())
    assert server.tenant.files == {"file-1": requests.read_bytes()}
    assert (state.id, state.status, state.sha256, state.ended) == ("batch_1", "validating", "abc", False)
    assert server.tenant.batches["batch_1"]["metadata"] == {"prhub_digest_sha256": "abc", "round": "1"}
    assert [api.look("batch_1").status for _ in range(2)] == ["in_progress", "finalizing"]
    state = api.look("batch_1")
    assert (state.status, state.ended, state.total, state.completed, state.failed) == ("completed", True, 2, 1, 1)
    for name, file_id in (("good", state.output_file), ("bad", state.error_file)):
        api.download(file_id or "", partial(whole_file, tmp_path / name))
    assert (tmp_path / "good").read_bytes() == b'{"custom_id": "a"}\n'
    assert (tmp_path / "bad").read_bytes() == b'{"custom_id": "b", "error": "lost"}\n'
    assert server.keys == {f"Bearer {KEY}"}
    assert api.place == server.base_url


def test_a_batch_can_be_cancelled(connection: Api, requests: Path) -> None:
    api, _ = connection
    name = create(api, requests)
    assert api.cancel(name).status == "cancelling"
    assert api.look(name).status == "cancelled"


def test_batches_are_found_by_what_they_were_made_of(connection: Api, requests: Path) -> None:
    api, server = connection
    server.page = 2
    for sha256 in ("abc", "def", "abc", "abc", "ghi"):
        create(api, requests, sha256)
    assert [state.id for state in api.batches()] == [f"batch_{number}" for number in (5, 4, 3, 2, 1)]
    assert server.requests.count("GET /batches") == 3

    def found(sha256: str, *known: str) -> str | None:
        state = made_for(sha256, api.batches(), frozenset(known))
        return state.id if state else None

    assert found("abc") == "batch_4"
    assert found("abc", "batch_4", "batch_3") == "batch_1"
    assert found("jkl") is None
    server.tenant.batches["batch_2"]["status"] = "failed"
    assert found("def") is None


@pytest.mark.parametrize("fault", [Fault(None, done=True), Fault(failure(503, "busy"), done=True)])
def test_a_batch_whose_answer_was_lost_is_not_made_again(connection: Api, requests: Path, fault: Fault) -> None:
    api, server = connection
    server.faults["POST /batches"].append(fault)
    assert create(api, requests) == "batch_1"
    assert [*server.tenant.batches] == ["batch_1"]


@pytest.mark.parametrize("fault", [Fault(None), Fault(failure(500, "boom")), Fault(failure(429, "slow down"))])
def test_a_batch_that_was_not_made_is_tried_again(connection: Api, requests: Path, fault: Fault) -> None:
    api, server = connection
    server.faults["POST /batches"].append(fault)
    assert create(api, requests) == "batch_1"
    assert server.requests.count("GET /batches") == (0 if fault.reply and fault.reply.status == 429 else 1)


def test_a_doubt_that_cannot_be_cleared_is_said(connection: Api, requests: Path) -> None:
    api, server = connection
    server.faults["POST /batches"].append(Fault(None, done=True))
    server.faults["GET /batches"].append(Fault(failure(404, "Not Found")))
    with pytest.raises(ServiceError, match=r"whether .* made the batch is not known"):
        create(api, requests)


def test_what_may_pass_is_tried_again(connection: Api, requests: Path, tmp_path: Path) -> None:
    api, server = connection
    for kind in ("POST /files", "GET /batches/*", "GET /batches", "POST /batches/*/cancel"):
        server.faults[kind].extend([Fault(failure(502, "bad gateway")), Fault(None), Fault(Reply("<html>", 200))])
    name = create(api, requests)
    assert api.look(name).status == "in_progress"
    assert len([*api.batches()]) == 1
    assert api.cancel(name).status == "cancelling"
    server.faults["GET /files/*/content"].append(Fault(Reply("half of it", cut=True)))
    api.download("file-1", partial(whole_file, tmp_path / "copy"))
    assert (tmp_path / "copy").read_bytes() == requests.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["round-001.jsonl", "copy"]


def test_a_server_that_stays_silent_is_given_up(connection: Api) -> None:
    api, server = connection
    server.faults["GET /batches/*"].extend([Fault(failure(500, f"boom {KEY}"))] * 6)
    with pytest.raises(ServiceError) as raised:
        api.look("batch_1")
    assert str(raised.value) == f"{server.base_url} answered HTTP 500: boom *** (gave up after 6 attempts)"


def no_wait(seconds: float) -> None:
    pytest.fail(f"waited {seconds} s")


def test_nothing_goes_on_after_the_end(requests: Path) -> None:
    """Neither a call nor a wait for another one; an upload has no more time either."""
    now = time.monotonic()
    with BatchServer(dict) as server:
        server.faults["GET /batches/*"] = [Fault(failure(429, "busy", headers={"retry-after": "100"}))]
        with closing(BatchApi(server.base_url, KEY, 5.0, sleep=no_wait, until=now + 60)) as api:
            with pytest.raises(ServiceError, match="gave up after 1 attempt; the service asks to wait 100 s"):
                api.look("batch_1")
            api.until = now
            for call in (lambda: api.look("batch_1"), lambda: api.upload(requests)):
                with pytest.raises(ServiceError, match=r"^--max-wait was over before http"):
                    call()
        assert server.requests == ["GET /batches/*"]


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (failure(401, f"Incorrect API key: {KEY}"), FatalServiceError, "refused the key (HTTP 401): check OPENAI_API"),
        (failure(429, "no quota", "insufficient_quota"), FatalServiceError, "the account's quota is used up (HTTP 429"),
        (failure(404, "Not Found"), NoBatchApiError, "does not know what was asked for (HTTP 404: Not Found)"),
        (failure(405, "Method Not Allowed"), NoBatchApiError, "does not know what was asked for (HTTP 405"),
        (Reply("404 page not found", 404), NoBatchApiError, "does not know what was asked for (HTTP 404"),
        (failure(400, "model not found"), RejectedError, "rejected this (HTTP 400): model not found"),
        (failure(413, f"too large {KEY}"), RejectedError, "rejected this (HTTP 413): too large ***"),
        (Reply({"error": {"message": "bad key", "code": 401}}), FatalServiceError, "refused the key"),
        (Reply({"id": "batch_1"}), ServiceError, "no batch: it has no status"),
        (Reply({"status": "failed"}), ServiceError, "no batch: it has no id"),
    ],
)
def test_every_failure_has_a_name(connection: Api, reply: Reply, kind: type[ServiceError], words: str) -> None:
    api, server = connection
    server.faults["GET /batches/*"].append(Fault(reply))
    with pytest.raises(kind) as raised:
        api.look("batch_1")
    assert words in str(raised.value)
    assert KEY not in str(raised.value)
    assert (raised.value.exit_code, server.requests) == (4, ["GET /batches/*"])


def test_a_redirect_sends_nothing_elsewhere(connection: Api, requests: Path) -> None:
    api, server = connection
    with BatchServer(dict) as other:
        where = {"location": f"{other.base_url}/files"}
        server.faults["POST /files"].append(Fault(Reply("", 307, where)))
        with pytest.raises(FatalServiceError, match="redirects"):
            api.upload(requests)
        assert other.requests == []


def test_a_file_without_an_id(connection: Api, requests: Path) -> None:
    api, server = connection
    server.faults["POST /files"].append(Fault(Reply({"object": "file"})))
    with pytest.raises(ServiceError, match="took the file and gave it no id"):
        api.upload(requests)


def test_the_words_of_other_servers(connection: Api, requests: Path) -> None:
    api, server = connection
    name = create(api, requests)

    def shown(status: str, **more: Any) -> Any:
        server.words = lambda batch: {"id": batch["id"], "status": status, **more}
        return api.look(name)

    assert shown("PROGRESS").status == "in_progress"
    assert shown("Canceled").ended
    assert (shown("queued").status, shown("queued").ended) == ("queued", False)
    bare = shown("COMPLETED", request_counts=None, metadata=[], output_file_id=7)
    assert (bare.ended, bare.total, bare.output_file, bare.sha256, bare.problem) == (True, 0, None, None, "")
    assert shown("failed", errors="wrong format").problem == "wrong format"
    errors = [{"message": f"Line {line} is wrong", "line": line} for line in (1, 2, 3, 4, 5)]
    assert shown("failed", errors={"data": errors}).problem == (
        "Line 1 is wrong (line 1); Line 2 is wrong (line 2); Line 3 is wrong (line 3); and 2 more"
    )


def test_nobody_listens() -> None:
    api = BatchApi(f"http://127.0.0.1:{closed_port()}/v1", None, 5.0, sleep=lambda _: None)
    with closing(api), pytest.raises(FatalServiceError, match="cannot connect to http"):
        api.look("batch_1")


def test_a_server_that_restarts_is_waited_for(requests: Path) -> None:
    with BatchServer(dict) as server:

        def restart(_: float) -> None:
            if not stopped.is_set():
                stopped.set()
                server.start()

        stopped = threading.Event()
        with closing(BatchApi(server.base_url, KEY, 5.0, sleep=restart)) as api:
            name = create(api, requests)
            server.stop()
            assert api.look(name).status == "in_progress"
        assert stopped.is_set()


def test_a_large_file_is_streamed_both_ways(connection: Api, tmp_path: Path) -> None:
    """Larger than any answer may be."""
    api, server = connection
    path = tmp_path / "large.jsonl"
    path.write_bytes(b"x" * 12_000_000 + b"\n")
    file_id = api.upload(path)
    api.download(file_id, partial(whole_file, tmp_path / "copy"))
    assert (tmp_path / "copy").read_bytes() == path.read_bytes()
    server.faults["GET /batches/*"].append(Fault(Reply("x" * 12_000_000)))
    with pytest.raises(ServiceError, match="larger than 8 MB"):
        api.look("batch_1")
