"""A GitHub client of a scripted server: what it said, how long it would have waited, and that it kept its token."""

import io
import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ssl import SSLContext
from typing import Any

import pytest
from pydantic import SecretStr
from scripted_http import Reply, ScriptedHttp, answer

from prhub_digest.collect.github_access import GitHubAccess
from prhub_digest.collect.github_api import Answer, GitHubApi

TOKEN = "not-to-be-seen"
QUERY = "query Details($ids: [ID!]!) { nodes(ids: $ids) { id } }"
REPOSITORY = "query Repository($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }"
NAMES = {"owner": "acme", "name": "tool"}
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
TEN_PAST = str(int(datetime(2026, 11, 30, 7, 10, tzinfo=UTC).timestamp()))
RESET = {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": TEN_PAST}
LIMIT = {"limit": 5000, "cost": 7, "remaining": 4993, "resetAt": "2026-11-30T08:00:00Z"}
GOOD = answer({"data": {"nodes": [], "rateLimit": LIMIT}})
RIGHTS = "it needs read access to Contents and Pull requests of the repository"


@dataclass
class Run:
    server: ScriptedHttp
    max_wait: float = 3600
    timeout: int = 10
    said: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.api = self.client(self.server.url)

    def client(self, url: str) -> GitHubApi:
        access = GitHubAccess(url, url, SecretStr(TOKEN), "GH_TOKEN")
        return GitHubApi(
            access, max_wait=self.max_wait, say=self.said.append, sleep=self.waits.append, timeout=self.timeout
        )

    @property
    def host(self) -> str:
        return self.server.host

    @property
    def asked(self) -> str:
        return f"{self.host}: query Details"

    def query(self, **options: Any) -> Answer:
        return self.api.query(QUERY, {"ids": ["a"]}, **options)

    def rest(self) -> list[str]:
        return self.api.rest(lambda gh: [file.filename for file in gh.get_repo("acme/tool").get_pull(5).get_files()])


@contextmanager
def served(
    *replies: Reply, max_wait: float = 3600, timeout: int = 10, tls: SSLContext | None = None, echoes: bool = False
) -> Iterator[Run]:
    """`echoes`: the replies hold the token, and PyGithub logs what it gets."""
    with ScriptedHttp(*replies, tls=tls) as server, logged() as logs:
        run = Run(server, max_wait, timeout)
        try:
            yield run
        finally:
            run.api.close()
    assert echoes or TOKEN not in logs.getvalue()
    assert TOKEN not in "\n".join(run.said)


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """All that anybody logs, at the lowest level."""
    logs = io.StringIO()
    handler = logging.StreamHandler(logs)
    loggers = [logging.getLogger(), logging.getLogger("github")]  # PyGithub sets a level of its own
    levels = [logger.level for logger in loggers]
    loggers[0].addHandler(handler)
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    try:
        yield logs
    finally:
        loggers[0].removeHandler(handler)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def failing(call: Callable[[], object], kind: type[Exception]) -> str:
    """What the error says; neither it nor what it carries holds the token."""
    with pytest.raises(kind) as raised:
        call()
    error: BaseException | None = raised.value
    assert type(error) is kind
    assert TOKEN not in "".join(traceback.format_exception(raised.value))
    while error:
        assert TOKEN not in repr(vars(error)) + repr(error)
        assert not hasattr(error, "request")
        error = error.__cause__ or error.__context__
    return str(raised.value)
