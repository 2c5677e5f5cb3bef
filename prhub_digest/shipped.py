"""Where the prompts and the demo fixture are: inside the wheel, or at the top of a checkout."""

from pathlib import Path

from prhub_digest.errors import SourceError

_PACKAGE = Path(__file__).parent


def prompts_dir() -> Path:
    return _shipped("prompts")


def fixture_dir(name: str) -> Path:
    """The folder of a fixture: a shipped one by its name, or any folder by a path with a `/`.

    Raises:
        SourceError: there is no such fixture; the message lists the shipped ones.
    """
    folder = Path(name) if "/" in name else _shipped("fixtures") / name
    if not (folder / "manifest.json").is_file():
        hint = "" if "/" in name else f" A folder of your own needs a / in its name, such as ./{name}"
        shipped = sorted(path.parent.name for path in _shipped("fixtures").glob("*/manifest.json"))
        raise SourceError(
            f"no fixture {name!r}: {folder / 'manifest.json'} is missing. Shipped fixtures: {', '.join(shipped)}.{hint}"
        )
    return folder


def _shipped(kind: str) -> Path:
    inside_wheel = _PACKAGE / "shipped" / kind
    return inside_wheel if inside_wheel.is_dir() else _PACKAGE.parent / kind
