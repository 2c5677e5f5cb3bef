"""The stages in their order: all of them for `run`, or up to one of them on a folder that is there already."""

from dataclasses import dataclass
from pathlib import Path

from prhub_digest.collect.source import Source
from prhub_digest.errors import UsageError
from prhub_digest.models.llm import Usage
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection
from prhub_digest.models.run import Failure, StageName
from prhub_digest.models.verification import Finding, Verification
from prhub_digest.pipeline.collecting import COLLECTION, chunk, collect
from prhub_digest.pipeline.composing import compose, verification_name
from prhub_digest.pipeline.context import Run
from prhub_digest.pipeline.ranking import rank
from prhub_digest.pipeline.rendering import brief_name, page_name, render
from prhub_digest.pipeline.summarizing import as_summarized, summarize_all
from prhub_digest.pipeline.week import Week


@dataclass(frozen=True)
class RunResult:
    """`failures`: what a stage could not do; `usage`: what all replies cost; `paid`: what was paid now."""

    pages: tuple[Path, ...]
    collection: Collection
    failures: tuple[Failure, ...]
    findings: tuple[Finding, ...]
    usage: Usage
    paid: Usage

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What a check refuses and no repair could mend."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def partial(self) -> bool:
        """Whether a pull request is incomplete or not summarized, or a comparison, the plan or a wording failed."""
        return any(failure.stage in ("collect", "summarize", "rank", "compose") for failure in self.failures)


def run_all(run: Run, source: Source, period: Period, *, refresh: bool = False, brief: bool = False) -> RunResult:
    """Every stage; what is done already and has the same inputs is skipped. `brief`: a one-minute page besides."""
    collection = collect(run, source, period, refresh=refresh)
    week = week_until(run, collection, "rank")
    compose(run, week)
    render(run, week, brief=brief)
    run.keep_paid()
    return _result(run, collection, brief=brief)


def run_until(run: Run, stage: StageName) -> Week:
    """The stages from `chunk` to `stage` on the pull requests that the folder holds.

    Raises:
        UsageError: the folder holds no collection.
    """
    collection = stored_collection(run)
    week = week_until(run, collection, stage)
    if stage in ("compose", "verify", "render"):
        compose(run, week)
    if stage == "render":
        render(run, week)
    run.keep_paid()
    return week


def week_until(run: Run, collection: Collection, stage: StageName) -> Week:
    """The week as far as `stage`; a stage that is not reached leaves its part empty."""
    signals = chunk(run, collection)
    if stage == "chunk":
        return Week(collection, signals)
    summaries = summarize_all(run, collection, signals)
    signals = as_summarized(signals, summaries)
    if stage == "summarize":
        return Week(collection, signals, summaries)
    ranking, stats = rank(run, collection, summaries, signals)
    return Week(collection, signals, summaries, ranking, stats)


def stored_collection(run: Run) -> Collection:
    collection = run.folder.read_record(COLLECTION, Collection)
    if collection is None or "collect" not in run.manifest.stages:
        raise UsageError(f"{run.folder.path} holds no collected pull requests; start with: prhub-digest collect")
    return collection


def _result(run: Run, collection: Collection, *, brief: bool) -> RunResult:
    names = (page_name, brief_name) if brief else (page_name,)
    findings: list[Finding] = []
    for language in run.options.languages:
        verification = run.folder.read_record(verification_name(language), Verification)
        findings.extend(verification.findings if verification else ())
    return RunResult(
        pages=tuple(run.folder.file(name(language)) for language in run.options.languages for name in names),
        collection=collection,
        failures=run.manifest.failures,
        findings=tuple(findings),
        usage=run.manifest.usage,
        paid=run.paid,
    )
