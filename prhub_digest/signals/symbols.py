"""Exported symbols of a hunk with their signatures, by language. Syntax is read line by line, nothing is compiled."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from prhub_digest.signals.file_diffs import Row, is_code

_NAME = r"(?P<name>[A-Za-z]\w*)"
_SCRIPT = (
    r"^export (?:default )?(?:declare )?(?:abstract )?(?:async )?"
    rf"(?P<word>function\*?|class|const|let|interface|type|enum) {_NAME}"
)
_JAVA = (
    r"^\s*(?:public|protected) (?:(?:static|final|abstract|synchronized|default|sealed|open|override|suspend) )*"
    rf"(?P<word>class|interface|enum|record|@interface|[\w.<>\[\], ?]+?) {_NAME}\s*(?=[(<{{]|extends|implements|$)"
)
_HEADER = (
    rf"^(?P<word>struct|class|enum(?: class)?|union|#\s*define) {_NAME}\b(?!\s*(?:;|$))"
    r"|^(?!(?:return|else|using|namespace|typedef|static_assert)\b)(?:[\w:<>,]+[\s*&]+)+(?P<function>[A-Za-z]\w*)\s*\("
)
# By ending: what begins an exported symbol.
_SYMBOLS = {
    endings: re.compile(pattern)
    for endings, pattern in {
        (
            ".py",
            ".pyi",
        ): r"^(?P<indent>(?: {4})?)(?:async )?(?P<word>def|class) (?P<name>[A-Za-z]\w*|__init__|__call__)",
        (".rs",): (
            r'^\s*pub (?:(?:const|async|unsafe|extern "\w+") )*'
            rf"(?P<word>fn|struct|enum|trait|type|const|static|union) {_NAME}"
        ),
        (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs"): _SCRIPT,
        (".go",): r"^(?P<word>func|type|var|const) (?:\(\w* ?\*?[A-Z]\w*(?:\[[^\]]*\])?\) )?(?P<name>[A-Z]\w*)",
        (".java", ".kt", ".scala"): _JAVA,
        (".h", ".hpp", ".hh", ".hxx", ".cuh"): _HEADER,
    }.items()
}
_BY_ENDING = {ending: pattern for endings, pattern in _SYMBOLS.items() for ending in endings}
_MARKING = frozenset({".rs", ".go", ".java", ".kt", ".scala", ".h", ".hpp", ".hh", ".hxx", ".cuh"})
# What only has a name: its body and its value are no signature.
_BARE = frozenset({"struct", "enum", "enum class", "union", "interface", "type", "let", "const", "var", "static"})
_PYTHON_BLOCK = re.compile(r"(?:async )?(?P<word>def|class) (?P<name>\w+)")
_LONGEST = 40
_BLANKS = re.compile(r"\s+|,\s*(?=[)\]>])")
_OPEN, _CLOSE = "([", ")]"


class Symbol(NamedTuple):
    """`name` as it is called from outside (`Queue.push`); `signature` without blanks: formatting changes nothing."""

    name: str
    signature: str
    row: Row


def marks_exports(path: str) -> bool:
    """Whether the language marks what others may call, by a word, a capital letter or a header of its own."""
    return _ending(path) in _MARKING


def exported(path: str, rows: Sequence[Row], section: str) -> Iterator[Symbol]:
    """The symbols that one side of a hunk shows, unchanged ones too; none for a language that is not known."""
    pattern = _BY_ENDING.get(_ending(path))
    if pattern is None or not rows:
        return
    if section.endswith("(") and _begins_inside(rows):
        rows = (Row(rows[0].number, section, False), *rows)
    outer = section
    for place, row in enumerate(rows):
        if row.text[:1].strip() and row.text[0] not in ")]}":
            outer = row.text
        found = pattern.match(row.text)
        if found is None:
            continue
        name = found["name"] or found["function"]
        if "indent" in pattern.groupindex and found["indent"]:
            owner = _class_of(outer)
            if owner is None:
                continue
            name = f"{owner}.{name}"
        yield Symbol(name, _signature(pattern, rows, place, (found["word"] or "").strip()), row)


def _ending(path: str) -> str:
    return "." + path.rpartition(".")[2]


def _begins_inside(rows: Sequence[Row]) -> bool:
    """Whether a hunk begins among the parameters of what git names: only such lines up to the closing bracket."""
    for row in rows[:_LONGEST]:
        text = row.text.strip()
        if text.startswith(")"):
            # A call in the body closes otherwise.
            return text.endswith((":", "{")) or "->" in text
        if not text.endswith((",", "[")) and is_code(text):
            return False
    return False


def _class_of(outer: str) -> str | None:
    """The public Python class that a line without indentation opens; None when it opens a function or nothing."""
    found = _PYTHON_BLOCK.match(outer)
    return found["name"] if found and found["word"] == "class" and not found["name"].startswith("_") else None


def _signature(pattern: re.Pattern[str], rows: Sequence[Row], place: int, word: str) -> str:
    """The declaration up to its body, over as many lines as its brackets need, but not into the next one."""
    if word in _BARE:
        return word
    text, depth = "", 0
    for offset, row in enumerate(rows[place : place + _LONGEST]):
        if offset and pattern.match(row.text):
            break
        for position, sign in enumerate(row.text):
            depth += (sign in _OPEN) - (sign in _CLOSE)
            if depth == 0 and (sign in "{;" or row.text.startswith((" = ", " => "), position)):
                return _plain(text + row.text[:position])
        text += row.text + " "
        if depth <= 0:
            break
    return _plain(text)


def _plain(signature: str) -> str:
    return _BLANKS.sub("", signature).rstrip(":,").replace("'", '"')
