"""How the fake GitHub misbehaves: `server.scenario` has one method for each way.

`times`: how many requests are hit, None is all. `on`: which ones, "graphql", "rest", "git", or the name of one GraphQL
operation, such as "Details". Several scenarios may be on: the first that hits a request answers it. `clear()` ends all.
What a test can do to the world itself has no switch: `repo.rename`, `pull.touch`, `pull.merge_commit = None`,
`pull.changed_files = 0`, `server.graphql_limit.remaining = 3`, `server.git_needs_token = True`.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from github_faults import SECONDARY, TIMEOUT, UNICORN, Fault, Faults, cursors, expire_cursor, wait_header, with_docs
from github_wire import Answer, Request


class Scenario:
    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self.clear()

    def clear(self) -> None:
        """GitHub works again."""
        self._faults = Faults()
        self.hidden_from_search: set[int] = set()
        self.search_is_empty = False
        self.hidden_from_history: set[int] = set()
        self.field_errors: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
        self.lost_nodes: set[str] = set()
        self.missing_fields: dict[str, str] = {}
        self.resource_limit: int | None = None
        self.patch_lines: int | None = None
        self.git_settings: dict[str, str] = {}

    # Limits

    def primary_limit_200(
        self, times: int | None = 1, *, kind: str = "RATE_LIMITED", reset_in: float = 30, on: str = "graphql"
    ) -> None:
        """The hourly limit as GraphQL tells it: 200, `kind` RATE_LIMITED or RATE_LIMIT, remaining 0, a reset."""
        content = {"errors": [{"type": kind, "message": "API rate limit exceeded for user ID 1."}]}
        self._add(on, times, lambda _: Answer.json(200, content, self._spent(reset_in)))

    def secondary_limit_200(
        self, times: int | None = 1, *, retry_after: int | None = None, on: str = "graphql"
    ) -> None:
        """The secondary limit with status 200 and without an error type; the Retry-After header only when given."""
        content = {"errors": [{"message": SECONDARY}]}
        self._add(on, times, lambda _: Answer.json(200, content, wait_header(retry_after)))

    def primary_limit_403(
        self, times: int | None = 1, *, already: bool = False, reset_in: float = 30, on: str = "graphql"
    ) -> None:
        """403 "API rate limit exceeded", or "API rate limit already exceeded" (which PyGithub does not know)."""
        content = with_docs(f"API rate limit {'already ' if already else ''}exceeded for user ID 1.")
        self._add(on, times, lambda _: Answer.json(403, content, self._spent(reset_in)))

    def secondary_limit_403(
        self, times: int | None = 1, *, retry_after: int | None = None, on: str = "graphql"
    ) -> None:
        """403 "You have exceeded a secondary rate limit"."""
        self._add(on, times, lambda _: Answer.json(403, with_docs(SECONDARY), wait_header(retry_after)))

    def too_many_requests(self, times: int | None = 1, *, retry_after: int | None = None, on: str = "graphql") -> None:
        """429."""
        self._add(on, times, lambda _: Answer.json(429, with_docs(SECONDARY), wait_header(retry_after)))

    # Failures

    def bad_gateway(
        self,
        times: int | None = 1,
        *,
        status: int = 502,
        html: bool = False,
        above_nodes: int = -1,
        on: str = "graphql",
    ) -> None:
        """502 (or another status) as json or as html; with `above_nodes` only queries that ask for more nodes."""
        content = {"data": None, "errors": [{"message": TIMEOUT}]}
        answer = Answer.text(status, UNICORN, kind="html") if html else Answer.json(status, content)
        self._add(on, times, lambda _: answer, lambda request: request.load.nodes > above_nodes)

    def gateway_timeout(self, times: int | None = 1, *, above_nodes: int = -1, on: str = "graphql") -> None:
        """504 "We couldn't respond to your request in time"."""
        answer = Answer.json(504, {"message": "We couldn't respond to your request in time. Sorry about that."})
        self._add(on, times, lambda _: answer, lambda request: request.load.nodes > above_nodes)

    def resource_limits(self, above_nodes: int) -> None:
        """Queries that ask for more nodes: 200, all nodes null, "Resource limits for this query exceeded." for each."""
        self.resource_limit = above_nodes

    def server_error(
        self, times: int | None = 1, *, status: int = 500, message: str = "Server Error", on: str = "rest"
    ) -> None:
        """Any status with a json message, also 404, 406, 422."""
        self._add(on, times, lambda _: Answer.json(status, with_docs(message)))

    def slow(self, seconds: float, times: int | None = 1, *, on: str = "graphql") -> None:
        """The answer is right and late."""
        self._add(on, times, lambda _: time.sleep(seconds))

    def truncated(self, times: int | None = 1, *, reset: bool = False, on: str = "graphql") -> None:
        """The connection ends in the middle of the body, quietly or with a reset."""
        body = b'{"data": {"repository": {"nameWithOwner": "aurora-'
        headers = {"content-type": "application/json; charset=utf-8"}
        self._add(on, times, lambda _: Answer(200, body * 2, headers, cut=len(body), reset=reset))

    def not_json(self, times: int | None = 1, *, on: str = "graphql") -> None:
        """200 and a page, as some proxies answer."""
        self._add(on, times, lambda _: Answer.text(200, "<html>please log in</html>", kind="html"))

    def redirected(self, url: str, times: int | None = None, *, status: int = 301, on: str = "graphql") -> None:
        """The client is sent to the same path of another server, where the token must not go."""
        content = with_docs("Moved")
        self._add(on, times, lambda request: Answer.json(status, content, {"location": url + request.path}))

    # Partial answers

    def field_error(self, node_id: str, name: str, kind: str = "FORBIDDEN", **extensions: Any) -> None:
        """A field of one object cannot be read: null and an error; a field that may not be null blanks its owner."""
        self.field_errors[node_id, name] = (kind, extensions)

    def saml(self, node_id: str, name: str) -> None:
        """A field behind single sign-on: FORBIDDEN with `extensions.saml_failure`."""
        self.field_error(node_id, name, saml_failure=True)

    def node_lost(self, node_id: str) -> None:
        """`node` and `nodes` answer null and NOT_FOUND for it."""
        self.lost_nodes.add(node_id)

    def field_missing(self, type_name: str, name: str) -> None:
        """An older server: a query that has the field anywhere is refused with `undefinedField`."""
        self.missing_fields[name] = type_name

    def expired_cursor(self, times: int | None = 1, *, on: str = "graphql") -> None:
        """The first cursor of a query that has some is told to be not valid; the other fields are answered."""
        self._add(on, times, expire_cursor, cursors)

    # Lists that are not the truth

    def before(self, operation: str, nth: int, act: Callable[[], object]) -> None:
        """Call `act` before the `nth` answer (from 1, from now on) to an operation: `pull.touch`, for example."""
        asked = 0

        def count(_: Request) -> None:
            nonlocal asked
            asked += 1
            if asked == nth:
                act()

        self._add(operation, None, count)

    def search_lags(self, *numbers: int) -> None:
        """The search index does not know these pull requests yet."""
        self.hidden_from_search |= set(numbers)

    def search_finds_nothing(self) -> None:
        self.search_is_empty = True

    def history_misses(self, *numbers: int) -> None:
        """Commits of these pull requests are not in the branch's history, as after a force push."""
        self.hidden_from_history |= set(numbers)

    # REST files and git

    def patch_budget(self, lines: int) -> None:
        """`pulls/{n}/files` answers the rows past so many changed lines of a page as 0/0/0 without a patch."""
        self.patch_lines = lines

    def git_refuses_many(self, wants: int) -> None:
        """A fetch that wants more than so many objects is answered with 500."""
        answer = Answer.text(500, "Internal Server Error")
        self._add("git", None, lambda _: answer, lambda request: request.body.count(b"want ") > wants)

    def git_without_filter(self) -> None:
        """The git server knows no `--filter`."""
        self.git_settings["uploadpack.allowFilter"] = "false"

    # For the server

    def take(self, request: Request) -> Answer | None:
        """What a scenario does to the request; its answer, or None for the usual one."""
        return self._faults.answer(request)

    def _add(
        self,
        on: str,
        times: int | None,
        answer: Callable[[Request], Answer | None],
        fits: Callable[[Request], Any] = lambda _: True,
    ) -> None:
        self._faults.add(Fault(on, times, answer, fits))

    def _spent(self, reset_in: float) -> dict[str, str]:
        reset = int((self._now() + timedelta(seconds=reset_in)).timestamp())
        return {"x-ratelimit-remaining": "0", "x-ratelimit-limit": "5000", "x-ratelimit-reset": str(reset)}
