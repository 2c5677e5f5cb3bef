"""Two processes that want the same reply: one asks, the other waits, and a death lifts the claim."""

import subprocess
import sys
import threading
from pathlib import Path

from prhub_digest.llm.claims import Claims

KEY, OTHER = "ab" * 32, "cd" * 32
HOLDER = """
import sys
from pathlib import Path
from prhub_digest.llm.claims import Claims
with Claims(Path(sys.argv[1]), print).turn(sys.argv[2], print):
    print("taken", flush=True)
    sys.stdin.read()
print("given back", flush=True)
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """A process that has claimed KEY, until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(path), KEY]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    return process


def test_a_claim_keeps_others_waiting_until_it_is_given_back_or_its_process_dies(tmp_path: Path) -> None:
    path = tmp_path / ".claims"
    told: list[str] = []
    claims = Claims(path, lambda: told.append("waits"))
    for end in ("given back", "killed"):
        with holder(path) as process:
            waits: list[int] = []

            def wait(process: subprocess.Popen[str] = process, waits: list[int] = waits, end: str = end) -> None:
                waits.append(len(waits))
                if len(waits) == 3:
                    process.communicate("") if end == "given back" else process.kill()
                    process.wait()

            with claims.turn(OTHER, wait):
                assert waits == []
            with claims.turn(KEY, wait):
                assert waits == [0, 1, 2]
    assert told == ["waits"]
    assert path.read_bytes() == b""


def test_threads_hold_claims_beside_each_other(tmp_path: Path) -> None:
    """The end of one does not lift those of the others, as closing the file would."""
    path = tmp_path / ".claims"
    claims = Claims(path, lambda: None)
    done = threading.Event()
    begun = threading.Event()

    def hold() -> None:
        with claims.turn(KEY, lambda: None):
            begun.set()
            done.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    begun.wait(10)
    with claims.turn(OTHER, lambda: None):
        pass
    program = (
        "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(sys.argv[2]))"
    )
    place = str(int(KEY[:15], 16))
    refused = subprocess.run([sys.executable, "-c", program, path, place], capture_output=True, check=False)
    assert b"BlockingIOError" in refused.stderr
    done.set()
    thread.join()
    assert subprocess.run([sys.executable, "-c", program, path, place], check=False).returncode == 0


def test_where_nothing_can_be_locked_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / ".claims").mkdir()

    def wait() -> None:
        raise AssertionError("there is nothing to wait for")

    with Claims(tmp_path / ".claims", wait).turn(KEY, wait), Claims(tmp_path / "gone/.claims", wait).turn(KEY, wait):
        pass
