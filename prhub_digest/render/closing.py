"""The closing note: what was read, what failed, what was checked, what it took."""

from collections import Counter
from collections.abc import Mapping

from prhub_digest.models.verification import Verification
from prhub_digest.render.inline import Inline, Span, clip, plain
from prhub_digest.render.page import Page
from prhub_digest.render.records import Block, Items, Line, Scalar, Section
from prhub_digest.render.sentences import finding_lines

_LIMIT = 600


def closing(page: Page) -> Section:
    notes = [*_notes(_source(page)), *_not_whole(page)]
    if page.given.digest.mode == "facts":
        notes += _notes([page.say("close.facts_mode")])
        notes += _checking(page) if page.given.verification else []
    elif page.given.digest.usage.stubs:
        notes += [*_notes([page.say("close.stub"), *_planning(page)]), *_checking(page)]
    else:
        notes += [*_reading(page), *_notes(_planning(page)), *_checking(page)]
        notes += _notes([*_leaving_out(page), *_cost(page), page.say("close.wording")])
    blocks: tuple[Block, ...] = (Items((*_unsummarised(page), *_left_out(page), *_by_people(page), *notes)),)
    return Section("closing", page.say("section.closing"), blocks)


def closing_of_nothing(page: Page) -> tuple[Section, ...]:
    """For a period without a pull request: what the source has to say, if anything."""
    notes = tuple(_notes(_source(page)))
    return (Section("closing", page.say("section.closing"), (Items(notes),)),) if notes else ()


def unread_lines(page: Page) -> tuple[Line, ...]:
    """What the model did not see, did not summarise, or got from the source in part only."""
    model = page.given.digest.mode == "model" and not page.given.digest.usage.stubs
    return (
        *_unsummarised(page),
        *_left_out(page),
        *_not_whole(page),
        *(_reading(page, named=False)[:1] if model else []),
    )


def _notes(texts: list[str]) -> list[Line]:
    return [Line(clip(plain(text), _LIMIT)) for text in texts]


def _unsummarised(page: Page) -> list[Line]:
    """How many were not summarised, and each of them by link with its reason."""
    total = len(page.numbers)
    if page.given.digest.mode == "facts" or page.given.digest.usage.stubs or not total:
        return []
    missing = page.not_summarised()
    if not missing:
        return [Line(plain(page.say("close.all_summarised", total=total)))]
    head = page.say("close.not_summarised", n=len(missing), total=total)
    return [_with_reasons(page, head, missing, {"not_summarised": len(missing), "total": total})]


def _with_reasons(page: Page, head: str, reasons: Mapping[int, str], data: Mapping[str, Scalar]) -> Line:
    """`head: #12 (reason); #15 (reason).`."""
    spans: list[Span] = [Span(head + page.say("mark.colon"))]
    for index, (number, reason) in enumerate(reasons.items()):
        told: Inline = (Span(page.say("mark.open")), *clip(plain(reason), _LIMIT), Span(page.say("mark.close")))
        spans += [*([Span(page.say("mark.semicolon"))] if index else []), page.pull_link(number), *told]
    return Line(tuple(spans), stop=page.say("mark.stop"), data=data)


def _not_whole(page: Page) -> list[Line]:
    """Pull requests whose diff does not add up, and those of which the source could not give everything."""
    lines = []
    uncertain = tuple(number for number in sorted(page.numbers) if page.uncertain(number))
    if uncertain:
        head = page.say("close.uncertain", n=len(uncertain)) + page.say("mark.colon")
        data = {"uncertain": len(uncertain)}
        lines.append(Line((Span(head), *page.pull_links(uncertain)), stop=page.say("mark.stop"), data=data))
    incomplete = page.incomplete()
    if incomplete:
        head = page.say("close.incomplete", n=len(incomplete))
        lines.append(_with_reasons(page, head, incomplete, {"incomplete": len(incomplete)}))
    return lines


def _left_out(page: Page) -> list[Line]:
    left_out = page.given.plan.left_out if page.given.plan and page.given.digest.mode == "model" else ()
    if not left_out:
        return []
    head = Span(page.say("close.left_out", n=len(left_out)) + page.say("mark.colon"))
    return [Line((head, *page.pull_links(left_out)), stop=page.say("mark.stop"))]


