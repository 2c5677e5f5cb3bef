import json
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_requests import toy_content, toy_request

from prhub_digest.llm.request import RequestBuilder
from prhub_digest.llm.store import ReplyStore, write_whole
from prhub_digest.models.llm import Attempt, LogicalRequest, Parameters, StoredReply, Usage
from prhub_digest.prompts import load_prompts
from prhub_digest.shipped import prompts_dir

HERE = Path(__file__).parent
DAY = 86_400
IN_ONE_FOLDER = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


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


def wording(language: str, prompts: Path | None = None, **changes: str) -> LogicalRequest:
    models = {"large": "toy-model", "small": "toy-model"}
    builder = RequestBuilder(load_prompts(prompts_dir(), prompts), models, "openai", len)  # type: ignore[arg-type]
    values = {"section": "key changes", "language": language, "items": "item c1\npoint: what it says"}
    return builder.build("compose_wording", subject="en.changes", values=values).updated(**changes)


def test_h25_every_part_of_the_question_counts(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path / "store", no_warning)
    request = wording("English")
    store.save(stored(request))
    shipped = (prompts_dir() / "compose_wording.prompt.md").read_text(encoding="utf-8")
    (tmp_path / "compose_wording.prompt.md").write_text(shipped.replace("as JSON.", "as JSON!", 1), "utf-8")
    schema, limit = request.wire_schema, request.parameters.max_output_tokens
    changed = [
        request.updated(model="toy-model-2"),
        request.updated(parameters=Parameters(temperature=0.1, max_output_tokens=limit)),
        request.updated(parameters=Parameters(max_output_tokens=limit + 1)),
        request.updated(wire_schema={**schema, "required": schema["required"][:-1]}),
        wording("English", tmp_path),
        wording("Chinese (简体中文)"),
        request.updated(provider="azure"),
    ]
    assert [store.find(other) for other in changed] == [None] * 7
    reordered = dict(reversed(schema.items()))
    assert list(reordered) != list(schema)
    assert store.find(request.updated(wire_schema=reordered)) == stored(request)
    assert store.find(wording("English")) == stored(request)


def shuffled(value: Any, draw: st.DataObject) -> Any:
    if isinstance(value, dict):
        return {key: shuffled(value[key], draw) for key in draw.draw(st.permutations(list(value)))}
    return [shuffled(item, draw) for item in value] if isinstance(value, list) else value


@given(st.data())
@IN_ONE_FOLDER
def test_h25_no_order_of_json_keys_is_another_question(data: st.DataObject) -> None:
    request = toy_request()
    assert toy_request(wire_schema=shuffled(request.wire_schema, data)).request_hash == request.request_hash


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
@IN_ONE_FOLDER
def test_any_text_comes_back_as_it_was(tmp_path: Path, question: str, content: str) -> None:
    store = ReplyStore(tmp_path, no_warning)
    system, user = toy_request().messages
    request = toy_request(messages=(system, user.updated(content=question)))
    store.save(stored(request, content or "empty"))
    assert store.find(request) == stored(request, content or "empty")


@pytest.mark.parametrize("content", ["", '{"request": {"prom', "{}", "[]", "\udcff", "null", "[" * 100_000])
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


@given(st.data())
@IN_ONE_FOLDER
def test_h26_no_half_of_an_entry_is_ever_used(tmp_path: Path, data: st.DataObject) -> None:
    whole = stored(toy_request()).to_json().encode()
    cut = data.draw(st.integers(0, len(whole) - 2))  # the last byte is a newline
    rest = data.draw(st.sampled_from([b"", b"\0" * (len(whole) - cut), data.draw(st.binary(max_size=20))]))
    warnings: list[str] = []
    store = ReplyStore(tmp_path, warnings.append)
    store.save(stored(toy_request()))
    (path,) = tmp_path.rglob("*.json")
    path.write_bytes(whole[:cut] + rest)
    assert store.find(toy_request()) in (None, stored(toy_request()))  # the rest may be drawn as it was
    assert rest or len(warnings) == 1


