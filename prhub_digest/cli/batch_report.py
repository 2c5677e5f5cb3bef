"""What became of the lines of batch output files, by pull request, for a person or a script."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from prhub_digest.console import Console, counted

if TYPE_CHECKING:
    from prhub_digest.llm.batch_files import Exported
    from prhub_digest.llm.import_report import ImportReport

_PULL = re.compile(r"[^/]+/pr-(\d+)")
_SHOWN = 20


def say_report(console: Console, report: "ImportReport", whence: str) -> None:
    """A warning for each line that could not be used; `whence` names the files."""
    imported = "1 reply" if len(report.imported) == 1 else f"{len(report.imported):,} replies"
    under_way = f", {len(report.under_way):,} under way" if report.under_way else ""
    console.message(
        f"{whence}: {imported} imported, {counted(len(report.missing), 'request')} without a line{under_way}"
    )
    for failed in sorted(report.failed, key=lambda failed: _order(failed.id)):
        console.warning(f"{_about(failed.id)}: {failed.reason}; {failed.then} ({failed.id})")
    for name in report.broken[:_SHOWN]:
        console.warning(f"{name}: not a line of a batch output file")
    if len(report.broken) > _SHOWN:
        console.warning(f"{len(report.broken) - _SHOWN:,} more lines are none either")
    for name in report.unknown[:_SHOWN]:
        console.warning(f"{_about(name)}: no request waits for this reply ({name})")
    if len(report.unknown) > _SHOWN:
        console.warning(f"{len(report.unknown) - _SHOWN:,} more replies answer nothing that waits")
    if report.unknown:
        console.message("is it a file of another run, model or prompt? Ids hold a hash of the request")
    for name in report.duplicate:
        console.warning(f"{_about(name)}: stands there twice; the first usable one counts ({name})")
    for name in report.empty:
        console.warning(f"{name}: holds no reply")
    _say_some(console, report.stored, "stored already")
    _say_some(console, report.unneeded, "not needed any more")
    _say_some(console, report.missing, "without a line")
    _say_some(console, report.under_way, "under way")


def say_next(console: Console, exported: "Exported | None", then: str, run: str | None) -> None:
    """The round that waits now, that all of it is under way, or that nothing waits.

    `run` is the folder where it can be submitted from.
    """
    if exported is None:
        console.message(f"every reply is there; go on with: {then}")
        return
    if not exported.count:
        console.message(f"all that waits is under way; its replies come with: prhub-digest batch status {run}")
        return
    submit = f"; or have a server answer it: prhub-digest batch submit {run}" if run else ""
    console.message(f"{exported.words}{submit}")


def report_as_json(report: "ImportReport", exported: "Exported | None") -> str:
    waiting: dict[str, Any] | None = None
    if exported is not None:
        waiting = {
            "round": exported.number,
            "kinds": list(exported.kinds),
            "requests": exported.count,
            "files": [str(path) for path in exported.files],
        }
    return json.dumps({**asdict(report), "waiting": waiting}, ensure_ascii=False, indent=2) + "\n"


def _say_some(console: Console, names: Sequence[str], what: str) -> None:
    about = list(dict.fromkeys(map(_about, sorted(names, key=_order))))
    if about:
        more = f" and {len(about) - _SHOWN} more" if len(about) > _SHOWN else ""
        console.message(f"{what}: {', '.join(about[:_SHOWN])}{more}")


def _about(name: str) -> str:
    """`#101` for a request about a pull request, else its name without the hash: `compose_wording/en.risks`."""
    match = _PULL.match(name)
    return f"#{match[1]}" if match else re.sub(r"-[0-9a-f]{10}(-\d)?$", "", name)


def _order(name: str) -> tuple[int, str]:
    match = _PULL.match(name)
    return (int(match[1]) if match else 0, name)


def in_words(paths: Iterable[object]) -> str:
    """The files as one name."""
    names = [str(path) for path in paths]
    return names[0] if len(names) == 1 else f"{len(names)} files"
