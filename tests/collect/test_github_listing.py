from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from github_server import GitHubServer
from github_world import Bot, FakePull, FakeRepository, World, moment
from pydantic import SecretStr
from scripted_github import served
from scripted_http import answer

from prhub_digest.collect import github_lists
from prhub_digest.collect.github_access import GitHubAccess
from prhub_digest.collect.github_api import GitHubApi
from prhub_digest.collect.github_list_pages import ListError
from prhub_digest.collect.github_listed import look_up
from prhub_digest.collect.github_listing import Listing, list_pulls
from prhub_digest.collect.github_lists import Place, by_history
from prhub_digest.collect.github_pulls import ListedPull
from prhub_digest.errors import FatalServiceError, ServiceError, SourceError
from prhub_digest.models.file_kinds import AttributeRule
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Person

_NAME = "aurora-serve/aurora"
_WEEK = Period.from_week("2026-W06")
_AFTER = moment("2026-02-09T08:00:00Z")


@contextmanager
def _serving(repository: FakeRepository) -> Iterator[GitHubServer]:
    with GitHubServer(repository.world) as server:
        server.now = _AFTER
        yield server


@contextmanager
def _client(server: GitHubServer) -> Iterator[GitHubApi]:
    access = GitHubAccess(server.api_url, server.server_url, SecretStr(server.token), "GITHUB_TOKEN")
    api = GitHubApi(access, max_wait=0, say=lambda _: None, sleep=lambda _: None)
    try:
        yield api
    finally:
        api.close()


def _list(server: GitHubServer, period: Period = _WEEK, name: str = _NAME) -> Listing:
    with _client(server) as api:
        return list_pulls(api, name, period)


def _numbers(listing: Listing) -> list[int]:
    return [pull.number for pull in listing.pulls]


def _agree(count: int) -> str:
    counts = f"by update {count}, by search {count}, by the history of main {count}"
    return f"three lists agree on {count} pull request{'' if count == 1 else 's'}: {counts}"


@pytest.fixture
def repository() -> FakeRepository:
    return World().repository(_NAME)


def _week_of(repository: FakeRepository, count: int) -> list[FakePull]:
    """So many pull requests, the first one merged as the week begins, one every half an hour."""
    return [
        repository.merge_pull(merged_at=_WEEK.since + timedelta(minutes=30 * place), files={f"{place}.txt": "x\n"})
        for place in range(count)
    ]


def test_whole_listing(repository: FakeRepository) -> None:
    """Borders of the week, a bot and a deleted account, all kinds of merges, a direct commit."""
    repository.merge_pull(merged_at="2026-02-01T23:59:59Z")
    squash = repository.merge_pull(
        title="Faster loader", merged_at="2026-02-02T00:00:00Z", created_at="2026-01-30T09:30:00Z", head_branch="loader"
    )
    steps = [("One", {"a.txt": "1\n"}), ("Two", {"b.txt": "2\n"})]
    rebase = repository.merge_pull(merged_at="2026-02-03T10:00:00Z", kind="rebase", commits=steps, author=Bot("bump"))
    merge = repository.merge_pull(merged_at="2026-02-08T23:59:59Z", kind="merge", commits=steps, author=None)
    repository.direct_commit("Fix a typo", {"README.md": "hello\n"}, at="2026-02-05T10:00:00Z")
    repository.direct_commit("Fix another", {"README.md": "hi\n"}, at="2026-02-09T00:00:00Z")
    repository.merge_pull(merged_at="2026-02-09T00:00:00Z")
    with _serving(repository) as server:
        listing = _list(server)
    assert listing == Listing(
        repository=_NAME,
        web_url=f"{server.server_url}/{_NAME}",
        default_branch="main",
        pulls=(
            ListedPull(
                id=squash.id,
                number=2,
                title="Faster loader",
                url=f"{server.server_url}/{_NAME}/pull/2",
                author=Person(login="ada-lin", name="Ada Lin", kind="human"),
                base_branch="main",
                head_branch="loader",
                created_at=datetime(2026, 1, 30, 9, 30, tzinfo=UTC),
                merged_at=datetime(2026, 2, 2, tzinfo=UTC),
                updated_at=datetime(2026, 2, 2, tzinfo=UTC),
                merge_commit=squash.merge_commit,
                commits=1,
                looks_rebased=False,
            ),
            ListedPull(
                id=rebase.id,
                number=3,
                title="Change something",
                url=f"{server.server_url}/{_NAME}/pull/3",
                author=Person(login="bump", kind="bot"),
                base_branch="main",
                head_branch="topic-3",
                created_at=datetime(2026, 2, 2, 10, tzinfo=UTC),
                merged_at=datetime(2026, 2, 3, 10, tzinfo=UTC),
                updated_at=datetime(2026, 2, 3, 10, tzinfo=UTC),
                merge_commit=rebase.merge_commit,
                commits=2,
                looks_rebased=True,
            ),
            ListedPull(
                id=merge.id,
                number=4,
                title="Change something",
                url=f"{server.server_url}/{_NAME}/pull/4",
                author=Person(kind="deleted"),
                base_branch="main",
                head_branch="topic-4",
                created_at=datetime(2026, 2, 7, 23, 59, 59, tzinfo=UTC),
                merged_at=datetime(2026, 2, 8, 23, 59, 59, tzinfo=UTC),
                updated_at=datetime(2026, 2, 8, 23, 59, 59, tzinfo=UTC),
                merge_commit=merge.merge_commit,
                commits=2,
                looks_rebased=False,
            ),
        ),
        direct_commits=1,
        notes=(_agree(3),),
    )


