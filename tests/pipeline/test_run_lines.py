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
    """Two lines get a number that they do not have, one of them also when it is asked for again."""
    content = json.loads(content_for(request.body))
    asked = request.messages[1]["content"]
    ref = field(asked, "ref")
    for item in content.get("items", ()):
        wrong = (LOST, "Read the settings") if ref == "zh.lines" else (LOST,) if ref == "zh.lines.repair" else ()
        if any(words.replace(" ", "、") in item["text"] for words in wrong):
            item["text"] += " 7"
    return completion(json.dumps(content, ensure_ascii=False))


def test_a_refused_line_is_asked_for_once_more_and_then_stays_english(command: CommandLine) -> None:
    write_week(command.folder / "week")
    with ModelServer(careless) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        outcome = command(*COMMAND)
        assert outcome.code == 0, outcome.err
        repairs = [own for own in server.requests if "ref: zh.lines.repair\n" in own.messages[1]["content"]]
        fault = "its numbers differ from the English line's: lost none; added 7"
        (repair,) = repairs
        assert f"\n1: {fault}\n2: {fault}\n" in repair.messages[1]["content"]
        server.requests.clear()
        assert command(*COMMAND).code == 0
        assert server.requests == []
    told = lines()
    assert told[PAGE] == {"id": PAGE, "text": None, "reason": fault}
    assert told[SETTINGS]["text"] == "不仅默认：Read、the、settings、file、before、the、cache、starts"
    assert told[QUEUE]["reason"] is None
    page = (RUN / "digest.zh.md").read_bytes().decode()
    assert "\n- 1 行未译，保留英文。\n" in page
    assert "\n  - 不仅默认：Read、the、settings、" in page
    path = RUN / "digest.zh.json"
    path.write_bytes(path.read_bytes().replace("不仅默认：Read".encode(), b"Read"))
    assert command("verify", RUN, "--lang", "zh").code == 1


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
    assert "\n- 4 行未译，保留英文。\n" in page
    assert "：What happens when the queue is full?（" in page
    with ModelServer(answer) as server:
        command.set(OPENAI_BASE_URL=server.base_url)
        assert command(*COMMAND).code == 0
        assert [field(own.messages[1]["content"], "ref") for own in server.requests] == ["zh.lines"]
    assert None not in {line["text"] for line in lines().values()}
