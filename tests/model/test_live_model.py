"""A real endpoint, however weak its model: what it takes is found out, and no sentence that is refused is printed."""

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from command_line import CommandLine

from prhub_digest.llm.abilities import RUNGS, Abilities
from prhub_digest.llm.openai_api import OpenAIClient
from prhub_digest.llm.probe import Probe
from prhub_digest.llm.request_tokens import content_tokens, most_input_tokens
from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.llm import Rung, StoredReply
from prhub_digest.models.verification import Verification
from prhub_digest.retry import call_with_retry
from prhub_digest.shipped import fixture_dir
from prhub_digest.tokens import tokenizer_for

NUMBERS = (4140, 4170)
NOTHING = "pull requests could be summarized, so there is no digest"
PATIENCE = 900.0  # a model on a busy CPU
LEAST = 0.7  # of o200k's tokens; no vocabulary in use is that much larger
RUN = Path("runs/aurora-serve__aurora/2026-W23")


@pytest.fixture(scope="module")
def model() -> str:
    name = os.environ.get("PRHUB_MODEL")
    assert name, "set OPENAI_BASE_URL, OPENAI_API_KEY and PRHUB_MODEL"
    return name


@pytest.fixture(scope="module")
def probe() -> Probe:
    return Probe(os.environ.get("OPENAI_BASE_URL"), os.environ.get("OPENAI_API_KEY"), PATIENCE)


@pytest.fixture(scope="module")
def best(probe: Probe, model: str) -> Rung:
    """The highest rung that gives a valid object."""
    return probe.best(model).abilities.rung


@pytest.mark.model
@pytest.mark.parametrize("rung", RUNGS)
def test_each_rung_alone_is_valid_or_rejected_in_a_way_that_is_understood(
    probe: Probe, model: str, best: Rung, rung: Rung
) -> None:
    """An endpoint that rejects a rung is asked on the one below. One that takes a schema and does not keep to it
    gives an answer with a named fault, and then its best rung is a lower one.
    """
    tried = probe.on(model, Abilities(rung=rung))
    print(f"\n{rung}: {tried}")  # noqa: T201 - `pytest -s` shows what an endpoint can do
    assert RUNGS.index(tried.abilities.rung) >= RUNGS.index(rung)
    assert tried.fault is None or RUNGS.index(tried.abilities.rung) < RUNGS.index(best)
    assert tried.usage.calls == 1


@pytest.mark.model
def test_the_input_that_an_endpoint_reports_lies_within_our_counts(model: str) -> None:
    """For a real summary's request: not much below its texts, and no more than is expected of an unknown vocabulary."""
    recorded = fixture_dir("demo") / "replies" / "summarize_pr" / f"pr-{NUMBERS[0]}.json"
    request = StoredReply.model_validate_json(recorded.read_bytes()).request.updated(model=model)
    url, key = os.environ.get("OPENAI_BASE_URL"), os.environ.get("OPENAI_API_KEY")
    with closing(OpenAIClient(url, key, PATIENCE, 1)) as client:
        reported = call_with_retry(lambda: client.complete(request, request.messages, 64)).usage.input_tokens
    texts = content_tokens(request.messages, tokenizer_for("gpt-4o").count)
    most = most_input_tokens(request, request.messages, tokenizer_for("unknown").count)
    print(f"\n{reported} tokens reported, {texts} of o200k in the texts, {most} expected at most")  # noqa: T201 - as above
    assert LEAST * texts <= reported <= most


def two_pull_requests(folder: Path) -> None:
    """A fixture of two small pull requests of the demo week."""
    demo = fixture_dir("demo")
    (folder / "pulls").mkdir(parents=True)
    for number in NUMBERS:
        shutil.copy(demo / "pulls" / f"{number}.json", folder / "pulls")
    manifest = FixtureManifest.model_validate_json((demo / "manifest.json").read_bytes())
    collection = manifest.collection.updated(numbers=NUMBERS)
    (folder / "manifest.json").write_text(manifest.updated(collection=collection, compose_tokens=2600).to_json())


@pytest.mark.model
def test_a_live_model_gives_a_digest_without_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], model: str
) -> None:
    two_pull_requests(tmp_path / "week")
    (tmp_path / "prhub.toml").write_text(f"timeout_seconds = {PATIENCE}\nconcurrency = 1\n", encoding="utf-8")
    command = CommandLine(tmp_path, monkeypatch, capsys)
    outcome = command("run", "--fixture", "./week/", "--llm", "openai", "--lang", "en", "--lang", "zh")
    if outcome.code == 4 and NOTHING in outcome.err:
        assert not list(RUN.glob("digest.*"))
        pytest.skip(f"the model is too weak for one summary of two: {outcome.err.strip()[-300:]}")
    assert outcome.code in (0, 1), outcome.err
    for language in ("en", "zh"):
        verification = Verification.model_validate_json((RUN / f"verification.{language}.json").read_bytes())
        assert verification.errors == ()
        assert "#4140" in (RUN / f"digest.{language}.md").read_text()