def test_week_in_another_time_zone_h06(repository: FakeRepository) -> None:
    merged = ("2026-02-01T15:59:59Z", "2026-02-01T16:00:00Z", "2026-02-08T15:59:59Z", "2026-02-08T16:00:00Z")
    for when in merged:
        repository.merge_pull(merged_at=when)
    with _serving(repository) as server:
        listing = _list(server, Period.from_week("2026-W06", "Asia/Shanghai"))
    asked = [request.variables["query"] for request in server.requests if request.operation == "Search"]
    assert _numbers(listing) == [2, 3]
    assert asked == [f"repo:{_NAME} is:pr is:merged merged:2026-02-01T16:00:00Z..2026-02-08T15:59:59Z"]
    assert listing.notes == (_agree(2),)


def test_pages_end_by_the_time_of_update_h08(repository: FakeRepository) -> None:
    """The first page holds pull requests that were merged long before the week, or never."""
    old = [
        repository.merge_pull(merged_at="2025-11-01T00:00:00Z", updated_at=f"2026-02-19T00:{n:02}:00Z")
        for n in range(60)
    ] + [
        repository.merge_pull(merged_at="2025-12-01T00:00:00Z", updated_at=f"2026-02-11T00:{n:02}:00Z")
        for n in range(60)
    ]
    touched = repository.merge_pull(190, merged_at="2026-02-03T09:00:00Z", updated_at="2026-02-20T09:00:00Z")
    repository.open_pull(187, state="CLOSED", created_at="2026-02-03T09:00:00Z").touch("2026-02-18T09:00:00Z")
    late = repository.merge_pull(188, merged_at="2026-02-04T09:00:00Z", updated_at="2026-02-10T09:00:00Z")
    before = repository.merge_pull(180, merged_at="2026-02-01T23:00:00Z")
    with _serving(repository) as server:
        listing = _list(server)
    assert len(old) == 120
    assert before.updated_at < _WEEK.since
    assert _numbers(listing) == [touched.number, late.number] == [190, 188]
    assert server.operations()["Updated"] == 3  # two pages, and the first one again
    assert listing.notes == (_agree(2),)


def test_what_320_pull_requests_cost(repository: FakeRepository) -> None:
    pulls = _week_of(repository, 320)
    with _serving(repository) as server:
        listing = _list(server)
    assert _numbers(listing) == [pull.number for pull in pulls]
    assert listing.notes == (_agree(320),)
    assert server.operations() == {"Repository": 1, "Updated": 5, "Search": 4, "History": 4}
    assert server.counts.rest == 0


def test_touched_between_two_pages(repository: FakeRepository) -> None:
    """It moves from the second page to the first, behind the reader; all others move by one place."""
    pulls = _week_of(repository, 150)
    with _serving(repository) as server:
        server.scenario.before("Updated", 2, pulls[10].touch)
        listing = _list(server)
    assert _numbers(listing) == [pull.number for pull in pulls]
    assert listing.pulls[10].updated_at == pulls[10].updated_at
    assert listing.notes == (_agree(150),)
    assert server.operations()["Updated"] == 3


