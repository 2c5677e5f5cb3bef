"""A pytest plugin: `pytest_plugins = ["command_fixture"]` gives a test module the command line."""

from pathlib import Path

import pytest
from command_line import CommandLine


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """In an empty folder of its own."""
    return CommandLine(tmp_path, monkeypatch, capsys)
