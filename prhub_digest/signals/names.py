"""Names that a line of code gives to the outside: environment variables, options, routes, keys of settings files."""

import re
from collections.abc import Iterator, Sequence

from prhub_digest.signals.file_diffs import Row, opener

_ENVIRONMENT = re.compile(
    r"""(?:
      \b(?:os\.)?(?:environ|getenv|putenv|unsetenv|secure_getenv|LookupEnv|Getenv|Setenv)
        (?:\.(?:get|pop|setdefault))?\s*[\[(]\s*["'](?P<call>[A-Za-z_]\w*)["']
    | \benvs?::(?:var|var_os)\s*\(\s*"(?P<rust>\w+)"
    | \b(?:option_)?env!\s*\(\s*"(?P<macro>\w+)"
    | \b(?:process\.env|import\.meta\.env|Deno\.env|Bun\.env)
        (?:\.get\(\s*["'](?P<get>\w+)["']|\.(?P<dot>[A-Za-z_]\w*)|\[\s*["'](?P<key>\w+)["'])
    | \b[Gg]et(?:Env|_env)(?:As\w+|Bool|Int|Str\w*|_bool|_int|_str)?\s*\(\s*["'](?P<other>[A-Z][A-Z0-9_]+)["']
    )""",
    re.VERBOSE,
)
_DOCKER = re.compile(r"^\s*(?:ENV|ARG)\s+(?P<name>[A-Za-z_]\w*)")
_OPTION = re.compile(r"""["'](?P<name>--[a-zA-Z][\w-]+)(?=[ =,/"'\[<])""")
_OPTION_CALL = re.compile(r"add_argument\(|\b\w*[Oo]ption\w*\(|\bargument\(|\.flag\(|\.arg\(|Arg::new")
_CLAP = re.compile(r"#\[(?:arg|clap)\([^\])]*\blong\s*=\s*\"(?P<name>[\w-]+)\"")
# `#[arg(long)]` before a field: the option has the field's name.
_CLAP_FIELD = re.compile(r"^\s+(?:pub(?:\([^)]*\))? )?(?P<name>[a-z]\w*): .*,$")
# What nobody outside of the crate can name may still be set in a file or by a client.
_READ_FROM_OUTSIDE = re.compile(r"#\[(?:serde|option|arg|clap|schemars)\(")
_CLAP_LONG = re.compile(r"#\[(?:arg|clap)\((?:[^\])]*,)?\s*long\s*[,)]")
_COBRA = re.compile(
    r"\b[Ff]lags?(?:et)?(?:\(\))?\.(?:String|Int|Int64|Uint|Bool|Float64|Duration)\w*\(\s*(?:&[\w.]+,\s*)?\"(?P<name>[\w.-]+)\""
)
_ROUTE = re.compile(
    r"""(?:
      (?:@|\b)(?:\w*(?:app|router|route|blueprint|bp|api|server|mux|engine|r))
        \.(?P<verb>get|post|put|delete|patch|head|options|route|websocket|api_route|HandleFunc|Handle|GET|POST|PUT|DELETE|PATCH)
        \(\s*["'](?P<path>/[^"'\s]*)["']
    | @(?:Get|Post|Put|Delete|Patch|Request)Mapping\(\s*(?:(?:value|path)\s*=\s*)?"(?P<java>[^"]+)"
    | \#\[(?:get|post|put|delete|patch)\("(?P<rust>/[^"]*)"
    )""",
    re.VERBOSE,
)
_KEY = re.compile(
    r"""^\s*(?:- )?["']?(?P<key>[A-Za-z_][\w.-]*)["']?\s*[:=]"""
    r"""(?:\s+(?P<value>\S.*)|\s*(?P<tight>[^\s:=].*)|)$"""
)
_KEYED = (".yaml", ".yml", ".toml", ".json", ".json5", ".jsonc", ".ini", ".cfg", ".conf", ".properties", ".env")
# Fields of what declares settings, by ending; a Python field stands in a class.
_FIELDS = {
    ".py": re.compile(r"^ {4}(?P<name>[a-z]\w*)\s*:\s*\S"),
    ".rs": re.compile(r"^\s+pub(?P<inside>\([^)]*\))? (?P<name>[a-z]\w*): "),
    ".ts": re.compile(r"^\s+(?:readonly )?(?P<name>[a-z]\w*)\??: [^,]+;$"),
    ".go": re.compile(r"^\s+(?P<name>[A-Z]\w*)\s+\S.*\b(?:json|yaml|toml|mapstructure|env):\""),
    ".java": re.compile(r"^\s+private (?:final )?[\w<>\[\], ]+ (?P<name>[a-z]\w*)(?: =.*)?;$"),
}
_NEAR = 3
_ATTRIBUTES = 8
# One of them stands in every diff in which a line declares a name of this module.
DECLARING_WORDS = (
    *("env", "Env", "ENV ", "ARG ", "add_argument(", "ption(", "rgument(", ".flag(", ".arg(", "Arg::new", "#[arg"),
    *("#[clap", "lags", "Mapping(", ".route(", ".get(", ".post(", ".put(", ".delete(", ".patch(", "#[get(", "#[post("),
    "Handle",
)


