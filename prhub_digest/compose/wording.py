"""The wording of a plan in one language: a few calls, each for at most twelve items of one section."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from prhub_digest.llm.ask import Asker
from prhub_digest.llm.request import RequestBuilder
from prhub_digest.models.digest import Language, WordingReply
from prhub_digest.models.glossary import Term
from prhub_digest.models.llm import LogicalRequest, Usage
from prhub_digest.models.plan import Fact, Plan, PlanItem, SectionName
from prhub_digest.models.summary import PullRequestSummary

ITEMS_A_CALL = 12
BODY: tuple[SectionName, ...] = ("changes", "trends", "risks", "recommendations", "highlights")
_BODY_WITH_HEADINGS: tuple[SectionName, ...] = ("headings", *BODY)
LANGUAGES: dict[Language, str] = {"en": "English", "zh": "Chinese (简体中文)"}
HEADINGS_PROMPT, SENTENCES_PROMPT = "compose_headings", "compose_wording"
_SECTIONS: dict[SectionName, str] = {
    "executive": "executive summary, for a reader who reads nothing else",
    "headings": "headings of the key changes",
    "changes": "key changes",
    "trends": "module and topic trends of this week",
    "risks": "risk observations",
    "recommendations": "recommendations",
    "highlights": "highlighted pull requests, one sentence each",
}
_STATISTICS = {
    "pulls": "merged pull requests of the week",
    "period": "merged pull requests of the week, with those set aside",
    "units": "changes of the week: a series, or a revert with what it takes back, is one",
    "commits": "commits of the week",
    "lines": "changed lines of the week",
    "size": "changed lines of one pull request",
    "sizes": "merged pull requests of this size",
    "areas": "merged pull requests in this area",
    "platforms": "merged pull requests that touch this platform",
    "modules": "merged pull requests that touch this module",
    "types": "merged pull requests of this type of change",
    "labels": "merged pull requests with this label",
    "people": "people of the week",
    "authors": "merged pull requests of this author",
    "new_authors": "merged pull requests of this author, who is new",
    "reviewers": "merged pull requests that this person reviewed",
    "files": "merged pull requests that changed this file",
    "flags": "merged pull requests with this risk flag",
    "threads": "review threads",
    "hours_to_first_review": "time from opening to the first review",
    "hours_to_merge": "time from opening to merge",
    "coverage": "what the digest was made from",
}


class Wording(Protocol):
    """One call. `names` maps what its reply calls a text to the ids of the digest that get it.

    `may_lack`: a reply is used as far as it goes; else one with an unknown, missing or empty item is refused.
    """

    may_lack: ClassVar[bool]

    @property
    def subject(self) -> str: ...

    @property
    def request(self) -> LogicalRequest: ...

    @property
    def names(self) -> Mapping[str, tuple[str, ...]]: ...


@dataclass(frozen=True)
class WordingTask:
    """One call: items of one section."""

    section: SectionName
    subject: str
    items: tuple[PlanItem, ...]
    request: LogicalRequest
    may_lack: ClassVar[bool] = False

    @property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        return {item.id: (item.id,) for item in self.items}


@dataclass(frozen=True)
class WordingMaterial:
    """`reverted` are the pull requests that were taken back within the week."""

    plan: Plan
    summaries: Mapping[int, PullRequestSummary]
    language: Language
    builder: RequestBuilder
    glossary: tuple[Term, ...] = ()
    reverted: frozenset[int] = frozenset()


def worded_first(language: Language) -> tuple[SectionName, ...]:
    """What is worded before the executive summary; the plan's names of the themes are English already."""
    return BODY if language == "en" else _BODY_WITH_HEADINGS


def wording_tasks(
    material: WordingMaterial, sections: Sequence[SectionName], kept: Sequence[str] = ()
) -> tuple[WordingTask, ...]:
    """The calls that word these sections; `kept` are sentences already in the digest, for the executive summary."""
    tasks = []
    for section in sections:
        items = material.plan.items(section)
        groups = [items[start : start + ITEMS_A_CALL] for start in range(0, len(items), ITEMS_A_CALL)]
        for number, group in enumerate(groups, 1):
            subject = f"{material.language}.{section}" + (f".{number}" if len(groups) > 1 else "")
            tasks.append(_task(material, section, subject, group, kept=kept))
    return tuple(tasks)


def repair_task(material: WordingMaterial, task: WordingTask, faults: Mapping[str, str]) -> WordingTask:
    """One more call for the refused items of a call, with what was wrong with each sentence."""
    items = tuple(item for item in task.items if item.id in faults)
    told = "\n".join(f"{item.id}: {faults[item.id]}" for item in items)
    return _task(material, task.section, f"{task.subject}.repair", items, faults=told)


