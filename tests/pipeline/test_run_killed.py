"""SIGKILL between any two writes: the next run gives the same digest, and asks nothing that was stored."""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from command_line import process_environment
from model_server import ModelServer
from scripted_model import answer
from small_week import TITLES, open_thread, pull_request, write_week

PULLS = {
    101: pull_request(101, TITLES[101], threads=(open_thread(101),)),
    102: pull_request(102, TITLES[102]),
}
RUN = Path("runs/toy__pages/2026-W06")


def test_a_run_killed_at_any_write_is_made_good_by_the_next(tmp_path: Path) -> None:
    week = write_week(tmp_path / "week", PULLS)
    command = ["run", "--fixture", f"{week}/", "--llm", "openai", "--model", "toy", "--concurrency", "1"]
    script = Path(__file__).with_name("killed_runs.py")
    with ModelServer(answer) as server:
        done = subprocess.run(
            [sys.executable, script, tmp_path, server.base_url, *command],
            env=process_environment(tmp_path, {}),
            capture_output=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()
    rows = [json.loads(line[4:]) for line in done.stdout.decode().split("\n") if line.startswith("row ")]
    whole = tmp_path / "0" / RUN
    files = names_in(whole)
    assert len(rows) > len(files)
    assert [row["killed"] for row in rows] == [True] * (len(rows) - 1) + [False]
    asked = defaultdict(list)
    for request in server.requests:
        asked[request.path.split("/")[1]].append(request.messages)
    for row in rows:
        folder = tmp_path / str(row["number"])
        assert row["code"] == 0, (folder / "output").read_bytes().decode()
        for name in ("digest.en.md", "digest.en.json", "plan.json", "stats.json"):
            assert (folder / RUN / name).read_bytes() == (whole / name).read_bytes(), row
        assert names_in(folder / RUN) == files, row
        again = asked[f"{row['number']}-again"]
        stored = [json.loads(Path(path).read_bytes())["request"]["messages"] for path in row["stored"]]
        assert not [messages for messages in again if messages in stored], row
        assert len(again) + len(stored) == len(asked["whole"]), row


def names_in(folder: Path) -> set[str]:
    """All files of a run folder, temporary ones too."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
