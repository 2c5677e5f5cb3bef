"""Lines of a page in another language: what is refused is asked once more, and then stays English."""

import json
from pathlib import Path
from typing import Any

from command_line import CommandLine
from model_server import ModelServer, Reply, Request, completion
from scripted_model import answer, content_for, field
from small_week import write_week

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--llm", "openai", "--model", "toy", "--lang", "zh")
QUEUE, SETTINGS, PAGE = "101.headline", "102.headline", "103.headline"
LOST = "Retry a lost page once"


def lines() -> dict[str, dict[str, Any]]:
    return {line["id"]: line for line in json.loads((RUN / "digest.zh.json").read_bytes())["lines"]}


def careless(request: Request) -> Reply:
    """Two lines get a number that they do not have, one of them also when it is asked for again.

    A third is missing at first, and there is one that nobody asked for.
    """
    content = json.loads(content_for(request.body))
    asked = request.messages[1]["content"]
    ref = field(asked, "ref")
    for item in content.get("items", ()):
        wrong = (LOST, "Read the settings") if ref == "zh.lines" else (LOST,) if ref == "zh.lines.repair" else ()
        if any(words.replace(" ", "、") in item["text"] for words in wrong):
            item["text"] += " 7"
    if ref == "zh.lines":
        content["items"] = [*content["items"][1:], {"item": "99", "text": "多余"}]
    return completion(json.dumps(content, ensure_ascii=False))


def test_a_refused_or_missing_line_is_asked_for_once_more_and_then_stays_english(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(careless) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        outcome = command(*COMMAND)
        assert outcome.code == 0, outcome.err
        lines_calls = [own for own in server.requests if "ref: zh.lines" in own.messages[1]["content"]]
        fault = "its numbers differ from the English line's: lost none; added 7"
        _, repair = lines_calls
        told = f"\n1: its translation is missing\n2: {fault}\n3: {fault}\n"
        assert told in repair.messages[1]["content"]
        server.requests.clear()
        assert command(*COMMAND).code == 0
        assert server.requests == []
    known = lines()
    assert known[PAGE] == {"id": PAGE, "text": None, "reason": fault}
    assert known[SETTINGS]["text"] == "不仅默认：Read、the、settings、file、before、the、cache、starts"
    assert known[QUEUE]["reason"] is None
    page = (RUN / "digest.zh.md").read_bytes().decode()
    assert "：未译而保留英文的行数：1\n" in page
    assert "\n  - 不仅默认：Read、the、settings、" in page
    path = RUN / "digest.zh.json"
    whole = path.read_bytes()
    path.write_bytes(whole.replace("不仅默认：Read".encode(), b"Read"))
    assert command("verify", RUN, "--lang", "zh").code == 1
    path.write_text(json.dumps(json.loads(whole) | {"lines": []}), encoding="utf-8")
    assert command("verify", RUN, "--lang", "zh").code == 0
    (left,) = json.loads((RUN / "verification.zh.json").read_bytes())["findings"]
    assert left["kind"] == "untranslated"
    assert left["message"].startswith(f"{len(known)} of {len(known)} lines stay English: {QUEUE}, ")


def test_a_call_without_a_usable_reply_leaves_its_lines_english(command: CommandLine) -> None:
    """The run tells of it and tries again."""
    write_week(command.folder / "week")

    def silent(request: Request) -> Reply:
        return completion("no") if "ref: zh.lines\n" in request.messages[1]["content"] else answer(request)

    with ModelServer(silent) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        outcome = command(*COMMAND)
    assert outcome.code == 1
    assert "warning: zh.lines: these lines stay English: no usable reply" in outcome.err
    assert {line["text"] for line in lines().values()} == {None}
    page = (RUN / "digest.zh.md").read_bytes().decode()
    assert "：未译而保留英文的行数：4\n" in page
    assert "：What happens when the queue is full?（" in page
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command(*COMMAND).code == 0
        assert [field(own.messages[1]["content"], "ref") for own in server.requests] == ["zh.lines"]
    assert None not in {line["text"] for line in lines().values()}
