"""The calls for 320 pull requests, 32 at once, against an endpoint with fixed latency: wall time over the ideal.

The endpoint is an asyncio server in a process of its own. It reads a request, waits, and answers with what the request
says; it does next to nothing, so that the client is what is measured. Everything a run does with a reply is included:
validation, and the write into a fresh store.
"""

import asyncio
import json
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from bench import Measure
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.pool import run_bounded
from prhub_digest.llm.store import ReplyStore
from prhub_digest.llm.wire_schema import wire_schema
from prhub_digest.models.llm import LogicalRequest, Message, Parameters
from prhub_digest.models.summary import SummaryReply

CALLS = 320
CONCURRENCY = 32
PROMPT_CHARACTERS = 12_000
STATEMENT = {"text": "Prefetches blocks", "line": "d1", "words": "prefetch blocks"}
SCORE = {"score": 3, "line": "d1", "words": "prefetch blocks"}
REPLY = {
    "ref": "REF",
    "headline": STATEMENT,
    "change_type": "performance",
    "area": "cache",
    "scope": {"text": "", "line": "", "words": ""},
    "condition": {"text": "", "line": "", "words": ""},
    "default": {"state": "on", "line": "", "words": ""},
    "claims": [STATEMENT] * 4,
    "figures": [],
    "risks": [],
    "threads": [],
    "scores": dict.fromkeys(("reach", "behaviour", "cost", "risk", "durability"), SCORE),
}


def measure() -> Iterator[Measure]:
    for milliseconds, target in ((1000, 1.05), (200, 1.25)):
        latency = milliseconds / 1000
        ideal = -(-CALLS // CONCURRENCY) * latency
        yield Measure(f"wall_over_ideal_{milliseconds}ms", _wall(latency) / ideal, target)


def _wall(latency: float) -> float:
    """Seconds from the first call to the last reply, by a client that has just been made."""
    ours, theirs = multiprocessing.Pipe()
    endpoint = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, latency), daemon=True)
    endpoint.start()
    client = OpenAIClient(f"http://127.0.0.1:{ours.recv()}/v1", None, 60.0, CONCURRENCY)
    requests = [_request(number) for number in range(CALLS)]
    with tempfile.TemporaryDirectory() as folder:
        asker = Asker(client, ReplyStore(Path(folder), print))
        begin = time.perf_counter()
        results = list(run_bounded(requests, lambda request: asker.ask(request, SummaryReply), CONCURRENCY))
        wall = time.perf_counter() - begin
    client.close()
    endpoint.terminate()
    endpoint.join()
    errors = [result for _, result in results if isinstance(result, Exception)]
    if errors or len(results) != CALLS:
        raise RuntimeError(f"{len(errors)} calls failed: {errors[:1]}")
    return wall


def _request(number: int) -> LogicalRequest:
    return LogicalRequest(
        prompt="summarize",
        subject=f"pr-{number}",
        ref=f"REF{number:04}",
        prompt_hash="0" * 64,
        messages=(
            Message(role="system", content="Summarize this pull request. " * 20),
            Message(
                role="user",
                content=f"REF{number:04}\n" + "+    blocks = prefetch(blocks)\n" * (PROMPT_CHARACTERS // 31),
            ),
        ),
        schema_name="SummaryReply",
        wire_schema=wire_schema(SummaryReply),
        parameters=Parameters(max_output_tokens=1500),
        model="bench",
        provider="bench",
    )


def _serve(pipe: Connection, latency: float) -> None:
    async def run() -> None:
        server = await asyncio.start_server(partial(_answer, latency=latency), "127.0.0.1", 0, backlog=256)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, latency: float) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            arrived = asyncio.get_running_loop().time()
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            body = await reader.readexactly(length)
            start = body.index(b"REF")
            content = json.dumps(REPLY).replace("REF", body[start : start + 7].decode())
            message = {"role": "assistant", "content": content}
            usage = {"prompt_tokens": 4000, "completion_tokens": 300}
            data = json.dumps({"choices": [{"finish_reason": "stop", "message": message}], "usage": usage}).encode()
            await asyncio.sleep(arrived + latency - asyncio.get_running_loop().time())
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(data))
            writer.write(data)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
