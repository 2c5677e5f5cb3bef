"""A busy week read from a fake GitHub: requests, points, fetches, memory, and whether all of it is there.

320 merged pull requests with 1,500 review threads, collected by the command in a process of its own: as it is, and with
pull requests touched between two pages, a search index that lags, and the repository's old name. The same week by the
REST API alone, the way PyGithub's objects read it, gives the figures to compare with; it cannot tell what is resolved.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from bench import Measure

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "collect"))  # the fake GitHub serves the tests, too

import github
from github_server import GitHubServer
from github_weeks import NAME, SINCE, UNTIL, BusyWeek, busy_week
from github_world import FakePull

OLD_NAME = "aurora-serve/dawn"
# Peak memory as the kernel counts it for the program itself, which getrusage does not: it begins with the parent's.
COLLECT = """
import sys
from prhub_digest.cli.main import app
try:
    app(sys.argv[1:])
except SystemExit as left:
    code = left.code
with open("/proc/self/status") as status:
    print(*[line.split()[1] for line in status if line.startswith("VmHWM:")])
sys.exit(code)
"""
KILOBYTES = 1024


def measure() -> Iterator[Measure]:
    yield from _plain()
    for name, disturb in (("touched", _touched), ("lagging", _lagging), ("renamed", _renamed)):
        yield Measure(f"github_differences_{name}", _differences_of(disturb), 0)
    yield from _by_rest()


def _plain() -> Iterator[Measure]:
    week = busy_week()
    with GitHubServer(week.world) as server, tempfile.TemporaryDirectory() as folder:
        megabytes = _collect(server, Path(folder), NAME)
        yield Measure("github_graphql_calls", server.counts.graphql, 70)
        yield Measure("github_points", server.counts.points, 200)
        yield Measure("github_rest_calls", server.counts.rest, 0)
        yield Measure("github_git_fetches", server.counts.git, 2)
        yield Measure("github_memory_mb", megabytes, 300)
        yield Measure("github_differences", _differences(week, Path(folder)), 0)


def _differences_of(disturb: Callable[[BusyWeek, GitHubServer], str]) -> int:
    week = busy_week()
    with GitHubServer(week.world) as server, tempfile.TemporaryDirectory() as folder:
        _collect(server, Path(folder), disturb(week, server))
        return _differences(week, Path(folder))


def _touched(week: BusyWeek, server: GitHubServer) -> str:
    """Before each page of the list by update, pull requests that were not seen yet jump to its front."""
    for place in range(2, 6):
        pulls = week.pulls[-100 * place : -100 * place + 3] or week.pulls[:3]
        when = UNTIL + timedelta(days=20, minutes=place)
        server.scenario.before("Updated", place, partial(_touch, pulls, when))
    return NAME


def _touch(pulls: Sequence[FakePull], when: datetime) -> None:
    for pull in pulls:
        pull.touch(when)


def _lagging(week: BusyWeek, server: GitHubServer) -> str:
    server.scenario.search_lags(*(pull.number for pull in week.pulls[-40:]))
    return NAME


def _renamed(week: BusyWeek, server: GitHubServer) -> str:
    del server
    week.repository.old_names.append(OLD_NAME)
    return OLD_NAME


def _collect(server: GitHubServer, folder: Path, repository: str) -> float:
    """Collect the week; megabytes at the peak."""
    environment = {
        **os.environ,
        "GITHUB_API_URL": server.api_url,
        "GITHUB_SERVER_URL": server.server_url,
        "GITHUB_TOKEN": server.token,
        "PRHUB_CACHE_DIR": str(folder / "cache"),
    }
    options = ["--week", "2026-W06", "--bots", "include", "--out", str(folder / "runs")]
    done = subprocess.run(
        [sys.executable, "-c", COLLECT, "collect", repository, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return int(done.stdout.split()[-1]) / KILOBYTES


def _differences(week: BusyWeek, folder: Path) -> int:
    """How many pull requests, threads and comments are not as the truth has them, or not there, or too many."""
    (run,) = (folder / "runs").glob("*/*")
    found = {path.stem: json.loads(path.read_bytes()) for path in (run / "pulls").iterdir()}
    told = json.loads((run / "collection.json").read_bytes())
    truth = {str(pull.number): pull for pull in week.pulls}
    wrong: int = len(found.keys() ^ truth.keys()) + abs(told["direct_commits"] - week.direct_commits)
    wrong += len({pull["number"] for pull in told["set_aside"]} ^ {pull.number for pull in week.elsewhere})
    for number in found.keys() & truth.keys():
        wrong += _parts(found[number]) != _true_parts(truth[number])
    return wrong


def _parts(pull: dict[str, Any]) -> list[Any]:
    threads = {thread["id"]: [thread["resolved"], _texts(thread["comments"])] for thread in pull["threads"]}
    changed = [sum(file[kind] for file in pull["files"]) for kind in ("additions", "deletions")]
    return [threads, _texts(pull["comments"]), len(pull["reviews"]), sorted(pull["labels"]), changed]


def _texts(comments: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(comment["id"], comment["body"]) for comment in comments]


def _true_parts(pull: Any) -> list[Any]:
    def texts(comments: Any) -> list[tuple[str, str]]:
        return [(comment.id, comment.body.replace("\r\n", "\n")) for comment in comments]

    threads = {thread.id: [thread.is_resolved, texts(thread.comments)] for thread in pull.threads}
    changed = [pull.additions, pull.deletions]
    return [threads, texts(pull.comments), len(pull.reviews), sorted(pull.labels), changed]


def _by_rest() -> Iterator[Measure]:
    """The route of most tools: a list of closed pull requests, then six kinds of requests for each."""
    week = busy_week()
    with GitHubServer(week.world) as server:
        client = github.Github(
            auth=github.Auth.Token(server.token),
            base_url=server.api_url,
            per_page=100,
            seconds_between_requests=None,
            seconds_between_writes=None,
        )
        found = 0
        for listed in client.get_repo(NAME).get_pulls(state="closed", sort="updated", direction="desc"):
            if listed.updated_at is None or listed.updated_at < SINCE:
                break
            if listed.merged_at is None or not SINCE <= listed.merged_at < UNTIL:
                continue
            found += 1
            for connection in ("files", "commits", "reviews", "review_comments", "issue_comments"):
                list(getattr(listed, f"get_{connection}")())
            assert listed.additions is not None  # one more request: the list lacks it
        client.close()
        if found != len(week.pulls) + len(week.elsewhere):
            raise RuntimeError(f"the REST route found {found} pull requests")
        yield Measure("github_by_rest_calls_over_1000", server.counts.rest / 1000, 1, at_least=True)
