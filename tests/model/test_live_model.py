"""A real endpoint, however weak its model: the run ends, and nothing that a check refuses is printed."""

import os
import shutil
from pathlib import Path

import pytest
from command_line import CommandLine

from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.verification import Verification
from prhub_digest.shipped import fixture_dir

NUMBERS = (4140, 4170)
RUN = Path("runs/aurora-serve__aurora/2026-W23")


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
def test_a_live_model_gives_a_digest_without_errors(tmp_path, monkeypatch, capsys):
    assert os.environ.get("PRHUB_MODEL"), "set OPENAI_BASE_URL, OPENAI_API_KEY and PRHUB_MODEL"
    two_pull_requests(tmp_path / "week")
    command = CommandLine(tmp_path, monkeypatch, capsys)
    outcome = command("run", "--fixture", "./week/", "--llm", "openai", "--lang", "en", "--lang", "zh")
    assert outcome.code in (0, 1), outcome.err
    for language in ("en", "zh"):
        verification = Verification.model_validate_json((RUN / f"verification.{language}.json").read_bytes())
        assert verification.errors == ()
        assert "#4140" in (RUN / f"digest.{language}.md").read_text()
