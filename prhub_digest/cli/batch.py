"""`batch export` and `batch import`: pending requests out as OpenAI Batch JSONL, replies in."""

from pathlib import Path
from typing import Annotated

import typer

from prhub_digest.cli import batch_service
from prhub_digest.cli.batch_budget import round_budget
from prhub_digest.cli.batch_report import in_words, report_as_json, say_next, say_report
from prhub_digest.cli.batching import through
from prhub_digest.cli.options import Config, Json
from prhub_digest.console import Console, counted
from prhub_digest.errors import BudgetError, UsageError

app = typer.Typer(
    name="batch",
    help="Requests out as OpenAI Batch JSONL files, replies in; by hand, or through a Batch API.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
batch_service.add(app)
Run = Annotated[Path | None, typer.Argument(metavar="[RUN]", help="A run folder made with --llm batch.")]
Fixture = Annotated[str | None, typer.Option(help="Instead of a run: a fixture's name or folder.")]


@app.command("export")
def export_requests(
    run: Run = None,
    fixture: Fixture = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="One file for all. Default: batch/round-NNN.jsonl in the run.")
    ] = None,
    most_requests: batch_service.MostRequests = None,
    most_mb: batch_service.MostMegabytes = None,
    again: Annotated[bool, typer.Option("--again", help="Also what was given up after failed tries.")] = False,
    config: Config = None,
) -> None:
    """Write the requests that wait for replies, one a line; the files' names on stdout."""
    from prhub_digest.llm.batch_files import export_to, within_budget
    from prhub_digest.llm.batch_jobs import ids_under_way

    if to is not None:
        _refuse_unless_new(to)
    console = Console()
    with through(run, fixture, config=config, again=again) as gone:
        if to is not None:
            if gone.error is not None:
                raise gone.error
            within_budget(gone.run.folder, gone.client, round_budget(gone.run))
            count = export_to(to, gone.run.folder, gone.client, ids_under_way(gone.run.folder))
            console.message(f"{counted(count, 'request')} waiting")
            console.product(f"{to}\n")
            return
        exported = gone.export(most_requests=most_requests, most_bytes=batch_service.as_bytes(most_mb))
    say_next(console, exported, gone.then, None if fixture else str(run))
    console.product("".join(f"{path}\n" for path in exported.files) if exported else "")


@app.command("import")
def import_requests(
    files: Annotated[list[Path], typer.Argument(metavar="[RUN] FILE...", help="Batch output and error files.")],
    fixture: Fixture = None,
    by: Annotated[str, typer.Option(help="The model that answered, for the record.")] = "unnamed model",
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Validate each reply like a live one and store it.

    Exit 1 if a line could not be used. A wrong answer is shown to the model once, in the next round, as in a live run;
    then its pull request falls back.
    """
    from prhub_digest.llm.batch_lines import Lines, refuse_other_kinds
    from prhub_digest.run_folder import name_as_text

    run = None if fixture else files[0]
    sources = files if fixture else files[1:]
    if not sources:
        raise UsageError("which files? Give RUN FILE..., or --fixture NAME FILE...")
    for source in sources:
        refuse_other_kinds(source)
    console = Console()
    with through(run, fixture, Lines(sources), f"batch files, {name_as_text(by)}", config=config) as gone:
        report = gone.report()
        say_report(console, report, in_words(sources))
        try:
            exported = gone.export()
        except BudgetError:
            if as_json:
                console.product(report_as_json(report, None))
            raise
    say_next(console, exported, gone.then, None if fixture else str(run))
    if as_json:
        console.product(report_as_json(report, exported))
    if report.bad:
        raise typer.Exit(1)


def _refuse_unless_new(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise UsageError(f"{path} exists; choose another name or remove it")
    if not path.parent.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {path.parent}")
