"""The words of one language, and the loop that asks once more for what verification refuses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from prhub_digest.compose import (
    BODY,
    DigestMaterial,
    LinesTask,
    Wording,
    WordingMaterial,
    WordingTask,
    Words,
    compose_digest,
    line_repairs,
    line_tasks,
    repair_task,
    shown_lines,
    word,
    worded_first,
    wording_tasks,
)
from prhub_digest.errors import PendingReplies, PrhubError, ReplyError, ServiceError
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.pool import run_bounded
from prhub_digest.llm.stub import LeftToRules
from prhub_digest.models.chunk import SourceLine
from prhub_digest.models.digest import Digest, Language
from prhub_digest.models.llm import Usage
from prhub_digest.models.plan import Plan, SectionName
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.models.run import Failure
from prhub_digest.models.verification import Finding, Verification
from prhub_digest.pipeline.collecting import read_pull
from prhub_digest.pipeline.context import Run, StageCost
from prhub_digest.pipeline.week import Week
from prhub_digest.source_lines import source_lines
from prhub_digest.verify import VerifyInput, verify_digest

_MISSING = "its translation is missing"


def verify_input(run: Run, week: Week, plan: Plan, digest: Digest) -> VerifyInput:
    sections: tuple[SectionName, ...] = ("executive", *BODY)
    cited = {plan.fact(fact).pull for section in sections for item in plan.items(section) for fact in item.facts}
    lines: dict[int, tuple[SourceLine, ...]] = {}

    def lines_of(pull: PullRequest) -> tuple[SourceLine, ...]:
        if pull.number not in lines:
            lines[pull.number] = source_lines(pull)
        return lines[pull.number]

    return VerifyInput(
        digest=digest,
        plan=plan,
        stats=week.statistics,
        ranking=week.ranking,
        pulls={number: read_pull(run, number) for number in sorted(cited)},
        lines=lines_of,
        reverted=_reverted(week),
        cancelled=week.signals.cancelled,
        defaults={number: summary.default_state for number, summary in week.summaries.items()},
        glossary=run.options.glossary,
        shown_lines=_shown_lines(week, plan, digest),
    )


def _shown_lines(week: Week, plan: Plan, digest: Digest) -> tuple[str, ...]:
    """A digest of facts alone translates none."""
    if digest.mode == "facts":
        return ()
    return tuple(shown_lines(plan, week.summaries, _reverted(week), digest.language))


@dataclass
class Composing:
    """One language: body and lines, then the executive summary, which sees the sentences that were kept.

    `sentences` and `refused` hold lines too, by their ids; `lines` are all that the page shows.
    """

    run: Run
    week: Week
    plan: Plan
    language: Language
    cost: StageCost
    sentences: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    bare: frozenset[str] = frozenset()
    lines: tuple[str, ...] = ()
    sources: VerifyInput | None = None

    def digest(self, usage_so_far: Usage) -> Digest:
        asker, builder = self.run.asker, self.run.builder
        if asker is not None and builder is not None and self.week.collection.numbers:
            glossary, reverted = self.run.options.glossary, _reverted(self.week)
            material = WordingMaterial(self.plan, self.week.summaries, self.language, builder, glossary, reverted)
            if self.language == "en":
                self._take_names()
            lines = shown_lines(self.plan, self.week.summaries, reverted, self.language)
            self.lines = tuple(lines)
            body = wording_tasks(material, worded_first(self.language))
            self._word(material, (*body, *line_tasks(material, lines)), asker)
            kept = tuple(
                sentence.text for sentence in self._compose(Usage()).sentences if sentence.item in self.sentences
            )
            self._word(material, wording_tasks(material, ("executive",), kept), asker)
        self.bare = self._template_faults()
        return self._compose(usage_so_far + self.usage)

    def _take_names(self) -> None:
        """The plan's names of the themes are English already: they are only checked."""
        names = {item.id: item.point for item in self.plan.items("headings")}
        self.sentences.update(names)
        for item, fault in self._faults(names).items():
            del self.sentences[item]
            self.refused[item] = fault

    def _compose(self, usage: Usage) -> Digest:
        builder = self.run.builder
        model = None
        if builder is not None:
            models = (builder.models["large"], builder.models["small"])
            model = ", ".join(dict.fromkeys(models))
        week, lines = self.week, self.lines
        material = DigestMaterial(week.collection, self.plan, week.ranking, week.summaries, self.language, model, lines)
        return compose_digest(material, Words(self.sentences, self.refused, self.bare), usage)

    def _word(self, material: WordingMaterial, tasks: Sequence[Wording], asker: Asker) -> None:
        """Word the tasks; ask once more for what verification refuses; what is refused again stays with templates."""
        self._ask(tasks, asker)
        asked = [own for task in tasks for ids in task.names.values() for own in ids]
        faults = self._faults(asked) | self._missing(tasks)
        if not faults:
            return
        for item in faults:
            self.sentences.pop(item, None)
        self.refused.update(faults)  # not every line is asked for again
        items = [task for task in tasks if isinstance(task, WordingTask) and faults.keys() & task.names]
        lines = [task for task in tasks if isinstance(task, LinesTask)]
        again = [repair_task(material, task, faults) for task in items]
        self._ask((*again, *line_repairs(material, lines, faults)), asker)
        while faults := self._faults(asked):  # what is left may be refused anew: of two equal sentences one goes first
            for item, fault in faults.items():
                del self.sentences[item]
                self.refused[item] = fault

    def _ask(self, tasks: Sequence[Wording], asker: Asker) -> None:
        pending = 0
        with self.run.console.stage(f"word {self.language}", len(tasks)) as progress:
            results = run_bounded(tasks, lambda task: word(task, asker), self.run.options.concurrency)
            for task, result in results:
                if isinstance(result, PendingReplies):
                    pending += 1
                elif isinstance(result, ReplyError | ServiceError):
                    self._refuse(task, result)
                elif isinstance(result, PrhubError):
                    raise result
                else:
                    words, usage, paid = result
                    self.sentences.update(words)
                    self.usage += usage
                    self.cost.add(usage, paid)
                self.run.keep_paid(soon=True)
                progress.advance()
        if pending:
            raise PendingReplies(f"{pending} of {len(tasks)} wording requests wait for their replies")

    def _refuse(self, task: Wording, error: PrhubError) -> None:
        self.refused.update({own: str(error) for ids in task.names.values() for own in ids})
        if isinstance(error, LeftToRules):
            return
        self.run.console.warning(f"{task.subject}: {_instead(task)}: {error}")
        self.cost.failures.append(Failure(stage="compose", subject=task.subject, reason=str(error)))
        self.cost.add_failed(error)

    def _faults(self, items: Iterable[str]) -> dict[str, str]:
        """What verification refuses of the model's sentences for these items, by item."""
        asked = self.sentences.keys() & items
        faults: dict[str, list[str]] = {}
        for finding in self._errors():
            if finding.item in asked:
                faults.setdefault(finding.item, []).append(finding.message)
        return {item: "; ".join(messages) for item, messages in faults.items()}

    def _missing(self, tasks: Sequence[Wording]) -> dict[str, str]:
        """What replies lack that are used all the same; a call without a usable reply is not asked again."""
        asked = (own for task in tasks for ids in task.names.values() for own in ids)
        return dict.fromkeys((own for own in asked if own not in self.sentences and own not in self.refused), _MISSING)

    def _template_faults(self) -> frozenset[str]:
        """Items whose template is refused too: a summary's own words name what its pull request does not."""
        return frozenset(f.item for f in self._errors() if f.item is not None and f.item not in self.sentences)

    def _errors(self) -> tuple[Finding, ...]:
        return self.verification(self._compose(Usage())).errors

    def verification(self, digest: Digest) -> Verification:
        """The checks on a digest of this language; its sources are read once."""
        if self.sources is None:
            self.sources = verify_input(self.run, self.week, self.plan, digest)
        return verify_digest(replace(self.sources, digest=digest))


def _instead(task: Wording) -> str:
    """What stands where a call had no usable reply."""
    if isinstance(task, LinesTask):
        return "these lines stay English"
    headings = isinstance(task, WordingTask) and task.section == "headings"
    return "the themes are named by their areas" if headings else "templates word it"


def _reverted(week: Week) -> frozenset[int]:
    return frozenset(own.pull for own in week.signals.pulls if own.reverted_by is not None)
