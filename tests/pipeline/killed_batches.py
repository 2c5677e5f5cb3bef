"""A run and its batches in forked children, each killed at its n-th rename of a batch file, until one comes to the end.

`python killed_batches.py FOLDER BASE_URL FIXTURE NUMBERS...` works in FOLDER/<n>/ for each n, after a whole course in
FOLDER/0/, which also loads once what every child needs. The server sees which course asks: n is the first part of the
path. One JSON line each, with the names of the files whose rename did not happen.
"""

import json
import os
import signal
import sys
from pathlib import Path

from batch_model import COMMAND, RUN

from prhub_digest.cli import main as program


def main(folder: Path, base_url: str, week: str, numbers: list[int]) -> None:
    program._leave = sys.exit  # type: ignore[assignment]  # several commands in one process
    commands = [[*COMMAND, "--fixture", week], ["batch", "submit", str(RUN), "--wait", "--poll", "0"]]
    (folder / "0").mkdir()
    assert _course(folder / "0", base_url, commands) == 0
    for number in numbers:
        work = folder / str(number)
        work.mkdir()
        while os.WIFSIGNALED(status := _child(work, base_url, commands, kill_at=number)):
            pass
        killed = (work / "killed").read_text(encoding="utf-8").split()
        row = {"number": number, "killed": killed, "code": os.waitstatus_to_exitcode(status)}
        sys.stdout.write(f"row {json.dumps(row)}\n")
        sys.stdout.flush()


def _child(work: Path, base_url: str, commands: list[list[str]], kill_at: int) -> int:
    """The wait status of one course."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    os.dup2(os.open(work / "output", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 1)
    os.dup2(1, 2)
    _kill_at(kill_at, work / "killed")
    os._exit(_course(work, base_url, commands))


def _course(work: Path, base_url: str, commands: list[list[str]]) -> int:
    """The exit code of the commands, up to the first that fails, in the folder `work`."""
    os.chdir(work)
    os.environ.update(OPENAI_BASE_URL=base_url.replace("/v1", f"/{work.name}/v1"), PRHUB_CACHE_DIR=str(work / "cache"))
    for command in commands:
        sys.argv = ["prhub-digest", *command]
        try:
            program.main()
        except SystemExit as left:
            if left.code:
                return int(left.code)
    return 0


def _kill_at(number: int, noted: Path) -> None:
    """Every file is made whole by a rename; the one of a batch file with this number does not happen any more."""
    rename, left = os.replace, [number]

    def replace(source: str, target: str) -> None:
        if Path(target).parent.name == "batch":
            left[0] -= 1
            if left[0] == 0:
                with noted.open("a", encoding="utf-8") as file:
                    file.write(f"{Path(target).name}\n")
                os.kill(os.getpid(), signal.SIGKILL)
        rename(source, target)

    os.replace = replace  # type: ignore[assignment]  # only in this child


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], list(map(int, sys.argv[4:])))
