"""Answers a batch file line by line through an endpoint: what a cluster does at once, for a server that cannot.

`python tests/model/answer_batch.py REQUESTS.jsonl REPLIES.jsonl [CALLS_AT_ONCE]`, with OPENAI_BASE_URL, and
OPENAI_API_KEY where the endpoint wants one. What stands in REPLIES.jsonl already is not asked again.
"""

import json
import os
import sys
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any


def main(requests: Path, replies: Path, at_once: int) -> None:
    done = _answered(replies)
    waiting = [line for line in map(json.loads, _lines(requests)) if line["custom_id"] not in done]
    with replies.open("ab") as file, ThreadPoolExecutor(at_once) as pool:
        for number, reply in enumerate(pool.map(answer, waiting), start=1):
            file.write(json.dumps(reply, ensure_ascii=False).encode() + b"\n")
            file.flush()
            said = reply["error"] or reply["response"]["status_code"]
            sys.stderr.write(f"{number}/{len(waiting)} {reply['custom_id']}: {said}\n")


def answer(line: dict[str, Any]) -> dict[str, Any]:
    """The line of an output file for one line of a batch file."""
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"].rstrip("/") + "/chat/completions",
        json.dumps(line["body"]).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}"},
    )
    name = uuid.uuid4().hex  # so that two answers are never taken for one that is imported twice
    try:
        with urllib.request.urlopen(request, timeout=3600) as response:
            status, data = response.status, response.read()
    except urllib.error.HTTPError as error:
        status, data = error.code, error.read()
    except OSError as error:
        return {"id": name, "custom_id": line["custom_id"], "response": None, "error": {"message": str(error)}}
    try:
        body = json.loads(data)
    except ValueError:
        body = {"error": {"message": data.decode("utf-8", "replace")}}
    response = {"status_code": status, "request_id": "", "body": body}
    return {"id": name, "custom_id": line["custom_id"], "response": response, "error": None}


def _answered(replies: Path) -> set[str]:
    """The ids of the replies that stand there whole; half a line, which a kill left, goes."""
    if not replies.exists():
        return set()
    data = replies.read_bytes()
    replies.write_bytes(data[: data.rfind(b"\n") + 1])
    return {json.loads(line)["custom_id"] for line in _lines(replies)}


def _lines(path: Path) -> list[bytes]:
    return [line for line in path.read_bytes().split(b"\n") if line.strip()]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
