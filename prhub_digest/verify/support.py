"""How much of a sentence is said by what it cites; whether it takes back what that does.

Word overlap tells a right citation from a wrong one only roughly, so below `ENOUGH` it warns and only below
`TOO_LITTLE` it is an error. A Chinese sentence shares no words with English facts: there only Latin words are compared.
"""

import re

from prhub_digest.evidence import content_words
from prhub_digest.models.digest import Sentence
from prhub_digest.verify.clauses import stem
from prhub_digest.verify.context import Context
from prhub_digest.verify.cues import check_cues
from prhub_digest.verify.directions import check_directions
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.occurrences import Haystack, Needle, plain
from prhub_digest.verify.tokens import CODE_SPAN, code_tokens

TOO_LITTLE, ENOUGH = 0.5, 0.7
_FEWEST_WORDS = 3
_COMMON = frozenset({"pr", "prs", "pull", "request", "requests", "revert", "server"})
# How a digest speaks, whatever it speaks about: neither support nor its lack.
_FRAME = (
    "this week change changes changed pull request requests merged merge pr prs most many several some other also "
    "now new area areas part work focus highlight include includes including before after release reviewer "
    "reviewers review reviews author authors team please check verify confirm ensure consider make add adds added "
    "use uses used should follow risk risks remain remains open still report reported measured measurement which "
    "that while can could time from opening file files longer stay stays become becomes get gets need needs whether "
    "opt opts opted user users operator operators yet each until lose lost take taken back want must set went mainly "
    "addition omit misspell"
)
# And how it speaks of counts alone.
_COUNTING = (
    "among frequent frequently often more fewer than number count counted share lead leads leading follow follows "
    "following next level common kind kinds type types topic topics every all largest smallest documentation document "
    "net revert reverts tie ties tied equal even same spread touch touches go goes any listed"
)
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}")
# What a change is good for, when nothing cited says so: the favourite addition of a weak model.
_CONSEQUENCE = re.compile(
    r"\bthis (?:will|would|should|helps|ensures|makes|allows|enables)\b|\bmaking it (?:easier|more|simpler)\b"
    r"|这将|将使|将会|有望|有助于|更加(?:清晰|高效|稳定|可靠|灵活|健壮)",
    re.IGNORECASE,
)
_CAUSE = re.compile(r"\b(?:because(?: of)?|due to|thanks to) ([^.;:]+)", re.IGNORECASE)
_LOGIN = re.compile(r"(?<![\w`/.-])[a-z0-9]+(?:-[a-z0-9]+)+(?![\w`/-])|(?<![\w`/.-])[a-z]+[0-9]+(?![\w`/-])")
_TAKEN_BACK = re.compile(
    r"\b(?:revert|roll(?:s|ed)? back|rollback|back(?:s|ed)? out)|回退|回滚|撤销|撤回|还原", re.IGNORECASE
)


def check(context: Context) -> Report:
    report = Report("support")
    advice = {recommendation.sentence.item for recommendation in context.digest.recommendations}
    for sentence in context.digest.sentences:
        report.checked += 1
        if sentence.origin == "model":
            if context.digest.language == "en":
                _check_share(context, sentence, report, hard=sentence.item not in advice)
            else:
                _check_latin(context, sentence, report)
            if sentence.item not in advice:
                check_cues(context, sentence, report)
                check_directions(context, sentence, report)
                _check_consequence(context, sentence, report)
                _check_cause(context, sentence, report)
            _check_people(context, sentence, report)
        _check_reverted(context, sentence, report)
    return report


def _grounds(context: Context, sentence: Sentence) -> str:
    """Everything a sentence may rest on: titles, quotes, facts, headlines, the names of its statistics."""
    texts = (fact.text for fact in (*context.cited(sentence), *context.about(sentence)))
    return "\n".join((context.told(sentence), *texts, *(re.sub(r"[._/]", " ", path) for path in sentence.stats)))