def test_touched_in_the_second_of_the_newest_update(repository: FakeRepository) -> None:
    """Times have whole seconds: what was touched in the newest one is found, too."""
    pulls = _week_of(repository, 150)
    with _serving(repository) as server:
        server.scenario.before("Updated", 2, lambda: pulls[10].touch(pulls[149].updated_at))
        listing = _list(server)
    assert _numbers(listing) == [pull.number for pull in pulls]
    assert listing.notes == (_agree(150),)


def test_touched_before_every_page(repository: FakeRepository) -> None:
    pulls = _week_of(repository, 250)
    with _serving(repository) as server:
        for nth in range(1, 20):
            server.scenario.before("Updated", nth, pulls[nth].touch)
        listing = _list(server)
    assert _numbers(listing) == [pull.number for pull in pulls]
    assert listing.notes == (_agree(250),)


def test_list_that_never_stands_still(repository: FakeRepository) -> None:
    pulls = _week_of(repository, 120)
    with _serving(repository) as server:
        for nth in range(1, 20):
            server.scenario.before("Updated", nth, lambda: _touch_all(pulls))
        listing = _list(server)
    assert _numbers(listing) == [pull.number for pull in pulls]
    assert listing.notes == (
        _agree(120),
        "the list by update kept moving through 5 readings: pull requests may be missing",
    )


def _touch_all(pulls: Sequence[FakePull]) -> None:
    """As when somebody labels everything at once."""
    newest = max(pull.updated_at for pull in pulls)
    for pull in pulls:
        pull.touch(newest + timedelta(seconds=1))


def test_everything_updated_at_once_stands_still(repository: FakeRepository) -> None:
    pulls = _week_of(repository, 120)
    with _serving(repository) as server:
        _touch_all(pulls)
        listing = _list(server)
    assert _numbers(listing) == [pull.number for pull in pulls]
    assert listing.notes == (_agree(120),)


