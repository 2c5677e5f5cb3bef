"""What the checks look at, and how they report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from prhub_digest.models.chunk import SourceLine
from prhub_digest.models.digest import Digest
from prhub_digest.models.glossary import Term
from prhub_digest.models.plan import Plan
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.ranking import Ranking
from prhub_digest.models.stats import Stats
from prhub_digest.models.verification import CheckCount, CheckName, Finding


@dataclass(frozen=True, slots=True)
class VerifyInput:
    """One worded digest and everything it was made from.

    `pulls` are the pull requests that the digest cites, by number, or more; it may load them one by one, since each is
    read once. `lines` gives every source line of one of them. `reverted` are those taken back within the
    week, `glossary` the names of terms in Chinese.
    """

    digest: Digest
    plan: Plan
    stats: Stats
    ranking: Ranking
    pulls: Mapping[int, PullRequest]
    lines: Callable[[PullRequest], Sequence[SourceLine]]
    reverted: frozenset[int] = frozenset()
    glossary: tuple[Term, ...] = ()


@dataclass(slots=True)
class Report:
    """What one check looked at and what it found."""

    check: CheckName
    checked: int = 0
    findings: list[Finding] = field(default_factory=list)

    def error(self, item: str | None, message: str) -> None:
        self.findings.append(Finding(check=self.check, severity="error", item=item, message=message))

    def warning(self, item: str | None, message: str) -> None:
        self.findings.append(Finding(check=self.check, severity="warning", item=item, message=message))

    @property
    def count(self) -> CheckCount:
        return CheckCount(check=self.check, checked=self.checked)
