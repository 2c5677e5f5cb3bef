"""A request to the fake GitHub and its answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from github_points import Load


@dataclass
class Request:
    """One request as it came; `status` is that of the answer. `headers` have lower-case names.

    `kind` is "graphql", "rest" or "git"; what follows it is of a GraphQL request.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    kind: str
    query: str = ""
    operation: str = ""
    variables: dict[str, Any] = field(default_factory=dict)
    load: Load = field(default_factory=lambda: Load(0, 0))
    status: int = 0


@dataclass
class Answer:
    """`cut`: how many bytes of the body are sent before the connection ends; `reset` ends it the hard way."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    reset: bool = False

    @staticmethod
    def json(status: int, content: Any, headers: Mapping[str, str] | None = None) -> "Answer":
        content_type = {"content-type": "application/json; charset=utf-8"}
        return Answer(status, json.dumps(content).encode("ascii"), content_type | dict(headers or {}))

    @staticmethod
    def text(status: int, text: str, headers: Mapping[str, str] | None = None, kind: str = "plain") -> "Answer":
        return Answer(status, text.encode(), {"content-type": f"text/{kind}; charset=utf-8"} | dict(headers or {}))
