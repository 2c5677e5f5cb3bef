"""Lines that say by themselves what a path does not: changes of tables, calls that are dangerous, rights of CI."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from prhub_digest.signals.file_diffs import FileDiff, is_code
from prhub_digest.signals.flag_evidence import Place

_SCRIPTS = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".vue", ".svelte")


@dataclass(frozen=True, slots=True)
class LineRule:
    """`words`: one of them stands in every line that `pattern` finds, so that most files need no closer look.

    `endings` are those of the files it is for, all if there are none.
    """

    words: tuple[str, ...]
    pattern: re.Pattern[str]
    endings: tuple[str, ...] = ()


TABLES = LineRule(
    ("CREATE ", "ALTER ", "DROP ", "ADD COLUMN", " table", " column", "op.", "migrations."),
    re.compile(
        r"\b(?:CREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|VIEW)|ALTER\s+(?:TABLE|TYPE)|DROP\s+(?:TABLE|INDEX|COLUMN|VIEW)"
        r"|ADD\s+COLUMN|(?:create|alter|drop)\s+table|(?:add|drop)\s+column)\s"
        r"|\bop\.(?:add_column|drop_column|alter_column|create_table|drop_table|create_index|rename_table)\("
        r"|\bmigrations\.(?:AddField|RemoveField|AlterField|RenameField|CreateModel|DeleteModel|RunPython|RunSQL)\("
    ),
)
# A name in quotation marks or backticks is spoken of, not called.
DANGEROUS = (
    LineRule(
        (
            *("ickle.", "dill.", "marshal.", "shelve.", "yaml.", "joblib.", "torch.load", "shell", "verify"),
            *("weights_only", "trust_remote_code", "eval", "exec"),
        ),
        re.compile(
            r"(?<![\"'`\w.])(?:c?[pP]ickle\.(?:loads?|Unpickler)|cloudpickle\.loads?|dill\.loads?|marshal\.loads?|shelve\.open"
            r"|yaml\.(?:load|unsafe_load|full_load)(?![^#\n]*SafeLoader)|joblib\.load|jsonpickle\.decode"
            r"|torch\.load(?![^#\n]*weights_only\s*=\s*True)|(?<!def )(?:eval|exec))\s*\((?!\))"
            r"|(?<![\"'`\w])(?:shell|trust_remote_code)\s*=\s*True\b|(?<![\"'`\w])(?:verify|weights_only)\s*=\s*False\b"
        ),
        (".py", ".pyi"),
    ),
    LineRule(
        ("dangerouslySetInnerHTML", "rejectUnauthorized", "eval", "new Function"),
        re.compile(
            r"(?<![\"'`\w])(?:dangerouslySetInnerHTML\s*=|rejectUnauthorized\s*:\s*false\b|new Function\s*\()"
            r"|(?<![\"'`\w.])eval\s*\((?!\))"
        ),
        _SCRIPTS,
    ),
    LineRule(
        ("ObjectInputStream", "readObject"), re.compile(r"\bnew ObjectInputStream\b|\.readObject\(\)"), (".java", ".kt")
    ),
    LineRule(("InsecureSkipVerify",), re.compile(r"\bInsecureSkipVerify\s*[:=]\s*true\b"), (".go",)),
    LineRule(("danger_accept",), re.compile(r"\bdanger_accept_invalid_\w+\(\s*true"), (".rs",)),
)
# GITHUB_TOKEN is in every workflow; what it may do stands under `permissions`.
WORKFLOW_RIGHTS = LineRule(
    ("permissions", "write", "pull_request_target", "secrets", "persist-credentials", "workflow_run"),
    re.compile(
        r"^\s*permissions\s*:|^\s*[\w-]+\s*:\s*write(?:-all)?\s*(?:#.*)?$|\bpull_request_target\b|\bworkflow_run\s*:"
        r"|\bsecrets\.(?!GITHUB_TOKEN\b)\w|\bsecrets\s*:\s*inherit|\bpersist-credentials\s*:\s*true\b"
    ),
)


def lines_of_rule(file: FileDiff, rule: LineRule) -> Iterator[Place]:
    """Lines of code that match, without those that only moved within the file."""
    if (rule.endings and not file.path.endswith(rule.endings)) or not file.mentions(rule.words):
        return
    found = [
        Place(file.path, row.number, what, row.text)
        for rows, what in ((file.added, "added"), (file.removed, "removed"))
        for row in rows
        if any(word in row.text for word in rule.words) and rule.pattern.search(row.text) and is_code(row.text)
    ]
    texts = {what: {place.text.strip() for place in found if place.what == what} for what in ("added", "removed")}
    moved = texts["added"] & texts["removed"]
    yield from (place for place in found if place.text.strip() not in moved)
