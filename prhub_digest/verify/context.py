"""The digest beside its sources, looked up once for all checks.

A week's diffs do not fit in memory at once, so each cited pull request is read once: what the sentences need of it is
collected first, searched for in its text, and only the answers and the cited lines are kept.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from prhub_digest.models.chunk import SourceLine
from prhub_digest.models.digest import Digest, Sentence
from prhub_digest.models.plan import Fact
from prhub_digest.models.pull_request import Person, PullRequest
from prhub_digest.verify.figure_parts import figure_needles
from prhub_digest.verify.inputs import VerifyInput
from prhub_digest.verify.occurrences import Haystack, Needle, plain
from prhub_digest.verify.tokens import Token, code_tokens, digit_tokens

_PASSAGE_LINES = 3
# What a sentence about one fact may take from its pull request besides.
_ABOUT = ("headline", "scope", "condition")


@dataclass(frozen=True, slots=True)
class Source:
    """What is kept of a cited pull request.

    `passages` maps a cited line's id to it and the lines after it; `people` are logins in lower case.
    """

    title: str
    in_period: bool
    shown_title: str
    threads: frozenset[str]
    passages: dict[str, tuple[SourceLine, ...]]
    found: frozenset[Needle]
    people: frozenset[str]


@dataclass(frozen=True, slots=True)
class Context:
    """`names` may stand in any sentence: the areas and the repository; in lower case."""

    inputs: VerifyInput
    facts: dict[str, Fact]
    facts_of: dict[int, list[Fact]]
    sources: dict[int, Source]
    names: frozenset[str]

    @property
    def week(self) -> frozenset[int]:
        """The numbers of the week's pull requests: each of them has a rank."""
        return frozenset(entry.pull for entry in self.inputs.ranking.entries)

    @property
    def people(self) -> frozenset[str]:
        """Whoever took part in any cited pull request."""
        return frozenset(login for source in self.sources.values() for login in source.people)

    @property
    def digest(self) -> Digest:
        return self.inputs.digest

    def cited(self, sentence: Sentence) -> tuple[Fact, ...]:
        """The facts that a sentence cites; unknown ids are another check's."""
        ids = (*sentence.claims, *sentence.figures)
        return tuple(self.facts[fact_id] for fact_id in ids if fact_id in self.facts)

    def pulls(self, sentence: Sentence) -> tuple[int, ...]:
        numbers = dict.fromkeys(fact.pull for fact in self.cited(sentence))
        return tuple(number for number in numbers if number in self.sources)

    def told(self, sentence: Sentence) -> str:
        """The sources' own words behind a sentence: titles and quotes, no model's."""
        titles = (self.sources[number].title for number in self.pulls(sentence))
        quotes = (fact.evidence.quote for fact in self.cited(sentence) if fact.evidence)
        return "\n".join((*titles, *quotes))

    def about(self, sentence: Sentence) -> tuple[Fact, ...]:
        """Headline, scope and condition of the cited pull requests, which the wording was shown beside each fact."""
        return tuple(fact for pull in self.pulls(sentence) for fact in self.facts_of[pull] if fact.kind in _ABOUT)

    def backs(self, sentence: Sentence, token: Token) -> bool:
        """Whether a cited pull request, a cited statistic's name, an area or the repository's name holds a token."""
        if token.text.casefold() in self.names:
            return True
        if any(option <= self.sources[pull].found for pull in self.pulls(sentence) for option in token.options):
            return True
        keys = Haystack(plain("\n".join(path.partition(".")[2] for path in sentence.stats)))
        return any(all(map(keys.holds, option)) for option in token.options)

    def cited_facts(self) -> dict[str, str]:
        """The ids of all cited facts, with the first item that cites each."""
        first: dict[str, str] = {}
        for sentence in self.digest.sentences:
            for fact in self.cited(sentence):
                first.setdefault(fact.id, sentence.item)
        return first


def build_context(inputs: VerifyInput) -> Context:
    facts = {fact.id: fact for fact in inputs.plan.facts}
    facts_of: dict[int, list[Fact]] = {}
    for fact in inputs.plan.facts:
        facts_of.setdefault(fact.pull, []).append(fact)
    needed: dict[int, set[Needle]] = {}
    cited: dict[int, set[str]] = {}
    for sentence in (*inputs.digest.headings, *inputs.digest.sentences):
        needles = {needle for token in _tokens(sentence.text) for needle in token.needles}
        for fact in (facts[name] for name in (*sentence.claims, *sentence.figures) if name in facts):
            needed.setdefault(fact.pull, set()).update(needles, figure_needles(fact.figure))
            cited.setdefault(fact.pull, set()).update([fact.evidence.line] if fact.evidence else [])
    sources = {
        number: _read(inputs, inputs.pulls[number], needles, cited[number])
        for number, needles in sorted(needed.items())
        if number in inputs.pulls
    }
    owner, _, name = inputs.digest.repository.partition("/")
    areas = (count.key for count in inputs.stats.group("areas"))
    names = {owner, name, inputs.digest.repository, *areas}
    return Context(inputs, facts, facts_of, sources, frozenset(word.casefold() for word in names if word))


def _tokens(text: str) -> Iterable[Token]:
    """Of code also the names within: `--page-size 64` names an option."""
    code = code_tokens(text)
    return (*digit_tokens(text), *code, *(inner for token in code for inner in code_tokens(token.text)))


def _read(inputs: VerifyInput, pull: PullRequest, needles: set[Needle], cited: set[str]) -> Source:
    lines = inputs.lines(pull)
    passages = {
        line.id: tuple(lines[place : place + _PASSAGE_LINES]) for place, line in enumerate(lines) if line.id in cited
    }
    beside = (pull.title, *(file.path for file in pull.files), *(pull.labels or ()))
    text = "\n".join((*beside, *(line.text for line in lines)))
    return Source(
        title=pull.title,
        in_period=inputs.stats.period.holds(pull.merged_at),
        shown_title=next((line.text for line in lines if line.place.kind == "title"), pull.title),
        threads=frozenset(thread.id for thread in pull.threads or ()),
        passages=passages,
        found=Haystack(plain(text)).found(needles),
        people=frozenset(person.login.casefold() for person in _people(pull) if person.login),
    )


def _people(pull: PullRequest) -> Iterable[Person]:
    comments = (*(pull.comments or ()), *(own for thread in pull.threads or () for own in thread.comments))
    yield from (pull.author, *pull.co_authors, *([pull.merged_by] if pull.merged_by else ()))
    yield from (review.author for review in pull.reviews or ())
    yield from (comment.author for comment in comments)
