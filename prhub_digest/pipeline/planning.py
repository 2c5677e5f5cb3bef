"""The plan of a digest: a call for each theme and one for the other sections, side by side; rules where one fails."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from prhub_digest.compose import (
    FULL_PULLS,
    Grouping,
    PlanMaterial,
    PlanReplies,
    assembled_plan,
    dangers_block,
    facts_block,
    facts_of,
    group_by_theme,
    plan_by_rules,
    plan_fault,
    stats_block,
    theme_fault,
)
from prhub_digest.errors import PendingReplies, PrhubError, ReplyError, ServiceError
from prhub_digest.llm.ask import Answer, Asker
from prhub_digest.llm.pool import run_bounded
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.llm.stub import LeftToRules
from prhub_digest.models.llm import LogicalRequest, Usage
from prhub_digest.models.plan import Plan, PlanReply, ThemeReply
from prhub_digest.models.run import Failure
from prhub_digest.models.summary import PullRequestSummary
from prhub_digest.pipeline.context import Run, StageCost
from prhub_digest.pipeline.summarizing import NO_MODEL
from prhub_digest.pipeline.week import Week
from prhub_digest.signals.severity import names_damage

PLAN = "plan.json"
THEME_PROMPT, PLAN_PROMPT = "compose_theme", "compose_plan"
_GRAVE = 4


def plan_week(run: Run, week: Week, inputs: str, cost: StageCost) -> Plan:
    """The plan, from plan.json when it was made from just these inputs and all of it is a model's.

    Raises:
        FatalServiceError: the wordings would meet it too.
        BudgetError, PendingReplies: as `compose` says.
    """
    themes = group_by_theme(week.ranking, week.summaries, week.signals)
    facts = facts_of(week.ranking, week.summaries)
    shown = frozenset(number for number, summary in week.summaries.items() if must_look(summary))
    cancelled = week.signals.cancelled
    material = PlanMaterial(facts, week.statistics, week.ranking, themes, inputs, shown, cancelled)
    if run.asker is None or run.builder is None:
        return plan_by_rules(material, NO_MODEL)
    if not week.collection.numbers:
        return plan_by_rules(material, "no pull request was merged")
    stored = run.folder.read_valid(PLAN, Plan)
    if stored is not None and stored.inputs == inputs and stored.whole:
        cost.add(stored.usage, Usage())
        return stored
    return _Planning(run, week, material, run.asker, run.builder, cost).plan()


def must_look(summary: PullRequestSummary) -> bool:
    """A revert; a fix of something that broke badly, by the score of its effect or by a word for damage."""
    if summary.change_type != "fix":
        return summary.change_type == "revert"
    quote = summary.headline_evidence.quote if summary.headline_evidence else ""
    effect = (score.value for score in summary.scores if score.name in ("behaviour", "risk"))
    return max(effect, default=0) >= _GRAVE or names_damage(f"{summary.headline}\n{quote}")


@dataclass(frozen=True, slots=True)
class _Call:
    """`theme` is the place of the theme that it plans; None for the call about all other sections."""

    request: LogicalRequest
    theme: int | None = None


@dataclass
class _Planning:
    run: Run
    week: Week
    material: PlanMaterial
    asker: Asker
    builder: RequestBuilder
    cost: StageCost
    themes: dict[int, ThemeReply] = field(default_factory=dict)
    sections: PlanReply | None = None
    reason: str | None = None
    left_out: set[int] = field(default_factory=set)
    usage: Usage = field(default_factory=Usage)

    def plan(self) -> Plan:
        calls = tuple(self._calls())
        pending = 0
        with self.run.console.stage("plan", len(calls)) as progress:
            for call, result in run_bounded(calls, self._ask, self.run.options.concurrency):
                if isinstance(result, PendingReplies):
                    pending += 1
                elif isinstance(result, ReplyError | ServiceError):
                    self._fail(call, result)
                elif isinstance(result, PrhubError):
                    raise result
                else:
                    self._keep(call, result)
                progress.advance()
        if pending:
            raise PendingReplies(f"{pending} of {len(calls)} planning requests wait for their replies")
        replies = tuple(self.themes.get(place) for place in range(len(self.material.themes)))
        left_out = tuple(sorted(self.left_out))
        return assembled_plan(
            self.material, PlanReplies(replies, self.sections, self.reason, left_out=left_out, usage=self.usage)
        )

    def _calls(self) -> Iterator[_Call]:
        for place, theme in enumerate(self.material.themes):
            yield _Call(self._theme_request(place, theme), place)
        yield _Call(self._plan_request())

    def _theme_request(self, place: int, theme: Grouping) -> LogicalRequest:
        shown, left_out = facts_block(
            self.material.facts_of_theme(theme),
            self.week.summaries,
            budget=self.run.options.compose_tokens,
            count=self.run.tokenizer.count,
            full=FULL_PULLS,
        )
        self.left_out.update(left_out)
        values = {
            "repository": self.week.collection.repository,
            "areas": ", ".join(theme.areas),
            "facts": shown,
        }
        return self.builder.build(THEME_PROMPT, subject=f"theme-{place + 1}", values=values)

    def _plan_request(self) -> LogicalRequest:
        """Half of the room is for the highlights, what they leave of it and the other half for the dangers."""
        room, count = self.run.options.compose_tokens, self.run.tokenizer.count
        highlights, _ = facts_block(
            self.material.facts_of_highlights(), self.week.summaries, budget=room // 2, count=count
        )
        themes = (f"{' and '.join(theme.areas)} ({len(theme.pulls)})" for theme in self.material.themes)
        values = {
            "repository": self.week.collection.repository,
            "themes": ", ".join(themes) or "none",
            "stats": stats_block(self.material.stats, self.material.cancelled),
            "highlights": highlights,
            "dangers": dangers_block(self.material.facts, budget=room - count(highlights), count=count),
        }
        return self.builder.build(PLAN_PROMPT, subject="plan", values=values)

    def _ask(self, call: _Call) -> Answer[ThemeReply] | Answer[PlanReply]:
        if call.theme is None:
            return self.asker.ask(call.request, PlanReply, lambda reply: plan_fault(reply, self.material))
        facts = self.material.facts_of_theme(self.material.themes[call.theme])
        return self.asker.ask(call.request, ThemeReply, lambda reply: theme_fault(reply, facts))

    def _keep(self, call: _Call, answer: Answer[ThemeReply] | Answer[PlanReply]) -> None:
        if isinstance(answer.reply, PlanReply):
            self.sections = answer.reply
        elif call.theme is not None:
            self.themes[call.theme] = answer.reply
        self.usage += answer.usage
        self.cost.add(answer.usage, answer.paid)

    def _fail(self, call: _Call, error: PrhubError) -> None:
        """Rules plan this part; the page says so, and run.json names it."""
        if call.theme is None:
            self.reason = str(error)
        if isinstance(error, LeftToRules):
            return
        what = "the plan" if call.theme is None else f"the theme {', '.join(self.material.themes[call.theme].areas)}"
        self.run.console.warning(f"{what} is made by rules: {error}")
        self.cost.failures.append(Failure(stage="compose", subject=call.request.subject, reason=str(error)))
        self.cost.add_failed(error)
