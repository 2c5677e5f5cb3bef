"""Look-ups over the input of one rendering, and the links that may be made from it."""

import re
from collections.abc import Mapping
from functools import cached_property

from prhub_digest.errors import PrhubError
from prhub_digest.models.digest import Language
from prhub_digest.models.plan import Fact
from prhub_digest.models.signals import PullRequestSignals, Unit
from prhub_digest.models.stats import Count
from prhub_digest.models.summary import PullRequestSummary
from prhub_digest.render.inline import Inline, Span, clip, parse_title
from prhub_digest.render.phrases import say
from prhub_digest.render.records import RenderInput
from prhub_digest.render.typography import polish

_WEB_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d+)?(?:/[A-Za-z0-9._~-]+)*")
_REST_OF_URL = re.compile(r"(?:/[A-Za-z0-9_-]+)+(?:#[A-Za-z0-9_-]+)?")
TITLE_LIMIT = 400


class Page:
    def __init__(self, given: RenderInput) -> None:
        self.given = given
        self.language: Language = given.digest.language

    def say(self, key: str, /, **values: object) -> str:
        return say(self.language, key, **values)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The pull requests of the period: in rank order, then those that were not ranked."""
        ranked = [entry.pull for entry in self.given.ranking.entries if entry.pull in self.given.collection.numbers]
        return tuple(dict.fromkeys((*ranked, *self.given.collection.numbers)))

    @cached_property
    def changes(self) -> int:
        """The units: a revert with what it reverts, the parts of a series and a change with its ports are one each."""
        return len({unit.pulls if (unit := self.unit(number)) else (number,) for number in self.numbers})

    @cached_property
    def web_url(self) -> str | None:
        """The repository's address, if it is one that can stand in a link as it is."""
        address = (self.given.collection.web_url or "").rstrip("/")
        return address if _WEB_URL.fullmatch(address) else None

    @cached_property
    def _facts(self) -> Mapping[str, Fact]:
        return {fact.id: fact for fact in self.given.plan.facts} if self.given.plan else {}

    @cached_property
    def _lines(self) -> Mapping[str, str | None]:
        return {line.id: line.text for line in self.given.digest.lines}

    @cached_property
    def _counts(self) -> Mapping[str, Count]:
        return {count.path: count for count in self.given.stats.counts}

    @cached_property
    def _signals(self) -> Mapping[int, PullRequestSignals]:
        return {signals.pull: signals for signals in self.given.signals.pulls}

    @cached_property
    def _units(self) -> Mapping[int, Unit]:
        return {number: unit for unit in self.given.signals.units for number in unit.pulls}

    def unit(self, number: int) -> Unit | None:
        return self._units.get(number)

    def fact(self, fact_id: str) -> Fact:
        """The fact that a sentence cites; metric and condition of a figure are in the digest's language.

        Raises:
            PrhubError: the plan has none of this id, or it is of a pull request outside the period.
        """
        fact = self._facts.get(fact_id)
        if fact is None:
            raise PrhubError(f"the digest cites an unknown fact {fact_id!r}")
        if fact.pull not in self.given.collection.numbers:
            raise PrhubError(f"the digest cites #{fact.pull}, which is not of this period")
        if fact.figure is None:
            return fact
        told = {name: self.line(f"{fact.id}.{name}") for name in ("metric", "condition")}
        polished = {name: polish(text, self.language).rstrip("。") for name, text in told.items() if text}
        return fact.model_copy(update={"figure": fact.figure.model_copy(update=polished)})

    def line(self, line_id: str) -> str | None:
        """A line in the digest's language; None where the English one stands."""
        return self._lines.get(line_id)

    def count(self, path: str) -> Count | None:
        return self._counts.get(path)

    def cited_count(self, path: str) -> Count:
        """The statistic that a sentence cites.

        Raises:
            PrhubError: there is none.
        """
        count = self._counts.get(path)
        if count is None:
            raise PrhubError(f"the digest cites an unknown statistic {path!r}")
        return count

    def signals(self, number: int) -> PullRequestSignals | None:
        return self._signals.get(number)

    def summary(self, number: int) -> PullRequestSummary | None:
        return self.given.summaries.get(number)

    def pull_url(self, number: int) -> str | None:
        return f"{self.web_url}/pull/{number}" if self.web_url else None

    def pull_link(self, number: int, *, strong: bool = False) -> Span:
        return Span(f"#{number}", "link", self.pull_url(number), strong)

    def pull_links(self, numbers: tuple[int, ...]) -> Inline:
        """Links with commas between them."""
        spans: list[Span] = []
        for number in numbers:
            spans += [Span(self.say("mark.list"))] if spans else []
            spans.append(self.pull_link(number))
        return tuple(spans)

    def own_url(self, url: str | None) -> str | None:
        """A foreign address when it leads into this repository and holds no query; else None."""
        if url is None or self.web_url is None or not url.startswith(self.web_url + "/"):
            return None
        return url if _REST_OF_URL.fullmatch(url.removeprefix(self.web_url)) else None

    def title(self, number: int) -> Inline:
        """The title as it stands, or that there is none; empty for an unknown pull request."""
        head = self.given.pulls.get(number)
        if head is None:
            return ()
        return clip(parse_title(head.title), TITLE_LIMIT) or (Span(self.say("empty.title")),)

    def not_summarised(self) -> dict[int, str]:
        """The pull requests that no model summarised, with the reason; empty when no model was asked."""
        if self.given.digest.mode == "facts":
            return {}
        reasons = {failure.subject: failure.reason for failure in self.given.failures if failure.stage == "summarize"}
        missing: dict[int, str] = {}
        for number in sorted(self.numbers):
            summary = self.summary(number)
            if summary is None or summary.status == "fallback":
                told = (summary.reason if summary else None) or reasons.get(f"pr-{number}")
                missing[number] = told or self.say("entry.no_reason")
        return missing

    def uncertain(self, number: int) -> bool:
        """Whether the diff is whole, but the source names other counts, or none."""
        head = self.given.pulls.get(number)
        return head is not None and head.completeness.diff == "uncertain"

    def conversation_cut(self, number: int) -> bool:
        """Whether the source has a conversation of which not everything could be read."""
        head = self.given.pulls.get(number)
        return head is not None and head.completeness.conversation == "partial"

    def incomplete(self) -> dict[int, str]:
        """The pull requests that the source could not give whole, with what is missing."""
        missing: dict[int, str] = {}
        for number in sorted(self.numbers):
            head = self.given.pulls.get(number)
            whole = head is None or (
                head.completeness.diff in {"complete", "uncertain"} and head.completeness.conversation != "partial"
            )
            if head is not None and not whole:
                missing[number] = "; ".join(head.completeness.notes) or self.say("close.no_note")
        return missing
