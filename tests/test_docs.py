"""What a user can meet is written down: commands, exit codes, settings; and the rooms of the package."""

import re
from pathlib import Path

import pytest
import typer

from prhub_digest import errors
from prhub_digest.cli.main import app
from prhub_digest.models.settings import Settings
from prhub_digest.settings import ENVIRONMENT

CHECKOUT = Path(__file__).parent.parent
PAGES = {
    path: path.read_bytes().decode("utf-8") for path in [CHECKOUT / "README.md", *(CHECKOUT / "docs").glob("*.md")]
}
EVERYTHING = "\n".join(PAGES.values())
ARCHITECTURE = PAGES[CHECKOUT / "docs" / "architecture.md"]
# Where a word is a command: in code, or behind the program's name.
CODE = re.compile(r"`([^`\n]+)`|^(?: {4}|\$ )?(prhub-digest .*)$", re.MULTILINE)


def commands() -> list[str]:
    group = typer.main.get_command(app)
    names: list[str] = []
    for name, command in sorted(group.commands.items()):  # type: ignore[attr-defined]
        names.extend(f"{name} {sub}" for sub in sorted(getattr(command, "commands", {})) or ())
        if not getattr(command, "commands", {}):
            names.append(name)
    return names


def exit_codes() -> set[int]:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.PrhubError)]
    return {0, 1, 130, *(kind.exit_code for kind in kinds)}


@pytest.mark.parametrize("command", commands())
def test_every_command_is_written_down(command: str) -> None:
    spots = " | ".join(found for pair in CODE.findall(EVERYTHING) for found in pair if found)
    group, _, last = command.partition(" ")
    words = rf"\b{group} (?:\w+ \| )*{last}\b" if last else rf"(?<![\w-]){group}\b"
    assert re.search(words, spots), f"{command!r} stands in no page"


@pytest.mark.parametrize("code", sorted(exit_codes()))
def test_every_exit_code_is_written_down(code: int) -> None:
    row = re.compile(rf"^\|? ?`?{code}`? (?:\||:|–|-)|[Ee]xit (?:code )?`?{code}\b", re.MULTILINE)
    assert row.search(EVERYTHING), f"exit code {code} stands in no page"


@pytest.mark.parametrize("name", sorted({*Settings.model_fields} - {"api_key"}))
def test_every_setting_is_written_down(name: str) -> None:
    assert f"`{name}`" in EVERYTHING


@pytest.mark.parametrize("name", sorted(ENVIRONMENT))
def test_every_variable_is_written_down(name: str) -> None:
    assert name in EVERYTHING


def rooms() -> list[str]:
    package = CHECKOUT / "prhub_digest"
    folders = [f"{path.name}/" for path in package.iterdir() if (path / "__init__.py").is_file()]
    return sorted([*folders, *(path.name for path in package.glob("*.py") if not path.name.startswith("__"))])


@pytest.mark.parametrize("room", rooms())
def test_every_room_is_on_the_map(room: str) -> None:
    assert f"`{room}`" in ARCHITECTURE


def test_the_map_names_no_room_that_is_gone() -> None:
    table = ARCHITECTURE.partition("| room |")[2].partition("\n\n")[0]
    named = {name for row in table.split("\n")[2:] for name in re.findall(r"`([\w/.]+)`", row.split("|")[1])}
    assert named == set(rooms())


def test_links_between_pages_lead_somewhere() -> None:
    for path, text in PAGES.items():
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"
