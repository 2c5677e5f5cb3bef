"""A collection that a signal or an error ends: nothing of it is left running, nor in the temporary folder."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from command_line import Outcome, ended, own_process, process_environment
from github_server import GitHubServer
from github_world import World, moment

COLLECT = ("collect", "toy/pages", "--week", "2026-W06")
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
# The command, with a signal or an error in place of the rename with this number; SIGTERM may be ignored from the start.
SCRIPT = """
import errno, os, signal, sys
from prhub_digest.cli.main import main
number, name, ignored = int(sys.argv.pop(1)), sys.argv.pop(1), sys.argv.pop(1)
rename, left = os.replace, [number]
def replace(source, target):
    left[0] -= 1
    if left[0] == 0 and name == "ENOSPC":
        raise OSError(errno.ENOSPC, "No space left on device", target)
    if left[0] == 0:
        os.kill(os.getpid(), signal.Signals[name])
    rename(source, target)
os.replace = replace
if ignored == "ignored":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
main()
"""


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    world = World()
    repository = world.repository("toy/pages")
    for number in range(1, 4):
        repository.merge_pull(number, title=f"Change page {number}", files={f"src/{number}.py": f"page = {number}\n"})
    with GitHubServer(world) as server:
        server.now = moment("2026-02-09T08:00:00Z")
        yield server


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def settings(server: GitHubServer, temporary: Path) -> dict[str, str]:
    return {
        "GITHUB_API_URL": server.api_url,
        "GITHUB_SERVER_URL": server.server_url,
        "GITHUB_TOKEN": server.token,
        "TMPDIR": str(temporary),
    }


def readers(server: GitHubServer) -> list[str]:
    """The processes that read from the server."""
    listed = subprocess.run(["ps", "-A", "-o", "args"], capture_output=True, check=True).stdout.decode()
    return [line for line in listed.split("\n") if server.server_url in line]


def ended_by(
    folder: Path, server: GitHubServer, temporary: Path, at: int, name: str, ignored: str = "heard"
) -> Outcome:
    return ended(
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(at), name, ignored, *COLLECT],
            cwd=folder,
            env=process_environment(folder, settings(server, temporary)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    )


@pytest.mark.parametrize(("sent", "code"), SIGNALS)
def test_a_fetch_ends_with_everything_that_git_began(
    tmp_path: Path, temporary: Path, server: GitHubServer, sent: signal.Signals, code: int
) -> None:
    asked, released = Event(), Event()

    def wait() -> None:
        asked.set()
        released.wait(30)

    server.scenario.before("git", 2, wait)
    process = own_process(tmp_path, *COLLECT, **settings(server, temporary))
    try:
        assert asked.wait(30)
        assert readers(server)
        assert list(temporary.iterdir())
        process.send_signal(sent)
        outcome = ended(process)
        deadline = time.monotonic() + 5
        while readers(server) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert readers(server) == []
    finally:
        released.set()
        process.kill()
    assert outcome.code == code, outcome.err
    assert outcome.err.endswith("interrupted; the same command continues where it stopped\n")
    assert "Traceback" not in outcome.err
    assert list(temporary.iterdir()) == []
    again = ended(own_process(tmp_path, *COLLECT, **settings(server, temporary)))
    assert again.code == 0, again.err


@pytest.mark.parametrize(("sent", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("ENOSPC", 2)])
def test_an_end_between_two_pull_requests(
    tmp_path: Path, temporary: Path, server: GitHubServer, sent: str, code: int
) -> None:
    """While one is written, the source waits to be asked for the next, its temporary folder open."""
    outcome = ended_by(tmp_path, server, temporary, 4, sent)
    assert outcome.code == code, outcome.err
    assert "Traceback" not in outcome.err
    assert [path.name for path in (tmp_path / "runs").rglob("pulls/*.json")] == ["1.json"]
    assert list(temporary.iterdir()) == []


def test_who_ignores_sigterm_from_the_start_has_it_ignored(
    tmp_path: Path, temporary: Path, server: GitHubServer
) -> None:
    outcome = ended_by(tmp_path, server, temporary, 4, "SIGTERM", "ignored")
    assert outcome.code == 0, outcome.err
    assert len(list((tmp_path / "runs").rglob("pulls/*.json"))) == 3
