"""In which part two logical requests differ, in words. Pure."""

import json
import re
from typing import Any

from prhub_digest.models.llm import LogicalRequest, Message

# The delimiters of foreign text follow from the text, and are the least of what differs.
_DELIMITER = re.compile(r"</?data-[0-9a-f]+>")


def differences(recorded: LogicalRequest, wanted: LogicalRequest) -> tuple[str, ...]:
    """One line for each part of the key that differs; empty when the request hashes are equal."""
    found = [
        f"{name}: recorded {before!r}, now {after!r}"
        for name, before, after in (
            ("model", recorded.model, wanted.model),
            ("provider", recorded.provider, wanted.provider),
            ("temperature", recorded.parameters.temperature, wanted.parameters.temperature),
            ("max_output_tokens", recorded.parameters.max_output_tokens, wanted.parameters.max_output_tokens),
        )
        if before != after
    ]
    if recorded.wire_schema != wanted.wire_schema:
        found.append(f"wire schema: {_lines_differ(_lines(recorded.wire_schema), _lines(wanted.wire_schema))}")
    found += _messages_differ(recorded.messages, wanted.messages)
    if found and recorded.prompt_hash != wanted.prompt_hash:
        found.append(f"prompt {wanted.prompt} has changed ({recorded.prompt_hash[:8]} to {wanted.prompt_hash[:8]})")
    return tuple(found)


def _messages_differ(recorded: tuple[Message, ...], wanted: tuple[Message, ...]) -> list[str]:
    for number, (before, after) in enumerate(zip(recorded, wanted, strict=False), start=1):
        if before.role != after.role:
            return [f"message {number}: recorded role {before.role}, now {after.role}"]
        if before.content != after.content:
            where = _lines_differ(before.content.split("\n"), after.content.split("\n"))
            return [f"message {number} ({after.role}), {where}"]
    if len(recorded) != len(wanted):
        return [f"recorded {len(recorded)} messages, now {len(wanted)}"]
    return []


def _lines(schema: dict[str, Any]) -> list[str]:
    return json.dumps(schema, ensure_ascii=False, indent=1, sort_keys=True).split("\n")


def _lines_differ(before: list[str], after: list[str]) -> str:
    """The first line that differs, in both versions, cut to a window around the first differing character."""
    pairs = enumerate(zip(before, after, strict=False))
    differing = [(_delimiters(old, new), i) for i, (old, new) in pairs if old != new]
    index = min(differing)[1] if differing else min(len(before), len(after))
    old = before[index] if index < len(before) else None
    new = after[index] if index < len(after) else None
    start = _first_difference(old or "", new or "")
    return f"line {index + 1}: recorded {_window(old, start)}, now {_window(new, start)}"


def _delimiters(*lines: str) -> bool:
    return all(_DELIMITER.fullmatch(line) for line in lines)


def _first_difference(old: str, new: str) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(old), len(new)))


def _window(line: str | None, start: int) -> str:
    if line is None:
        return "(no such line)"
    first = max(start - 40, 0)
    shown = line[first : first + 100]
    return f"{'…' if first else ''}{shown}{'…' if first + 100 < len(line) else ''}".join(("“", "”"))