def test_list_that_is_too_long(repository: FakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(github_lists, "_MOST_UPDATE_PAGES", 2)
    pulls = _week_of(repository, 201)
    repository.merge_pull(merged_at="2026-02-04T10:00:00Z", base="release-1")
    with _serving(repository) as server:
        server.scenario.search_lags(pulls[0].number)
        listing = _list(server)
        assert sorted(_numbers(listing)) == list(range(1, 203))
        assert listing.notes == (
            "202 pull requests (main: 201, other branches: 1): by search 201, by the history of main 201",
            "the list by search lacks #1 (its index may lag): it is counted all the same",
            "the list by update was given up, it is too long; search and history decide: pull requests may be missing",
        )
        server.scenario.server_error(times=None, status=422, message="The search is down", on="Search")
        with pytest.raises(ServiceError, match=r"2026-W06 is too far back .* HTTP 422: The search is down; try again"):
            _list(server)


def test_search_that_lags(repository: FakeRepository) -> None:
    pulls = _week_of(repository, 12)
    with _serving(repository) as server:
        server.scenario.search_lags(3, 5)
        some = _list(server)
        server.scenario.search_finds_nothing()
        none = _list(server)
    assert _numbers(some) == _numbers(none) == [pull.number for pull in pulls]
    assert some.notes == (
        "12 pull requests: by update 12, by search 10, by the history of main 12",
        "the list by search lacks #3, #5 (its index may lag): they are counted all the same",
    )
    assert none.notes == (
        "12 pull requests: by update 12, by search 0, by the history of main 12",
        (
            "the list by search lacks #1, #2, #3, #4, #5, #6, #7, #8, #9, #10 and 2 more (its index may lag):"
            " they are counted all the same"
        ),
    )


def test_more_than_a_search_can_show(repository: FakeRepository) -> None:
    """1,003 in one second, which cannot be halved, and two others."""
    second = moment("2026-02-04T10:00:00Z")
    repository.merge_pull(merged_at="2026-02-02T00:00:00Z")
    for number in range(2, 1005):
        repository.merge_pull(number, merged_at=second)
    repository.merge_pull(merged_at="2026-02-08T23:59:59Z")
    with _serving(repository) as server:
        listing = _list(server)
    assert _numbers(listing) == list(range(1, 1006))
    assert listing.notes == (
        "1005 pull requests: by update 1005, by search 1002, by the history of main 1005",
        "the list by search lacks #2, #3, #4 (its index may lag): they are counted all the same",
        "search shows only 1000 of the 1003 pull requests merged at 2026-02-04T10:00:00Z: pull requests may be missing",
    )


def test_history_that_lacks_a_pull_request(repository: FakeRepository) -> None:
    pulls = _week_of(repository, 3)
    with _serving(repository) as server:
        server.scenario.history_misses(2)
        pulls[2].merge_commit = None
        listing = _list(server)
    assert [pull.merge_commit for pull in listing.pulls] == [pulls[0].merge_commit, pulls[1].merge_commit, None]
    assert listing.notes == (
        "3 pull requests: by update 3, by search 3, by the history of main 1",
        "the history of main lacks #2, #3: their merge commits are not on the branch, or not dated in the period",
    )


def test_pull_requests_that_only_the_history_knows(repository: FakeRepository) -> None:
    """GitHub lists 1 as not updated for long, and its search knows neither."""
    pulls = _week_of(repository, 2)
    pulls[0].updated_at = moment("2026-01-01T00:00:00Z")
    with _serving(repository) as server:
        server.scenario.search_finds_nothing()
        listing = _list(server)
    assert _numbers(listing) == [1, 2]
    assert listing.pulls[0].title == "Change something"
    assert server.operations()["ByNumber"] == 1
    assert listing.notes == (
        "2 pull requests: by update 1, by search 0, by the history of main 2",
        "the list by update lacks #1: it is counted all the same",
        "the list by search lacks #1, #2 (its index may lag): they are counted all the same",
        "neither the list by update nor the one by search is whole: pull requests may be missing",
    )


def test_merge_queue(repository: FakeRepository) -> None:
    """The commit was made before the week, the merge is of the week."""
    pull = repository.merge_pull(merged_at="2026-02-01T23:55:00Z")
    pull.merged_at = pull.updated_at = moment("2026-02-02T00:05:00Z")
    with _serving(repository) as server:
        listing = _list(server)
    assert _numbers(listing) == [1]
    assert listing.notes == (_agree(1),)


def test_backports(repository: FakeRepository) -> None:
    """Merged into other branches; one of these is merged into main with a pull request of its own."""
    repository.merge_pull(merged_at="2026-02-03T10:00:00Z")
    repository.merge_pull(merged_at="2026-02-03T11:00:00Z", base="release-1", title="[1.x] Fix")
    repository.merge_pull(merged_at="2026-02-03T12:00:00Z", base="release-2", title="[2.x] Fix")
    with _serving(repository) as server:
        listing = _list(server)
    assert [(pull.number, pull.base_branch) for pull in listing.pulls] == [
        (1, "main"),
        (2, "release-1"),
        (3, "release-2"),
    ]
    assert listing.notes == (
        (
            "three lists agree on 3 pull requests (main: 1, other branches: 2): by update 3, by search 3,"
            " by the history of main 1"
        ),
    )


def test_other_pull_requests_of_a_commit_do_not_count(repository: FakeRepository) -> None:
    """A commit may belong to several: one of an earlier week, one of the repository that this one was forked from."""
    repository.merge_pull(merged_at="2026-01-20T10:00:00Z")
    pull = repository.merge_pull(merged_at="2026-02-03T10:00:00Z")
    original = repository.world.repository("original/aurora")
    foreign = original.merge_pull(7, merged_at="2026-02-03T10:00:00Z")
    assert pull.landed is not None
    pull.landed.pulls += [1]
    synced = repository.direct_commit("Sync", {"a.txt": "a\n"}, at="2026-02-04T10:00:00Z")
    foreign.merge_commit = synced.oid
    synced.foreign_pulls.append(foreign)
    with _serving(repository) as server:
        listing = _list(server)
    assert _numbers(listing) == [2]
    assert listing.direct_commits == 1
    assert listing.notes == (_agree(1),)


def test_commits_landed_by_a_bot(repository: FakeRepository) -> None:
    _week_of(repository, 2)
    for number in (8, 9):
        repository.open_pull(number, state="CLOSED", created_at="2026-02-03T09:00:00Z")
        repository.direct_commit("Land", {"b.txt": f"{number}\n"}, at="2026-02-04T09:00:00Z").pulls.append(number)
    repository.direct_commit("Fix a typo", {"README.md": "hello\n"}, at="2026-02-05T10:00:00Z")
    with _serving(repository) as server:
        listing = _list(server)
    assert _numbers(listing) == [1, 2]
    assert listing.direct_commits == 3
    assert listing.notes == (
        _agree(2),
        "2 commits belong to pull requests that GitHub does not count as merged (landed by a bot)",
    )


def test_renamed_repository(repository: FakeRepository) -> None:
    _week_of(repository, 2)
    repository.rename("northern/lights")
    with _serving(repository) as server:
        old, new = _list(server), _list(server, name="Northern/LIGHTS")
    asked = {request.variables["owner"] for request in server.requests if request.operation == "History"}
    assert asked == {"northern"}
    assert old.repository == new.repository == "northern/lights"
    assert old.pulls == new.pulls
    assert old.notes == ("aurora-serve/aurora is now northern/lights; the new name is used", _agree(2))
    assert new.notes == (_agree(2),)


@pytest.mark.parametrize("operation", ["Updated", "Search", "History"])
def test_expired_cursor(repository: FakeRepository, operation: str) -> None:
    pulls = _week_of(repository, 220)
    with _serving(repository) as server:
        server.scenario.expired_cursor(on=operation)
        listing = _list(server)
    assert _numbers(listing) == [pull.number for pull in pulls]
    assert listing.notes == (_agree(220),)


def test_cursor_that_expires_again(repository: FakeRepository) -> None:
    _week_of(repository, 120)
    with _serving(repository) as server:
        server.scenario.expired_cursor(times=2, on="Search")
        listing = _list(server)
        server.scenario.expired_cursor(times=2, on="Updated")
        with pytest.raises(ServiceError, match=r"the list of pull requests by update is not whole; .* valid cursor"):
            _list(server)
    assert listing.notes[0] == "two lists agree on 120 pull requests: by update 120, by the history of main 120"
    assert listing.notes[1].startswith("the list by search was given up; ")


def test_period_that_is_not_over(repository: FakeRepository) -> None:
    _week_of(repository, 2)
    with _serving(repository) as server:
        server.now = moment("2026-02-05T12:30:00Z")
        listing = _list(server, Period.from_week("2026-W06", "Asia/Shanghai"))
    assert listing.notes == (
        _agree(2),
        (
            "the period is not over: read at 2026-02-05 20:30, it ends at 2026-02-09 00:00 (Asia/Shanghai):"
            " pull requests may be missing"
        ),
    )


def test_end_of_all_days(repository: FakeRepository) -> None:
    _week_of(repository, 2)
    with _serving(repository) as server:
        listing = _list(server, Period.from_dates("0001-01-01", "9999-12-31"))
    assert _numbers(listing) == [1, 2]


def test_empty_repository(repository: FakeRepository) -> None:
    repository.tips.clear()
    with _serving(repository) as server, pytest.raises(SourceError, match=f"{_NAME}: the repository is empty"):
        _list(server)


def test_unknown_repository(repository: FakeRepository) -> None:
    with _serving(repository) as server, pytest.raises(SourceError, match="there is no such repository"):
        _list(server, name="aurora-serve/borealis")


def test_nothing_merged(repository: FakeRepository) -> None:
    with _serving(repository) as server:
        listing = _list(server)
    assert (listing.pulls, listing.direct_commits) == ((), 0)
    assert listing.notes == (_agree(0),)


_REFUSED = "Resource not accessible by personal access token"
_WHY = "this token may not see all of it"


@pytest.mark.parametrize(
    ("field", "part", "changes"),
    [
        ("author", "author", {"author": Person(kind="unknown")}),
        ("mergeCommit", "merge commit", {"merge_commit": None, "looks_rebased": False}),
    ],
)
def test_field_that_the_token_may_not_read(
    repository: FakeRepository, field: str, part: str, changes: dict[str, Any]
) -> None:
    """The entry is there without it, in all three lists."""
    pulls = _week_of(repository, 3)
    with _serving(repository) as server:
        before = _list(server)
        server.scenario.field_error(pulls[1].id, field)
        listing = _list(server)
    one, two, three = before.pulls
    assert listing.pulls == (one, replace(two, **changes, gaps=((part, _WHY),)), three)
    assert listing.notes == (_agree(3),)
    assert listing.direct_commits == 0


def test_deleted_account_and_lost_merge_commit_are_no_gaps(repository: FakeRepository) -> None:
    repository.merge_pull(author=None).merge_commit = None
    with _serving(repository) as server:
        (pull,) = _list(server).pulls
    assert (pull.author, pull.merge_commit, pull.gaps) == (Person(kind="deleted"), None, ())


def test_commit_that_the_token_may_not_read(repository: FakeRepository) -> None:
    steps = [("One", {"a.txt": "1\n"}), ("Two", {"b.txt": "2\n"})]
    pull = repository.merge_pull(kind="rebase", commits=steps)
    with _serving(repository) as server:
        server.scenario.field_error(pull.commits[1].id, "messageHeadline")
        listing = _list(server)
    (found,) = listing.pulls
    assert (found.commits, found.looks_rebased, found.merge_commit) == (2, False, pull.merge_commit)
    assert found.gaps == (("commits", _WHY),)
    assert listing.notes == (_agree(1),)


@pytest.mark.parametrize(
    ("field", "part", "changes"),
    [
        ("title", "title", {"title": ""}),
        ("url", "address", {"url": None}),
        ("createdAt", "time of opening", {"created_at": None}),
        ("baseRefName", "base branch", {}),  # it is on the default branch, as the history shows
        ("headRefName", "head branch", {"head_branch": None}),
        ("commits", "commits", {"commits": 0}),
    ],
)
def test_field_whose_absence_blanks_the_entry(
    repository: FakeRepository, field: str, part: str, changes: dict[str, Any]
) -> None:
    """Update and search show an entry of nothing then; the history knows which it is."""
    pulls = _week_of(repository, 3)
    with _serving(repository) as server:
        before = _list(server)
        server.scenario.field_error(pulls[1].id, field)
        listing = _list(server)
    one, two, three = before.pulls
    assert listing.pulls == (one, replace(two, **changes, gaps=((part, _WHY),)), three)
    assert listing.direct_commits == 0
    assert listing.notes == (
        "3 pull requests: by update 2, by the history of main 3",
        "the list by update lacks #2: it is counted all the same",
        (
            "1 pull request of the list by update cannot be shown to this token, but others name it;"
            f" GitHub said: {_REFUSED} ({field})"
        ),
        f"the list by search was given up; GitHub said: {_REFUSED} ({field})",
    )
    assert server.operations()["ByNumberInPieces"] == 1


def test_entry_that_only_the_list_by_update_hides(repository: FakeRepository) -> None:
    """And only for a moment: the search shows it whole."""
    pulls = _week_of(repository, 3)
    with _serving(repository) as server:
        server.scenario.field_error(pulls[1].id, "title")
        server.scenario.before("Search", 1, server.scenario.clear)
        listing = _list(server)
    assert [(pull.number, pull.gaps) for pull in listing.pulls] == [(1, ()), (2, ()), (3, ())]
    assert listing.notes[0] == "3 pull requests: by update 2, by search 3, by the history of main 3"
    assert "ByNumber" not in server.operations()


def test_entries_that_no_other_list_names(repository: FakeRepository) -> None:
    _week_of(repository, 2)
    backport = repository.merge_pull(merged_at="2026-02-03T10:00:00Z", base="release-1")
    with _serving(repository) as server:
        for field in ("title", "createdAt"):
            server.scenario.clear()
            server.scenario.field_error(backport.id, field)
            with pytest.raises(ServiceError) as raised:
                _list(server)
            assert str(raised.value) == (
                f"{_NAME}: the list of pull requests by update is not whole; 1 pull request of it cannot be shown to"
                f" this token, and no other list names it; GitHub said: {_REFUSED} ({field}); try again, and check what"
                " the token may read"
            )


def test_more_hidden_entries_than_the_others_name(repository: FakeRepository) -> None:
    pulls = _week_of(repository, 2)
    pulls.append(repository.merge_pull(merged_at="2026-02-03T10:00:00Z", base="release-1"))
    with _serving(repository) as server:
        for pull in pulls[1:]:
            server.scenario.field_error(pull.id, "title")
        with pytest.raises(
            ServiceError, match=r"2 pull requests of it cannot .* no other list names all of them; GitHub"
        ):
            _list(server)


def test_hidden_entry_from_before_the_week(repository: FakeRepository) -> None:
    """Behind one that was updated before it: nothing of the week can follow."""
    oldest = repository.merge_pull(merged_at="2026-01-20T10:00:00Z")
    repository.merge_pull(merged_at="2026-01-21T10:00:00Z")
    _week_of(repository, 2)
    with _serving(repository) as server:
        server.scenario.field_error(oldest.id, "title")
        listing = _list(server)
    assert _numbers(listing) == [3, 4]
    assert listing.notes == (_agree(2),)


@pytest.mark.parametrize("field", ["id", "number", "updatedAt"])
def test_entry_without_a_name_or_its_times(repository: FakeRepository, field: str) -> None:
    """Not even one by one can its fields be had."""
    pulls = _week_of(repository, 3)
    with _serving(repository) as server:
        server.scenario.field_error(pulls[1].id, field)
        with pytest.raises(ServiceError, match=rf"this token.*; GitHub said: {_REFUSED} \({field}\); try again"):
            _list(server)


def test_lists_that_fail(repository: FakeRepository) -> None:
    _week_of(repository, 3)
    with _serving(repository) as server:
        server.scenario.bad_gateway(times=None, on="Search")
        server.scenario.server_error(times=None, status=422, message="No history today", on="History")
        listing = _list(server)
    assert _numbers(listing) == [1, 2, 3]
    assert listing.direct_commits is None
    counts, search, history = listing.notes
    assert counts == "3 pull requests: by update 3"
    assert search.startswith("the list by search was given up; 127.0.0.1")
    assert "HTTP 502" in search
    assert history.startswith("the history of main was given up; 127.0.0.1")
    assert "HTTP 422: No history today" in history


def test_lists_of_which_something_is_hidden(repository: FakeRepository) -> None:
    """Nothing of such a list is used; the one by update is whole and decides."""
    pulls = _week_of(repository, 3)
    landed = pulls[1].landed
    assert landed is not None
    with _serving(repository) as server:
        server.scenario.before("Search", 1, lambda: server.scenario.field_error(pulls[1].id, "createdAt"))
        server.scenario.field_error(landed.id, "committedDate")
        listing = _list(server)
    assert _numbers(listing) == [1, 2, 3]
    assert listing.direct_commits is None
    assert listing.notes == (
        "3 pull requests: by update 3",
        f"the list by search was given up; GitHub said: {_REFUSED} (createdAt)",
        f"the history of main was given up; GitHub said: {_REFUSED} (committedDate)",
    )


def test_limit_ends_the_run_instead_of_a_list(repository: FakeRepository) -> None:
    """The command that continues later can compare all three lists."""
    _week_of(repository, 3)
    with _serving(repository) as server:
        server.scenario.before("Search", 1, lambda: server.scenario.primary_limit_200(times=None))
        with pytest.raises(ServiceError, match="--max-wait allows 0 s; the same command continues later"):
            _list(server)


_PLACE = Place(_NAME, f"https://forge.example/{_NAME}", "main")


def _history(nodes: list[Any], **page: Any) -> bytes:
    connection = {"pageInfo": {"hasNextPage": False, "endCursor": None, **page}, "nodes": nodes}
    return answer({"data": {"repository": {"ref": {"target": {"history": connection}}}}})


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (answer({"data": {"repository": {"ref": None}}}), "GitHub left entries out and did not say why"),
        (_history([None]), "GitHub left entries out and did not say why"),
        (
            _history([{"oid": "a" * 40, "committedDate": "2026-02-03T10:00:00Z", "associatedPullRequests": None}]),
            "GitHub left entries out and did not say why",
        ),
        (_history([], hasNextPage=True), "GitHub promised another page and did not say where it begins"),
        (_history([], hasNextPage=True, endCursor="a"), "GitHub promised another page and did not say where it begins"),
    ],
    ids=["no branch", "null entry", "null connection", "no cursor", "the same cursor"],
)
def test_answers_that_are_not_whole(reply: bytes, words: str) -> None:
    with served(reply) as run, pytest.raises(ListError, match=words):
        by_history(run.api, _PLACE, _WEEK)


