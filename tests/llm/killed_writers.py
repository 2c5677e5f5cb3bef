"""Writers of one store that are killed by SIGKILL: a program, since it forks. It prints what it saw as JSON.

`killed_writers.py FOLDER instruction`: one writer after the other replaces an entry, the first killed at the first
instruction of the store's own code, the next at the second, and so on, until one is done before its instruction comes.
`killed_writers.py FOLDER moment`: again and again two writers replace one entry as fast as they can, until both are
killed at a random moment.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from toy_requests import toy_content, toy_request

from prhub_digest.llm import store as store_module
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.llm import Attempt, StoredReply, Usage

ROUNDS = 40
OLD = toy_content(summary="old")
NEW = toy_content(summary="new" * 20_000)


def stored(content: str) -> StoredReply:
    attempt = Attempt(content=content, finish_reason="stop", usage=Usage(calls=1))
    return StoredReply(request=toy_request(), attempts=(attempt,), recorded="now")


class Killer:
    """A trace function that kills its own process at one instruction of the store."""

    def __init__(self, instruction: int) -> None:
        self.left = instruction

    def __call__(self, frame: FrameType, event: str, _: Any) -> "Killer | None":
        if frame.f_code.co_filename != store_module.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            self.left -= 1
        return self


def forked(work: Callable[[], None]) -> int:
    """The id of a process that does the work and ends."""
    process = os.fork()
    if process == 0:
        work()
        os._exit(0)
    return process


def killed_at_every_instruction(store: ReplyStore) -> list[str | None]:
    """What a look-up found after each kill, in the order of the instructions; at last, after a writer that was done."""
    seen: list[str | None] = []
    while True:
        store.save(stored(OLD))
        killer = Killer(len(seen))

        def write(killer: Killer = killer) -> None:
            sys.settrace(killer)
            store.save(stored(NEW))

        _, status = os.waitpid(forked(write), 0)
        found = store.find(toy_request())
        seen.append(found.content if found else None)
        if not os.WIFSIGNALED(status):
            return seen


def killed_at_any_moment(store: ReplyStore) -> list[str | None]:
    moments = random.Random(5)
    store.save(stored(OLD))
    seen: list[str | None] = []
    for _ in range(ROUNDS):
        writers = [forked(lambda content=content: write_for_ever(store, content)) for content in (OLD, NEW)]  # type: ignore[misc]
        time.sleep(moments.uniform(0, 0.02))
        for process in writers:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        found = store.find(toy_request())
        seen.append(found.content if found else None)
    return seen


def write_for_ever(store: ReplyStore, content: str) -> None:
    while True:
        store.save(stored(content))


if __name__ == "__main__":
    warnings: list[str] = []
    replies = ReplyStore(Path(sys.argv[1]), warnings.append)
    found = (killed_at_every_instruction if sys.argv[2] == "instruction" else killed_at_any_moment)(replies)
    names = {OLD: "old", NEW: "new", None: None}
    json.dump({"seen": [names.get(content, "half") for content in found], "warnings": warnings}, sys.stdout)
