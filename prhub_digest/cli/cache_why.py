"""`cache why`: the requests that a run's next start would ask anew, and in which part of the key each differs."""

import os
import shutil
from contextlib import suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from prhub_digest.cli.options import Config
from prhub_digest.cli.setup import fixture_manifest
from prhub_digest.cli.stages import PullNumber, RunPath, refuse_unknown, reopen, stored_manifest
from prhub_digest.cli.target import ModelKind, ReplayKind, Target
from prhub_digest.console import Console, counted, visible_line
from prhub_digest.errors import PendingReplies, PrhubError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prhub_digest.llm.nearest import Miss, Onlooker, Shelf
    from prhub_digest.models.llm import LogicalRequest
    from prhub_digest.models.period import Period
    from prhub_digest.models.run import RunManifest


def why(run: RunPath, number: PullNumber = None, config: Config = None) -> None:
    """Why requests would be asked anew.

    For each request that the next run of RUN has no stored reply to: in which parts it differs from the nearest
    stored one. Nobody is asked, and RUN stays as it is.
    """
    from prhub_digest.llm.nearest import Onlooker, explain
    from prhub_digest.models.pull_request import Collection
    from prhub_digest.pipeline.collecting import COLLECTION
    from prhub_digest.run_folder import RunFolder

    console, (manifest, settings) = Console(), stored_manifest(run)
    collection = RunFolder(run).read_record(COLLECTION, Collection)
    if collection is None:
        raise UsageError(f"{run} holds no collected pull requests; start with: prhub-digest collect")
    if number is not None:
        refuse_unknown(number, collection, run)
    target = Target.of_settings(settings)
    if target.llm is ModelKind.none:
        console.product(f"{visible_line(str(run))} asks no model (--llm none)\n")
        return
    shelf, failed = _shelf(target, config)
    onlooker = Onlooker(shelf, failed)
    waiting = _waiting(run, manifest, target, collection.period, onlooker)
    if number is not None:
        waiting = [request for request in waiting if _pull_subject(request) == f"pr-{number}"]
    misses = explain(waiting, shelf, onlooker.unusable)
    reasons = {failure.subject: failure.reason for failure in manifest.failures}
    console.product("".join(f"{line}\n" for miss in misses for line in _lines(miss, reasons)))
    _conclude(console, run if number is None else f"{run}, pull request {number}", len(misses), target)


def _conclude(console: Console, what: Path | str, misses: int, target: Target) -> None:
    replay = target.llm is ModelKind.replay
    if not misses:
        where = "recorded" if replay else "stored, or in the run folder already"
        console.product(f"{visible_line(str(what))}: every reply is {where}; nothing would be asked anew\n")
        return
    count = counted(misses, "request")
    console.message(
        f"{count} without a recorded reply in the fixture {target.fixture}"
        if replay
        else f"{count} would be asked anew; those that follow from their replies are not known yet"
    )


def _lines(miss: "Miss", reasons: dict[str, str]) -> "Iterator[str]":
    """The request and its nearest stored reply, then what differs; without one, why there is none."""
    request, nearest = miss.request, miss.nearest
    name = f"{request.prompt}/{request.subject}"
    if nearest is None:
        yield visible_line(f"{name}: {'; '.join(miss.lines)}")
    else:
        stored = f"{nearest.request.request_hash[:10]}, {nearest.recorded}"
        yield visible_line(f"{name}: not as in the nearest stored reply ({stored})")
        yield from (visible_line(f"  {line}") for line in miss.lines)
    reason = reasons.get(request.subject) or reasons.get(_pull_subject(request))
    if reason:
        yield visible_line(f"  the last run got no usable reply: {reason}")


def _pull_subject(request: "LogicalRequest") -> str:
    """`pr-101` for a part of a pull request too."""
    return request.subject.partition(".")[0]


def _shelf(target: Target, config: Path | None) -> "tuple[Shelf, dict[str, str]]":
    """Where the run's replies lie, and what a recording of them failed with."""
    from prhub_digest.llm.nearest import FixtureShelf, StoreShelf
    from prhub_digest.shipped import fixture_dir

    recorded = fixture_manifest(target)
    if target.llm is ModelKind.replay and target.fixture is not None and recorded is not None:
        return FixtureShelf(fixture_dir(target.fixture)), recorded.failed
    return StoreShelf(replies_folder(config)), {}


def _waiting(
    run: Path, manifest: "RunManifest", target: Target, period: "Period", onlooker: "Onlooker"
) -> "list[LogicalRequest]":
    """What the next run would ask first: the pipeline goes as far as replies reach, on a copy of the folder.

    A fixture is read again, as `run` does; a repository is not.
    """
    from prhub_digest.collect.fixture import FixtureSource
    from prhub_digest.llm.ask import Asker
    from prhub_digest.llm.batch import PendingClient
    from prhub_digest.pipeline.run import run_all, run_until
    from prhub_digest.shipped import fixture_dir

    client = PendingClient()
    with TemporaryDirectory(prefix="prhub-digest-") as place:
        copy = Path(place)
        try:
            _copy(run, copy, manifest)
            opened = reopen(copy)
            opened.console = Console(stderr=StringIO())  # its progress is not this command's
            opened.asker = Asker(client, onlooker)
            with suppress(PendingReplies):
                if target.fixture is None:
                    run_until(opened, "render")
                else:
                    run_all(opened, FixtureSource(fixture_dir(target.fixture)), period)
        except PrhubError as error:
            error.args = (str(error).replace(place, str(run)),)
            raise
    return list(client.pending)


def _copy(run: Path, to: Path, manifest: "RunManifest") -> None:
    """The tool's own files. A run that may be at work in the folder is not disturbed; each of its files is whole.

    The copy asks no endpoint, and takes no reply but one to just its request.
    """
    from prhub_digest.pipeline.context import MANIFEST
    from prhub_digest.run_folder import OWN_FILES, RunFolder

    for pattern in OWN_FILES:
        for path in run.glob(pattern):
            target = to / path.relative_to(run)
            target.parent.mkdir(exist_ok=True)
            with suppress(FileNotFoundError):  # made anew just now
                shutil.copyfile(path, target)
    settings = dict(manifest.settings)
    if settings["llm"] == ModelKind.openai:  # no client is made for an endpoint
        settings["llm"] = ModelKind.batch.value
    if settings.get("replay"):
        settings["replay"] = ReplayKind.strict.value
    RunFolder(to).write_record(MANIFEST, manifest.updated(settings=settings))


def replies_folder(config: Path | None) -> Path:
    """The folder of the reply store."""
    from prhub_digest.settings import load_settings

    return load_settings(config, {}, os.environ).cache_dir / "replies"
