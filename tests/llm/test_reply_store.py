import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from toy_requests import toy_content, toy_request

from prhub_digest.llm.store import ReplyStore, write_whole
from prhub_digest.models.llm import Attempt, LogicalRequest, Message, Parameters, StoredReply, Usage


def stored(request: LogicalRequest, content: str | None = None) -> StoredReply:
    attempt = Attempt(content=content or toy_content(), finish_reason="stop", usage=Usage(calls=1))
    return StoredReply(request=request, attempts=(attempt,), recorded="now")


def no_warning(message: str) -> None:
    raise AssertionError(message)


def test_round_trip_and_place(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path, no_warning)
    request = toy_request(3)
    assert store.find(request) is None
    store.save(stored(request, toy_content(3, summary="预取 <|im_end|> 😀")))
    assert store.find(request) == stored(request, toy_content(3, summary="预取 <|im_end|> 😀"))
    key = request.request_hash
    assert [path.relative_to(tmp_path) for path in tmp_path.rglob("*.*")] == [Path(key[:2]) / f"{key}.json"]


def test_h25_every_part_of_the_question_counts(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path, no_warning)
    request = toy_request()
    store.save(stored(request))
    system, user = request.messages
    schema = request.wire_schema
    changed: list[dict[str, Any]] = [
        {"model": "toy-model-2"},
        {"parameters": Parameters(temperature=0.1, max_output_tokens=100)},
        {"parameters": Parameters(max_output_tokens=101)},
        {"wire_schema": {**schema, "required": schema["required"][:-1]}},
        {"messages": (Message(role="system", content="Summarize!"), user)},
        {"messages": (system, Message(role="user", content=user.content + "\nlanguage: zh"))},
        {"provider": "azure"},
    ]
    assert [store.find(toy_request(**change)) for change in changed] == [None] * 7
    other_order = json.loads(json.dumps(dict(reversed(schema.items()))))
    assert list(other_order) != list(schema)
    assert store.find(toy_request(wire_schema=other_order)) == stored(request)


@pytest.mark.parametrize("content", ["", '{"request": {"prom', "{}", "[]", "\udcff"])
def test_h26_an_unreadable_entry_is_a_miss_with_one_warning(tmp_path: Path, content: str) -> None:
    warnings: list[str] = []
    store = ReplyStore(tmp_path, warnings.append)
    request = toy_request()
    store.save(stored(request))
    (path,) = tmp_path.rglob("*.json")
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    assert [store.find(request), store.find(request)] == [None, None]
    assert warnings == [f"stored reply ignored: {path}: not a stored reply"]
    store.save(stored(request))
    assert store.find(request) == stored(request)


def test_an_entry_under_another_name_is_a_miss(tmp_path: Path) -> None:
    warnings: list[str] = []
    store = ReplyStore(tmp_path, warnings.append)
    store.save(stored(toy_request(1)))
    (path,) = tmp_path.rglob("*.json")
    key = toy_request(2).request_hash
    write_whole(tmp_path / key[:2] / f"{key}.json", path.read_text(encoding="utf-8"))
    assert store.find(toy_request(2)) is None
    assert [warning.rpartition(": ")[2] for warning in warnings] == ["it answers another request"]


WRITER = """
import sys
from pathlib import Path
from typing import Any
sys.path.insert(0, sys.argv[2])
from test_reply_store import no_warning, stored, toy_content, toy_request
from prhub_digest.llm.store import ReplyStore
store = ReplyStore(Path(sys.argv[1]), no_warning)
print("ready", flush=True)
while True:
    for size in (10, 400_000):
        store.save(stored(toy_request(), toy_content(summary=sys.argv[3] * size)))
"""


def writer(folder: Path, letter: str) -> subprocess.Popen[str]:
    here = str(Path(__file__).parent)
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), here, letter], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def test_h26_two_writers_killed_in_the_middle_leave_a_whole_entry(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path, no_warning)
    seen = set()
    for _ in range(3):
        writers = [writer(tmp_path, letter) for letter in "ab"]
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            found = store.find(toy_request())
            if found:
                seen.add(found.content)
        for process in writers:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            if process.stdout:
                process.stdout.close()
        assert store.find(toy_request()) is not None
    assert seen <= {toy_content(summary=letter * size) for letter in "ab" for size in (10, 400_000)}
    assert len(list(tmp_path.rglob("*.json"))) == 1  # what a kill leaves behind is no entry


def test_a_temporary_file_left_behind_is_no_entry(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path, no_warning)
    key = toy_request().request_hash
    folder = tmp_path / key[:2]
    folder.mkdir()
    (folder / f".{key}.json.0123.tmp").write_text('{"request": {"prom', encoding="utf-8")
    assert store.find(toy_request()) is None


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "name.json"
    path.mkdir(parents=True)
    with pytest.raises(OSError):
        write_whole(path, "text")
    assert list(path.parent.iterdir()) == [path]
