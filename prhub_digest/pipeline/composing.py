"""compose and verify: one plan, its wording per language, and the loop that repairs what verification refuses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from prhub_digest.compose import (
    BODY,
    DigestMaterial,
    WordingMaterial,
    WordingTask,
    Words,
    compose_digest,
    repair_task,
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
from prhub_digest.pipeline.planning import PLAN, plan_week
from prhub_digest.pipeline.summarizing import NO_MODEL, told_of_its_end
from prhub_digest.pipeline.week import Week
from prhub_digest.source_lines import source_lines
from prhub_digest.verify import VerifyInput, verify_digest


def digest_name(language: Language) -> str:
    return f"digest.{language}.json"


def verification_name(language: Language) -> str:
    return f"verification.{language}.json"


def compose(run: Run, week: Week) -> Plan:
    """plan.json, and digest.<lang>.json with verification.<lang>.json for every language.

    Raises:
        FatalServiceError: every further call would fail; what was answered is stored.
        BudgetError: the next call could cost more than is left; what was answered is stored.
        StoreError: the reply to the next call could not be stored.
        PendingReplies: batch files; the requests that wait were written.
    """
    inputs = run.hash(run.manifest.stages["rank"].inputs, week.statistics.to_json(), *_model_inputs(run))
    languages = run.options.languages
    outputs = (PLAN, *map(digest_name, languages), *map(verification_name, languages))
    stage_inputs = run.hash(inputs, *languages, *(term.to_json() for term in run.options.glossary))
    if run.done("compose", stage_inputs, outputs) and not run.failed("compose"):
        plan = run.folder.read_valid(PLAN, Plan)
        if plan is not None and all(_whole(run, language) for language in languages):
            return plan
    with run.recorded("compose", stage_inputs) as cost, told_of_its_end(run, "compose", stage_inputs, cost):
        plan = plan_week(run, week, inputs, cost)
        run.folder.write_record(PLAN, plan)
        summarized = sum((summary.usage for summary in week.summaries.values()), Usage())
        pending: PendingReplies | None = None
        for language in languages:
            composing = _Composing(run, week, plan, language, cost)
            try:
                digest = composing.digest(summarized + plan.usage)
            except PendingReplies as waiting:
                pending = waiting  # all languages go into one round of batch files
                continue
            run.folder.write_record(digest_name(language), digest)
            run.folder.write_record(verification_name(language), composing.verification(digest))
        if pending is not None:
            raise pending
    return plan


def _whole(run: Run, language: Language) -> bool:
    """Whether the digest of a language and its verification are no damaged leftovers."""
    digest = run.folder.read_valid(digest_name(language), Digest)
    verification = run.folder.read_valid(verification_name(language), Verification)
    return digest is not None and verification is not None and digest.language == verification.language == language


def verify(run: Run, week: Week, plan: Plan, digest: Digest) -> Verification:
    """verification.<lang>.json of one digest."""
    verification = verify_digest(verify_input(run, week, plan, digest))
    run.folder.write_record(verification_name(digest.language), verification)
    return verification


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
        reverted=frozenset(own.pull for own in week.signals.pulls if own.reverted_by is not None),
        glossary=run.options.glossary,
    )


@dataclass
class _Composing:
    """One language: body, then the executive summary, which sees the sentences that were kept."""

    run: Run
    week: Week
    plan: Plan
    language: Language
    cost: StageCost
    sentences: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    bare: frozenset[str] = frozenset()
    sources: VerifyInput | None = None

    def digest(self, usage_so_far: Usage) -> Digest:
        asker, builder = self.run.asker, self.run.builder
        if asker is not None and builder is not None and self.week.collection.numbers:
            glossary = self.run.options.glossary
            material = WordingMaterial(self.plan, self.week.summaries, self.language, builder, glossary)
            if self.language == "en":
                self._take_names()
            self._word(material, wording_tasks(material, worded_first(self.language)), asker)
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
        material = DigestMaterial(
            self.week.collection, self.plan, self.week.ranking, self.week.summaries, self.language, model
        )
        return compose_digest(material, Words(self.sentences, self.refused, self.bare), usage)

    def _word(self, material: WordingMaterial, tasks: Sequence[WordingTask], asker: Asker) -> None:
        """Word the tasks; ask once more for what verification refuses; what is refused again stays with templates."""
        self._ask(tasks, asker)
        asked = [item.id for task in tasks for item in task.items]
        faults = self._faults(asked)
        if not faults:
            return
        for item in faults:
            del self.sentences[item]
        repairs = [repair_task(material, task, faults) for task in tasks if faults.keys() & {i.id for i in task.items}]
        self._ask(repairs, asker)
        while faults := self._faults(asked):  # what is left may be refused anew: of two equal sentences one goes first
            for item, fault in faults.items():
                del self.sentences[item]
                self.refused[item] = fault

    def _ask(self, tasks: Sequence[WordingTask], asker: Asker) -> None:
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

    def _refuse(self, task: WordingTask, error: PrhubError) -> None:
        self.refused.update({item.id: str(error) for item in task.items})
        if isinstance(error, LeftToRules):
            return
        instead = "the themes are named by their areas" if task.section == "headings" else "templates word it"
        self.run.console.warning(f"{task.subject}: {instead}: {error}")
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


def _model_inputs(run: Run) -> tuple[str, ...]:
    builder = run.builder
    if builder is None:
        return (NO_MODEL,)
    hashes = builder.hashes()
    stage_prompts = sorted(prompt.id for prompt in builder.prompts.values() if prompt.front.stage == "compose")
    return (
        builder.models["large"],
        builder.provider,
        str(run.options.compose_tokens),
        *(hashes[prompt] for prompt in stage_prompts),
    )
