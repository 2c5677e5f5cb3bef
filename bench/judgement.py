"""What a week of 320 pull requests asks of the model after its summaries, and what its digest keeps.

The week is synthetic, with areas of very unequal size; the scripted model of the tests answers in this process, with
scores that differ as a model's do. It understands nothing: what is measured is what code makes sure of, whatever a
model writes. The judge of the comparisons goes half by worth, and half by the order in which it is shown the entries.
"""

import json
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "llm"))  # what the scripted model is made of
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "pipeline"))

from scripted_model import content_for
from small_week import PERIOD, pull_request, write_week

from bench import Measure
from bench._week import word_of
from prhub_digest.cli.setup import effective, fixture_manifest, open_run
from prhub_digest.cli.target import ModelKind, SourceKind, Target
from prhub_digest.collect.fixture import FixtureSource, read_manifest
from prhub_digest.compose import group_by_theme
from prhub_digest.console import Console
from prhub_digest.llm.ask import Asker
from prhub_digest.llm.client import Completion
from prhub_digest.llm.store import ReplyStore
from prhub_digest.models.digest import Digest, Language
from prhub_digest.models.llm import LogicalRequest, Message, Usage
from prhub_digest.models.plan import Plan
from prhub_digest.models.ranking import Comparison, Ranking
from prhub_digest.models.signals import Area
from prhub_digest.models.verification import Verification
from prhub_digest.pipeline.composing import verification_name
from prhub_digest.pipeline.context import Run
from prhub_digest.pipeline.run import run_all, run_until
from prhub_digest.pipeline.week import Week
from prhub_digest.rank import candidates, comparison_groups, rank
from prhub_digest.settings import load_settings
from prhub_digest.shipped import fixture_dir
from prhub_digest.verify.trend_words import trend_words

PULLS = range(1001, 1321)
HIGHLIGHTS = 24
SEEDS = 5
LANGUAGES: tuple[Language, ...] = ("en", "zh")
_AREAS = tuple(f"area-{letter}" for letter in "abcdefghijklmno")


def measure() -> Iterator[Measure]:
    with tempfile.TemporaryDirectory() as place:
        folder, model = Path(place), _Model()
        _write(folder / "week")
        run = _open(folder, model, LANGUAGES[:1])
        run_all(run, FixtureSource(folder / "week"), PERIOD)
        yield Measure("judgement_calls_en", model.composing, 45)
        plan = model.planning
        model.calls.clear()
        run = _open(folder, model, LANGUAGES)
        week = run_until(run, "compose")
        yield Measure("judgement_calls_zh_that_plan", model.planning, 0)
        yield Measure("judgement_calls_zh", plan + model.composing, 45)
        yield from _digests(run, week, "judgement")
        yield from _orders(week)
        run, week = replayed_demo(folder)
        yield from _digests(run, week, "judgement_demo")


def _digests(run: Run, week: Week, name: str) -> Iterator[Measure]:
    plan = run.folder.read_record("plan.json", Plan)
    digests = [run.folder.read_record(f"digest.{language}.json", Digest) for language in LANGUAGES]
    if plan is None or None in digests:
        raise RuntimeError("there is no digest")
    first, second = (digest for digest in digests if digest)
    missing = first.announced_highlights - len(first.highlights)
    yield Measure(f"{name}_highlights_missing", missing, 0)
    printed = [entry.importance for entry in week.ranking.entries[:HIGHLIGHTS]]
    if len(printed) == HIGHLIGHTS:
        yield Measure(f"{name}_sd_of_first", statistics.pstdev(printed), 0.6, at_least=True)
        yield Measure(f"{name}_distinct_of_first", len(set(printed)), 12, at_least=True)
    yield Measure(f"{name}_themes", len(plan.themes), 9)
    cited = [[(own.item, own.claims, own.figures, own.stats) for own in digest.sentences] for digest in (first, second)]
    yield Measure(f"{name}_ids_that_differ", sum(one != other for one, other in zip(*cited, strict=True)), 0)
    sentences = (*first.sentences, *second.sentences)
    yield Measure(f"{name}_trend_words", sum(len(trend_words(own.text)) for own in sentences), 0)
    found = [run.folder.read_record(verification_name(language), Verification) for language in LANGUAGES]
    yield Measure(f"{name}_errors", sum(len(own.errors) for own in found if own), 0)  # a stray digit is one
    yield Measure(f"{name}_lines", len(second.lines), 1, at_least=True)
    yield Measure(f"{name}_lines_left_in_english", sum(line.text is None for line in second.lines), 0)
    figures = [plan.fact(fact).figure for own in first.sentences for fact in own.figures]
    bare = sum(figure is None or not (figure.metric and figure.condition) for figure in figures)
    yield Measure(f"{name}_figures", len(figures), 1, at_least=True)
    yield Measure(f"{name}_figures_without_condition", bare, 0)
    at_length: dict[int, set[str]] = {}
    for section in ("executive", "changes", "trends", "risks", "highlights"):  # advice stands on its risk's facts
        for item in plan.items(section):
            for fact in map(plan.fact, item.facts):
                if fact.kind == "claim":
                    at_length.setdefault(fact.pull, set()).add(section)
    yield Measure(f"{name}_sections_at_length", max(map(len, at_length.values())), 2)


