"""`schema`: the shape of a record, such as that of `stats.json`."""

import json
from typing import Annotated, Any

import typer

from prhub_digest.console import Console
from prhub_digest.errors import UsageError

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def add(app: typer.Typer) -> None:
    app.command("schema", help="The JSON Schema of a record, such as PullRequest or Stats.")(schema)


def schema(
    name: Annotated[
        str | None, typer.Argument(help="The record's name, in upper or lower case; without one, all names.")
    ] = None,
) -> None:
    records = _records()
    if name is None:
        Console().product("".join(f"{known}\n" for known in sorted(records)))
        return
    found = next((record for known, record in records.items() if known.casefold() == name.casefold()), None)
    if found is None:
        raise UsageError(f"no record {name!r}; there are {', '.join(sorted(records))}")
    shape = {"$schema": _DIALECT, **found.model_json_schema()}
    Console().product(json.dumps(shape, indent=2, ensure_ascii=False) + "\n")


def _records() -> dict[str, Any]:
    from prhub_digest.models import (
        chunk,
        digest,
        fixture,
        llm,
        plan,
        pull_request,
        ranking,
        run,
        signals,
        stats,
        summary,
        verification,
    )

    records = (
        pull_request.PullRequest,
        pull_request.Collection,
        chunk.Chunk,
        chunk.Coverage,
        signals.Signals,
        stats.Stats,
        summary.SummaryReply,
        summary.PullRequestSummary,
        ranking.Ranking,
        plan.Plan,
        digest.Digest,
        verification.Verification,
        run.RunManifest,
        llm.StoredReply,
        fixture.FixtureManifest,
    )
    return {record.__name__: record for record in records}
