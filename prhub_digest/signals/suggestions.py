"""What a review remark suggests, and whether it stands in the merged file."""

import re
from collections.abc import Iterable

from prhub_digest.diff import parse_hunks
from prhub_digest.models.pull_request import FileChange, PullRequest, ReviewThread

_BLOCK = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*suggestion\b[^\n]*\n(?P<lines>.*?)^[ \t]*\1", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`(?P<code>[^`\n]{1,80})`")
# A name that is more than a common word: with `_`, `.`, `::`, a call, or a capital inside.
_SYMBOL = re.compile(r"[A-Za-z_][\w.:]*(?:_|\.|::)\w[\w.:]*(?:\(\))?|\w+\(\)|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*")
# What stands right before an advised name: `use`, `call`, `rename it to`, `replace … with`, 改成.
_ADVICE = re.compile(
    r"\b(?:use|using|call(?:ing)?|prefer|switch\s+to|(?:should|could)\s+be|be\s+called|add(?:ing)?|name\s+(?:it|this)|via"
    r"|renam(?:e|ed|ing)\b[^\n]{0,60}?\s(?:to|as)|replac(?:e|ed|ing)\b[^\n]{0,60}?\s(?:with|by))\s*(?:(?:an?|the)\s+)?$"
    r"|(?:改成|改为|换成|用|使用|调用|叫|命名为|加上?|增加)\s*$",
    re.IGNORECASE,
)
_BEFORE = 90
_SHORTEST_LINE = 4


def has_suggestion(body: str) -> bool:
    return _BLOCK.search(body) is not None


def suggestion_stands(thread: ReviewThread, pull: PullRequest) -> bool:
    """Whether every line of a suggestion block that was not there before the remark was added by the pull request."""
    body = thread.comments[0].body if thread.comments else ""
    before = {line[1:].strip() for line in (thread.diff_hunk or "").split("\n") if line[:1] != "-"}
    added = {text.strip() for text in _lines(_files_at(thread.path, pull), "+")}
    for found in _BLOCK.finditer(body):
        wanted = {line.strip() for line in found["lines"].split("\n")} - before
        wanted = {line for line in wanted if len(line) >= _SHORTEST_LINE}
        if wanted and wanted <= added:
            return True
    return False


def symbols_of(body: str) -> tuple[str, ...]:
    """The names in code that a remark advises to use, in its order; those that it only speaks of are none."""
    outside = _BLOCK.sub("", body)
    found = (
        span["code"]
        for span in _SPAN.finditer(outside)
        if _SYMBOL.fullmatch(span["code"]) and _ADVICE.search(outside[max(0, span.start() - _BEFORE) : span.start()])
    )
    return tuple(dict.fromkeys(code.removesuffix("()") for code in found))


def symbol_stands(thread: ReviewThread, pull: PullRequest) -> str | None:
    """The first advised name that the merged file holds and the code under the remark did not."""
    body = thread.comments[0].body if thread.comments else ""
    hunk = thread.diff_hunk or ""
    symbols = [symbol for symbol in symbols_of(body) if not _holds(symbol, hunk)]
    if not symbols:
        return None
    added = "\n".join(_lines(_files_at(thread.path, pull), "+"))
    return next((symbol for symbol in symbols if _holds(symbol, added)), None)


def touches_symbol(pull: PullRequest, path: str, symbols: Iterable[str]) -> str | None:
    """The first of the names on a line that a pull request changed in that file."""
    changed = "\n".join(_lines(_files_at(path, pull), "+-"))
    return next((symbol for symbol in symbols if _holds(symbol, changed)), None)


def _files_at(path: str, pull: PullRequest) -> tuple[FileChange, ...]:
    return tuple(file for file in pull.files if path in {file.path, file.previous_path})


def _lines(files: Iterable[FileChange], kinds: str) -> list[str]:
    return [
        line.text
        for file in files
        if file.patch
        for hunk in parse_hunks(file.patch)
        for line in hunk.lines
        if line.kind in kinds
    ]


def _holds(symbol: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(symbol)}(?!\w)", text) is not None