def _orders(week: Week) -> Iterator[Measure]:
    """The order of the input, and the seed of the comparisons."""
    plain = _ranked(week, list(week.summaries.values()))
    themes = group_by_theme(plain, week.summaries, week.signals)
    moved = 0
    for seed in range(SEEDS):
        mixed = list(week.summaries.values())
        Random(seed).shuffle(mixed)
        other = _ranked(week, mixed)
        moved += other != plain or group_by_theme(other, dict(week.summaries), week.signals) != themes
    yield Measure("judgement_changed_by_order", moved, 0)
    chosen = []
    for seed in range(SEEDS):
        groups = comparison_groups(candidates(plain, week.signals), HIGHLIGHTS, f"seed {seed}")
        looks = [Comparison(shuffle=group.shuffle, order=_judged(group.pulls)) for group in groups]
        chosen.append(frozenset(_ranked(week, list(week.summaries.values()), looks).highlights))
    kept = [len(one & other) / len(one) for place, one in enumerate(chosen) for other in chosen[:place]]
    yield Measure("judgement_highlights_kept", min(kept), 0.85, at_least=True)


def _judged(pulls: Sequence[int]) -> tuple[int, ...]:
    """By what each is worth, which only the judge knows, and as much by the place in which it was shown."""
    worth = {pull: Random(pull).random() + place / len(pulls) for place, pull in enumerate(pulls)}
    return tuple(sorted(pulls, key=lambda pull: worth[pull]))


def _ranked(week: Week, summaries: Sequence[Any], comparisons: Sequence[Comparison] = ()) -> Ranking:
    return rank(summaries, week.signals, highlights=HIGHLIGHTS, comparisons=comparisons)


class _Model:
    """The scripted model without a server; it counts its calls by prompt."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    @property
    def composing(self) -> int:
        return sum(calls for prompt, calls in self.calls.items() if prompt.startswith("compose_"))

    @property
    def planning(self) -> int:
        return self.calls["compose_theme"] + self.calls["compose_plan"]

    def complete(self, request: LogicalRequest, messages: tuple[Message, ...], max_output_tokens: int) -> Completion:
        del max_output_tokens
        self.calls[request.prompt] += 1
        body = {"messages": [message.model_dump() for message in messages]}
        reply = json.loads(content_for(body))
        if request.prompt == "summarize_pr":
            reply = _differing(reply, messages[1].content, request.subject)
        return Completion(json.dumps(reply, ensure_ascii=False), "stop", Usage(calls=1))

    def close(self) -> None:
        pass


def _differing(reply: dict[str, Any], asked: str, subject: str) -> dict[str, Any]:
    """Scores around the middle, those of a pull request near each other, and a figure in every third summary."""
    chosen, number = Random(subject), int(subject[3:7])
    level = chosen.gauss(2, 1)
    for score in reply["scores"].values():
        score["score"] = min(5, max(0, round(chosen.gauss(level, 0.7))))
    body = re.search(r"^(B\d+)\|(.*latency.*)$", asked, re.MULTILINE)
    if body and number % 3 == 0:
        values = {"metric": "mean latency", "value": "12", "unit": "ms", "direction": "down"}
        values |= {"baseline": "20 ms", "baseline_is": "before"}
        where = {"line": body[1], "words": "mean latency falls from 20 ms to 12"}
        reply["figures"] = [values | where | {"condition": "with 8 workers", "measured_by": "author"}]
    return reply


def _write(folder: Path) -> None:
    """320 pull requests, of which each has a word of its own, in 15 areas; the first area has a fifth of them."""
    chosen = Random(8)
    write_week(
        folder,
        {number: _pull(number, chosen) for number in PULLS},
        highlights=HIGHLIGHTS,
        areas=tuple(Area(key=area, paths=(f"{area}/**",)) for area in _AREAS),
    )


def _pull(number: int, chosen: Random) -> Any:
    word = word_of(number)
    areas = sorted({_AREAS[min(int(chosen.expovariate(0.25)), len(_AREAS) - 1)] for _ in range(2)})
    pull = pull_request(number, f"Keep the {word} queue open while the cache drains")
    patch = f"@@ -1,1 +1,2 @@\n import pages\n+pages.register({word}, name='{word} page')"
    files = tuple(
        pull.files[0].updated(path=f"{area}/{word}.py", additions=1, deletions=0, patch=patch) for area in areas
    )
    body = f"The {word} queue no longer closes early.\nThe mean latency falls from 20 ms to 12 ms with 8 workers."
    return pull.updated(files=files, body=body)


def replayed_demo(folder: Path) -> tuple[Run, Week]:
    """The recorded week, replayed."""
    flags = {"languages": list(LANGUAGES), "out": str(folder / "runs")}
    target = Target(SourceKind.fixture, ModelKind.replay, None, "demo")
    settings = effective(load_settings(None, flags, {"HOME": str(folder)}), target, fixture_manifest(target))
    source = FixtureSource(fixture_dir("demo"))
    period = read_manifest(fixture_dir("demo")).collection.period
    run = open_run(settings, target, Console(sys.stderr, sys.stderr), repository=source.repository, period=period)
    run_all(run, source, period)
    return run, run_until(run, "compose")


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _open(folder: Path, model: _Model, languages: Sequence[str]) -> Run:
    flags = {"model": "bench", "languages": list(languages), "out": str(folder / "runs"), "concurrency": 4}
    target = Target(SourceKind.fixture, ModelKind.openai, None, f"{folder / 'week'}/")
    settings = load_settings(None, flags, {"HOME": str(folder), "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    settings = effective(settings, target, fixture_manifest(target))
    return open_run(
        settings,
        target,
        Console(sys.stderr, sys.stderr),
        repository="toy/pages",
        period=PERIOD,
        asker=lambda budget: Asker(model, ReplyStore(folder / "replies", _say), budget=budget),
    )