def word(task: Wording, asker: Asker) -> tuple[dict[str, str], Usage, Usage]:
    """The texts by the digest's ids, the usage of the reply, and what was paid for now.

    Of a task whose reply may lack some, only those that came.

    Raises:
        ReplyError: no usable reply; the caller lets templates speak.
    """

    def fault(reply: WordingReply) -> str | None:
        if task.may_lack and _usable(task, reply):
            return None
        given = [worded.item for worded in reply.items]
        faults = [f"unknown item {item!r}" for item in given if item not in task.names]
        faults += [f"item {item!r} is missing" for item in task.names if item not in given]
        faults += [f"item {item!r} stands {given.count(item)} times" for item in task.names if given.count(item) > 1]
        faults += [f"item {worded.item!r} has no text" for worded in reply.items if not worded.text.strip()]
        return "; ".join(faults) or None

    answer = asker.ask(task.request, WordingReply, fault)
    words = {own: text for item, text in _usable(task, answer.reply).items() for own in task.names[item]}
    return words, answer.usage, answer.paid


def _usable(task: Wording, reply: WordingReply) -> dict[str, str]:
    """The texts of the items that were asked for; of an item with several texts nobody knows which is meant."""
    times = Counter(worded.item for worded in reply.items)
    texts = {worded.item: " ".join(worded.text.split()) for worded in reply.items}
    return {item: text for item, text in texts.items() if text and times[item] == 1 and item in task.names}


def _task(
    material: WordingMaterial,
    section: SectionName,
    subject: str,
    items: tuple[PlanItem, ...],
    *,
    kept: Sequence[str] = (),
    faults: str | None = None,
) -> WordingTask:
    headings = section == "headings"
    blocks = (
        [_heading_block(material, item) for item in items]
        if headings
        else [_item_block(material, section, item, before) for before, item in zip((None, *items), items, strict=False)]
    )
    if kept:
        blocks.append("Sentences already in the digest:\n" + "\n".join(kept))
    values = {
        **({} if headings else {"section": _SECTIONS[section]}),
        "language": LANGUAGES[material.language],
        "items": "\n\n".join(blocks),
    }
    if faults is not None:
        values["faults"] = faults
    if terms := glossary_of(material, "\n".join(blocks)):
        values["terms"] = terms
    prompt = HEADINGS_PROMPT if headings else SENTENCES_PROMPT
    request = material.builder.build(prompt, subject=subject, values=values)
    return WordingTask(section, subject, items, request)


def glossary_of(material: WordingMaterial, told: str) -> str:
    """The glossary as far as these items need it; it has Chinese names only."""
    if material.language != "zh":
        return ""
    return "\n".join(f"{term.en}: {term.zh}" for term in material.glossary if term.stands_in(told))


def _heading_block(material: WordingMaterial, item: PlanItem) -> str:
    facts = (f"- headline: {material.plan.fact(fact).text}" for fact in item.facts)
    return "\n".join((f"item {item.id}", f"name: {item.point}", *facts))


def _item_block(material: WordingMaterial, section: SectionName, item: PlanItem, before: PlanItem | None) -> str:
    """`before` is the item whose sentence stands just before; what it says of a pull request need not be said again.

    Nor need a recommendation say what the risk said that it answers.
    """
    lines = [f"item {item.id}", f"point: {item.point}"]
    told = dict.fromkeys(material.plan.fact(fact).pull for fact in before.facts) if before else {}
    for pull in dict.fromkeys(material.plan.fact(fact).pull for fact in item.facts):
        if section == "recommendations":
            lines.append(_headline(material.summaries[pull]))
        elif before and pull in told:
            lines.append(f"pull request: that of item {before.id}, which says when it holds")
        else:
            lines += _context(material.summaries[pull])
        lines += [f"- {_fact_line(fact)}" for fact in map(material.plan.fact, item.facts) if fact.pull == pull]
    lines += [f"- statistic {path}: {_STATISTICS[path.partition('.')[0]]}" for path in item.stats]
    return "\n".join(lines)


def _headline(summary: PullRequestSummary) -> str:
    return f"pull request: {summary.headline}"


def _context(summary: PullRequestSummary) -> list[str]:
    """What keeps a sentence about one fact of a pull request from saying too much."""
    lines = [_headline(summary)]
    if summary.scope:
        lines.append(f"it concerns: {summary.scope.text}")
    if summary.condition:
        lines.append(f"it takes effect when: {summary.condition.text}")
    if summary.default_state in ("on", "off"):
        lines.append(f"by default: {summary.default_state}")
    return lines


def _fact_line(fact: Fact) -> str:
    if fact.figure is None:
        return f"{fact.kind}: {fact.text}"
    figure = fact.figure
    direction = "" if figure.direction == "none" else f", {figure.direction}"
    if direction and figure.baseline_is == "other":
        direction += " against something other than the state before"
    condition = f", {figure.condition}" if figure.condition else ""
    return f"figure: {figure.metric}{direction}{condition} (code writes the value)"
