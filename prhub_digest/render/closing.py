"""The closing note: what was read, what failed, what was checked, what it took."""

from collections import Counter

from prhub_digest.render.inline import Inline, Span, clip, plain
from prhub_digest.render.page import Page
from prhub_digest.render.records import Block, Items, Line, Section

_LIMIT = 600
_ERRORS = 8


def closing(page: Page) -> Section:
    lines = [*_source(page)]
    if page.given.digest.mode == "facts":
        lines += [page.say("close.facts_mode"), *(_checking(page) if page.given.verification else ())]
    else:
        lines += [*_reading(page), *_planning(page), *_checking(page), *_leaving_out(page), *_cost(page)]
        lines += [page.say("close.wording"), page.say("close.figures")]
    entries = (Line(clip(plain(line), _LIMIT)) for line in lines)
    blocks: tuple[Block, ...] = (Items((*_unsummarised(page), *_left_out(page), *entries)),)
    return Section("closing", page.say("section.closing"), blocks)


def closing_of_nothing(page: Page) -> tuple[Section, ...]:
    """For a period without a pull request: what the source has to say, if anything."""
    notes = tuple(Line(clip(plain(note), _LIMIT)) for note in _source(page))
    return (Section("closing", page.say("section.closing"), (Items(notes),)),) if notes else ()


def _unsummarised(page: Page) -> list[Line]:
    """How many were not summarised, and each of them by link with its reason."""
    total = len(page.numbers)
    if page.given.digest.mode == "facts" or not total:
        return []
    missing = page.not_summarised()
    if not missing:
        return [Line(plain(page.say("close.all_summarised", total=total)))]
    head = page.say("close.not_summarised", n=len(missing), total=total)
    spans: list[Span] = [Span(head + page.say("mark.colon"))]
    for index, (number, reason) in enumerate(missing.items()):
        told: Inline = (Span(page.say("mark.open")), *clip(plain(reason), _LIMIT), Span(page.say("mark.close")))
        spans += [*([Span(page.say("mark.semicolon"))] if index else []), page.pull_link(number), *told]
    return [Line(tuple(spans), stop=page.say("mark.stop"), data={"not_summarised": len(missing), "total": total})]


def _left_out(page: Page) -> list[Line]:
    left_out = page.given.plan.left_out if page.given.plan and page.given.digest.mode == "model" else ()
    if not left_out:
        return []
    head = Span(page.say("close.left_out", n=len(left_out)) + page.say("mark.colon"))
    return [Line((head, *page.pull_links(left_out)), stop=page.say("mark.stop"))]


def _source(page: Page) -> list[str]:
    return [page.say("close.source_note", note=note) for note in page.given.collection.notes]


def _reading(page: Page) -> list[str]:
    read = page.given.coverage
    if not read.pulls:
        return []
    return [
        page.say("close.read", full=read.pulls_complete, pulls=read.pulls, part=read.pulls - read.pulls_complete),
        page.say(
            "close.lines",
            shown=f"{read.changed_lines_shown:,}",
            lines=f"{read.changed_lines:,}",
            files=f"{read.files - read.files_full:,}",
            all_files=f"{read.files:,}",
        ),
    ]


def _planning(page: Page) -> list[str]:
    """Where the plan is not the model's, and what else a stage could not do."""
    lines = []
    plan = page.given.plan
    if plan and plan.origin == "rules":
        lines.append(page.say("close.plan_by_rules", reason=plan.reason or page.say("entry.no_reason")))
    lines += [
        page.say("close.failure", stage=failure.stage, subject=failure.subject, reason=failure.reason)
        for failure in page.given.failures
        if failure.stage != "summarize"
    ]
    return lines


def _checking(page: Page) -> list[str]:
    verification = page.given.verification
    if verification is None:
        return [page.say("close.not_checked"), *_templates(page)]
    counts = [(page.say(f"check.{check.check}"), check.checked) for check in verification.checks]
    lines = [_counted(page, "close.checked", counts)] if counts else []
    found = Counter((finding.severity, finding.check) for finding in verification.findings)
    findings = [
        (f"{page.say(f'finding.{severity}')}{page.say('mark.colon')}{page.say(f'check.{check}')}", n)
        for (severity, check), n in sorted(found.items())
    ]
    lines.append(_counted(page, "close.findings", findings) if findings else page.say("close.no_findings"))
    errors = [
        page.say("close.error", check=page.say(f"check.{e.check}"), message=e.message) for e in verification.errors
    ]
    return [*lines, *errors[:_ERRORS], *_templates(page)]


def _templates(page: Page) -> list[str]:
    sentences = page.given.digest.sentences if page.given.digest.mode == "model" else ()
    by_template = sum(sentence.origin == "template" for sentence in sentences)
    return [page.say("close.templates", n=by_template, total=len(sentences))] if by_template else []


def _leaving_out(page: Page) -> list[str]:
    dropped = Counter(dropped.kind for summary in page.given.summaries.values() for dropped in summary.dropped)
    if not dropped:
        return [page.say("close.none_dropped")]
    return [_counted(page, "close.dropped", [(page.say(f"dropped.{kind}"), n) for kind, n in sorted(dropped.items())])]


def _cost(page: Page) -> list[str]:
    digest = page.given.digest
    usage = digest.usage
    lines = [page.say("close.model", model=digest.model)] if digest.model else []
    if usage.calls and not usage.input_tokens:
        return [*lines, page.say("close.usage_unknown", calls=f"{usage.calls:,}")]
    lines.append(
        page.say(
            "close.usage",
            calls=f"{usage.calls:,}",
            input=f"{usage.input_tokens:,}",
            cached=f"{usage.cached_tokens:,}",
            output=f"{usage.output_tokens:,}",
        )
    )
    return lines


def _counted(page: Page, key: str, counts: list[tuple[str, int]]) -> str:
    listed = page.say("mark.list").join(f"{name} {n:,}" for name, n in counts)
    return page.say(key) + page.say("mark.colon") + listed + page.say("mark.stop")
