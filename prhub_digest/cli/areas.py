"""`areas learn`: a list of areas for `prhub.toml`, proposed from what was changed."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prhub_digest.console import Console, counted, visible_line
from prhub_digest.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from prhub_digest.file_kinds import FileKinds
    from prhub_digest.models.signals import Area
    from prhub_digest.signals.area_learning import Change, LearnedArea

_COMMITS = 1000
_MOST = 12

app = typer.Typer(
    name="areas",
    help="The closed list of areas under which pull requests are told.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.callback()
def _group() -> None:
    """Keeps `learn` a command of its own, as long as it is the only one."""


@app.command("learn")
def learn(
    place: Annotated[Path, typer.Argument(metavar="RUN|PATH", help="A run folder, or a clone such as ./engine.")],
    commits: Annotated[int, typer.Option(min=1, help="Of a clone, how many of the newest commits.")] = _COMMITS,
    most: Annotated[int, typer.Option(min=1, max=100, help="Areas of folders at most.")] = _MOST,
    codeowners: Annotated[
        Path | None, typer.Option(help="A CODEOWNERS file. Default: the clone's; a run folder has none.")
    ] = None,
) -> None:
    """Propose `[[areas]]` for prhub.toml, with the reasons, as TOML on stdout.

    From paths, labels, what changes together, and CODEOWNERS.
    """
    from prhub_digest.signals.area_learning import learned_areas
    from prhub_digest.signals.areas import shared_areas
    from prhub_digest.signals.codeowners import owned_folders

    changes, owners, kinds = _of_run(place) if (place / "run.json").is_file() else _of_clone(place, commits)
    paths = {path for change in changes for path in change.paths}
    if not paths:
        raise UsageError(f"{visible_line(str(place))} holds no changed file; there is nothing to learn from")
    if codeowners is not None:
        owners = _text(codeowners)
    learned = learned_areas(changes, owned=owned_folders(owners, paths), kinds=kinds, most=most)
    Console().product("\n".join(_toml(place, len(changes), learned, shared_areas(paths))))


def _of_run(folder: Path) -> "tuple[list[Change], str, FileKinds]":
    """The pull requests of a run; labels are theirs, `CODEOWNERS` is not at hand."""
    from prhub_digest.file_kinds import FileKinds
    from prhub_digest.models.pull_request import Collection
    from prhub_digest.pipeline.collected import stored_pull
    from prhub_digest.pipeline.collecting import COLLECTION
    from prhub_digest.run_folder import RunFolder
    from prhub_digest.signals.area_learning import Change

    run = RunFolder(folder)
    collection = run.read_record(COLLECTION, Collection)
    if collection is None:
        raise UsageError(f"{visible_line(str(folder))} holds no collected pull requests; see: prhub-digest collect")
    pulls = (stored_pull(run, number) for number in collection.numbers)
    changes = [Change(f"#{pull.number}", tuple(file.path for file in pull.files), pull.labels) for pull in pulls]
    return changes, "", FileKinds((), collection.attributes)


def _of_clone(folder: Path, commits: int) -> "tuple[list[Change], str, FileKinds]":
    from prhub_digest.collect.git_changes import recent_changes
    from prhub_digest.signals.area_learning import Change
    from prhub_digest.signals.changes import BY_PATH

    recent = recent_changes(str(folder), commits)
    return [Change(sha, paths) for sha, paths in recent.commits], recent.codeowners, BY_PATH


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{visible_line(str(path))}: cannot be read: {error.strerror}") from error


def _toml(place: Path, changes: int, learned: "Sequence[LearnedArea]", shared: "Sequence[Area]") -> "Iterator[str]":
    yield f"# Areas learned from {counted(changes, 'change')} of {visible_line(str(place))}. The first area that a path"
    yield "# matches counts; what none matches is in `other`."
    for own in learned:
        share = f"{100 * own.changes / changes:.0f} %"
        yield from _area(own.area, (f"{own.changes:,} of {counted(changes, 'change')} ({share})", *own.reasons))
    for area in shared:
        yield from _area(area, ("for files of any repository",))
    yield ""


def _area(area: "Area", reasons: "Sequence[str]") -> "Iterator[str]":
    yield ""
    yield f"# {visible_line('; '.join(reasons))}"
    yield "[[areas]]"
    yield f"key = {_string(area.key)}"
    for name, patterns in (("paths", area.paths), ("labels", area.labels)):
        if patterns:
            yield f"{name} = [{', '.join(map(_string, patterns))}]"


def _string(text: str) -> str:
    """A basic string of TOML, which is one of JSON, but for the character DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