def _check_share(context: Context, sentence: Sentence, report: Report, *, hard: bool) -> None:
    names = " ".join(re.sub(r"[-._/]", " ", name) for name in sorted(context.names))
    known = _stems(f"{_grounds(context, sentence)}\n{names}")
    framing = _stems(_FRAME if sentence.claims or sentence.figures else f"{_FRAME} {_COUNTING}")
    said = [stem(word) in known for word in content_words(sentence.text) if stem(word) not in framing]
    if not any(said) and (said or sentence.claims):
        report.error(sentence.item, "says_nothing", "it says nothing of what it cites")
        return
    told = [word for word in content_words(CODE_SPAN.sub(" ", sentence.text)) if stem(word) not in framing]
    missing = [word for word in told if stem(word) not in known]
    if len(told) < _FEWEST_WORDS or not missing:
        return
    share = 1 - len(missing) / len(told)
    about = ", ".join(missing)
    message = f"{share:.0%} of its words are in what it cites; not there: {about}"
    if share < TOO_LITTLE and hard:
        report.error(sentence.item, "little_support", message, about)
    elif share < (ENOUGH if hard else TOO_LITTLE):  # what to do until then is in no fact
        report.warning(sentence.item, "little_support", message, about)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in content_words(text)}


def _check_latin(context: Context, sentence: Sentence, report: Report) -> None:
    known = Haystack(plain(_grounds(context, sentence)))
    words = dict.fromkeys(_LATIN.findall(CODE_SPAN.sub(" ", plain(sentence.text))))
    missing = [
        word
        for word in words
        if not known.holds(Needle("name", word)) and not _known_stem(word, known) and not _in_names(word, context)
    ]
    if missing:
        about = ", ".join(missing)
        report.warning(sentence.item, "foreign_words", f"not in what it cites: {about}", about)
    named = [token.text for fact in context.cited(sentence) if not fact.figure for token in code_tokens(fact.text)]
    own = set(_LATIN.findall(plain(sentence.text))) - {"PRs"}
    if named and not any(known.holds(Needle("name", word)) or _known_stem(word, known) for word in own):
        report.error(sentence.item, "names_nothing", f"names nothing of what it cites, such as {named[0]}", named[0])


def _known_stem(word: str, known: Haystack) -> bool:
    return word[:5].casefold() in known.folded if len(word) > 5 else known.holds(Needle("name", word + "s"))


def _in_names(word: str, context: Context) -> bool:
    return word.casefold() in _COMMON or any(word.casefold() in name for name in context.names)


def _check_consequence(context: Context, sentence: Sentence, report: Report) -> None:
    match = _CONSEQUENCE.search(sentence.text)
    if match and not _CONSEQUENCE.search(_grounds(context, sentence)):
        report.error(sentence.item, "consequence", f"{match[0]!r}: a consequence that nothing cited has", match[0])


def _check_cause(context: Context, sentence: Sentence, report: Report) -> None:
    """The words of an English cause; a Chinese one has no words to compare."""
    known = _stems(_grounds(context, sentence))
    for match in _CAUSE.finditer(sentence.text):
        words = _stems(match[1]) - _stems(_FRAME)
        if len(words) > 1 and len(words & known) * 2 <= len(words):
            told = f"{match[0]!r}: a cause that nothing cited has"
            report.warning(sentence.item, "added_cause", told, match[0])


def _check_people(context: Context, sentence: Sentence, report: Report) -> None:
    """A login with a hyphen or a digit, which no word is; another may be a word of the sentence."""
    words = set(_LOGIN.findall(sentence.text.casefold()))
    for login in sorted(words & context.people - set(_LOGIN.findall(_grounds(context, sentence).casefold()))):
        if not any(login in context.sources[pull].people for pull in context.pulls(sentence)):
            report.error(sentence.item, "other_person", f"{login} has no part in what it cites", login)


def _check_reverted(context: Context, sentence: Sentence, report: Report) -> None:
    taken_back = [number for number in context.pulls(sentence) if number in context.inputs.reverted]
    if taken_back and not _TAKEN_BACK.search(sentence.text):
        number = f"#{taken_back[0]}"
        told = f"{number} was reverted within the week, which the sentence does not say"
        report.warning(sentence.item, "revert_untold", told, number)
