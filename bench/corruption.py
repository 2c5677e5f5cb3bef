"""What the checks catch of corruptions of the demo's digest: a table of kinds by language, and the false alarms.

Every corruption is one edit of one sentence of the recorded digest, or of one cited figure or citation of its plan,
with a known truth. It is caught when its sentence has a finding that it did not have before. The corruptions of one
kind and sentence are drawn by a seed; those of different sentences are verified in one digest.
"""

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from bench import Measure
from bench._mutations import CONTROLS, MUTATIONS, Rule
from bench.judgement import LANGUAGES, replayed_demo
from prhub_digest.models.digest import Digest, Language, Sentence
from prhub_digest.models.plan import Fact, Plan
from prhub_digest.models.verification import Finding
from prhub_digest.pipeline.wording import verify_input
from prhub_digest.verify import VerifyInput, verify_digest

PER_SENTENCE = 2
CAUGHT: Mapping[Language, float] = {"en": 0.75, "zh": 0.65}
CLEAN, CONTROL = "clean page", "meaning kept"
_OTHER_UNIT = {"%": "x", "ms": "s", "tok/s": "req/s", "output tok/s": "req/s", "min": "h"}
_TURNED = {"up": "down", "down": "up"}


@dataclass(frozen=True)
class Corruption:
    """`text` and `facts` are what the sentence says and cites now; None where that stays.

    With `planned`, its plan item rests on those facts too. `figure` replaces a fact of the plan.
    """

    kind: str
    item: str
    text: str | None = None
    facts: tuple[str, ...] | None = None
    planned: bool = False
    figure: Fact | None = None


@dataclass
class Row:
    tried: int = 0
    errors: int = 0
    warnings: int = 0
    missed: list[str] = field(default_factory=list)


def measure() -> Iterator[Measure]:
    with tempfile.TemporaryDirectory() as place:
        run, week = replayed_demo(Path(place))
        plan = run.folder.read_record("plan.json", Plan)
        digests = [run.folder.read_record(f"digest.{language}.json", Digest) for language in LANGUAGES]
        inputs = [verify_input(run, week, plan, digest) for digest in digests if plan and digest]
        yield from measures({own.digest.language: table_of(own) for own in inputs})


def measures(tables: Mapping[Language, Mapping[str, Row]]) -> Iterator[Measure]:
    print(f"{'kind':20}" + "".join(f"{name:>5}: n error warn" for name in tables), file=sys.stderr)
    for kind in dict.fromkeys(kind for table in tables.values() for kind in table):
        rows = [table.get(kind, Row()) for table in tables.values()]
        cells = "".join(f"{row.tried:8}{row.errors:6}{row.warnings:5}" for row in rows)
        print(f"{kind:20}{cells}", file=sys.stderr)
    for language, table in tables.items():
        corrupted = [row for kind, row in table.items() if kind not in (CLEAN, CONTROL)]
        tried = sum(row.tried for row in corrupted)
        caught = sum(row.errors + row.warnings for row in corrupted) / tried
        yield Measure(f"corruption_{language}_tried", tried, 300, at_least=True)
        yield Measure(f"corruption_{language}_caught", caught, CAUGHT[language], at_least=True)
        yield Measure(f"corruption_{language}_clean_errors", table[CLEAN].errors, 0)
        # Three trends of the recorded plan tell of some of the pull requests that they count.
        yield Measure(f"corruption_{language}_clean_warnings", table[CLEAN].warnings, 3)
        control = table[CONTROL]
        yield Measure(f"corruption_{language}_controls_refused", control.errors / control.tried, 0.02)
        yield Measure(f"corruption_{language}_controls_warned", control.warnings / control.tried, 0.1)


def table_of(inputs: VerifyInput) -> dict[str, Row]:
    clean = verify_digest(inputs).findings
    errors = sum(found.severity == "error" for found in clean)
    table = {CLEAN: Row(len(inputs.digest.sentences), errors, len(clean) - errors)}
    for corruptions in _rounds(list(corruptions_of(inputs))):
        found = set(map(_mark, verify_digest(_corrupted(inputs, corruptions)).findings)) - set(map(_mark, clean))
        for own in corruptions:
            row = table.setdefault(own.kind, Row())
            severities = {severity for item, severity, *_ in found if item == own.item or own.figure}
            row.tried += 1
            row.errors += "error" in severities
            row.warnings += severities == {"warning"}
            if (not severities) != (own.kind == CONTROL):
                row.missed.append(f"{own.item} {own.text or own.facts or own.figure}")
    return table


def _mark(found: Finding) -> tuple[str | None, str, str, str, str]:
    return found.item, found.severity, found.check, found.kind, found.about


def corruptions_of(inputs: VerifyInput) -> Iterator[Corruption]:
    """A fact is cited by several sentences: of figures, each counts once."""
    chosen = Random(8)
    facts = {fact.id: fact for fact in inputs.plan.facts}
    advice = {own.sentence.item for own in inputs.digest.recommendations}
    logins = sorted({pull.author.login for pull in inputs.pulls.values() if pull.author.login})
    for sentence in inputs.digest.sentences:
        if sentence.origin != "model":
            continue
        cited = [facts[name] for name in (*sentence.claims, *sentence.figures)]
        pulls = {fact.pull for fact in cited}
        about = [fact.text for fact in inputs.plan.facts if fact.pull in pulls and fact.kind != "figure"]
        about += [f"{inputs.defaults.get(pull)} by default" for pull in pulls]
        if sentence.item not in advice and cited:
            dangers = any(fact.kind in ("risk", "thread") for fact in cited)
            for kind, rules in MUTATIONS[inputs.digest.language].items():
                yield from _of_rules(kind, [rule for rule in rules if dangers >= rule.dangers], sentence, about, chosen)
            yield from _of_rules(CONTROL, CONTROLS[inputs.digest.language], sentence, about, chosen)
        yield from _of_names(sentence, inputs, pulls, logins, chosen)
        yield from _of_citations(sentence, inputs.plan, facts, chosen)
    for name in dict.fromkeys(name for sentence in inputs.digest.sentences for name in sentence.figures):
        yield from _of_figure(facts[name], inputs.plan)


