"""SIGKILL while a fixture is recorded: what is there is whole, and only the rest is asked for again."""

import threading
import time
from pathlib import Path

from command_line import ended, own_process
from model_server import ModelServer, Reply, Request
from scripted_model import answer, field
from small_week import write_week

from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.llm import StoredReply

RECORD = ("record", "--fixture", "./week/", "--llm", "openai")
LONGEST = 60.0


def ref(request: Request) -> str:
    return field(request.messages[1]["content"], "ref")


def test_a_recording_that_is_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    week = write_week(tmp_path / "week")
    manifest = (week / "manifest.json").read_bytes()
    killed = threading.Event()
    replies = week / "replies/summarize_pr"

    def first_at_once(request: Request) -> Reply:
        if server.requests[0] is not request:
            killed.wait(LONGEST)
        return answer(request)

    with ModelServer(first_at_once) as server:
        process = own_process(tmp_path, *RECORD, OPENAI_BASE_URL=server.base_url)
        until = time.monotonic() + LONGEST
        while not list(replies.glob("*.json")) and time.monotonic() < until:
            time.sleep(0.02)
        process.kill()
        process.communicate()
        killed.set()
    (path,) = (week / "replies").rglob("*.json")
    first = path.read_bytes()
    assert StoredReply.model_validate_json(first).request.subject == path.stem
    assert (week / "manifest.json").read_bytes() == manifest
    leftover = path.with_name(".pr-199.json.0123456789abcdef0123456789abcdef.tmp")
    leftover.write_bytes(first[:100])  # as a kill in the middle of a write would leave it
    with ModelServer(answer) as server:
        outcome = ended(own_process(tmp_path, *RECORD, OPENAI_BASE_URL=server.base_url))
        assert outcome.code == 0, outcome.err
        asked = [ref(request) for request in server.requests]
    assert {*asked} & {"pr-101", "pr-102", "pr-103"} == {"pr-101", "pr-102", "pr-103"} - {path.stem}
    assert "plan" in asked
    assert path.read_bytes() == first
    assert FixtureManifest.model_validate_json((week / "manifest.json").read_bytes()).recorded
