"""Runs of one command in forked children, each killed at another rename, and then given again.

`python killed_runs.py FOLDER BASE_URL COMMAND...` works in FOLDER/<number>/ for the number of each rename, after a
whole run in FOLDER/0/, which also loads once what every child needs. The endpoint sees which run asks: the first part
of the path is `whole`, `<number>-killed` or `<number>-again`. One JSON line each.
"""

import json
import os
import signal
import sys
from pathlib import Path

from prhub_digest.cli import main as program


def main(folder: Path, base_url: str, command: list[str]) -> None:
    (folder / "0").mkdir()
    assert _run(folder / "0", base_url.replace("/v1", "/whole/v1"), command) == 0
    number, killed = 0, True
    while killed:
        number += 1
        work = folder / str(number)
        work.mkdir()
        status = _child(work, base_url.replace("/v1", f"/{number}-killed/v1"), command, kill_at=number)
        killed = os.WIFSIGNALED(status)
        assert killed or os.waitstatus_to_exitcode(status) == 0
        stored = sorted(str(path) for path in (work / "cache" / "replies").rglob("[!.]*.json"))
        status = _child(work, base_url.replace("/v1", f"/{number}-again/v1"), command, kill_at=None)
        row = {"number": number, "killed": killed, "stored": stored, "code": os.waitstatus_to_exitcode(status)}
        sys.stdout.write(f"row {json.dumps(row)}\n")
        sys.stdout.flush()


def _child(work: Path, base_url: str, command: list[str], kill_at: int | None) -> int:
    """The wait status of one run."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    os.dup2(os.open(work / "output", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
    os.dup2(1, 2)
    if kill_at is not None:
        _kill_at(kill_at)
    os._exit(_run(work, base_url, command))


def _run(work: Path, base_url: str, command: list[str]) -> int:
    """The exit code of the command in the folder `work`."""
    os.chdir(work)
    os.environ.update(OPENAI_BASE_URL=base_url, PRHUB_CACHE_DIR=str(work / "cache"))
    sys.argv = ["prhub-digest", *command]
    try:
        program.main()
    except SystemExit as left:
        return int(left.code or 0)
    return 0


def _kill_at(number: int) -> None:
    """Every file is made whole by a rename; the one with this number does not happen any more."""
    rename, left = os.replace, [number]

    def replace(source: str, target: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        rename(source, target)

    os.replace = replace  # type: ignore[assignment]  # only in this child


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
