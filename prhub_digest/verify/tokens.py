"""The parts of a sentence that must come from a cited pull request: tokens with digits and names of code.

Pure patterns without nested repetition: linear in the length of a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from prhub_digest.verify.occurrences import Needle, plain

CODE_SPAN = re.compile(r"`([^`\n]+)`")
_RUN = re.compile(r"[A-Za-z0-9_.\-/=+:#@%~*&^$\\×µμ−–]+")
_EDGES = ".:/+-*~=&^–"
_UNIT = (
    r"(?:%|x|×|ms|us|µs|μs|ns|s|secs?|mins?|h|hrs?|d|k|K|M|[KMGT]i?B|kB|[kMG]bps|fps|tok|tokens?|tps|qps|rps|pp|pts?"
    r"|-?fold|-?times|st|nd|rd|th)(?:/(?:s|sec|req|token))?"
)
_QUANTITY = re.compile(rf"[−$~+\-]*\d[\d.]*(?:{_UNIT})?(?:[-–~/:−]\d[\d.]*(?:{_UNIT})?)*")
_VERSION = re.compile(r"\d+(?:\.\d+){2,}")
_PULL = re.compile(r"(?:pr|mr|gh|issue|pull)[-#/_]?\d+", re.IGNORECASE)
_PARTS = re.compile(r"[-/+:@]")
_NAMES = re.compile(
    r"(?P<flag>(?<![\w-])--[A-Za-z][\w-]*)"
    r"|(?P<path>[\w.-]+(?:/[\w.-]+)+)"
    r"|(?P<word>\w[\w.]*)",
    re.ASCII,
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+", re.ASCII)
_CAMEL = re.compile(r"[A-Za-z]*[a-z][A-Z]\w*|[A-Z]{2,}[a-z]{2,}\w*", re.ASCII)
_NO_NAMES = frozenset({"e.g", "i.e", "a.k.a", "GitHub"})


@dataclass(frozen=True, slots=True)
class Token:
    """`options`: it is backed when every needle of one of them stands in the source. None at all: never."""

    text: str
    options: tuple[frozenset[Needle], ...]

    @property
    def needles(self) -> frozenset[Needle]:
        return frozenset(chain.from_iterable(self.options))


def digit_tokens(text: str) -> list[Token]:
    """The tokens with a digit. Quantities and numbers of pull requests have no options."""
    runs = (run.strip(_EDGES) for run in _RUN.findall(plain(text)))
    return [Token(run, _digit_options(run)) for run in runs if any(char.isdigit() for char in run)]


def is_quantity(token: str) -> bool:
    return "#" in token or bool(_PULL.fullmatch(token)) or (bool(_QUANTITY.fullmatch(token)) and not _version(token))


def code_tokens(text: str) -> list[Token]:
    """Code spans, flags, paths, dotted, snake_case and CamelCase names."""
    text = plain(text)
    spans = [Token(span, _span_options(span)) for span in map(str.strip, CODE_SPAN.findall(text)) if span]
    return spans + list(_names(CODE_SPAN.sub(" ", text)))


def _version(token: str) -> bool:
    return bool(_VERSION.fullmatch(token))


def _digit_options(token: str) -> tuple[frozenset[Needle], ...]:
    if is_quantity(token):
        return ()
    parts = [part for part in _PARTS.split(token) if any(char.isdigit() for char in part)]
    options = [frozenset({Needle("name", token)}), frozenset({Needle("code", token)})]
    if not any(is_quantity(part) for part in parts):
        options.append(frozenset(Needle("name", part) for part in parts))
    return tuple(options)


def _span_options(span: str) -> tuple[frozenset[Needle], ...]:
    options = [frozenset({Needle("code", span)})]
    for separator in (r"[^\w.-]+", r"[^\w-]+"):  # words of a command; members of a class, which no line may write so
        pieces = [piece.strip(".-") for piece in re.split(separator, span)]
        options.append(frozenset(Needle("code", piece) for piece in pieces if piece))
    return tuple(option for option in options if option)


def _names(text: str) -> Iterator[Token]:
    for match in _NAMES.finditer(text):
        name = match[0].strip(".") if match.lastgroup != "flag" else match[0]
        if name in _NO_NAMES:
            continue
        exact = frozenset({Needle("code", name)})
        if match.lastgroup == "flag":
            yield Token(name, (exact, frozenset({Needle("code", name[2:].replace("-", "_"))})))
        elif match.lastgroup == "path" and re.search(r"[._]\w", name):
            yield Token(name, (exact,))
        elif match.lastgroup == "path":
            yield from (token for part in name.split("/") for token in _names(part))
        elif _DOTTED.fullmatch(name):
            yield Token(name, (exact, frozenset(Needle("code", part) for part in name.split("."))))
        elif "_" in name.strip("_"):
            yield Token(name, (exact, frozenset({Needle("code", name.replace("_", "-"))})))
        elif _CAMEL.fullmatch(name):
            yield Token(name, (exact, frozenset({Needle("name", name)})))
