"""Two runs at once on one store: what both ask for is asked once, and both have their digest."""

from collections import Counter
from pathlib import Path

from command_line import ended, own_process
from model_server import ModelServer, Reply, Request
from scripted_model import answer, field
from small_week import write_week

COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy", "--concurrency", "2")


def test_two_runs_at_once_ask_nothing_twice(tmp_path: Path) -> None:
    write_week(tmp_path / "week")

    def slowly(request: Request) -> Reply:
        return Reply(answer(request).body, after=0.1)

    with ModelServer(slowly) as server:
        runs = [own_process(tmp_path, *COMMAND, "--out", out, OPENAI_BASE_URL=server.base_url) for out in "ab"]
        outcomes = [ended(run) for run in runs]
        asked = Counter(field(request.messages[1]["content"], "ref") for request in server.requests)
    assert [outcome.code for outcome in outcomes] == [0, 0], outcomes
    assert {*asked.values()} == {1}
    assert len(asked) == 11
    pages = [(tmp_path / out / "toy__pages/2026-W06/digest.en.md").read_bytes() for out in "ab"]
    assert pages[0] == pages[1]
    assert len(list((tmp_path / "cache/replies").glob("*/*.json"))) == 11
