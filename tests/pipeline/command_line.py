"""`prhub-digest` as a user gives it: in this process for the many, in one of its own where that matters."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from prhub_digest.cli import main as program


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


class CommandLine:
    """Commands with `folder` as the working folder; what they cache stays in it too."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._monkeypatch, self._capture = monkeypatch, capture
        monkeypatch.chdir(folder)
        monkeypatch.setenv("PRHUB_CACHE_DIR", str(folder / "cache"))
        monkeypatch.setattr(program, "_leave", sys.exit)

    def set(self, **environment: str) -> None:
        for name, value in environment.items():
            self._monkeypatch.setenv(name, value)

    def __call__(self, *arguments: str | Path) -> Outcome:
        self._monkeypatch.setattr(sys, "argv", ["prhub-digest", *map(str, arguments)])
        self._capture.readouterr()
        code: int | str | None = 0
        try:
            program.main()
        except SystemExit as left:
            code = left.code
        shown = self._capture.readouterr()
        return Outcome(int(code or 0), shown.out, shown.err)


def own_process(folder: Path, *arguments: str | Path, **environment: str) -> subprocess.Popen[bytes]:
    """The command in a process of its own, with `folder` as working folder and home; wait for it with `ended`."""
    return subprocess.Popen(
        [sys.executable, "-m", "prhub_digest", *map(str, arguments)],
        cwd=folder,
        env=process_environment(folder, environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def process_environment(folder: Path, more: Mapping[str, str]) -> dict[str, str]:
    """The rules by which secrets are found are compiled once for all, not in each new home: 3 s of CPU a process."""
    rules = os.environ.get("KF_RULE_CACHE_DIR") or str(Path.home() / ".cache/kingfisher/rule-cache")
    own = {"HOME": str(folder), "PRHUB_CACHE_DIR": str(folder / "cache"), "KF_RULE_CACHE_DIR": rules}
    return {"PATH": os.environ["PATH"], **own, **more}


def ended(process: subprocess.Popen[bytes]) -> Outcome:
    out, err = process.communicate(timeout=60)
    return Outcome(process.returncode, out.decode("utf-8"), err.decode("utf-8", "replace"))
