"""Details of pull requests over a real socket: every list to its end, heavy batches halved, nothing partial hidden."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from github_server import GitHubServer
from github_wire import Answer as HttpAnswer
from github_world import Bot, FakePull, FakeRepository, World
from pydantic import SecretStr

from prhub_digest.collect.github_access import GitHubAccess
from prhub_digest.collect.github_api import Answer, GitHubApi
from prhub_digest.collect.github_details import read_details
from prhub_digest.collect.github_pages import Page, Reading
from prhub_digest.collect.github_people import person
from prhub_digest.collect.github_pulls import ListedPull, PullDetail, ThreadAnchor
from prhub_digest.collect.github_queries import LABELS
from prhub_digest.errors import FatalServiceError, ServiceError
from prhub_digest.models.pull_request import (
    Comment,
    Commit,
    Completeness,
    FollowUp,
    Person,
    PullRequest,
    Review,
    ReviewThread,
)

NO_ANSWER = "GitHub failed to answer, even when asked for nothing else"
NAME = "aurora-serve/aurora"
# What DETAILS may bring of one pull request: itself and all pages full.
NODES = 1 + 30 + 50 + 30 + 30 + 30 + 30 * 10 + 20
MERGED = datetime(2026, 2, 4, 10, tzinfo=UTC)


@dataclass
class Run:
    """A client of the fake server, what it said and how long it would have waited."""

    world: World
    repo: FakeRepository
    server: GitHubServer
    max_wait: float = 0
    said: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    @contextmanager
    def client(self) -> Iterator[GitHubApi]:
        access = GitHubAccess(self.server.api_url, self.server.server_url, SecretStr(self.server.token), "GH_TOKEN")
        api = GitHubApi(access, max_wait=self.max_wait, say=self.said.append, sleep=self.waits.append)
        try:
            yield api
        finally:
            api.close()

    def iterate(self, pulls: Sequence[FakePull] | None = None) -> Iterator[PullDetail]:
        with self.client() as api:
            yield from read_details(api, NAME, [listed(pull) for pull in pulls or self.repo.pulls.values()])

    def read(self, *pulls: FakePull) -> list[PullDetail]:
        return list(self.iterate(pulls))

    def one(self, pull: FakePull) -> PullDetail:
        (detail,) = self.read(pull)
        return detail

    def batches(self) -> list[int]:
        """How many pull requests each query for details asked for."""
        return [len(asked.variables["ids"]) for asked in self.server.requests if asked.operation == "Details"]

    def pages(self) -> list[int]:
        """How many further pages each query asked for."""
        return [len(asked.variables) // 2 for asked in self.server.requests if asked.operation == "More"]


@pytest.fixture
def run() -> Iterator[Run]:
    with served() as run:
        yield run


@contextmanager
def served() -> Iterator[Run]:
    world = World()
    repo = world.repository(NAME)
    with GitHubServer(world) as server:
        yield Run(world, repo, server)


def listed(pull: FakePull) -> ListedPull:
    """As the lists, which other tests are about, would give it."""
    who = pull.author
    actor = {"__typename": who.kind, "login": who.login, "name": who.name} if who else None
    return ListedPull(
        id=pull.id,
        number=pull.number,
        title=pull.title,
        url=pull.url,
        author=person(actor),
        base_branch=pull.base,
        head_branch=pull.head_branch,
        created_at=pull.created_at,
        merged_at=pull.merged_at or pull.created_at,
        updated_at=pull.updated_at,
        merge_commit=pull.merge_commit,
        commits=len(pull.commits),
        looks_rebased=False,
    )


def merge(run: Run, count: int) -> list[FakePull]:
    return [run.repo.merge_pull(title=f"Change {place}") for place in range(1, count + 1)]


def numbers(details: Sequence[PullDetail]) -> list[int]:
    return [detail.pull.number for detail in details]


def partial(detail: PullDetail) -> tuple[str, ...]:
    """The notes of a pull request that says of itself that its conversation is not whole."""
    assert (detail.pull.completeness.conversation == "partial") == bool(detail.pull.completeness.notes)
    return detail.pull.completeness.notes


# What is in it


def test_a_whole_pull_request(run: Run) -> None:
    pull = run.repo.merge_pull(
        7,
        title="Count lines",
        author="ada-lin",
        merged_at=MERGED,
        merged_by="kim-tan",
        body="Counts.\r\nA broken \ud83d sign.",
        labels=["speed"],
        kind="merge",
        commits=[
            ("Count\n\nCo-authored-by: Cy Park <cy@example.invalid>", {"a.py": "one\ntwo\nthree\n"}),
            ("Tidy", {"a.py": "one\ntwo\nfour\n"}, Bot("tidy-up")),
        ],
    )
    open_thread = pull.thread("a.py", 2, [("bo-wu", "why?\r\n"), ("ada-lin", "see below")], original_commit=0)
    done = pull.thread(
        "a.py",
        3,
        [(Bot("copilot-pull-request-reviewer"), "three?")],
        resolved=True,
        resolved_by="ada-lin",
        outdated=True,
        original_commit=0,
        original_start_line=2,
    )
    pull.review("bo-wu", "CHANGES_REQUESTED", "a\r\nb")
    pull.review("bo-wu", "PENDING", "not sent")
    pull.comment(Bot("ci-helper"), "all green", minimized=True, created_at=MERGED - timedelta(minutes=90))
    later = run.repo.merge_pull(9, title="Count words", merged_at=MERGED + timedelta(days=1))
    pull.referenced_by(later)
    ada = Person(login="ada-lin", name="Ada Lin", kind="human")
    bo = Person(login="bo-wu", name="Bo Wu", kind="human")
    hunk = "@@ -0,0 +1,3 @@\n+one\n+two"

    def said(
        comment_id: str, author: Person, body: str, minutes: int, anchor: str, *, minimized: bool = False
    ) -> Comment:
        created = MERGED - timedelta(minutes=minutes)
        url = f"{pull.url}{anchor}"
        return Comment(id=comment_id, author=author, body=body, created_at=created, url=url, minimized=minimized)

    first, second = open_thread.comments
    third, fourth = done.comments[0], pull.comments[0]
    assert run.one(pull) == PullDetail(
        pull=PullRequest(
            number=7,
            title="Count lines",
            body="Counts.\nA broken \ufffd sign.",
            url=f"{run.server.server_url}/{NAME}/pull/7",
            author=ada,
            co_authors=(Person(name="Cy Park"), Person(name="tidy-up", kind="bot")),
            merged_by=Person(login="kim-tan", name="Kim Tan", kind="human"),
            created_at=MERGED - timedelta(days=1),
            merged_at=MERGED,
            base_branch="main",
            head_branch="topic-7",
            merge_commit=pull.merge_commit,
            labels=("speed",),
            commits=(
                Commit(sha=pull.commits[0].oid, message="Count", author=ada, authored_at=pull.created_at),
                Commit(
                    sha=pull.commits[1].oid,
                    message="Tidy",
                    author=Person(name="tidy-up", kind="bot"),
                    authored_at=pull.created_at + timedelta(minutes=1),
                ),
            ),
            reviews=(
                Review(author=bo, state="changes_requested", body="a\nb", submitted_at=MERGED - timedelta(hours=1)),
            ),
            threads=(
                ReviewThread(
                    id=open_thread.id,
                    path="a.py",
                    line=2,
                    resolved=False,
                    outdated=False,
                    diff_hunk=hunk,
                    url=f"{pull.url}{first.url}",
                    comments=(
                        said(first.id, bo, "why?\n", 120, first.url),
                        said(second.id, ada, "see below", 119, second.url),
                    ),
                ),
                ReviewThread(
                    id=done.id,
                    path="a.py",
                    resolved=True,
                    resolved_by=ada,
                    outdated=True,
                    diff_hunk=f"{hunk}\n+three",
                    url=f"{pull.url}{third.url}",
                    comments=(said(third.id, Person(login="Copilot", kind="bot"), "three?", 120, third.url),),
                ),
            ),
            comments=(
                said(fourth.id, Person(login="ci-helper", kind="bot"), "all green", 90, fourth.url, minimized=True),
            ),
            follow_ups=(FollowUp(number=9, title="Count words", url=later.url, merged_at=MERGED + timedelta(days=1)),),
        ),
        head_commit=pull.commits[1].oid,
        additions=3,
        deletions=0,
        changed_files=1,
        anchors={
            open_thread.id: ThreadAnchor(pull.commits[0].oid, "new", 1, hunk),
            done.id: ThreadAnchor(pull.commits[0].oid, "new", 2, f"{hunk}\n+three"),
        },
    )


def test_deleted_accounts_everywhere(run: Run) -> None:
    pull = run.repo.merge_pull(author=None, merged_by=None, files={"a.py": "one\n"})
    pull.thread("a.py", 1, [(None, "why?"), (None, "because")], resolved=True)
    pull.review(None, "APPROVED")
    pull.comment(None, "thanks")
    found = run.one(pull)
    ghost = Person(kind="deleted")
    (thread,) = found.pull.threads or ()
    people = [found.pull.author, found.pull.merged_by, thread.resolved_by, *(said.author for said in thread.comments)]
    people += [
        *(review.author for review in found.pull.reviews or ()),
        *(said.author for said in found.pull.comments or ()),
    ]
    assert people == [ghost] * 7
    assert partial(found) == ()


def test_counts_are_passed_on_as_github_tells_them(run: Run) -> None:
    pull = run.repo.merge_pull(files={"a.py": "one\n"})
    pull.additions, pull.deletions, pull.changed_files = 70, 3, 0
    found = run.one(pull)
    assert (found.additions, found.deletions, found.changed_files) == (70, 3, 0)
    assert partial(found) == ()


# How often GitHub is asked


@pytest.mark.parametrize(("count", "calls"), [(0, 0), (1, 1), (20, 1), (21, 2), (41, 3)])
def test_twenty_pull_requests_are_one_call(run: Run, count: int, calls: int) -> None:
    pulls = merge(run, count)
    assert numbers(list(run.iterate(pulls)) if pulls else []) == list(range(1, count + 1))
    assert run.server.counts.graphql == calls


def test_every_list_is_read_to_its_end(run: Run) -> None:
    commits = [(f"Step {place}", {"a.py": f"{place}\n"}) for place in range(200)]
    pull = run.repo.merge_pull(labels=[f"label {place}" for place in range(60)], commits=commits, kind="merge")
    for place in range(150):
        pull.thread("a.py", 1, [("bo-wu", f"thread {place}")], diff_hunk="@@ -0,0 +1 @@\n+0")
    for place in range(149):  # one thread of the first page, and one of the last
        pull.threads[0].comment("ada-lin", f"reply {place}")
    for place in range(24):
        pull.threads[149].comment("ada-lin", f"reply {place}")
    for place in range(120):
        pull.review("bo-wu", "COMMENTED", f"review {place}")
        pull.comment("bo-wu", f"comment {place}")
    for _ in range(110):
        pull.referenced_by(run.repo.merge_pull())
    found = run.one(pull)
    threads = found.pull.threads or ()
    assert [thread.id for thread in threads] == [thread.id for thread in pull.threads]
    assert [[said.body for said in thread.comments] for thread in threads] == [
        [said.body for said in thread.comments] for thread in pull.threads
    ]
    assert len(found.anchors) == 150
    assert [commit.sha for commit in found.pull.commits] == [commit.oid for commit in pull.commits]
    assert [review.body for review in found.pull.reviews or ()] == [f"review {place}" for place in range(120)]
    assert [said.body for said in found.pull.comments or ()] == [f"comment {place}" for place in range(120)]
    assert found.pull.labels == tuple(pull.labels)
    assert len(found.pull.follow_ups or ()) == 110
    assert partial(found) == ()
    # labels, commits, reviews, comments, threads, references and the first thread; then four of them; the third page
    # of threads; the comments of the last
    assert (run.batches(), run.pages()) == ([1], [7, 3, 1, 1])


def test_further_pages_of_a_batch_are_asked_together(run: Run) -> None:
    pulls = merge(run, 21)
    for pull in pulls:
        pull.labels = [f"label {place}" for place in range(31)]
    assert all(len(detail.pull.labels or ()) == 31 for detail in run.read(*pulls))
    assert (run.batches(), run.pages()) == ([20, 1], [10, 10, 1])


def test_batches_are_read_as_they_are_taken(run: Run) -> None:
    details = run.iterate(merge(run, 40))
    next(details)
    assert run.batches() == [20]
    details.close()  # type: ignore[attr-defined]


# Too much at once


def _bad_gateway(run: Run, above: int) -> None:
    run.server.scenario.bad_gateway(times=None, above_nodes=above)


def _gateway_timeout(run: Run, above: int) -> None:
    run.server.scenario.gateway_timeout(times=None, above_nodes=above)


def _resource_limits(run: Run, above: int) -> None:
    run.server.scenario.resource_limits(above_nodes=above)


@pytest.mark.parametrize("too_heavy", [_bad_gateway, _gateway_timeout, _resource_limits])
@pytest.mark.parametrize(
    ("can", "batches"),
    [
        (20, [20, 3]),
        (19, [20, 10, 10, 3]),
        (10, [20, 10, 10, 3]),
        (5, [20, 10, 5, 5, 5, 5, 3]),
        (3, [20, 10, 5, 2, 2, 2, 2, 4, 2, 2, 2, 2, 4, 2, 2, 2, 1]),
        (1, [20, 10, 5, 2, *[1] * 4, *[2, *[1] * 4] * 4, 2, *[1] * 3]),
    ],
)
def test_a_batch_is_halved_until_github_can_answer(
    run: Run, too_heavy: Callable[[Run, int], None], can: int, batches: list[int]
) -> None:
    pulls = merge(run, 23)
    too_heavy(run, can * NODES)
    details = run.read(*pulls)
    assert (numbers(details), {partial(detail) for detail in details}) == (list(range(1, 24)), {()})
    assert run.batches() == batches
    assert run.waits == []


def test_the_batch_grows_again_after_a_bad_hour(run: Run) -> None:
    pulls = merge(run, 100)
    run.server.scenario.bad_gateway(times=2)
    assert numbers(run.read(*pulls)) == list(range(1, 101))
    assert run.batches() == [20, 10, 5, 5, 5, 5, 10, 10, 10, 10, 20, 20]


def test_further_pages_are_halved_too(run: Run) -> None:
    pulls = merge(run, 12)
    for pull in pulls:
        pull.labels = [f"label {place}" for place in range(31)]
    run.server.scenario.bad_gateway(times=None, above_nodes=500, on="More")
    details = run.read(*pulls)
    assert {(len(detail.pull.labels or ()), partial(detail)) for detail in details} == {(31, ())}
    assert (run.batches(), run.pages()) == ([12], [10, 5, 5, 2])


def test_a_pull_request_that_github_cannot_answer_is_not_lost(run: Run) -> None:
    pulls = merge(run, 3)
    run.server.scenario.bad_gateway(times=1 + 6, on="Details")  # the batch, then the first one as often as it is tried
    details = run.read(*pulls)
    assert numbers(details) == [1, 2, 3]
    assert details[0] == PullDetail(
        pull=PullRequest(
            number=1,
            title="Change 1",
            url=pulls[0].url,
            author=Person(login="ada-lin", name="Ada Lin", kind="human"),
            created_at=pulls[0].created_at,
            merged_at=pulls[0].merged_at or MERGED,
            base_branch="main",
            head_branch="topic-1",
            merge_commit=pulls[0].merge_commit,
            completeness=Completeness(conversation="partial", notes=(f"conversation: {NO_ANSWER}",)),
        )
    )
    assert [partial(detail) for detail in details[1:]] == [(), ()]
    assert run.server.operations() == {"Details": 1 + 6 + 2, "Repository": 1}


def _only_for(run: Run, *pulls: FakePull) -> None:
    """502 on every query for the details of these."""
    ids = {pull.id for pull in pulls}
    failed = HttpAnswer.json(502, {"message": "Bad Gateway"})
    run.server.scenario._add("Details", None, lambda _: failed, lambda asked: ids & set(asked.variables["ids"]))


def test_two_in_a_row_that_github_cannot_answer_are_their_own_affair(run: Run) -> None:
    """At the beginning, in the middle and at the end."""
    pulls = merge(run, 8)
    _only_for(run, *pulls[:2], *pulls[3:5], *pulls[6:])
    details = run.read(*pulls)
    assert numbers(details) == list(range(1, 9))
    note = (f"conversation: {NO_ANSWER}",)
    assert [partial(detail) for detail in details] == [note, note, (), note, note, (), note, note]


def test_three_in_a_row_end_the_run_and_were_not_read(run: Run) -> None:
    """What was answered before them was; the command that continues asks for them again."""
    pulls = merge(run, 9)
    _only_for(run, pulls[0], *pulls[3:])
    taken: list[PullDetail] = []
    with pytest.raises(ServiceError) as raised:
        taken.extend(run.iterate(pulls))
    assert numbers(taken) == [1, 2, 3]
    assert str(raised.value).startswith(
        "GitHub did not answer for the details of 3 pull requests in a row (#4, #5, #6): 127.0.0.1:"
    )
    assert str(raised.value).endswith(
        ": query Details: HTTP 502: Bad Gateway (gave up after 6 attempts); the same command continues later"
    )


def test_pages_that_github_cannot_answer_are_named(run: Run) -> None:
    pull = run.repo.merge_pull(labels=[f"label {place}" for place in range(31)], files={"a.py": "one\n"})
    other = run.repo.merge_pull()
    for place in range(31):
        pull.thread("a.py", 1, [("bo-wu", f"thread {place}")])
    for place in range(10):
        pull.threads[1].comment("ada-lin", f"reply {place}")
    run.server.scenario.bad_gateway(times=None, on="More")
    details = run.read(pull, other)
    why = f"not the later ones; {NO_ANSWER}"
    assert partial(details[0]) == (
        f"labels: 30 read, {why}",
        f"review threads: 30 read, {why}",
        f"comments of a review thread on a.py: 10 read, {why}",
    )
    assert len(details[0].pull.threads or ()) == 30
    assert partial(details[1]) == ()


@pytest.mark.parametrize("operation", ["Details", "More"])
def test_a_github_that_answers_nothing_ends_the_run(run: Run, operation: str) -> None:
    pulls = merge(run, 3)
    pulls[0].labels = [f"label {place}" for place in range(31)]
    run.server.scenario.bad_gateway(times=None, on=operation)
    run.server.scenario.bad_gateway(times=None, on="Repository")
    taken: list[PullDetail] = []
    with pytest.raises(ServiceError, match="gave up after 6 attempts"):
        taken.extend(run.iterate(pulls))
    assert taken == []


def test_a_limit_that_takes_too_long_makes_nothing_partial(run: Run) -> None:
    pulls = merge(run, 1)
    run.server.scenario.primary_limit_200(times=None, on="Details", reset_in=600)
    with pytest.raises(ServiceError, match="--max-wait"):
        run.read(*pulls)


def test_a_limit_is_waited_for(run: Run) -> None:
    pulls = merge(run, 21)
    run.max_wait = 900
    run.server.scenario.secondary_limit_200(retry_after=60)
    details = run.read(*pulls)
    assert (numbers(details), {partial(detail) for detail in details}) == (list(range(1, 22)), {()})
    assert (run.batches(), run.waits) == ([20, 20, 1], [60])


def test_a_token_that_is_refused_ends_the_run(run: Run) -> None:
    pulls = merge(run, 1)
    run.server.token = "another"
    iterator = run.iterate(pulls)
    run.server.scenario.server_error(status=401, message="Bad credentials", on="graphql")
    with pytest.raises(FatalServiceError):
        list(iterator)


# What GitHub leaves out


def test_a_field_that_may_not_be_seen(run: Run) -> None:
    pulls = merge(run, 3)
    run.server.scenario.field_error(pulls[1].id, "labels")
    details = run.read(*pulls)
    assert [detail.pull.labels for detail in details] == [(), None, ()]
    assert [partial(detail) for detail in details] == [(), ("labels: this token may not see all of it",), ()]


def test_what_a_list_did_not_show_is_a_gap_of_the_pull_request(run: Run) -> None:
    pulls = merge(run, 2)
    gap = ("commits", "this token may not see all of it")
    with run.client() as api:
        told = [replace(listed(pull), gaps=(gap,)) for pull in pulls]
        run.server.scenario.node_lost(pulls[1].id)
        details = list(read_details(api, NAME, told))
    assert partial(details[0]) == (": ".join(gap),)
    assert partial(details[1]) == (": ".join(gap), "conversation: GitHub does not find all of it")


def test_a_time_of_merging_that_may_not_be_seen(run: Run) -> None:
    pulls = merge(run, 2)
    run.server.scenario.field_error(pulls[0].id, "mergedAt")
    details = run.read(*pulls)
    assert [detail.pull.merged_at for detail in details] == [pull.merged_at for pull in pulls]
    assert [bool(partial(detail)) for detail in details] == [True, False]


@pytest.mark.parametrize(("field_name", "part"), [("mergeCommit", "merge commit"), ("baseRefName", "base branch")])
def test_a_hidden_field_is_named(run: Run, field_name: str, part: str) -> None:
    (pull,) = merge(run, 1)
    run.server.scenario.field_error(pull.id, field_name)
    assert partial(run.one(pull))[0] == f"{part}: this token may not see all of it"


def test_people_who_may_not_be_seen_are_not_deleted_accounts(run: Run) -> None:
    pull = run.repo.merge_pull(files={"a.py": "one\n"})
    thread = pull.thread("a.py", 1, [("bo-wu", "why?"), ("ada-lin", "because")], resolved=True, resolved_by="bo-wu")
    for node_id, name in (
        (pull.id, "author"),
        (pull.id, "mergedBy"),
        (thread.comments[0].id, "author"),
        (thread.id, "resolvedBy"),
    ):
        run.server.scenario.field_error(node_id, name)
    found = run.one(pull)
    unknown = Person(kind="unknown")
    (read,) = found.pull.threads or ()
    assert (found.pull.author, found.pull.merged_by, read.comments[0].author, read.resolved_by) == (
        unknown,
        None,
        unknown,
        None,
    )
    assert read.comments[1].author.login == "ada-lin"
    assert set(partial(found)) == {
        f"{part}: this token may not see all of it" for part in ("author", "who merged it", "review threads")
    }


def test_a_place_in_a_list_that_may_not_be_seen(run: Run) -> None:
    pulls = merge(run, 2)
    said = [pulls[0].comment("bo-wu", f"comment {place}") for place in range(40)]
    run.server.scenario.field_error(said[3].id, "body")
    run.server.scenario.field_error(said[35].id, "body", "SOMETHING_NEW")
    details = run.read(*pulls)
    assert len(details[0].pull.comments or ()) == 38
    assert partial(details[0]) == ("comments: this token may not see all of it",)
    assert partial(details[1]) == ()


def test_a_place_on_a_later_page_that_may_not_be_seen(run: Run) -> None:
    pull = run.repo.merge_pull()
    said = [pull.comment("bo-wu", f"comment {place}") for place in range(40)]
    run.server.scenario.field_error(said[35].id, "author", "SOMETHING_NEW")
    found = run.one(pull)
    assert [said.author.kind for said in (found.pull.comments or ())[34:37]] == ["human", "unknown", "human"]
    assert partial(found) == (
        "comments: GitHub could not give all of it: Resource not accessible by personal access token",
    )


@pytest.mark.parametrize(
    ("field_name", "notes"),
    [
        ("number", ("conversation: this token may not see all of it",)),
        ("comments", ("comments: this token may not see all of it", "conversation: not given by GitHub")),
    ],
)
def test_a_pull_request_that_a_forbidden_field_blanks(run: Run, field_name: str, notes: tuple[str, ...]) -> None:
    pulls = merge(run, 3)
    run.server.scenario.field_error(pulls[1].id, field_name)
    details = run.read(*pulls)
    assert numbers(details) == [1, 2, 3]
    assert [detail.pull.title for detail in details] == ["Change 1", "Change 2", "Change 3"]
    assert [bool(partial(detail)) for detail in details] == [False, True, False]
    assert partial(details[1]) == notes
    assert (details[1].pull.threads, details[1].head_commit, details[1].changed_files) == (None, None, None)


def test_a_pull_request_that_github_does_not_find(run: Run) -> None:
    pulls = merge(run, 2)
    run.server.scenario.node_lost(pulls[0].id)
    details = run.read(*pulls)
    assert numbers(details) == [1, 2]
    assert [partial(detail) for detail in details] == [("conversation: GitHub does not find all of it",), ()]


def test_a_reference_behind_single_sign_on(run: Run) -> None:
    pulls = merge(run, 2)
    secret = run.world.repository("aurora-serve/secret").merge_pull(5)
    pulls[0].referenced_by(secret)
    pulls[0].referenced_by(pulls[1])
    run.server.scenario.saml(secret.id, "title")
    found = run.one(pulls[0])
    assert [pull.number for pull in found.pull.follow_ups or ()] == [2]
    (note,) = partial(found)
    assert note.startswith("references from other pull requests: ")


def test_a_list_that_vanishes_while_it_is_read(run: Run) -> None:
    pull = run.repo.merge_pull(labels=[f"label {place}" for place in range(31)])
    other = run.repo.merge_pull(labels=[f"label {place}" for place in range(31)])
    run.server.scenario.before("More", 1, lambda: run.server.scenario.node_lost(pull.id))
    details = run.read(pull, other)
    assert [len(detail.pull.labels or ()) for detail in details] == [30, 31]
    assert [partial(detail) for detail in details] == [("labels: GitHub does not find all of it",), ()]


# Cursors


def test_a_list_whose_cursor_expired_is_read_again(run: Run) -> None:
    pull = run.repo.merge_pull(labels=[f"label {place}" for place in range(140)], files={"a.py": "one\n"})
    for place in range(90):
        pull.thread("a.py", 1, [("bo-wu", f"thread {place}")])
    run.server.scenario.expired_cursor(times=2, on="More")
    found = run.one(pull)
    assert found.pull.labels == tuple(pull.labels)
    assert [thread.id for thread in found.pull.threads or ()] == [thread.id for thread in pull.threads]
    assert partial(found) == ()


def test_a_list_whose_cursors_always_expire_is_not_read_for_ever(run: Run) -> None:
    pull = run.repo.merge_pull(labels=[f"label {place}" for place in range(140)])
    run.server.scenario.expired_cursor(times=None, on="More")
    found = run.one(pull)
    assert found.pull.labels == tuple(pull.labels[:100])
    (note,) = partial(found)
    assert note.startswith("labels: GitHub could not give all of it: `expired` does not appear to be a valid cursor")
    assert run.pages() == [1, 1, 1]


@pytest.mark.parametrize("cursor", [None, "Y3Vyc29yOnYyOjMw"])
def test_a_page_that_leads_nowhere_is_a_gap(run: Run, cursor: str | None) -> None:
    reading = Reading(listed(run.repo.merge_pull()), {"id": "PR_1"})
    more: dict[str, Any] = {
        "labels": {"pageInfo": {"hasNextPage": True, "endCursor": cursor}, "nodes": [{"name": "b"}]}
    }
    reading.node = {"id": "PR_1", "labels": {"pageInfo": {"hasNextPage": True}, "nodes": [{"name": "a"}]}}
    page = Page(reading, LABELS, reading.node, after="Y3Vyc29yOnYyOjMw")
    assert list(page.take("m0", Answer({"m0": more}))) == []
    assert [label["name"] for label in reading.node["labels"]["nodes"]] == ["a", "b"]
    assert reading.gaps == {"labels": "2 read, not the later ones; GitHub does not say where they begin"}