def test_many_threads_are_warned_once(tmp_path: Path) -> None:
    warnings: list[str] = []
    store = ReplyStore(tmp_path, warnings.append)
    store.save(stored(toy_request()))
    (path,) = tmp_path.rglob("*.json")
    path.write_bytes(b"half")
    together = threading.Barrier(8)

    def look_up() -> None:
        together.wait()
        assert store.find(toy_request()) is None

    threads = [threading.Thread(target=look_up) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(warnings) == 1


def test_an_entry_that_another_version_wrote_is_a_miss(tmp_path: Path) -> None:
    warnings: list[str] = []
    store = ReplyStore(tmp_path, warnings.append)
    store.save(stored(toy_request()))
    (path,) = tmp_path.rglob("*.json")
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "checked_by": "somebody"}), encoding="utf-8")
    assert store.find(toy_request()) is None
    assert warnings == [f"stored reply ignored: {path}: written by a newer version"]


def test_an_entry_under_another_name_is_a_miss(tmp_path: Path) -> None:
    warnings: list[str] = []
    store = ReplyStore(tmp_path, warnings.append)
    store.save(stored(toy_request(1)))
    (path,) = tmp_path.rglob("*.json")
    key = toy_request(2).request_hash
    write_whole(tmp_path / key[:2] / f"{key}.json", path.read_text(encoding="utf-8"))
    assert store.find(toy_request(2)) is None
    assert [warning.rpartition(": ")[2] for warning in warnings] == ["it answers another request"]


def test_a_place_that_cannot_be_read_is_a_miss(tmp_path: Path) -> None:
    warnings: list[str] = []
    store = ReplyStore(tmp_path, warnings.append)
    key = toy_request().request_hash
    (tmp_path / key[:2] / f"{key}.json").mkdir(parents=True)
    assert store.find(toy_request()) is None
    assert [warning.rpartition(": ")[2] for warning in warnings] == ["Is a directory"]


@pytest.mark.parametrize("way", ["instruction", "moment"])
def test_h26_a_killed_writer_leaves_the_old_entry_or_the_new(tmp_path: Path, way: str) -> None:
    program = [sys.executable, str(HERE / "killed_writers.py"), str(tmp_path), way]
    done = subprocess.run(program, env=os.environ | {"PYTHONPATH": str(HERE)}, capture_output=True, check=True)
    shown = json.loads(done.stdout)
    assert shown["warnings"] == []
    assert set(shown["seen"]) <= {"old", "new"}
    if way == "instruction":
        assert list(tmp_path.rglob(".*.tmp"))
        assert shown["seen"] == sorted(shown["seen"], reverse=True)  # once the new one is there, it stays
        assert len(shown["seen"]) > 100
        assert shown["seen"][-1] == "new"
    assert len(list(tmp_path.rglob("*.json"))) == 1  # what a kill leaves behind is no entry


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "name.json"
    path.mkdir(parents=True)
    with pytest.raises(OSError):
        write_whole(path, "text")
    assert list(path.parent.iterdir()) == [path]


def test_a_new_name_is_on_the_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    flush = os.fsync

    def noted(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        flush(handle)

    monkeypatch.setattr(os, "fsync", noted)
    path = tmp_path / "replies" / "ab" / "abc.json"
    write_whole(path, "text")
    assert synced == [place.stat().st_ino for place in (tmp_path, tmp_path / "replies", path, path.parent)]


def test_a_file_system_that_cannot_sync_folders_keeps_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def files_only(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "fsync", files_only)
    store = ReplyStore(tmp_path / "replies", no_warning)
    store.save(stored(toy_request()))
    assert store.find(toy_request()) == stored(toy_request())


@pytest.mark.parametrize(("age", "marked"), [(0.9, False), (1.1, True), (400.0, True), (-3.0, False)])
def test_a_look_up_marks_the_entry_at_most_once_a_day(tmp_path: Path, age: float, *, marked: bool) -> None:
    store = ReplyStore(tmp_path, no_warning)
    store.save(stored(toy_request()))
    (path,) = tmp_path.rglob("*.json")
    before = time.time() - age * DAY
    os.utime(path, (before, before))
    assert store.find(toy_request()) is not None
    since = path.stat().st_mtime - before
    assert (since > age * DAY - 1) if marked else (since < 1)


def test_a_store_that_cannot_be_written_is_read_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise OSError(30, "Read-only file system")

    store = ReplyStore(tmp_path, no_warning)
    store.save(stored(toy_request()))
    (path,) = tmp_path.rglob("*.json")
    os.utime(path, (0, 0))
    monkeypatch.setattr(os, "utime", refused)
    assert store.find(toy_request()) == stored(toy_request())
