"""`doctor`: what stands in the way of a run, as a list of checks."""

import json
import os
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from prhub_digest.cli.asked import now
from prhub_digest.cli.doctor_model import check_model
from prhub_digest.cli.doctor_report import Report
from prhub_digest.cli.options import Config, Json, Week
from prhub_digest.cli.target import SourceKind, target_of
from prhub_digest.console import Console, counted
from prhub_digest.errors import UsageError

if TYPE_CHECKING:
    from prhub_digest.collect.github_api import GitHubApi
    from prhub_digest.collect.github_errors import RateLimit
    from prhub_digest.collect.github_outlook import Need
    from prhub_digest.models.period import Period
    from prhub_digest.models.settings import Settings

_QUERIES = 3  # of the doctor's own


def add(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(
    repository: Annotated[
        str | None, typer.Argument(metavar="[OWNER/REPO]", help="What the token can see of it, and what a run needs.")
    ] = None,
    week: Week = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """What stands in the way of a run.

    Looks at git, at GitHub's token, what it can see and what is left of its limits; at the model's endpoint, and asks
    it a tiny question, which costs about a hundred tokens for each model. What the endpoint turns out to take is
    remembered for the next runs.
    """
    from prhub_digest.models.period import Period
    from prhub_digest.settings import load_settings

    settings = load_settings(config, {}, os.environ)
    if week is not None and repository is None:
        raise UsageError("--week goes with OWNER/REPO")
    name = repository and _on_github(repository, settings)
    period = Period.from_week(week, settings.timezone) if week else Period.last_complete_week(now(), settings.timezone)
    report = Report()
    try:
        with_git = _git(report)
        _github(report, settings, name, period, with_git=with_git)
        check_model(report, settings)
    finally:
        _show(report, as_json=as_json)
    if report.broken is not None:
        raise report.broken
    if not report.ready:
        raise typer.Exit(1)


def _on_github(repository: str, settings: "Settings") -> str | None:
    return target_of(
        repository,
        SourceKind.github,
        None,
        dry_run=False,
        fixture=None,
        server_url=settings.github_server_url,
    ).location


def _show(report: Report, *, as_json: bool) -> None:
    console = Console()
    if as_json:
        values = {"ready": report.ready, "checks": [asdict(check) for check in report.checks]}
        console.product(json.dumps(values, ensure_ascii=False, indent=2) + "\n")
        return
    rows = [(check.state, check.name, check.says) for check in report.checks]
    console.table("ready" if report.ready else "not ready", ("state", "check", "result"), rows)


def _git(report: Report) -> bool:
    """Whether it can be used; without it diffs come by REST, one call a pull request."""
    from prhub_digest.collect.git_version import WANTED, found_git

    git = found_git()
    says = git.says if git.usable else f"{git.says}; {WANTED}: without it, each diff is a REST call"
    report.add("git", says, "ok" if git.usable else "note")
    return git.usable


def _github(report: Report, settings: "Settings", repository: str | None, period: "Period", *, with_git: bool) -> None:
    from prhub_digest.collect.github_access import github_access
    from prhub_digest.collect.github_api import GitHubApi
    from prhub_digest.collect.github_outlook import account, limits

    access = report.asked(
        "token", lambda: github_access(settings.github_api_url, settings.github_server_url, os.environ)
    )
    if access is None:
        return
    report.add("token", f"from {access.token_from}, for {access.api_url}")
    with closing(GitHubApi(access, max_wait=0, say=Console().message)) as api:
        left = report.asked("limits", lambda: limits(api))
        if left is None:
            return
        _tell_limit(report, "GraphQL limit", left.graphql, "points")
        _tell_limit(report, "REST limit", left.rest, "requests")
        if left.graphql is not None and left.graphql.remaining < _QUERIES:
            report.add("account", "not asked: nothing is left of the GraphQL limit", "failed")
            return
        login = report.asked("account", lambda: account(api))
        if login is None:
            return
        report.add("account", login)
        seen = _seen(report, api, repository) if repository is not None else None
        needed = _needed(report, api, seen, period, with_git=with_git) if seen is not None else None
        if needed is not None:
            moment = api.server_time or now()
            _tell_whether_enough(report, "points", needed.points, left.graphql, moment, settings.max_wait)
            _tell_whether_enough(report, "requests", needed.rest_calls, left.rest, moment, settings.max_wait)


def _tell_limit(report: Report, name: str, left: "RateLimit | None", unit: str) -> None:
    if left is None:
        report.add(name, "none on this server")
        return
    report.add(name, f"{left.remaining:,} of {left.limit:,} {unit} left, full again at {_at(left)}")


def _at(left: "RateLimit") -> str:
    return f"{left.reset.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _seen(report: Report, api: "GitHubApi", repository: str) -> str | None:
    """The repository's present name."""
    from prhub_digest.collect.github_outlook import visible

    seen = report.asked("repository", lambda: visible(api, repository))
    if seen is None:
        return None
    renamed = "" if seen.name.lower() == repository.lower() else f", once {repository}"
    kind = "private" if seen.private else "public"
    permission = f"permission {seen.permission.lower()}" if seen.permission else "permission not shown"
    report.add("repository", f"{seen.name}{renamed}: {kind}, {permission}, default branch {seen.default_branch}")
    return seen.name


def _needed(report: Report, api: "GitHubApi", repository: str, period: "Period", *, with_git: bool) -> "Need | None":
    from prhub_digest.collect.github_outlook import merged_in, need

    merged = report.asked("week", lambda: merged_in(api, repository, period))
    if merged is None:
        return None
    needed = need(merged, with_git=with_git)
    diffs = f"{needed.git_fetches} git fetches" if with_git else counted(needed.rest_calls, "REST call")
    report.add(
        "week",
        f"{period.label}: {counted(merged, 'merged pull request')} by search; to read them takes about"
        f" {counted(needed.calls, 'GraphQL call')} ({counted(needed.points, 'point')}) and {diffs}",
    )
    return needed


def _tell_whether_enough(
    report: Report, unit: str, needed: int, left: "RateLimit | None", moment: datetime, max_wait: float
) -> None:
    """A run waits for the next hour, if it may wait so long."""
    if left is None or not needed:
        return
    if needed <= left.remaining:
        report.add("enough", f"{left.remaining:,} {unit} are left")
        return
    wait = max((left.reset - moment).total_seconds(), 0)
    says = f"{left.remaining:,} {unit} are left until {_at(left)}; a run would wait about {wait / 60:.0f} min"
    if wait <= max_wait:
        report.add("enough", says, "note")
    else:
        report.add("enough", f"{says}, and max_wait allows {max_wait:.0f} s", "failed")
