"""Negations, limits, default states and doubts that only a sentence has, or only what it cites.

A cue is looked for in a strict form on one side and in more forms on the other: "nothing uses it", "unset" and "fails"
all may stand behind 没有, but do not ask for one. A sentence may rest on all that its wording was shown of a pull
request: the facts it cites, headline, scope, condition and default state. A negation or a limit that these do have may
belong to another statement of theirs, so it is also held against the words near it.
"""

import re
from collections.abc import Iterable, Sequence

from prhub_digest.models.digest import Sentence
from prhub_digest.models.plan import Fact
from prhub_digest.models.summary import DefaultState
from prhub_digest.verify.clauses import Clause, clauses, focus, parts, whole
from prhub_digest.verify.context import Context
from prhub_digest.verify.cue_words import CUES, OFF, OFF_ZH, Cue
from prhub_digest.verify.inputs import Report

# A clause is told by another one that has this share of its words, when those with other cues have far fewer of them.
_TOLD, _FAR = 0.6, 0.25
_TOLD_LOST, _FAR_LOST = 0.7, 0.3
_FEWEST = 3
_KEPT = 0.5
_FAIR = r"\bun(?!der|i[tofq]|til)[a-z]+"
_CONDITION = re.compile(r"\b(?:when|if|with|not|no|without)\b|时|不|未|非", re.IGNORECASE)
_ON = re.compile(r"\b(?:on|enabled) by default\b|\bdefault-on\b|默认(?:开启|启用|打开)", re.IGNORECASE)
_NOT_YET = re.compile(r"\b(?:before|until|once|when|if|unless|becom\w*|turn\w*)\b[^,.;:]{0,40}$", re.IGNORECASE)
_NOT_YET_ZH = re.compile("之?[前后时]")
_OFF = re.compile(rf"\b{OFF} by default\b|\bopt-in\b|默认{OFF_ZH}", re.IGNORECASE)


def check_cues(context: Context, sentence: Sentence, report: Report) -> None:
    cited = [fact for fact in context.cited(sentence) if fact.kind != "figure"]
    if not cited:
        return
    about = context.about(sentence)
    facts = tuple(dict.fromkeys((*context.cited(sentence), *about)))
    grounds = "\n".join((context.told(sentence), *(fact.text for fact in facts)))
    states = _states(context, sentence, about)
    english = context.digest.language == "en"
    if _turned(sentence, grounds, states, report):
        return
    for cue in CUES:
        match = cue.strict.search(sentence.text)
        if cue.added and match and not cue.any_form.search(grounds) and cue.implied.isdisjoint(states):
            told = f"the sentence has {cue.name} that nothing cited has: {match[0]!r}"
            report.warning(sentence.item, cue.added, told, match[0])
        elif cue.added and (words := _added(cue, sentence.text, grounds, facts, english=english)):
            told = f"the sentence has {cue.name} where what it cites has none: {words!r}"
            report.warning(sentence.item, cue.added, told, words)
        elif cue.lost and _lost(cue, sentence.text, _of_kinds(cue, cited), english=english):
            report.warning(sentence.item, cue.lost, f"what it cites has {cue.name} that the sentence does not have")


def _states(context: Context, sentence: Sentence, about: tuple[Fact, ...]) -> set[DefaultState | str]:
    """What else is known of the cited pull requests: kinds of facts that they have, and their default states."""
    defaults = (context.inputs.defaults.get(number) for number in context.pulls(sentence))
    return {*(fact.kind for fact in about), *(state for state in defaults if state)}


def _of_kinds(cue: Cue, cited: Sequence[Fact]) -> list[Fact]:
    return [fact for fact in cited if not cue.kinds or fact.kind in cue.kinds]


def _turned(sentence: Sentence, grounds: str, states: set[DefaultState | str], report: Report) -> bool:
    """Whether a default state is said the other way round of all cited pull requests; then no cue counts."""
    for state, other, said in (("on", "off", _ON), ("off", "on", _OFF)):
        match = next((own for own in said.finditer(sentence.text) if not _to_come(sentence.text, own)), None)
        if match and other in states and state not in states and not said.search(grounds):
            told = f"{match[0]!r}: what it cites is {other} by default"
            report.error(sentence.item, "added_default", told, match[0])
            return True
    return False


