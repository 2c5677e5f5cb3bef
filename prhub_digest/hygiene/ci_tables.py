"""Tables in which a CI service reports on its jobs, on coverage or on deployments become one line.

Figures of a benchmark never look so: their columns are other words, or their cells are numbers where a job has a state.
"""

import re
from collections.abc import Sequence

_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_LONGEST_RULE = 400  # characters


def _columns(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


_COVERAGE = _columns(
    "coverage δ, coverage, coverage diff, stmts, statements, miss, missing, cover, branches, branch, functions, funcs,"
    " lines, files with missing lines, impacted files, patch %, patch, % stmts, % branch, % funcs, % lines, uncovered"
    " line #s, file, files, name, complexity δ, missing lines, changed files"
)
_SURELY_COVERAGE = _columns(
    "coverage δ, coverage diff, stmts, % stmts, files with missing lines, impacted files, uncovered line #s"
)
_DEPLOYMENT = _columns(
    "name, project, status, preview, comments, updated (utc), updated, deployment, actions, inspect, latest commit,"
    " latest deploy log, deploy log, commit, branch preview url, preview url, built with, visit"
)
_SURELY_DEPLOYMENT = _columns("updated (utc), latest deploy log, branch preview url, latest commit, inspect")
_JOBS = _columns(
    "job, workflow, check, build, pipeline, step, stage, name, test, suite, task, commit, os, status, conclusion,"
    " result, state, duration, time, log, logs, details, link, run, url, platform"
)
_STATE_COLUMNS = _columns("status, conclusion, result, state")
_STATE = re.compile(
    r"\W*(?:white_check_mark|heavy_check_mark|x|warning|hourglass|success(?:ful)?|succeeded|fail(?:ed|ure|ing)?"
    r"|pass(?:ed|ing)?|skipped|cancell?ed|pending|queued|running|in progress|ready|error|ok)?(?:\W+[a-z ]{0,30})?\W*",
    re.IGNORECASE,
)
_LONGEST_STATE = 80  # characters
_MARKS = re.compile(r"[^\w%#()]+")


def fold_ci_tables(lines: Sequence[str]) -> list[str]:
    """The same number of lines; of such a table the first says what it was, the others are empty."""
    kept = list(lines)
    number = 1
    while number < len(lines):
        head, rule = lines[number - 1], lines[number]
        if "|" not in head or "|" not in rule[:_LONGEST_RULE] or not _RULE.fullmatch(rule.strip()[:_LONGEST_RULE]):
            number += 1
            continue
        end = number + 1
        while end < len(lines) and "|" in lines[end]:
            end += 1
        name = _name(head, lines[number + 1 : end])
        if name is not None:
            rows = end - number - 1
            kept[number - 1 : end] = [f"[{name}: {rows} {'row' if rows == 1 else 'rows'}]", *[""] * (rows + 1)]
        number = end + 1
    return kept


def _name(head: str, rows: Sequence[str]) -> str | None:
    columns = [" ".join(_MARKS.sub(" ", cell.lower()).split()) for cell in _cells(head)]
    named = {column for column in columns if column}
    if named <= _COVERAGE and not named.isdisjoint(_SURELY_COVERAGE):
        return "table of coverage"
    if named <= _DEPLOYMENT and not named.isdisjoint(_SURELY_DEPLOYMENT):
        return "table of deployments"
    states = [place for place, column in enumerate(columns) if column in _STATE_COLUMNS]
    if named <= _JOBS and len(named) > 1 and states and rows and all(_has_state(_cells(row), states) for row in rows):
        return "table of CI results"
    return None


def _has_state(cells: Sequence[str], states: Sequence[int]) -> bool:
    """A cell of a state holds a mark or a word of state, no figure."""
    found = [cells[place] for place in states if place < len(cells)]
    return bool(found) and all(len(cell) <= _LONGEST_STATE and _STATE.fullmatch(cell) is not None for cell in found)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")]
