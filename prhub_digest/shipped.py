"""Where the prompts and the demo fixture are: inside the wheel, or at the top of a checkout."""

from pathlib import Path

from prhub_digest.errors import SourceError

_PACKAGE = Path(__file__).parent


def prompts_dir() -> Path:
    return _shipped("prompts")


def fixture_dir(name: str) -> Path:
    """The folder of a fixture: a shipped one by its name, or any folder by its path, which may be one word.

    Raises:
        SourceError: there is no such fixture; the message lists the shipped ones.
    """
    given = fixture_name(name)
    folder = Path(given) if "/" in given else _shipped("fixtures") / given
    if not (folder / "manifest.json").is_file():
        shipped = sorted(path.parent.name for path in _shipped("fixtures").glob("*/manifest.json"))
        raise SourceError(
            f"no fixture {name!r}: {folder / 'manifest.json'} is missing. Shipped fixtures: {', '.join(shipped)}."
        )
    return folder


def fixture_name(given: str) -> str:
    """The one way to write what may be given as `fix`, `fix/`, `./fix` or `./fix/`; a shipped fixture is a word."""
    if "/" not in given and (_shipped("fixtures") / given / "manifest.json").is_file():
        return given
    path = given.rstrip("/") or "/"
    return path if "/" in path else f"./{path}"


def _shipped(kind: str) -> Path:
    inside_wheel = _PACKAGE / "shipped" / kind
    return inside_wheel if inside_wheel.is_dir() else _PACKAGE.parent / kind
