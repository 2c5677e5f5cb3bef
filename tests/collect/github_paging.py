"""Pages of a connection of the fake GitHub."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from graphql import GraphQLError


def bad_request(kind: str, message: str, extensions: Mapping[str, Any] | None = None) -> GraphQLError:
    """An error with the `type` that GitHub gives it."""
    return GraphQLError(message, extensions={"type": kind, **(extensions or {})})


def connection(
    items: Sequence[Any],
    *,
    first: int | None = None,
    last: int | None = None,
    after: str | None = None,
    before: str | None = None,
    reachable: int | None = None,
) -> dict[str, Any]:
    """One page. A cursor is a place in the list: an item that moves to the front moves those before it along."""
    start = _place(after) if after else 0
    end = _place(before) - 1 if before else len(items)
    end = min(end, reachable) if reachable is not None else end
    if first is not None:
        page = items[start : min(start + first, end)]
    else:
        page = items[max(start, end - last) : end] if last else []
    stop = start + len(page)
    info = {"has_next_page": first is not None and stop < end, "end_cursor": _cursor(stop) if page else None}
    return {"nodes": list(page), "total_count": len(items), "issue_count": len(items), "page_info": info}


def _cursor(place: int) -> str:
    return base64.b64encode(f"cursor:v2:{place}".encode()).decode()


def _place(cursor: str) -> int:
    try:
        return int(base64.b64decode(cursor, validate=True).decode().removeprefix("cursor:v2:"))
    except ValueError:
        message = f"`{cursor}` does not appear to be a valid cursor."
        raise bad_request("INVALID_CURSOR_ARGUMENTS", message) from None
