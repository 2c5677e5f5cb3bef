"""A fake GitHub on a real socket: GraphQL, a few REST routes and git over http, serving a `World`.

    with GitHubServer(world) as server:
        server.api_url, server.server_url     # http://127.0.0.1:<port>; enterprise=True: api_url ends with /api/v3
        server.token                          # the only one accepted: "Bearer" or "token"; for git Basic x-access-token
        server.counts                         # .graphql calls, .points they cost, .rest calls, .git fetches (processes)
        server.operations()["Details"]        # how often that GraphQL operation was asked
        server.requests                       # every request: kind, method, path, headers, operation, variables, status
        server.scenario.bad_gateway(times=2)  # how it misbehaves: see github_scenarios.py
        server.now = moment("2026-02-09T08:00:00Z")  # for the Date header and resets; None is the real clock
        server.graphql_limit.remaining = 3    # points left; a query that costs more is refused until reset_at
        server.git_needs_token = True         # git over http without the token: 401

`tls` is a server's SSL context: the addresses then begin with https. An error of the fake itself fails the test.
"""

import json
import ssl
import zlib
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import RLock
from types import TracebackType
from typing import Any, Self

import github_git
from github_faults import with_docs
from github_graphql import Executor
from github_http import HttpServer
from github_rest import Rest
from github_scenarios import Scenario
from github_wire import Answer, Request
from github_world import World

_BAD_CREDENTIALS = with_docs("Bad credentials") | {"status": "401"}
_LIMIT_MESSAGE = "API rate limit exceeded for user ID 1."


@dataclass
class Counts:
    """`points` are the estimated costs of all GraphQL calls, also of those that failed."""

    graphql: int = 0
    points: int = 0
    rest: int = 0
    git: int = 0


@dataclass
class Limit:
    """One bucket of the hourly limit."""

    reset_at: datetime
    limit: int = 5000
    remaining: int = 5000

    def content(self) -> dict[str, int]:
        used = self.limit - self.remaining
        return {"limit": self.limit, "remaining": self.remaining, "reset": int(self.reset_at.timestamp()), "used": used}

    def headers(self, resource: str) -> dict[str, str]:
        return {f"x-ratelimit-{name}": str(value) for name, value in self.content().items()} | {
            "x-ratelimit-resource": resource
        }


class GitHubServer:
    def __init__(
        self,
        world: World,
        *,
        enterprise: bool = False,
        token: str = "ghp_testtoken0123456789",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.world, self.token = world, token
        self.now: datetime | None = None
        self.git_needs_token = False
        self.counts = Counts()
        self.requests: list[Request] = []
        self.scenario = Scenario(self.clock)
        self.graphql_limit, self.rest_limit = Limit(self._next_reset()), Limit(self._next_reset())
        self._http = HttpServer(self.answer, self.clock, tls)
        self._lock = RLock()
        self.server_url = f"{'https' if tls else 'http'}://127.0.0.1:{self._http.port}"
        self._prefix, self._graphql_path = ("/api/v3", "/api/graphql") if enterprise else ("", "/graphql")
        self.api_url = self.server_url + self._prefix
        self._graphql = Executor(world, self.scenario, self._rate)
        self._rest = Rest(world, self.scenario, self.api_url, self._limits)
        world.web_url = self.server_url

    def __enter__(self) -> Self:
        self._http.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.stop()
        for crash in self._http.crashes:
            raise AssertionError("the fake GitHub failed") from crash

    def clock(self) -> datetime:
        return self.now or datetime.now(UTC)

    def operations(self) -> Counter[str]:
        """How often each GraphQL operation was asked."""
        return Counter(request.operation for request in self.requests if request.kind == "graphql")

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        """What GitHub answers to one request; for the socket."""
        plain = zlib.decompress(body, wbits=31) if headers.get("content-encoding") == "gzip" else body
        with self._lock:
            request = self._request(method, path, headers, plain)
            self.requests.append(request)
            self._count(request)
        answer = self.scenario.take(request) or self._usual(request)
        request.status = answer.status
        return answer

    def _request(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Request:
        if github_git.route(path):
            return Request(method, path, headers, body, "git")
        if path.split("?", 1)[0] != self._graphql_path:
            return Request(method, path, headers, body, "rest")
        content = json.loads(body)
        query, variables = content["query"], content.get("variables") or {}
        operation, load = self._graphql.operation(query), self._graphql.load(query, variables)
        return Request(method, path, headers, body, "graphql", query, operation, variables, load)

    def _count(self, request: Request) -> None:
        if request.kind == "graphql":
            self.counts.graphql += 1
            self.counts.points += request.load.points
        elif request.kind == "rest":
            self.counts.rest += 1
        elif request.method == "GET" and self._may_fetch(request):
            self.counts.git += 1  # a git process asks once for info/refs, then POSTs as often as it needs

    def _may_fetch(self, request: Request) -> bool:
        return not self.git_needs_token or github_git.allowed(request, self.token)

    def _usual(self, request: Request) -> Answer:
        if request.kind == "git":
            if self._may_fetch(request):
                return github_git.answer(request, self.world, self.scenario.git_settings)
            return Answer.text(401, "Repository not found.", {"www-authenticate": 'Basic realm="GitHub"'})
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() not in ("bearer", "token") or given != self.token:
            return Answer.json(401, _BAD_CREDENTIALS)
        with self._lock:
            return self._graphql_answer(request) if request.kind == "graphql" else self._rest_answer(request)

    def _graphql_answer(self, request: Request) -> Answer:
        limit = self._refilled(self.graphql_limit)
        if limit.remaining < request.load.points:
            limit.remaining = 0
            content = {"errors": [{"type": "RATE_LIMITED", "message": _LIMIT_MESSAGE}]}
            return Answer.json(200, content, limit.headers("graphql"))
        limit.remaining -= request.load.points
        content = self._graphql.answer(request.query, request.variables, request.load)
        return Answer.json(200, content, limit.headers("graphql"))

    def _rest_answer(self, request: Request) -> Answer:
        limit, path = self._refilled(self.rest_limit), request.path.removeprefix(self._prefix)
        if path != "/rate_limit":
            if limit.remaining < 1:
                return Answer.json(403, with_docs(_LIMIT_MESSAGE), limit.headers("core"))
            limit.remaining -= 1
        answer = self._rest.answer(request.method, path)
        answer.headers = limit.headers("core") | answer.headers
        return answer

    def _next_reset(self) -> datetime:
        return self.clock().replace(microsecond=0) + timedelta(hours=1)

    def _refilled(self, limit: Limit) -> Limit:
        if self.clock() >= limit.reset_at:
            limit.remaining, limit.reset_at = limit.limit, self._next_reset()
        return limit

    def _rate(self, points: int) -> dict[str, Any]:
        return self._refilled(self.graphql_limit).content() | {"cost": points, "reset_at": self.graphql_limit.reset_at}

    def _limits(self) -> dict[str, Any]:
        core, graphql = self._refilled(self.rest_limit).content(), self._refilled(self.graphql_limit).content()
        search = Limit(self.clock() + timedelta(minutes=1), 30, 30).content()
        return {"resources": {"core": core, "graphql": graphql, "search": search}, "rate": core}
