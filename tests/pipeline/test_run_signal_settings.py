"""The settings of the signals: another value makes the signals again, and a fixture brings its own."""

import json
from pathlib import Path

from command_line import CommandLine
from git_history import BEFORE, History

from prhub_digest.models.signals import Flag, Signals

pytest_plugins = ["command_fixture"]

RUN = Path("runs/local__clone/2026-W06")


def flags() -> dict[str, Flag]:
    signals = Signals.model_validate_json((RUN / "signals.json").read_bytes())
    return {flag.name: flag for flag in signals.of(7).flags}


def test_another_threshold_or_kind_makes_the_signals_again(command: CommandLine) -> None:
    history = History(command.folder / "clone")
    history.commit("Begin (#1)", {"pages/queue.py": "begin()\n"}, when=BEFORE)
    history.commit("Drain (#7)", {"pages/queue.py": "begin()\nif ready:\n    drain()\n"})
    run = ("run", "./clone", "--week", "2026-W06", "--llm", "none")

    assert command(*run).code == 0
    assert (flags()["missing_tests"].raised, flags()["core_path"].raised) == (False, None)
    before = (RUN / "signals.json").stat().st_mtime_ns
    assert command(*run).code == 0
    assert (RUN / "signals.json").stat().st_mtime_ns == before

    Path("prhub.toml").write_text('[signals]\nuntested_lines = 2\ncore_paths = ["pages/**"]\n', encoding="utf-8")
    outcome = command(*run)
    assert outcome.code == 0
    assert "settings changed since the last run of this folder: signals {} -> {'untested_lines': 2" in outcome.err
    assert flags()["missing_tests"].evidence == "pages/queue.py +2 −0, no test file touched"
    assert flags()["core_path"].evidence == "pages/queue.py (core by the settings)"
    assert json.loads((RUN / "run.json").read_bytes())["settings"]["signals"] == {
        "untested_lines": 2,
        "core_paths": ["pages/**"],
    }

    Path("prhub.toml").write_text('[[file_kinds]]\nkind = "generated"\npaths = ["pages/**"]\n', encoding="utf-8")
    assert command(*run).code == 0
    assert flags()["generated_without_source"].raised is True
    assert flags()["missing_tests"].raised is False
