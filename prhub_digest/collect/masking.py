"""Secrets out of a pull request's texts, before a record leaves the collect stage.

Detector: Kingfisher's rules in their Python SDK, rather than detect-secrets (last release 2024, untyped, one line at a
time) or CredSweeper (thirty dependencies, a neural network): current, typed, without dependencies, offline; its
Vectorscan prefilter costs a few milliseconds a megabyte, in linear time, and its rules want a known form beside
entropy, so that commit ids, UUIDs and the hashes of lock files stay.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from prhub_digest.models.pull_request import (
    Comment,
    Commit,
    FileChange,
    FollowUp,
    PullRequest,
    Review,
    ReviewThread,
)

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
_PREFIXES = ("+", "-", " ")
# Some rules are quadratic in what one scan sees; windows keep the whole linear. No key is longer than the overlap.
_WINDOW, _OVERLAP = 1 << 18, 1 << 14


@dataclass(slots=True)
class _Masker:
    """Masks one pull request's texts and counts what it masked."""

    count: int = 0

    def text(self, text: str) -> str:
        raw = text.encode("utf-8", "replace")
        spans = _merged(sorted(_spans(raw)))
        if not spans:
            return text
        self.count += len(spans)
        parts = []
        position = 0
        for start, end, kind in spans:
            parts += [raw[position:start], _placeholder(raw[start:end], kind)]
            position = end
        return b"".join([*parts, raw[position:]]).decode("utf-8")

    def optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def diff(self, patch: str | None) -> str | None:
        """The lines without their first character, since a key goes over several lines; it is put back after."""
        if patch is None:
            return None
        lines = patch.split("\n")
        marks = [line[0] if line.startswith(_PREFIXES) else "" for line in lines]
        bare = "\n".join(line[len(mark) :] for line, mark in zip(lines, marks, strict=True))
        masked = self.text(bare)
        if masked == bare:
            return patch
        return "\n".join(mark + line for mark, line in zip(marks, masked.split("\n"), strict=True))


def mask(pull: PullRequest) -> PullRequest:
    """The same pull request with each secret in its texts replaced by `[secret:<kind>]`, line by line, and counted."""
    masker = _Masker()
    changes = {
        "title": masker.text(pull.title),
        "body": masker.optional(pull.body),
        "files": tuple(_file(file, masker) for file in pull.files),
        "commits": tuple(_commit(commit, masker) for commit in pull.commits),
        "reviews": pull.reviews and tuple(_review(review, masker) for review in pull.reviews),
        "threads": pull.threads and tuple(_thread(thread, masker) for thread in pull.threads),
        "comments": pull.comments and tuple(_comment(comment, masker) for comment in pull.comments),
        "follow_ups": pull.follow_ups and tuple(_follow_up(follow_up, masker) for follow_up in pull.follow_ups),
    }
    return pull.updated(**changes, masked_secrets=pull.masked_secrets + masker.count) if masker.count else pull


def mask_text(text: str) -> str:
    """The same for a text that stands alone, such as the title of a pull request of which nothing else is kept."""
    return _Masker().text(text)


def _file(file: FileChange, masker: _Masker) -> FileChange:
    patch = masker.diff(file.patch)
    return file if patch is file.patch else file.updated(patch=patch)


def _commit(commit: Commit, masker: _Masker) -> Commit:
    return commit.updated(message=masker.text(commit.message))


def _review(review: Review, masker: _Masker) -> Review:
    return review.updated(body=masker.text(review.body))


def _comment(comment: Comment, masker: _Masker) -> Comment:
    return comment.updated(body=masker.text(comment.body))


def _thread(thread: ReviewThread, masker: _Masker) -> ReviewThread:
    comments = tuple(_comment(comment, masker) for comment in thread.comments)
    return thread.updated(diff_hunk=masker.diff(thread.diff_hunk), comments=comments)


def _follow_up(follow_up: FollowUp, masker: _Masker) -> FollowUp:
    return follow_up.updated(title=masker.text(follow_up.title))


@cache
def _scanner() -> "Scanner":
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