def test_token_that_is_revoked_meanwhile(repository: FakeRepository) -> None:
    with _serving(repository) as server:
        server.scenario.server_error(status=401, message="Bad credentials", on="Search")
        with pytest.raises(FatalServiceError, match="Bad credentials"):
            _list(server)


def test_look_up_keeps_the_order_that_was_asked_for(repository: FakeRepository) -> None:
    pulls = _week_of(repository, 70)
    asked = [pull.number for pull in reversed(pulls)]
    with _serving(repository) as server, _client(server) as api:
        found = look_up(api, _NAME, asked)
    assert [pull.number for pull in found] == asked
    assert server.operations() == {"ByNumber": 2}


@pytest.mark.parametrize(("number", "words"), [(9, "GitHub said: Could not resolve"), (2, "did not say why")])
def test_look_up_of_what_was_not_merged(repository: FakeRepository, number: int, words: str) -> None:
    _week_of(repository, 1)
    repository.open_pull(2)
    words = f"pull request #{number} cannot be shown to this token as a merged one; .*{words}"
    with _serving(repository) as server, _client(server) as api, pytest.raises(ServiceError, match=words):
        look_up(api, _NAME, [1, number])


def test_look_up_of_what_github_shows_in_part(repository: FakeRepository) -> None:
    """As a run does that goes on where an earlier one ended."""
    pulls = _week_of(repository, 30)
    with _serving(repository) as server, _client(server) as api:
        whole = look_up(api, _NAME, range(1, 31))
        server.scenario.field_error(pulls[1].id, "author")
        for pull in pulls[5:17]:
            server.scenario.field_error(pull.id, "baseRefName")
        found = look_up(api, _NAME, range(1, 31))
    branch = ("base branch", _WHY)
    assert found[1] == replace(whole[1], author=Person(kind="unknown"), gaps=(("author", _WHY),))
    assert found[5:17] == tuple(replace(pull, base_branch=None, gaps=(branch,)) for pull in whole[5:17])
    assert (found[0], found[2:5], found[17:]) == (whole[0], whole[2:5], whole[17:])
    assert server.operations() == {"ByNumber": 2, "ByNumberInPieces": 2}


