"""What the checks found in one worded digest."""

from typing import Literal

from prhub_digest.models.base import Record
from prhub_digest.models.digest import Language

CheckName = Literal[
    "known_ids",
    "pulls_in_week",
    "quotes",
    "figures",
    "statistics",
    "stray_digits",
    "identifiers",
    "trend_words",
    "support",
    "language",
    "headings",
    "structure",
]


class Finding(Record):
    """`item` names the sentence; None when the finding is about the whole digest. An `error` must be repaired."""

    check: CheckName
    severity: Literal["error", "warning"]
    item: str | None
    message: str


class CheckCount(Record):
    check: CheckName
    checked: int


class Verification(Record):
    language: Language
    checks: tuple[CheckCount, ...]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "error")
