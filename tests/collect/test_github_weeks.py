from collections import Counter

from github_asking import data, numbers
from github_server import GitHubServer
from github_weeks import SINCE, UNTIL, all_comments, busy_week

from prhub_digest.collect import github_queries


def test_a_busy_week_is_what_it_says() -> None:
    made = busy_week(pulls=120, threads=400)
    assert len(made.pulls) == 120
    assert all(pull.merged_at and SINCE <= pull.merged_at < UNTIL and pull.base == "main" for pull in made.pulls)
    assert all(pull.merged_at and SINCE <= pull.merged_at < UNTIL and pull.base != "main" for pull in made.elsewhere)
    assert not any(pull.merged_at and SINCE <= pull.merged_at < UNTIL for pull in made.outside)
    threads = [thread for pull in made.pulls for thread in pull.threads]
    assert len(threads) == 400
    assert max(len(pull.threads) for pull in made.pulls) == 150
    assert max(len(thread.comments) for thread in threads) == 150
    assert all(thread.diff_hunk for thread in threads)
    assert len(set(all_comments(made.pulls))) == sum(len(thread.comments) for thread in threads)
    assert {pull.kind for pull in made.pulls} == {"squash", "merge", "rebase"}
    assert Counter(commit.mark for commit in made.repository.tips["main"].ancestors()).most_common(1)[0][1] == 1


def test_git_and_the_counts_of_a_busy_week_agree() -> None:
    made = busy_week(pulls=60, threads=0)
    for pull in made.pulls:
        assert pull.landed
        before = pull.landed
        for _ in range(len(pull.commits) if pull.kind == "rebase" else 1):
            before = before.parents[0]
        store = made.repository.store
        pair = (before.oid, pull.landed.oid)
        store.read_diffs([pair])
        assert [vars(file) for file in store.diff(pair)] == [vars(file) for file in pull.files], pull.number


def test_a_busy_week_is_always_the_same_and_can_be_asked_for() -> None:
    one, two = busy_week(pulls=20, threads=30), busy_week(pulls=20, threads=30)
    assert [pull.merge_commit for pull in one.pulls] == [pull.merge_commit for pull in two.pulls]
    with GitHubServer(one.world) as server:
        nodes = data(server, github_queries.DETAILS, ids=[pull.id for pull in one.pulls])
        assert numbers(nodes) == [pull.number for pull in one.pulls]