def test_look_up_that_is_refused_as_a_whole() -> None:
    error = {"type": "FORBIDDEN", "message": "Not today."}
    with (
        served(answer({"data": {"repository": {"p1": None}}, "errors": [error]})) as run,
        pytest.raises(ServiceError, match="acme/tool: pull requests cannot be read by their numbers; GitHub said: Not"),
    ):
        look_up(run.api, "acme/tool", [1])


_BEFORE, _AT_ONCE = "2026-02-01T10:00:00Z", "2026-02-02T10:00:00Z"
_HIDE = {".gitattributes": "* linguist-generated\n"}


def _declare(repository: FakeRepository) -> None:
    files = {".gitattributes": "*.g linguist-generated\n", "a/.gitattributes": "x linguist-vendored\n"}
    repository.merge_pull(merged_at=_BEFORE, files=files)


@pytest.mark.parametrize("kind", ["squash", "merge", "rebase"])
def test_linguist_attributes_of_the_topmost_file_before_the_period(repository: FakeRepository, kind: str) -> None:
    _declare(repository)
    repository.merge_pull(merged_at=_AT_ONCE, kind=kind, commits=[("Hide all", _HIDE), ("Add a", {"a.txt": "1\n"})])
    repository.merge_pull(merged_at=_AFTER, files={".gitattributes": "* linguist-vendored\n"})
    with _serving(repository) as server:
        assert _list(server).attributes == (AttributeRule(pattern="*.g", attribute="generated", value=True),)
        assert server.operations()["Attributes"] == 1


def test_attributes_that_first_came_with_the_period_or_after_it_are_none(repository: FakeRepository) -> None:
    repository.merge_pull(merged_at=_AT_ONCE, files={"a.txt": "1\n"})
    repository.merge_pull(merged_at=_AFTER, files=_HIDE)
    with _serving(repository) as server:
        assert _list(server).attributes == ()


@pytest.mark.parametrize("first", [{"base": "release"}, {"lies": {"merge_commit": None}}])
def test_no_attributes_without_a_commit_to_begin_from(repository: FakeRepository, first: dict[str, Any]) -> None:
    _declare(repository)
    pull = repository.merge_pull(merged_at=_AT_ONCE, base=first.get("base"), files={"a.txt": "1\n"})
    pull.lies |= first.get("lies", {})
    with _serving(repository) as server:
        assert (_list(server).attributes, "Attributes" in server.operations()) == ((), False)


def test_a_repository_without_attributes_is_not_asked_for_earlier_ones(repository: FakeRepository) -> None:
    repository.merge_pull(merged_at=_AT_ONCE, files={".gitattributes": "*.txt text\n"})
    with _serving(repository) as server:
        assert (_list(server).attributes, "Attributes" in server.operations()) == ((), False)
