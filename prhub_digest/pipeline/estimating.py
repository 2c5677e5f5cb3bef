"""What a run would ask, and how many tokens that takes, before anything is paid.

The run goes as far as stored replies carry it, in a copy of its folder; what it then asks for is counted exactly. What
comes after that (headlines, plan, wordings) hangs on replies that nobody has, and is estimated from what one call takes
on average: docs/cost.md says where the averages come from.
"""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from prhub_digest.compose import HEADINGS_PROMPT, LINES_PROMPT, SENTENCES_PROMPT, stats_block
from prhub_digest.console import Console
from prhub_digest.errors import PendingReplies
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.client import Completion
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.llm.store import Replies
from prhub_digest.llm.wire_schema import wire_schema
from prhub_digest.models.llm import LogicalRequest, Message
from prhub_digest.models.plan import Plan
from prhub_digest.models.pull_request import Collection
from prhub_digest.models.replies import REPLIES
from prhub_digest.models.signals import OTHER, Signals
from prhub_digest.pipeline.collecting import COVERAGE, SIGNALS, WeekCoverage, statistics
from prhub_digest.pipeline.context import Run
from prhub_digest.pipeline.expected import (
    COMPARED,
    COMPARISON_OUTPUT,
    DANGERS_OF_SUMMARY,
    FACTS_OF_SUMMARY,
    HEADLINE_OUTPUT,
    NAME_OUTPUT,
    PLAN_OUTPUT_OF_ITEM,
    Items,
    Tokens,
    headline_input,
    summary_output,
    worded,
    wording_calls,
)
from prhub_digest.pipeline.planning import PLAN, PLAN_PROMPT, THEME_PROMPT
from prhub_digest.pipeline.run import run_until, stored_collection
from prhub_digest.rank import COMPARE_PROMPT, comparison_sizes
from prhub_digest.run_folder import RunFolder

SUMMARY, HEADLINE = "summarize_pr", "headline"


@dataclass(frozen=True, slots=True)
class PartEstimate:
    """The calls of one prompt: all, and those that stored replies answer; the tokens are those of the others.

    `schema_tokens` come on top of the input where an endpoint counts the schema of the answers, or gets it as text.
    """

    part: str
    model: str
    calls: int
    stored: int
    input_tokens: int
    output_tokens: int
    schema_tokens: int

    @property
    def asked(self) -> int:
        return self.calls - self.stored


def estimate(run: Run, replies: Replies) -> tuple[PartEstimate, ...]:
    """What the run would ask beyond `replies`; its folder stays as it is.

    Raises:
        UsageError: the folder holds no collection, or a pull request's file is gone.
    """
    client = _Noting()
    with _copy_of(run, Asker(client, replies)) as copy:
        collection = stored_collection(copy)
        with suppress(PendingReplies):
            run_until(copy, "compose")
        return _Estimating(copy, collection, tuple(client.noted.values())).parts()


class _Noting:
    """A client that asks nobody, and notes what it was to ask."""

    def __init__(self) -> None:
        self.noted: dict[str, LogicalRequest] = {}

    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        del messages, max_output_tokens
        self.noted[request.request_hash] = request
        raise PendingReplies(f"{request.prompt}/{request.subject} is not asked now")

    def close(self) -> None:
        pass


@contextmanager
def _copy_of(run: Run, asker: Asker) -> Iterator[Run]:
    """The run in a folder of its own, without a word; the pull requests, which it only reads, are not copied."""
    with TemporaryDirectory(prefix="prhub-digest-") as temporary:
        folder, pulls = Path(temporary) / "run", run.folder.path.resolve() / "pulls"
        shutil.copytree(run.folder.path, folder, ignore=shutil.ignore_patterns("pulls", "batch", ".*"))
        (folder / "pulls").symlink_to(pulls)
        yield replace(run, folder=RunFolder(folder), console=Console(StringIO(), StringIO()), asker=asker)


