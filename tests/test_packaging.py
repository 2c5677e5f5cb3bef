"""The wheel carries what a run needs beside code, and finds it there; so does a checkout."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from prhub_digest import __version__
from prhub_digest.shipped import fixture_dir, prompts_dir

CHECKOUT = Path(__file__).parent.parent
PLACES = (
    "import json, prhub_digest.shipped as s, prhub_digest.tokens as t\n"
    "print(json.dumps([str(s.prompts_dir()), str(s.fixture_dir('demo')), t.tokenizer_for('gpt-4o').count('a page')]))"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by the backend alone, as `pip wheel` would call it, without its isolated environment."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def shipped_files(folder: str) -> set[str]:
    files = (path for path in (CHECKOUT / folder).rglob("*") if path.is_file())
    return {f"prhub_digest/shipped/{path.relative_to(CHECKOUT).as_posix()}" for path in files}


def in_wheel(unpacked: Path, work: Path, *arguments: str) -> str:
    """What the unpacked wheel prints; the checkout is out of its sight."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(unpacked), "HOME": str(work)}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_the_wheel_holds_code_prompts_fixture_and_vocabulary(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    code = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "prhub_digest").rglob("*.py")}
    assert code <= names
    assert {"prhub_digest/tokens/o200k_base.xz", "prhub_digest/shipped/fixtures/demo/manifest.json"} <= names
    assert "prhub_digest/llm/prices.toml" in names
    shipped = {name for name in names if name.startswith("prhub_digest/shipped/")}
    assert shipped == shipped_files("prompts") | shipped_files("fixtures")
    information = f"prhub_digest-{__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"prhub_digest", information}
    assert {f"{information}/licenses/LICENSE", f"{information}/licenses/NOTICE"} <= names


def test_the_wheel_finds_what_it_carries(unpacked: Path, tmp_path: Path) -> None:
    prompts, fixture, tokens = json.loads(in_wheel(unpacked, tmp_path, "-c", PLACES))
    assert prompts == str(unpacked / "prhub_digest/shipped/prompts")
    assert fixture == str(unpacked / "prhub_digest/shipped/fixtures/demo")
    assert tokens == 2


def test_the_wheel_makes_a_digest(unpacked: Path, tmp_path: Path) -> None:
    out = in_wheel(unpacked, tmp_path, "-m", "prhub_digest", "run", "--source", "fixture", "--llm", "none")
    assert out == "runs/aurora-serve__aurora/2026-W23/digest.en.md\n"
    assert "merged PRs: 16 " in (tmp_path / out.strip()).read_bytes().decode()


def test_a_checkout_finds_what_stands_at_its_top() -> None:
    assert (prompts_dir(), fixture_dir("demo")) == (CHECKOUT / "prompts", CHECKOUT / "fixtures" / "demo")
