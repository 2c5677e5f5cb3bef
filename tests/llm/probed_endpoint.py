"""An endpoint that takes some rungs of the ladder and answers the probe's question as a chat model would."""

import json
from collections.abc import Callable, Collection
from typing import Any

from model_server import Reply, Request, completion, failure

from prhub_digest.llm.abilities import RUNGS
from prhub_digest.models.llm import Rung

FRUIT = {"ref": "probe", "fruit": "apple", "letters": 5}
PROSE = "An apple; it has five letters."


def rung_of(request: Request) -> Rung:
    wanted = request.body.get("response_format")
    if wanted is None:
        return "text"
    if wanted["type"] == "json_object":
        return "json"
    return "schema_strict" if wanted["json_schema"]["strict"] else "schema"


def endpoint(
    takes: Collection[str] = RUNGS, keeps: Collection[str] = RUNGS, *, usage: tuple[int, int] | None = (40, 12)
) -> Callable[[Request], Reply]:
    """It rejects the rungs that it does not take, and answers in prose on those that it does not keep to."""

    def answer(request: Request) -> Reply:
        rung = rung_of(request)
        if rung not in takes:
            return failure(400, "This response_format type is unavailable now")
        return completion(json.dumps(FRUIT) if rung in keeps else PROSE, usage=usage)

    return answer


def listing(*names: str) -> Reply:
    models: list[dict[str, Any]] = [{"id": name, "object": "model"} for name in names]
    return Reply({"object": "list", "data": models})