class _Estimating:
    """`waiting` are the requests at which the run stopped for want of replies."""

    def __init__(self, run: Run, collection: Collection, waiting: Sequence[LogicalRequest]) -> None:
        if run.builder is None:
            raise AssertionError("an estimate is made for a run with a model")
        self.run, self.builder, self.collection = run, run.builder, collection
        self.waiting = waiting
        coverage = run.folder.read_record(COVERAGE, WeekCoverage)
        self.coverage = coverage.pulls if coverage else ()
        self.factor = run.tokenizer.factor

    def parts(self) -> tuple[PartEstimate, ...]:
        return (
            self._summaries(),
            self._headlines(),
            self._comparisons(),
            self._themes(),
            self._plan(),
            self._wordings(),
        )

    def _summaries(self) -> PartEstimate:
        tokens = Tokens()
        for request in self._of(SUMMARY):
            size = self._input(request)
            tokens += Tokens(1, size, summary_output(size, self.factor))
        return self._part("summarize", SUMMARY, sum(own.chunks for own in self.coverage), tokens)

    def _headlines(self) -> PartEstimate:
        """One for each pull request of several chunks."""
        several = {own.pull: own.chunks for own in self.coverage if own.chunks > 1}
        constant = self._constant(HEADLINE, statements="")
        tokens = Tokens()
        for request in self._of(HEADLINE):
            tokens += Tokens(1, self._input(request), HEADLINE_OUTPUT * self.factor)
        for pull in {_pull(request) for request in self._of(SUMMARY)} & several.keys():
            size = constant + headline_input(several[pull], self.factor)
            tokens += Tokens(1, size, HEADLINE_OUTPUT * self.factor)
        return self._part("headline", HEADLINE, len(several), tokens)

    def _comparisons(self) -> PartEstimate:
        """Before the summaries, every pull request is expected to be a candidate, and near to another one."""
        tokens = Tokens()
        for request in self._of(COMPARE_PROMPT):
            tokens += Tokens(1, self._input(request), COMPARISON_OUTPUT * self.factor)
        sizes = comparison_sizes(len(self.collection.numbers), self.run.options.highlights)
        if self._before_ranking:
            constant = self._constant(COMPARE_PROMPT, repository=self.collection.repository, entries="")
            size = len(sizes) * constant + sum(sizes) * COMPARED * self.factor
            tokens += Tokens(len(sizes), size, len(sizes) * COMPARISON_OUTPUT * self.factor)
        return self._part("rank", COMPARE_PROMPT, len(sizes), tokens)

    def _themes(self) -> PartEstimate:
        """One a theme; before the summaries, a theme is expected for each area."""
        tokens, expected = Tokens(), self._expected
        items = expected.by_section["changes"] * PLAN_OUTPUT_OF_ITEM
        output = (items / max(1, expected.themes) + NAME_OUTPUT) * self.factor
        for request in self._of(THEME_PROMPT):
            tokens += Tokens(1, self._input(request), output)
        if self._before_plan:
            constant = self._constant(THEME_PROMPT, repository=self.collection.repository, areas="", facts="")
            facts = min(self._summaries_output * FACTS_OF_SUMMARY, expected.themes * self.run.options.compose_tokens)
            tokens += Tokens(expected.themes, expected.themes * constant + facts, expected.themes * output)
        plan = None if self._before_plan else self.run.folder.read_valid(PLAN, Plan)
        return self._part("themes", THEME_PROMPT, len(plan.themes) if plan else expected.themes, tokens)

    def _plan(self) -> PartEstimate:
        tokens = Tokens()
        output = PLAN_OUTPUT_OF_ITEM * self._expected.planned * self.factor
        for request in self._of(PLAN_PROMPT):
            tokens += Tokens(1, self._input(request), output)
        if self._before_plan:
            tokens += Tokens(1, self._plan_input(), output)
        return self._part("plan", PLAN_PROMPT, int(bool(self.collection.numbers)), tokens)

    def _wordings(self) -> PartEstimate:
        waits = self._before_plan or self._of(PLAN_PROMPT, THEME_PROMPT)
        plan = None if waits else self.run.folder.read_valid(PLAN, Plan)
        items = Items.of_plan(plan) if plan else self._expected
        constants = (
            self._constant(SENTENCES_PROMPT, section="key changes", language="English", items=""),
            self._constant(LINES_PROMPT, language="English", items=""),
        )
        tokens, calls = Tokens(), 0
        for language in self.run.options.languages:
            asked = self._of(SENTENCES_PROMPT, HEADINGS_PROMPT, LINES_PROMPT)
            waiting = [request for request in asked if request.subject.startswith(f"{language}.")]
            known = [(request.subject, self._input(request)) for request in waiting]
            calls += wording_calls(items, language)
            if waiting or plan is None:
                tokens += worded(items, language, known, constants, self.factor)
        return self._part("wording", SENTENCES_PROMPT, calls, tokens)

    def _plan_input(self) -> float:
        """The request with the statistics as they are, and as many facts as the summaries will give, or as fit."""
        signals = self.run.folder.read_record(SIGNALS, Signals)
        if signals is None:
            raise AssertionError("the signals are made before the summaries")
        stats = stats_block(statistics(self.run, self.collection, signals))
        themes = ", ".join(f"{area} (1)" for area in self._areas)
        constant = self._constant(
            PLAN_PROMPT,
            repository=self.collection.repository,
            themes=themes,
            stats=stats,
            highlights="",
            dangers="",
        )
        return constant + min(self._summaries_output * DANGERS_OF_SUMMARY, self.run.options.compose_tokens)

    @property
    def _summaries_output(self) -> float:
        """The output of all summaries, also of those that are stored."""
        beside = self._constant(SUMMARY, repository="", areas=OTHER, part="1 of 1", threads="none", change="")
        return sum(
            summary_output(own.tokens_shown + own.chunks * beside, self.factor, calls=own.chunks)
            for own in self.coverage
        )

    @property
    def _areas(self) -> tuple[str, ...]:
        """The areas of the week's pull requests, as far as paths decide them."""
        signals = self.run.folder.read_record(SIGNALS, Signals)
        return tuple(sorted({own.area for own in signals.pulls})) if signals else ()

    @property
    def _before_ranking(self) -> bool:
        return bool(self._of(SUMMARY, HEADLINE))

    @property
    def _before_plan(self) -> bool:
        return self._before_ranking or bool(self._of(COMPARE_PROMPT))

    @property
    def _expected(self) -> Items:
        return Items.expected(len(self.collection.numbers), len(self._areas), self.run.options.highlights)

    def _of(self, *prompts: str) -> list[LogicalRequest]:
        return [request for request in self.waiting if request.prompt in prompts]

    def _input(self, request: LogicalRequest) -> int:
        return sum(self.run.tokenizer.count(message.content) for message in request.messages)

    def _constant(self, prompt: str, **values: str) -> int:
        return self._input(self.builder.build(prompt, subject="x", values=values))

    def _part(self, part: str, prompt: str, calls: int, tokens: Tokens) -> PartEstimate:
        asked = round(tokens.calls)
        calls = max(calls, asked)
        return PartEstimate(
            part=part,
            model=self.builder.models[self.builder.prompts[prompt].front.model],
            calls=calls,
            stored=calls - asked,
            input_tokens=round(tokens.input),
            output_tokens=round(tokens.output),
            schema_tokens=asked * _schema_tokens(self.run, self.builder, prompt),
        )


def _schema_tokens(run: Run, builder: RequestBuilder, prompt: str) -> int:
    schema = wire_schema(REPLIES[builder.prompts[prompt].front.output])
    return run.tokenizer.count(json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def _pull(request: LogicalRequest) -> int:
    match = re.match(r"pr-(\d+)", request.subject)
    if match is None:
        raise AssertionError(f"{request.subject!r} names no pull request")
    return int(match[1])
