"""The digest's sentences by the section that shows them: which are templates, and what the checks still find."""

from collections.abc import Iterator, Mapping

from prhub_digest.models.digest import DigestTheme, Sentence
from prhub_digest.models.plan import SectionName
from prhub_digest.models.verification import Finding, Verification
from prhub_digest.render.inline import Inline, clip, plain
from prhub_digest.render.page import Page
from prhub_digest.render.typography import polish

_FINDINGS = 12
_LIMIT = 300
_NOTABLE_SHARE = 0.25


def theme_heading(page: Page, theme: DigestTheme) -> str:
    """`Name (area, area)`, without a name the areas alone; a heading sets no code apart."""
    areas = page.say("mark.list").join(theme.areas)
    if theme.heading is None:
        return areas
    return (
        polish(theme.heading.text.replace("`", ""), page.language)
        + page.say("mark.open")
        + areas
        + page.say("mark.close")
    )


def notable_templates(page: Page) -> int:
    """How many sentences templates worded, when that is a whole section or more than a quarter; else 0."""
    by_template = {
        key: [sentence.origin == "template" for _, sentences in lists for sentence in sentences]
        for key, lists in _sections(page)
    }
    every = [flag for flags in by_template.values() for flag in flags]
    whole = any(flags and all(flags) for flags in by_template.values())
    return sum(every) if whole or sum(every) > _NOTABLE_SHARE * len(every) else 0


def finding_lines(page: Page, verification: Verification) -> tuple[Inline, ...]:
    """`warning · Key changes, core, 3: what is wrong: the words`, errors first; a long list is cut."""
    places = _places(page)
    order = {item: position for position, item in enumerate(places)}

    def key(finding: Finding) -> tuple[bool, int]:
        return finding.severity != "error", order.get(finding.item or "", -1)

    found = sorted(verification.findings, key=key)
    lines = [clip(plain(_finding(page, places, finding)), _LIMIT) for finding in found[:_FINDINGS]]
    if len(found) > _FINDINGS:
        lines.append(plain(page.say("mark.more", n=len(found) - _FINDINGS)))
    return tuple(lines)


def _finding(page: Page, places: Mapping[str, str], finding: Finding) -> str:
    place = places.get(finding.item or "") or page.say("place.digest")
    told = page.say(f"found.{finding.kind}")
    about = page.say("mark.colon") + finding.about if finding.about else ""
    severity = page.say(f"finding.{finding.severity}")
    return f"{severity}{page.say('mark.joint')}{place}{page.say('mark.colon')}{told}{about}"


def _places(page: Page) -> dict[str, str]:
    """Where each sentence stands: section, theme, position in the list; a heading is its own place.

    A planned item that has no sentence has a section all the same, and a line its pull request.
    """
    plan = page.given.plan
    places: dict[str, str] = {}
    for fact in plan.facts if plan else ():
        places |= dict.fromkeys(fact.lines, f"#{fact.pull}")
    for section, _ in _sections(page):
        items = plan.items(section) if plan else ()
        places |= {item.id: page.say(f"section.{section}") for item in items}
    for key, lists in _sections(page):
        for area, sentences in lists:
            for position, sentence in enumerate(sentences, 1):
                parts = (page.say(f"section.{key}"), area, page.say("place.sentence", n=position))
                places[sentence.item] = page.say("mark.comma").join(part for part in parts if part)
    places |= {
        heading.item: f"{page.say('section.changes')}{page.say('mark.comma')}{heading.text}"
        for heading in page.given.digest.headings
    }
    return places


def _sections(page: Page) -> Iterator[tuple[SectionName, list[tuple[str, tuple[Sentence, ...]]]]]:
    """The key of each section with its lists: the theme (or "") and the sentences."""
    digest = page.given.digest
    yield "executive", [("", digest.executive)]
    yield "changes", [(theme_heading(page, theme), theme.sentences) for theme in digest.themes]
    yield "trends", [("", digest.trends)]
    yield "risks", [("", digest.risks)]
    yield "highlights", [("", tuple(highlight.sentence for highlight in digest.highlights))]
    yield "recommendations", [("", tuple(answer.sentence for answer in digest.recommendations))]
