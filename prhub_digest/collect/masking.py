"""Secrets out of a pull request's texts, before a record leaves the collect stage.

Detector: Kingfisher's rules in their Python SDK, rather than detect-secrets (last release 2024, untyped, one line at a
time) or CredSweeper (thirty dependencies, a neural network): current, typed, without dependencies, offline; its
Vectorscan prefilter costs a few milliseconds a megabyte, in linear time, and its rules want a known form beside
entropy, so that commit ids, UUIDs and the hashes of lock files stay.
"""

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from prhub_digest.models.base import Record
from prhub_digest.models.pull_request import Collection, PullRequest

if TYPE_CHECKING:
    from kingfisher_sdk import Scanner

# What the detector leaves to a human: half of an AWS key pair, and a private key that a hunk cuts off.
_OWN_RULES = (
    ("aws-key", re.compile(rb"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b")),
    (
        "private-key",
        re.compile(rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY-----(?:\n[\w+/=]{16,200}(?=\n|$))+"),
    ),
)
# Rules that the detector uses as a part of others and hides; these few name a secret, the rest a host or an account.
_HIDDEN_SECRET = re.compile(r"(?:secret|secret-access-key|security-token|passphrase)$")
# What stays in a record: names by which things are found again, and the filters, which are the user's own. A login is
# public and is not free text.
_KEPT = frozenset({"id", "login", "sha", "merge_commit", "head", "repository", "filters"})
_DIFFS = frozenset({"patch", "diff_hunk"})
_PREFIXES = ("+", "-", " ")
# Some rules are quadratic in what one scan sees; windows keep the whole linear. No key is longer than the overlap.
_WINDOW, _OVERLAP = 1 << 18, 1 << 14


@dataclass(slots=True)
class _Masker:
    """Masks every text of a record and counts what it masked; the same path or name is scanned once."""

    count: int = 0
    _known: dict[str, tuple[str, int]] = field(default_factory=dict)

    def record(self, record: Record) -> dict[str, Any]:
        """The fields that hold a secret, masked."""
        fields = ((name, getattr(record, name)) for name in type(record).model_fields if name not in _KEPT)
        masked = ((name, old, self._value(name, old)) for name, old in fields)
        return {name: new for name, old, new in masked if new is not old}

    def text(self, text: str) -> str:
        if text not in self._known:
            self._known[text] = _masked(text)
        masked, found = self._known[text]
        self.count += found
        return masked if found else text

    def _value(self, name: str, value: Any) -> Any:
        """The value itself when there is nothing to mask in it."""
        if isinstance(value, str):
            return self._diff(value) if name in _DIFFS else self.text(value)
        if isinstance(value, tuple):
            items = tuple(self._value(name, item) for item in value)
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        if isinstance(value, Record):
            changes = self.record(value)
            return value.updated(**changes) if changes else value
        return value

    def _diff(self, patch: str) -> str:
        """The lines without their first character, since a key goes over several lines; it is put back after."""
        lines = patch.split("\n")
        marks = [line[0] if line.startswith(_PREFIXES) else "" for line in lines]
        bare = "\n".join(line[len(mark) :] for line, mark in zip(lines, marks, strict=True))
        masked = self.text(bare)
        if masked is bare:
            return patch
        return "\n".join(mark + line for mark, line in zip(marks, masked.split("\n"), strict=True))


def mask(pull: PullRequest) -> PullRequest:
    """The same pull request with each secret in its texts replaced by `[secret:<kind>]`, line by line, and counted."""
    masker = _Masker()
    changes = masker.record(pull)
    return pull.updated(**changes, masked_secrets=pull.masked_secrets + masker.count) if changes else pull


def mask_collection(collection: Collection) -> Collection:
    """The same for what is told of the pull requests that are set aside, and for the source's notes."""
    changes = _Masker().record(collection)
    return collection.updated(**changes) if changes else collection


def mask_text(text: str) -> str:
    """The same for one text, which may come from anywhere."""
    return _masked(text)[0]


def secrets_in(text: str) -> tuple[str, ...]:
    """The kinds of the secrets in a text, each once, in the order of their places; no secret leaves this room."""
    raw = text.encode("utf-8", "replace")
    return tuple(dict.fromkeys(kind for _, _, kind in _merged(sorted(_spans(raw)))))


def _masked(text: str) -> tuple[str, int]:
    """The text without its secrets, and how many there were."""
    raw = text.encode("utf-8", "replace")
    spans = _merged(sorted(_spans(raw)))
    parts = []
    position = 0
    for start, end, kind in spans:
        parts += [raw[position:start], _placeholder(raw[start:end], kind)]
        position = end
    return b"".join([*parts, raw[position:]]).decode("utf-8"), len(spans)


_MAKING = threading.Lock()


def _scanner() -> "Scanner":
    """One for all threads: it takes seconds to make, and those that want it first want it at the same time."""
    with _MAKING:
        return _made_scanner()


@cache
def _made_scanner() -> "Scanner":
    from kingfisher_sdk import Scanner  # noqa: PLC0415 - 16 MB of rules, loaded when there is something to scan

    return Scanner(base64=False)


def _spans(raw: bytes) -> Iterator[tuple[int, int, str]]:
    """Start, end (bytes) and kind of each secret."""
    for kind, rule in _OWN_RULES:
        yield from ((match.start(), match.end(), kind) for match in rule.finditer(raw))
    for offset in range(0, max(1, len(raw) - _OVERLAP), _WINDOW - _OVERLAP):
        for finding in _scanner().scan(raw[offset : offset + _WINDOW]):
            kind = re.sub(r"\.\d+$", "", finding.rule_id).rpartition(".")[2].rpartition("/")[2]
            if finding.visible or _HIDDEN_SECRET.search(kind):
                name = "aws-key" if kind.startswith("aws-") else kind
                yield offset + finding.location["start_offset"], offset + finding.location["end_offset"], name


def _merged(spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Spans that overlap become one, of the first one's kind."""
    merged: list[tuple[int, int, str]] = []
    for start, end, kind in spans:
        if merged and start < merged[-1][1]:
            first = merged.pop()
            merged.append((first[0], max(first[1], end), first[2]))
        else:
            merged.append((start, end, kind))
    return merged


def _placeholder(secret: bytes, kind: str) -> bytes:
    """One placeholder a line, so that the lines stay as many as they were."""
    words = f"[secret:{kind}]".encode()
    return b"\n".join(words if line else b"" for line in secret.split(b"\n"))
