"""Default values that a line declares: of parameters, fields, options and constants."""

import re
from collections.abc import Iterator, Sequence

from prhub_digest.signals.file_diffs import Row, opener

# A value ends where a comment, a further argument or the declaration ends.
_PYTHON_FIELD = re.compile(
    r"^(?P<indent> {0,8})(?P<name>[A-Za-z]\w*)\s*:\s*"
    r"(?:[A-Z\"']|(?:int|float|str|bool|bytes|list|dict|set|frozenset|tuple|type|object)\b|\w+\.\w)[^=#]*?"
    r"\s*=\s*(?P<value>[^=\s].*)$"
)
_CONSTANT = re.compile(
    r"^\s*(?:export\s+|pub(?:\([^)]*\))?\s+|public\s+|private\s+|protected\s+)?"
    r"(?:(?:inline|static|const|constexpr|final|val|let|var|unsigned|readonly|__constant__)\s+)*"
    r"(?:\w+(?:::\w+)*(?:<[\w:, ]*>)?\s+)?(?P<name>[A-Za-z]\w*)\s*(?::\s*[\w:<>&' \[\]|]+)?\s*=\s*(?P<value>[^=\s].*)$"
)
_DEFINE = re.compile(r"^#\s*define\s+(?P<name>[A-Za-z_]\w*)\s+(?P<value>\S.*)$")
_NAMED = re.compile(
    r"""(?:^\s*|[(,{]\s*)default(?:_value(?:_t)?)?\s*[=:]\s*(?P<value>"[^"]*"|'[^']*'|[^,()\[\]{}]+(?:\([^()]*\)|\[[^\]]*\])?|\[[^\]]*\])"""
    r"|\.default\((?P<call>[^()]*)\)"
)
_RUST_DEFAULT = re.compile(r"^\s+(?P<name>[a-z]\w*): (?P<value>[^,{(]+(?:\([^()]*\))?),$")
_OPTION_NAME = re.compile(
    r"""["'](?P<option>--[\w-]+)|^\s*(?:pub )?["']?(?P<field>[A-Za-z]\w*)["']?\s*\??[:=]|^\s*(?:pub )?(?P<rust>\w+):"""
)
_PARAMETER = re.compile(r"(?P<name>[A-Za-z]\w*)(?P<type>:[^=]+)?=(?P<value>.+)", re.DOTALL)
# What changes with every release or download is no default of a behaviour.
_NOT_DEFAULTS = re.compile(
    r"version|revision|_?sha\d*$|hash|checksum|digest|commit|_?date$|copyright|__\w+__", re.IGNORECASE
)
# Of constants, those that a user notices: a bound, a time, a switch, or what is called a default.
_NOTICED = re.compile(
    r"default|timeout|limit|threshold|interval|retr(?:y|ies)|capacity|backoff|ttl|(?:^|_)(?:max|min|enabled?|disabled?)(?:_|$)"
    r"|^k(?:Max|Min|Enable)|^(?:max|min)[A-Z]",
    re.IGNORECASE,
)
_LITERAL = re.compile(
    r"[-+]?\.?\d|[\"'\[{(]|(?:[Tt]rue|[Ff]alse|None|nil|null|nullptr)\b|[A-Z][\w.:]*$|(?:time|Duration)\b"
)
_DIGEST = re.compile(r"[0-9a-f]{20}")
_TRAILING = re.compile(r"\s*(?:(?:\s#|//|/\*).*)?$")
_NEAR = 6


def declared_defaults(path: str, rows: Sequence[Row], place: int, section: str) -> Iterator[tuple[str, str]]:
    """Names and values that the line at `place` of one side declares; a value that goes on on other lines is none."""
    text = rows[place].text
    if "=" not in text and ":" not in text and "efault" not in text and not text.startswith("#"):
        return
    for name, value in _declared(path, rows, place, section):
        plain = plain_value(value)
        if plain and not _NOT_DEFAULTS.search(name) and not _DIGEST.search(plain):
            yield name, plain


def parameter_defaults(signature: str) -> dict[str, str]:
    """The defaults of a signature without blanks (`push(item,timeout:float=3.0)`)."""
    inner = signature.partition("(")[2].rpartition(")")[0]
    found = (_PARAMETER.fullmatch(part.lstrip("*")) for part in _arguments(inner))
    return {match["name"]: match["value"] for match in found if match}


def plain_value(value: str) -> str:
    """A value without what formatting changes; empty for one that goes on on other lines."""
    value = _TRAILING.sub("", value.strip()).rstrip(",;").strip().replace("'", '"')
    return "" if value.endswith(("(", "[", "{", "\\", "=>")) else value


def _declared(path: str, rows: Sequence[Row], place: int, section: str) -> Iterator[tuple[str, str]]:
    text = rows[place].text
    named = _NAMED.search(text) if "default" in text else None
    if named:
        yield _name_around(rows, place), named["value"] or named["call"]
        return
    if path.endswith((".py", ".pyi")):
        field = _PYTHON_FIELD.match(text)
        if field and _is_declared(field, opener(rows, place, section)):
            yield field["name"], field["value"]
            return
    if path.endswith(".rs") and "fn default(" in opener(rows, place, section):
        inside = _RUST_DEFAULT.match(text)
        if inside:
            yield inside["name"], inside["value"]
            return
    if text[:1].isspace() and not path.endswith(_TYPED):
        return
    constant = _DEFINE.match(text) if text.startswith("#") else _CONSTANT.match(text)
    if constant and _NOTICED.search(constant["name"]) and _LITERAL.match(constant["value"]):
        yield constant["name"], constant["value"]


# Where a constant may be indented: in the languages in which a word marks it, or its block.
_TYPED = (".rs", ".go", ".java", ".kt", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp")


def _name_around(rows: Sequence[Row], place: int) -> str:
    """What a `default=` belongs to: the option, field or key named on its line or shortly before."""
    for row in reversed(rows[max(0, place - _NEAR) : place + 1]):
        for found in _OPTION_NAME.finditer(row.text):
            name = found["option"] or found["field"] or found["rust"]
            if name and name not in {"default", "help", "type", "choices", "description", "action", "required", "dest"}:
                return name
    return "default"


def _is_declared(field: re.Match[str], around: str) -> bool:
    """Whether an annotated name is a parameter, a field of a class or a name of the module, and no local variable."""
    if not field["indent"]:
        return True
    return around.lstrip().startswith("class ") or (
        around.rstrip().endswith("(") and field["value"].rstrip().endswith(",")
    )


def _arguments(text: str) -> Iterator[str]:
    """The parts between commas that stand in no bracket."""
    depth, start = 0, 0
    for position, sign in enumerate(text):
        depth += (sign in "([{<") - (sign in ")]}>")
        if sign == "," and depth <= 0:
            yield text[start:position]
            start = position + 1
    yield text[start:]
