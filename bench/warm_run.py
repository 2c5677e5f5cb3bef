"""The same command once more, nothing changed, for 320 pull requests: calls, and seconds of the whole process.

The first run asks an endpoint in this process, which answers from the request's own text; the runs that are measured
find it counting.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from bench import Measure
from bench.orchestration import REPLY
from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, FileChange, Person, PullRequest

PULLS = 320
LINES = 120
RUNS = 5
PERIOD = Period.from_week("2026-W06")
EMPTY_PLAN: dict[str, Any] = {name: [] for name in ("trends", "risks", "recommendations", "executive")}


def measure() -> Iterator[Measure]:
    with tempfile.TemporaryDirectory() as place:
        folder, endpoint = Path(place), _Endpoint(("127.0.0.1", 0), _Answering)
        _write_week(folder / "week")
        thread = threading.Thread(target=endpoint.serve_forever, daemon=True)
        thread.start()
        _run(folder, endpoint)
        if not endpoint.calls:
            raise RuntimeError("the first run asked nothing")
        endpoint.calls = 0
        seconds = statistics.median(_run(folder, endpoint) for _ in range(RUNS))
        endpoint.shutdown()
        endpoint.server_close()
    yield Measure("warm_run_calls", endpoint.calls, 0)
    yield Measure("warm_run_seconds", seconds, 2.0)


def _run(folder: Path, endpoint: "_Endpoint") -> float:
    """Seconds from the start of the process to its end."""
    command = ["run", "--fixture", "./week/", "--llm", "openai", "--model", "bench", "--concurrency", "32"]
    environment = {
        "PATH": os.environ["PATH"],
        "OPENAI_BASE_URL": f"http://127.0.0.1:{endpoint.server_port}/v1",
        "PRHUB_CACHE_DIR": str(folder / "cache"),
    }
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "prhub_digest", *command], cwd=folder, env=environment, capture_output=True, check=True
    )
    return time.perf_counter() - begin


def _write_week(folder: Path) -> None:
    (folder / "pulls").mkdir(parents=True)
    numbers = tuple(range(1001, 1001 + PULLS))
    manifest = FixtureManifest(
        name="bench",
        description="synthetic",
        collection=Collection(repository="bench/week", source="fixture", period=PERIOD, numbers=numbers),
        model="bench",
        small_model="bench",
        provider="bench",
        chunk_tokens=6000,
        max_chunks=4,
    )
    (folder / "manifest.json").write_text(manifest.to_json(), encoding="utf-8", newline="")
    for number in numbers:
        path = folder / "pulls" / f"{number}.json"
        path.write_text(_pull_request(number).to_json(), encoding="utf-8", newline="")


def _pull_request(number: int) -> PullRequest:
    lines = "\n".join(f"+    blocks = prefetch blocks(queue, size={number * line})" for line in range(LINES))
    patch = f"@@ -1,1 +1,{LINES + 1} @@\n import blocks\n{lines}"
    file = FileChange(path=f"area{number % 9}/module.py", status="modified", additions=LINES, deletions=0, patch=patch)
    return PullRequest(
        number=number,
        title=f"Prefetches blocks of kind {number}",
        body="Prefetches blocks before they are needed.\n" * 5,
        author=Person(login=f"author-{number % 40}", kind="human"),
        merged_at=PERIOD.since + timedelta(minutes=number),
        files=(file,),
    )


class _Endpoint(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    calls = 0


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Endpoint

    def do_POST(self) -> None:
        self.server.calls += 1
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        content = json.dumps(_reply(body["response_format"]["json_schema"]["name"], body["messages"][1]["content"]))
        message = {"role": "assistant", "content": content}
        usage = {"prompt_tokens": 4000, "completion_tokens": 300}
        data = json.dumps({"choices": [{"finish_reason": "stop", "message": message}], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def _reply(name: str, asked: str) -> dict[str, Any]:
    ref = re.search(r"^ref: (.*)$", asked, re.MULTILINE)
    if name == "SummaryReply":
        reply: dict[str, Any] = REPLY
    elif name == "PlanReply":
        reply = EMPTY_PLAN
    elif name == "ThemeReply":
        reply = {
            "name": "Blocks",
            "items": [{"facts": re.findall(r"^(p\d+\.h1) ", asked, re.MULTILINE)[:1], "point": "x"}],
        }
    elif name == "CompareReply":
        reply = {"order": re.findall(r"^([A-Z]) ", asked, re.MULTILINE)}
    else:
        items = re.findall(r"^item (\S+)$", asked, re.MULTILINE)
        reply = {"items": [{"item": item, "text": "Prefetches blocks before they are needed."} for item in items]}
    return reply | {"ref": ref[1] if ref else ""}