def _of_rules(
    kind: str, rules: Sequence[Rule], sentence: Sentence, about: Sequence[str], chosen: Random
) -> Iterator[Corruption]:
    grounds = "\n".join(about)
    texts = list(dict.fromkeys(text for rule in rules for text in rule.texts(sentence.text, grounds)))
    most = len(texts) if kind == CONTROL else PER_SENTENCE
    for text in chosen.sample(texts, min(most, len(texts))):
        yield Corruption(kind, sentence.item, text)


def _of_names(
    sentence: Sentence, inputs: VerifyInput, pulls: set[int], logins: Sequence[str], chosen: Random
) -> Iterator[Corruption]:
    """Another identifier, a pull request's number, a person."""
    text, end = sentence.text[:-1], sentence.text[-1]
    spans = [span for span in text.split("`")[1::2] if len(span) > 3 and span.isascii()]
    if spans:
        span = chosen.choice(spans)
        place = chosen.randrange(1, len(span) - 1)
        other = "7" if span[place].isdigit() and span[place] != "7" else "q"
        yield Corruption(
            "identifier", sentence.item, sentence.text.replace(span, span[:place] + other + span[place + 1 :])
        )
    yield Corruption("number of a PR", sentence.item, f"{text} (#{max(inputs.pulls) + 7}){end}")
    own = {inputs.pulls[pull].author.login for pull in pulls}
    login = chosen.choice([name for name in logins if name not in own])
    says = f", as {login} asked" if inputs.digest.language == "en" else f"，由 {login} 提出"
    yield Corruption("login", sentence.item, f"{text}{says}{end}")


def _of_citations(sentence: Sentence, plan: Plan, facts: Mapping[str, Fact], chosen: Random) -> Iterator[Corruption]:
    """The facts of another pull request instead, first those of the sentence alone, then also those of its plan."""
    cited = [*sentence.claims, *sentence.figures]
    if not cited:
        return
    own = {facts[name].pull for name in cited}
    kinds = {facts[name].kind for name in cited}
    others: dict[int, list[str]] = {}
    for fact in plan.facts:
        if fact.pull not in own and fact.kind in kinds:
            others.setdefault(fact.pull, []).append(fact.id)
    other = tuple(others[chosen.choice(sorted(others))][: len(cited)])
    yield Corruption("other PR", sentence.item, facts=other)
    yield Corruption("other PR planned", sentence.item, facts=other, planned=True)


def _of_figure(fact: Fact, plan: Plan) -> Iterator[Corruption]:
    figure = fact.figure
    if figure is None:
        return
    digit = next(char for char in figure.value if char.isdigit())
    changes: dict[str, dict[str, Any]] = {
        "figure: digit": {"value": figure.value.replace(digit, str((int(digit) + 3) % 10), 1)},
        "figure: unit": {"unit": _OTHER_UNIT.get(figure.unit, "ms")},
    }
    if figure.direction in _TURNED:
        changes["figure: direction"] = {"direction": _TURNED[figure.direction]}
    others = [own.figure for own in plan.facts if own.pull == fact.pull and own.figure]
    other = next((own for own in others if own.metric.casefold() != figure.metric.casefold()), None)
    if other:
        changes["figure: metric"] = {"metric": other.metric}
    for kind, changed in changes.items():
        yield Corruption(kind, "", figure=fact.updated(figure=figure.updated(**changed)))


def _rounds(corruptions: Sequence[Corruption]) -> Iterator[list[Corruption]]:
    """Of each sentence one; a corrupted figure alone."""
    by_item: dict[str, list[Corruption]] = {}
    for own in corruptions:
        if own.figure:
            yield [own]
        else:
            by_item.setdefault(own.item, []).append(own)
    while by_item := {item: own for item, own in by_item.items() if own}:
        yield [own.pop() for own in by_item.values()]


def _corrupted(inputs: VerifyInput, corruptions: Sequence[Corruption]) -> VerifyInput:
    plan = inputs.plan
    edits: dict[str, dict[str, Any]] = {}
    for own in corruptions:
        if own.figure:
            plan = plan.updated(facts=tuple(own.figure if fact.id == own.figure.id else fact for fact in plan.facts))
            continue
        edits[own.item] = {"text": own.text} if own.text else {}
        if own.facts:
            claims = [name for name in own.facts if ".f" not in name]
            edits[own.item] |= {"claims": claims, "figures": [name for name in own.facts if ".f" in name]}
    planned = {own.item: {"facts": own.facts} for own in corruptions if own.facts and own.planned}
    return replace(
        inputs,
        digest=Digest.model_validate(_edited(inputs.digest.model_dump(), "item", edits)),
        plan=Plan.model_validate(_edited(plan.model_dump(), "id", planned)) if planned else plan,
    )


def _edited(value: Any, key: str, edits: Mapping[str, Mapping[str, Any]]) -> Any:
    """The same nested value with the changes of the records that `key` names."""
    if isinstance(value, dict):
        inner = {name: _edited(own, key, edits) for name, own in value.items()}
        named = value.get(key)
        return inner | dict(edits.get(named, {})) if isinstance(named, str) else inner
    if isinstance(value, (list, tuple)):
        return [_edited(own, key, edits) for own in value]
    return value
