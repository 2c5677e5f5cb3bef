"""The scripted model behind a Batch API, and a run that waits for it."""

import json
from pathlib import Path
from typing import Any

from command_line import CommandLine
from scripted_model import batch_line
from small_week import write_week

RUN = Path("runs/toy__pages/2026-W06")
COMMAND = ("run", "--fixture", "./week/", "--model", "toy", "--llm", "batch")
KEY = "sk-test-not-a-real-key"


def reply(line: dict[str, Any]) -> dict[str, Any]:
    """The output line for one line of a batch file."""
    answer: dict[str, Any] = json.loads(batch_line(json.dumps(line)))
    return answer


def waiting_run(command: CommandLine, base_url: str, pulls: Any = None) -> None:
    """A small week whose first round waits, with the endpoint in the environment."""
    write_week(command.folder / "week", pulls)
    command.set(OPENAI_BASE_URL=base_url, OPENAI_API_KEY=KEY)
    outcome = command(*COMMAND)
    assert outcome.code == 0, outcome.err


def jobs() -> list[dict[str, Any]]:
    stored: list[dict[str, Any]] = json.loads((RUN / "batch/jobs.json").read_bytes())["jobs"]
    return stored
