"""SIGKILL between two writes of a batch, again and again: the same commands go on, submit nothing twice, make the same
digest."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from batch_model import RUN, reply
from batch_server import BatchServer
from command_line import process_environment
from small_week import TITLES, pull_request, write_week

# Each try is killed at so many writes; a round has ten, of five kinds of files. A greater number means fewer tries.
WRITES = (6, 7, 11)
KINDS = {"round-", "rounds", "jobs", "tries", "downloaded-batch_"}
HELPERS = (Path(__file__).parent, Path(__file__).parent.parent / "llm")


def wrong_at_first(line: dict[str, Any]) -> dict[str, Any]:
    first = "summarize_pr" in line["custom_id"] and len(line["body"]["messages"]) == 2
    answer = reply(line)
    if first:
        answer["response"]["body"]["choices"][0]["message"]["content"] = "I would rather not say."
    return answer


def test_batches_killed_at_any_write_are_made_good(tmp_path: Path) -> None:
    week = write_week(tmp_path / "week", {101: pull_request(101, TITLES[101])})
    script = Path(__file__).with_name("killed_batches.py")
    with BatchServer(wrong_at_first, ("validating", "completed")) as server:
        done = subprocess.run(
            [sys.executable, script, tmp_path, server.base_url, f"{week}/", *map(str, WRITES)],
            env=process_environment(tmp_path, {"PYTHONPATH": ":".join(map(str, HELPERS))}),
            capture_output=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()
    rows = [json.loads(line[4:]) for line in done.stdout.decode().split("\n") if line.startswith("row ")]
    assert {re.sub(r"\d*\.jsonl?$", "", name) for row in rows for name in row["killed"]} == KINDS
    assert min(len(row["killed"]) for row in rows) > 3
    whole = server.tenants["/0"]
    for row in rows:
        folder, tenant = tmp_path / str(row["number"]), server.tenants[f"/{row['number']}"]
        assert row["code"] == 0, (folder / "output").read_bytes().decode()
        for name in ("digest.en.md", "digest.en.json", "plan.json", "stats.json"):
            assert (folder / RUN / name).read_bytes() == (tmp_path / "0" / RUN / name).read_bytes(), row
        assert tenant.submitted == whole.submitted, row  # each file once, in the same order
        uploads = [name for name, data in tenant.files.items() if b'"method": "POST"' in data]
        assert 0 <= len(uploads) - len(tenant.batches) <= len(row["killed"]), row  # a kill loses an upload at most
        left = [path.name for path in (folder / RUN / "batch").iterdir() if path.name.endswith(".tmp")]
        assert left == [], row
