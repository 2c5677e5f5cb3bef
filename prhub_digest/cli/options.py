"""The options that `run` and `collect` share: which pull requests of which repository, into which folder."""

from pathlib import Path
from typing import Annotated

import typer

from prhub_digest.cli.setup import Bots
from prhub_digest.cli.target import ReplayKind, SourceKind

Repository = Annotated[
    str | None, typer.Argument(metavar="[REPOSITORY]", help="OWNER/REPO, ./PATH to a clone, or a URL git can read.")
]
Week = Annotated[str | None, typer.Option(help="ISO week such as 2026-W23. Default: the last complete week.")]
Since = Annotated[str | None, typer.Option(help="First day, such as 2026-06-01; goes with --until.")]
Until = Annotated[str | None, typer.Option(help="The day after the last one.")]
Timezone = Annotated[str | None, typer.Option("--tz", help="Time zone of weeks and days. Default: UTC.")]
Source = Annotated[
    SourceKind | None,
    typer.Option(help="Where pull requests come from. Default: github for OWNER/REPO (needs a token), else git."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Replay a fixture: no key, no network.")]
Replay = Annotated[
    ReplayKind | None,
    typer.Option(
        help="What answers a request that is not just the recorded one: nothing (strict, the default), its older reply"
        " (nearest), or a stub for every request. Pages say so."
    ),
]
Fixture = Annotated[str | None, typer.Option(help="A shipped fixture's name, or a folder. Default: demo.")]
# The filters: patterns with * and ?, or one that begins with ! for what to keep out; --help says it once.
Base = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATTERN",
        help="Base branch, such as 'release/*', or '!next' to keep one out; repeatable. Default: the default branch.",
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option("--label", metavar="PATTERN", help="Label, such as 'bug*' or '!wontfix'; repeatable; not for git."),
]
Authors = Annotated[
    list[str] | None, typer.Option("--author", metavar="PATTERN", help="Author, such as ada or '!*-ci'; repeatable.")
]
Paths = Annotated[
    list[str] | None,
    typer.Option("--path", metavar="PATTERN", help="A changed file, such as 'src/**' or '!**/*.md'; repeatable."),
]
BotsShown = Annotated[
    Bots | None,
    typer.Option("--bots", help="Pull requests of bots: only named in one line, or like any other. Default: group."),
]
MaxWait = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="All waits for GitHub's limits together at most. Default: 3600."),
]
BudgetUsd = Annotated[
    float | None,
    typer.Option("--budget-usd", metavar="USD", help="End before the calls to the model cost more. Exit 5."),
]
BudgetTokens = Annotated[
    int | None,
    typer.Option("--budget-tokens", metavar="N", help="End before the calls take more tokens, in and out. Exit 5."),
]
# Folders that are settings too are text here, so that the settings can refuse an empty one.
Out = Annotated[str | None, typer.Option(metavar="PATH", help="Folder for run folders. Default: runs.")]
Config = Annotated[Path | None, typer.Option(help="Settings file. Default: prhub.toml, if there is one.")]
AllowPartial = Annotated[
    bool,
    typer.Option("--allow-partial", help="Exit 0 although a pull request, a comparison, the plan or a wording failed."),
]
Refresh = Annotated[bool, typer.Option("--refresh", help="Collect the pull requests again.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Forget this run folder and start over.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