def _by_people(page: Page) -> list[Line]:
    """What the settings say of highlights, as far as the list of them cannot show it."""
    rule, lines = page.given.highlight_rule, []
    missing = tuple(own for own in rule.forced if own not in page.given.ranking.highlights) if rule else ()
    if missing:
        head = Span(page.say("close.not_highlighted", n=len(missing)) + page.say("mark.colon"))
        lines.append(Line((head, *page.pull_links(missing)), stop=page.say("mark.stop")))
    if rule and rule.kept_out:
        lines += _notes([page.say("close.kept_out", n=rule.kept_out)])
    return lines


def _source(page: Page) -> list[str]:
    return [page.say("close.source_note", note=note) for note in page.given.collection.notes]


def _reading(page: Page, *, named: bool = True) -> list[Line]:
    """How much the model was shown; `named`: with the pull requests that it did not see in full by link."""
    read = page.given.coverage
    if not read.pulls:
        return []
    reasons = [(page.say(f"unread.{unread.reason.replace(' ', '_')}"), unread.files) for unread in read.unread]
    listed = page.say("mark.open") + _listed(page, reasons) + page.say("mark.close") if reasons else ""
    lines = page.say(
        "close.lines",
        shown=read.changed_lines_shown,
        lines=read.changed_lines,
        files=read.files - read.files_full,
        all_files=read.files,
    )
    notes = [lines + listed + page.say("mark.stop")]
    partly = read.pulls - read.pulls_complete
    if not partly:
        return _notes([page.say("close.read_all", pulls=read.pulls), *notes])
    told = page.say("close.read", full=read.pulls_complete, pulls=read.pulls, part=partly)
    links = page.pull_links(page.given.partly_read) if named else ()
    head = Span(told + page.say("mark.colon") if links else told)
    return [Line((head, *links), stop=page.say("mark.stop")), *_notes(notes)]


def _planning(page: Page) -> list[str]:
    """Where the plan is not the model's, and what else a stage could not do."""
    lines = []
    plan = page.given.plan
    if plan and plan.origin == "rules":
        lines.append(page.say("close.plan_by_rules", reason=plan.reason or page.say("entry.no_reason")))
    lines += [
        page.say("close.failure", stage=failure.stage, subject=failure.subject, reason=failure.reason)
        for failure in page.given.failures
        if failure.stage not in ("collect", "summarize")
    ]
    return lines


def _checking(page: Page) -> list[Line]:
    verification = page.given.verification
    if verification is None:
        return _notes([page.say("close.not_checked"), *_templates(page)])
    sentences = len(page.given.digest.sentences) if page.given.digest.mode == "model" else 0
    key = "close.sentences_failed" if verification.errors else "close.sentences"
    made = sum(check.checked for check in verification.checks)
    return [
        *_notes([page.say(key, n=sentences, made=made)] if sentences else [page.say("close.checked", n=made)]),
        _findings(page, verification),
        *_notes(_templates(page)),
    ]


def _findings(page: Page, verification: Verification) -> Line:
    """How many, and below them each at its sentence."""
    if not verification.findings:
        return Line(plain(page.say("close.no_findings")))
    told = page.say("close.findings", n=len(verification.findings))
    return Line(plain(told), below=finding_lines(page, verification))


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
    if usage.calls and not usage.input_tokens:
        return [page.say("close.usage_unknown", model=digest.model, calls=usage.calls)]
    return [
        page.say(
            "close.usage",
            model=digest.model,
            calls=usage.calls,
            input=usage.input_tokens,
            cached=usage.cached_tokens,
            output=usage.output_tokens,
        )
    ]


def _counted(page: Page, key: str, counts: list[tuple[str, int]]) -> str:
    return page.say(key) + page.say("mark.colon") + _listed(page, counts) + page.say("mark.stop")


def _listed(page: Page, counts: list[tuple[str, int]]) -> str:
    return page.say("mark.list").join(f"{name} {n:,}" for name, n in counts)
