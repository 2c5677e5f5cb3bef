"""Whether the lines that a review thread is about were changed before the merge (pure).

Told by content: line numbers and commits do not survive a force push. What cannot be told stays None.
"""

from collections.abc import Sequence

from prhub_digest.collect.github_pulls import ThreadAnchor

_CONTEXT = 3
# Lines with fewer letters and digits than this (a bracket, `end`, nothing at all) say nothing by themselves.
_FEW_CHARACTERS = 6

_Lines = Sequence[tuple[str, str]]  # the mark of a line in the hunk, and its text


def lines_changed_later(anchor: ThreadAnchor, head_commit: str | None, text: str | None) -> bool | None:
    """Whether the lines of a remark were changed between the remark and the merge.

    The text decides: the merge itself can change a line that nobody changed after the remark (a conflict, a squash).

    Args:
        anchor: where the remark was made; one on a whole file has no lines of which this could be told.
        head_commit: the last commit of the pull request; where the text says nothing, a remark on it was followed by no
            change.
        text: the file as merged. None says only that it is not known: a file that is gone cannot be told from a
            binary one, or from one that could not be read.
    """
    if anchor.lines == 0:
        return None
    changed = None if text is None else _changed_in(text, anchor)
    if changed is None and anchor.commit is not None and anchor.commit == head_commit:
        return False
    return changed


def _changed_in(text: str, anchor: ThreadAnchor) -> bool | None:
    hunk = _hunk_lines(anchor.diff_hunk)
    other = "-" if anchor.side == "new" else "+"
    places = [place for place, (mark, _) in enumerate(hunk) if mark != other]
    if anchor.lines > len(places) or places[-1] != len(hunk) - 1:
        return None
    first = places[-anchor.lines]
    marks = {hunk[place][0] for place in places[-anchor.lines :]}
    if "-" not in marks:
        there = _still_there(_kept(hunk[:first]), _kept(hunk[first:]), _Text(text))
        return None if there is None else not there
    return _deleted_are_back(hunk, hunk[first:], _Text(text)) if marks == {"-"} else None


class _Text:
    """The merged file, in which whole lines are looked for; white space at their ends does not count."""

    def __init__(self, text: str) -> None:
        self._text = "\n".join(("", *(line.rstrip() for line in text.split("\n")), ""))
        self._undecoded = "\ufffd" in text

    def holds(self, lines: _Lines) -> bool:
        return self._wanted(lines) in self._text

    def holds_once(self, lines: _Lines) -> bool:
        wanted = self._wanted(lines)
        return self._text.find(wanted) == self._text.rfind(wanted) != -1

    def may_hold(self, lines: _Lines) -> bool:
        """GitHub may have guessed an encoding where git's bytes are replaced; such lines are never equal."""
        return self.holds(lines) or (self._undecoded and not all(text.isascii() for _, text in lines))

    def _wanted(self, lines: _Lines) -> str:
        return "\n".join(("", *(text for _, text in lines), ""))


def _still_there(above: _Lines, remarked: _Lines, merged: _Text) -> bool | None:
    """True when found below the lines above them, or once; None when found in several places, or saying too little."""
    if not merged.may_hold(remarked):
        return False
    with_context = (*above[-_CONTEXT:], *remarked)
    if _says_something(with_context) and merged.holds(with_context):
        return True
    return True if _says_something(remarked) and merged.holds_once(remarked) else None


def _deleted_are_back(hunk: _Lines, remarked: _Lines, merged: _Text) -> bool | None:
    """True when they stand again below the lines that stayed; None when elsewhere: they may have been moved there."""
    if not merged.may_hold(remarked):
        return False
    old = [line for line in hunk if line[0] != "+"]
    stayed = max((place for place, (mark, _) in enumerate(old, 1) if mark == " "), default=0)
    above = old[max(stayed - _CONTEXT, 0) : stayed]
    return True if _says_something(above) and merged.holds((*above, *old[stayed:])) else None


def _kept(lines: _Lines) -> _Lines:
    return [line for line in lines if line[0] != "-"]


def _says_something(lines: _Lines) -> bool:
    return sum(character.isalnum() for _, text in lines for character in text) >= _FEW_CHARACTERS


def _hunk_lines(diff_hunk: str) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    for line in diff_hunk.removesuffix("\n").split("\n") if diff_hunk else ():
        if line.startswith("@@"):
            lines = []
        elif not line.startswith("\\"):
            lines.append((line[:1].strip() or " ", line[1:].rstrip()))
    return lines
