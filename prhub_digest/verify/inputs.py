"""What the checks look at, and how they report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from prhub_digest.models.chunk import SourceLine
from prhub_digest.models.digest import Digest
from prhub_digest.models.glossary import Term
from prhub_digest.models.plan import Plan
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.ranking import Ranking
from prhub_digest.models.stats import Stats
from prhub_digest.models.summary import DefaultState
from prhub_digest.models.verification import CheckCount, CheckName, Finding, FindingKind


@dataclass(frozen=True, slots=True)
class VerifyInput:
    """One worded digest and everything it was made from.

    `pulls` are the pull requests that the digest cites, by number, or more; it may load them one by one, since each is
    read once. `lines` gives every source line of one of them. `reverted` are those taken back within the week,
    `cancelled` those and what takes them back, `defaults` is whether what a pull request adds is on by default,
    `glossary` has the names of terms in Chinese, `shown_lines` the ids of the lines that the page has to translate.
    """

    digest: Digest
    plan: Plan
    stats: Stats
    ranking: Ranking
    pulls: Mapping[int, PullRequest]
    lines: Callable[[PullRequest], Sequence[SourceLine]]
    reverted: frozenset[int] = frozenset()
    cancelled: frozenset[int] = frozenset()
    defaults: Mapping[int, DefaultState] = field(default_factory=dict)
    glossary: tuple[Term, ...] = ()
    shown_lines: tuple[str, ...] = ()


@dataclass(slots=True)
class Report:
    """What one check looked at and what it found."""

    check: CheckName
    checked: int = 0
    findings: list[Finding] = field(default_factory=list)

    def error(self, item: str | None, kind: FindingKind, message: str, about: str = "") -> None:
        self._add("error", item, kind, message, about)

    def warning(self, item: str | None, kind: FindingKind, message: str, about: str = "") -> None:
        self._add("warning", item, kind, message, about)

    def _add(
        self, severity: Literal["error", "warning"], item: str | None, kind: FindingKind, message: str, about: str
    ) -> None:
        found = Finding(check=self.check, kind=kind, severity=severity, item=item, message=message, about=about)
        self.findings.append(found)

    @property
    def count(self) -> CheckCount:
        return CheckCount(check=self.check, checked=self.checked)