def environment_names(text: str) -> Iterator[str]:
    """The variables that a line reads or sets by name."""
    if "env" not in text and "Env" not in text:
        return
    for found in _ENVIRONMENT.finditer(text):
        yield next(name for name in found.groups() if name)


def docker_names(text: str) -> Iterator[str]:
    found = _DOCKER.match(text)
    if found:
        yield found["name"]


def option_names(rows: Sequence[Row], place: int) -> Iterator[str]:
    """The command line options that a line declares; the call may begin on a line shortly before."""
    text = rows[place].text
    if "--" in text and any(_OPTION_CALL.search(row.text) for row in rows[max(0, place - _NEAR) : place + 1]):
        yield from (found["name"] for found in _OPTION.finditer(text))
    if "long" in text:
        yield from ("--" + found["name"] for found in _CLAP.finditer(text))
    if "lag" in text:
        yield from ("--" + found["name"] for found in _COBRA.finditer(text))


def field_option_names(rows: Sequence[Row], place: int) -> Iterator[str]:
    """The option that a field of Rust is, by an attribute of clap that gives it no other name."""
    text = rows[place].text
    field = _CLAP_FIELD.match(text) if text.endswith(",") else None
    if field and _CLAP_LONG.search(_attributes(rows, place)):
        yield "--" + field["name"].replace("_", "-")


def _attributes(rows: Sequence[Row], place: int) -> str:
    """What stands right before a field of Rust, without the blanks around it; an attribute may take several lines."""
    before: list[str] = []
    for row in reversed(rows[max(0, place - _ATTRIBUTES) : place]):
        if _CLAP_FIELD.match(row.text) or not row.text.strip():
            break
        before.insert(0, row.text.strip())
    return "".join(before)


def field_names(path: str, rows: Sequence[Row], place: int, section: str) -> Iterator[str]:
    """The setting that a line of a class or struct of settings declares."""
    ending = "." + path.rpartition(".")[2]
    found = _FIELDS[ending].match(rows[place].text) if ending in _FIELDS else None
    if found is None or (ending == ".py" and not opener(rows, place, section).startswith("class ")):
        return
    if ending != ".rs" or not found["inside"] or _READ_FROM_OUTSIDE.search(_attributes(rows, place)):
        yield found["name"]


def route_names(text: str) -> Iterator[str]:
    """The HTTP routes that a line declares."""
    if "/" not in text:
        return
    for found in _ROUTE.finditer(text):
        yield f"{(found['verb'] or '').lower()} {found['path'] or found['java'] or found['rust']}".strip()


def is_keyed(path: str) -> bool:
    """Whether the file holds keys with values, one a line."""
    name = path.rpartition("/")[2]
    return name.endswith(_KEYED) or name.startswith(".env")


def key_and_value(text: str) -> tuple[str, str] | None:
    """The key of a line of a settings file, with its value, `""` when that stands on other lines."""
    found = _KEY.match(text)
    return (found["key"], found["value"] or found["tight"] or "") if found else None