def _to_come(text: str, match: re.Match[str]) -> bool:
    """`before it is on by default`, `默认启用前`: a state that is not yet."""
    return bool(_NOT_YET.search(text[: match.start()]) or _NOT_YET_ZH.match(text, match.end()))


def _added(cue: Cue, text: str, grounds: str, facts: Sequence[Fact], *, english: bool) -> str | None:
    """The words of a cue that stands near other words than in what is cited, or in one statement more."""
    if cue.stated is None:
        return None
    found = list(cue.stated.finditer(text))
    if cue.lost and len(found) > _times(cue, facts, english=english):
        return found[-1][0]
    if not found or not english:
        return None
    near = parts(grounds, cue.plainly)
    backed = [part for part in near if cue.any_form.search(part.text)]
    backed += (whole(fact.text, cue.plainly) for fact in facts if fact.kind in cue.implied)
    for match in found:
        nearest = focus(text, match, cue.plainly)
        if len(nearest.words) > 1 and not nearest.nearest(backed):
            return nearest.text
    if cue.implied:
        return None
    cited = clauses(grounds, cue.plainly)
    stated = (clause for clause in clauses(text, cue.plainly) if cue.stated.search(clause.text))
    return _unlike(stated, _with(cue.any_form, cited), _without(cue.any_form, cited), _TOLD, _FAR)


def _times(cue: Cue, facts: Sequence[Fact], *, english: bool) -> int:
    """How often the facts have a cue; in Chinese any of its forms may be told by one, `unquantized` by 不量化."""
    forms = cue.plainly if english else re.compile(rf"{cue.any_form.pattern}|{_FAIR}", re.IGNORECASE)
    counts = ((len(forms.findall(fact.text)), fact.kind in cue.implied) for fact in facts)
    return sum(max(count, int(implied)) for count, implied in counts)


def _lost(cue: Cue, text: str, cited: Sequence[Fact], *, english: bool) -> bool:
    if cited and all(cue.strict.search(fact.text) for fact in cited) and not cue.plainly.search(text):
        return True
    if cue.stated is None and not cue.kinds:
        return False
    if not english:  # its words cannot be held against those of the facts
        return bool(cue.implied) and any(_unscoped(cue, text, fact) for fact in cited if fact.kind == "scope")
    own = clauses(text, cue.plainly)
    kept, bare = _with(cue.any_form, own), _without(cue.any_form, own)
    split = clauses if cue.kinds else parts  # "it can starve when small ones come": the doubt is of the whole
    told = [part for fact in cited for part in split(fact.text, cue.plainly)]
    untold = [part for part in _with(cue.strict, told) if part.nearest(kept) < _KEPT]
    return _unlike(bare, _without(cue.strict, told), untold, _TOLD_LOST, _FAR_LOST) is not None


def _unscoped(cue: Cue, text: str, scope: Fact) -> bool:
    """Nothing limits a text that has a scope to tell, nor is the scope told as a condition or as what is left out."""
    if not cue.strict.search(scope.text) or cue.any_form.search(text):
        return False
    told = [part for part in parts(text, cue.plainly) if _CONDITION.search(part.text)]
    return not whole(scope.text, cue.plainly).nearest(told)


def _with(cues: re.Pattern[str], found: Iterable[Clause]) -> list[Clause]:
    return [clause for clause in found if cues.search(clause.text)]


def _without(cues: re.Pattern[str], found: Iterable[Clause]) -> list[Clause]:
    return [clause for clause in found if not cues.search(clause.text)]


def _unlike(
    stated: Iterable[Clause], alike: Sequence[Clause], unlike: Sequence[Clause], told: float, far: float
) -> str | None:
    """The first clause that stands nearly so in clauses unlike it, and in none alike."""
    for clause in stated:
        share = clause.nearest(unlike)
        if len(clause.words) >= _FEWEST and share >= told and clause.nearest(alike) <= share - far:
            return clause.text
    return None
