"""render: the verified digest of one language as a page."""

from collections.abc import Mapping

from prhub_digest.chunk import week_coverage
from prhub_digest.errors import UsageError
from prhub_digest.models.digest import Digest, Language
from prhub_digest.models.plan import Plan
from prhub_digest.models.verification import Verification
from prhub_digest.pipeline.collecting import COVERAGE, STATS, WeekCoverage, read_pull
from prhub_digest.pipeline.composing import digest_name, verification_name
from prhub_digest.pipeline.context import Run
from prhub_digest.pipeline.planning import PLAN
from prhub_digest.pipeline.week import Week
from prhub_digest.rank import HIGHLIGHT_SHARE_PERCENT, people_want
from prhub_digest.render import (
    HighlightRule,
    PullHead,
    RenderInput,
    View,
    build_view,
    render_json,
    render_markdown,
    render_text,
)

FORMATS = {"md": render_markdown, "text": render_text, "json": render_json}


def page_name(language: Language) -> str:
    return f"digest.{language}.md"


def brief_name(language: Language) -> str:
    return f"digest.{language}.brief.md"


def render(run: Run, week: Week, *, brief: bool = False) -> None:
    """digest.<lang>.md for every language of the run, with `brief` digest.<lang>.brief.md too.

    A brief page that is there already is written anew with its whole page, so that the two never disagree.

    Raises:
        UsageError: a digest was edited so that no page can be made of it; its old pages are gone.
    """
    languages = run.options.languages
    names = (*map(digest_name, languages), *map(verification_name, languages))
    inputs = run.hash(run.manifest.stages["compose"].inputs, run.hash_files(names))
    briefs = [own for own in languages if brief or run.folder.file(brief_name(own)).is_file()]
    if run.done("render", inputs, (*map(page_name, languages), *map(brief_name, briefs))):
        return
    heads = pull_heads(run, week)
    with run.recorded("render", inputs):
        faults = {language: fault for language in languages if (fault := _unknown_citation(run, week, language))}
        for language in faults:
            run.folder.discard(page_name(language))
            run.folder.discard(brief_name(language))
        for language in languages:
            if language not in faults:
                run.folder.write_text(page_name(language), render_markdown(view(run, week, language, heads)))
        for language in briefs:
            if language not in faults:
                shown = view(run, week, language, heads, brief=True)
                run.folder.write_text(brief_name(language), render_markdown(shown))
        if faults:
            raise UsageError("\n".join(faults.values()))


def view(run: Run, week: Week, language: Language, heads: Mapping[int, PullHead], *, brief: bool = False) -> View:
    """What every format of one language shows; `brief`: in one minute.

    Raises:
        UsageError: the digest of this language is not composed yet.
    """
    digest, plan = _digest_and_plan(run, language)
    coverage = run.folder.read_record(COVERAGE, WeekCoverage)
    return build_view(
        RenderInput(
            digest=digest,
            plan=plan,
            stats=week.statistics,
            signals=week.signals,
            ranking=week.ranking,
            pulls=heads,
            summaries=week.summaries,
            verification=run.folder.read_record(verification_name(language), Verification),
            collection=week.collection,
            coverage=week_coverage(coverage.pulls if coverage else ()),
            failures=run.manifest.failures,
            partly_read=tuple(own.pull for own in coverage.pulls if not own.complete) if coverage else (),
            highlight_rule=_highlight_rule(run, week),
        ),
        brief=brief,
    )


def _digest_and_plan(run: Run, language: Language) -> tuple[Digest, Plan]:
    digest = run.folder.read_record(digest_name(language), Digest)
    plan = run.folder.read_record(PLAN, Plan)
    if digest is None or plan is None:
        raise UsageError(f"{run.folder.path} has no digest in {language}; make it with --lang {language}")
    return digest, plan


def _unknown_citation(run: Run, week: Week, language: Language) -> str | None:
    """What of the digest no page can print; None when it cites only what there is."""
    digest, plan = _digest_and_plan(run, language)
    facts = {fact.id for fact in plan.facts}
    for sentence in digest.sentences:
        unknown = [fact for fact in (*sentence.claims, *sentence.figures) if fact not in facts]
        unknown += [path for path in sentence.stats if not week.statistics.has(path)]
        if unknown:
            return (
                f"{run.folder.file(digest_name(language))}: item {sentence.item!r} cites {unknown[0]!r}, which neither"
                f" {PLAN} nor {STATS} has; delete the file, and the next run makes it again"
            )
    return None


def _highlight_rule(run: Run, week: Week) -> HighlightRule:
    wanted = {own.pull: people_want(own, run.options.overrides) for own in week.signals.pulls}
    return HighlightRule(
        most=run.options.highlights,
        percent=HIGHLIGHT_SHARE_PERCENT,
        forced=tuple(number for number, own in wanted.items() if own),
        kept_out=sum(own is False for own in wanted.values()),
    )


def pull_heads(run: Run, week: Week) -> dict[int, PullHead]:
    heads = {}
    for number in week.collection.numbers:
        pull = read_pull(run, number)
        heads[number] = PullHead(
            number=number,
            title=pull.title,
            url=pull.url,
            author=pull.author.label,
            completeness=pull.completeness,
        )
    return heads
