"""A reply's statements against the lines they name: what has no evidence is dropped, and counted."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from prhub_digest.evidence import EvidenceIndex
from prhub_digest.models.chunk import SourceLine
from prhub_digest.models.signals import OTHER, UNSETTLED, PullRequestSignals, ThreadOutcome
from prhub_digest.models.summary import (
    SUB_SCORES,
    BaselineIs,
    DefaultState,
    Dropped,
    Evidence,
    Figure,
    FigureReply,
    Risk,
    RiskReply,
    ScoreReply,
    Severity,
    Statement,
    StatementReply,
    SubScore,
    SummaryReply,
    UnsettledThread,
)
from prhub_digest.summarize.numbers import foreign_numbers

NO_EVIDENCE = "no evidence found in the lines shown"
# Longer than any number with its range or unit.
_LONGEST_VALUE = 40
_SEVERITIES: tuple[Severity, ...] = ("low", "medium", "high")


@dataclass
class Grounded:
    """The usable part of one reply. `headline` is None when it has no evidence."""

    headline: Statement | None = None
    scope: Statement | None = None
    condition: Statement | None = None
    default_state: DefaultState = "unknown"
    area: str | None = None
    claims: list[Statement] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    risks: list[Risk] = field(default_factory=list)
    threads: list[UnsettledThread] = field(default_factory=list)
    scores: list[SubScore] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)


def ground(reply: SummaryReply, lines: Sequence[SourceLine], signals: PullRequestSignals) -> Grounded:
    """Keep what stands on a line of `lines`, the lines that the request showed."""
    return _Grounding(lines, signals).run(reply)


def unsettled_thread_ids(signals: PullRequestSignals, lines: Sequence[SourceLine]) -> dict[str, ThreadOutcome]:
    """The unsettled threads that `lines` show, by the id of their first line, which is what a request calls them."""
    outcomes = {outcome.thread: outcome for outcome in signals.threads or () if outcome.outcome in UNSETTLED}
    found: dict[str, ThreadOutcome] = {}
    for line in lines:
        thread = line.place.thread
        if line.place.kind == "thread" and thread in outcomes:
            found[line.id] = outcomes.pop(thread)
    return found


class _Grounding:
    def __init__(self, lines: Sequence[SourceLine], signals: PullRequestSignals) -> None:
        self.index = EvidenceIndex(lines)
        self.text_of = {line.id: line.text for line in lines}
        self.title = next((line.text for line in lines if line.place.kind == "title"), "")
        self.everything = "\n".join(line.text for line in lines)
        self.lines, self.signals = lines, signals
        self.kept = Grounded()

    def run(self, reply: SummaryReply) -> Grounded:
        kept = self.kept
        kept.headline = self._kept("headline", reply.headline)
        kept.scope = self._kept("scope", reply.scope) if reply.scope.text.strip() else None
        kept.condition = self._kept("condition", reply.condition) if reply.condition.text.strip() else None
        kept.claims = [claim for claim in (self._kept("claim", given) for given in reply.claims) if claim]
        self._default(reply)
        self._area(reply)
        for figure in reply.figures:
            self._figure(figure)
        for risk in reply.risks:
            self._risk(risk)
        self._threads(reply)
        self._scores(reply)
        return kept

    def _default(self, reply: SummaryReply) -> None:
        given = reply.default
        if self.index.locate(given.words, given.line, ""):
            self.kept.default_state = given.state
        elif given.state in ("on", "off"):
            self._drop("default", given.state, NO_EVIDENCE)

    def _area(self, reply: SummaryReply) -> None:
        """One of the areas that rules leave open; who answers `other` leaves the choice to the rules."""
        if reply.area in self.signals.area_candidates:
            self.kept.area = reply.area
        elif reply.area != OTHER:
            self._drop("area", reply.area, "not one of the areas to choose from")

    def _risk(self, risk: RiskReply) -> None:
        evidence = self._statement("risk", risk.text, risk.line, risk.words)
        if evidence and evidence.place.kind in ("title", "description"):
            self._drop("risk", risk.text, "stands only in the description")
        elif evidence:
            self.kept.risks.append(Risk(text=risk.text, severity=risk.severity, evidence=evidence))

    def _scores(self, reply: SummaryReply) -> None:
        rules = {score.name: score.value for score in self.signals.scores}
        for name in SUB_SCORES:
            given: ScoreReply = getattr(reply.scores, name)
            evidence = self.index.locate(given.words, given.line, "")
            if evidence is None:
                self._drop("score", f"{name} {given.score}", NO_EVIDENCE)
                self.kept.scores.append(SubScore(name=name, value=rules[name], source="rule"))
            else:
                self.kept.scores.append(SubScore(name=name, value=given.score, source="model", evidence=evidence))

    def _drop(self, kind: str, text: str, reason: str) -> None:
        self.kept.dropped.append(Dropped.model_validate({"kind": kind, "text": text, "reason": reason}))

    def _statement(self, kind: str, text: str, line: str, words: str) -> Evidence | None:
        """The evidence of a statement, unless there is none or the statement has numbers that it does not hold."""
        evidence = self.index.locate(words, line, text)
        if not text.strip():
            self._drop(kind, text, "empty")
            return None
        if evidence is None:
            self._drop(kind, text, NO_EVIDENCE)
            return None
        if foreign := foreign_numbers(text, evidence.quote, self.text_of.get(evidence.line, ""), self.title):
            self._drop(kind, text, f"numbers that its evidence does not hold: {', '.join(sorted(foreign))}")
            return None
        return evidence

    def _kept(self, kind: str, given: StatementReply) -> Statement | None:
        evidence = self._statement(kind, given.text, given.line, given.words)
        return Statement(text=given.text.strip(), evidence=evidence) if evidence else None

    def _figure(self, figure: FigureReply) -> None:
        label = f"{figure.metric} {figure.value} {figure.unit}".strip()
        evidence = self.index.locate(figure.words, figure.line, f"{figure.metric} {figure.value}")
        if evidence is None or not figure.value.strip():
            self._drop("figure", label, NO_EVIDENCE)
            return
        if not any(map(str.isdigit, figure.value)) or max(len(figure.value), len(figure.unit)) > _LONGEST_VALUE:
            self._drop("figure", label, "its value is no number with a unit")
            return
        line = self.text_of.get(evidence.line, "")
        if foreign := foreign_numbers(figure.value, evidence.quote, line):
            self._drop("figure", label, f"its evidence does not hold {', '.join(sorted(foreign))}")
            return
        context = f"{figure.metric} {figure.unit} {figure.baseline} {figure.condition}"
        if foreign := foreign_numbers(context, self.everything):
            self._drop("figure", label, f"the pull request does not hold {', '.join(sorted(foreign))}")
            return
        values = figure.model_dump(exclude={"line", "words"}) | {"baseline_is": _baseline_is(figure)}
        self.kept.figures.append(Figure(**values, evidence=evidence))

    def _threads(self, reply: SummaryReply) -> None:
        """Code decides which threads are open and the least severity; the model words them, one step higher at most."""
        outcomes = unsettled_thread_ids(self.signals, self.lines)
        for given in reply.threads:
            outcome = outcomes.pop(given.thread, None)
            if outcome is None:
                self._drop("thread", given.text, f"{given.thread} is no thread that the request lists")
                continue
            source = "\n".join(line.text for line in self.lines if line.place.thread == outcome.thread)
            usable = bool(given.text.strip()) and not foreign_numbers(given.text, source)
            if not usable:
                self._drop("thread", given.text, "empty, or numbers that the thread does not hold")
            self.kept.threads.append(
                UnsettledThread(
                    thread=outcome.thread,
                    text=given.text if usable else outcome.first_comment,
                    severity=_bounded(given.severity, outcome.severity),
                    worded_by="model" if usable else "comment",
                )
            )


def _baseline_is(figure: FigureReply) -> BaselineIs:
    """Only what the reply calls the state before counts as that."""
    if not figure.baseline.strip():
        return "none"
    return "other" if figure.baseline_is == "none" else figure.baseline_is


def _bounded(severity: Severity, floor: Severity) -> Severity:
    low = _SEVERITIES.index(floor)
    return _SEVERITIES[min(max(_SEVERITIES.index(severity), low), low + 1, len(_SEVERITIES) - 1)]
