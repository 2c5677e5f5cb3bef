import ast
from collections.abc import Iterator
from pathlib import Path

import prhub_digest.render
from prhub_digest.render.phrases import KEYS

SOURCES = sorted(Path(prhub_digest.render.__file__).parent.glob("*.py"))


def literal_keys(path: Path) -> Iterator[str]:
    """Every string that looks like a phrase's key, and the constant beginning of one that is put together."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in {
            "say",
            "_counted",
        }:
            for argument in node.args:
                for part in ast.walk(argument):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str) and "." in part.value:
                        yield part.value


def test_every_phrase_that_the_code_asks_for_exists() -> None:
    asked = {key for path in SOURCES for key in literal_keys(path)}
    assert len(asked) > 60
    for key in asked:
        if key.endswith("."):
            assert any(known.startswith(key) for known in KEYS), key
        else:
            assert key in KEYS
