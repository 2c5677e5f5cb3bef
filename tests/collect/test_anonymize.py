"""Nobody is named in an anonymized week, everybody is still told apart, and code stays code."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from prhub_digest.collect.anonymize import AnonymousWeek, anonymize
from prhub_digest.models.filters import Filters, SetAside
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import (
    Collection,
    Comment,
    Commit,
    Completeness,
    FileChange,
    FollowUp,
    Person,
    PullRequest,
    Review,
    ReviewThread,
)

WEB_URL = "https://github.com/aurora-serve/aurora"
ADA = Person(login="Ada-Lin", name="Ada Lin", kind="human")
BO = Person(login="bo", kind="human")
RAY = Person(login="ray", name="Ray", kind="human")
BOT = Person(login="ci-helper", kind="bot")
GONE = Person(kind="deleted")


def collection(**given: Any) -> Collection:
    values = {
        "repository": "aurora-serve/aurora",
        "source": "github",
        "web_url": WEB_URL,
        "period": Period.from_week("2026-W06"),
        "numbers": (7,),
    }
    return Collection.model_validate(values | given)


def pull(number: int = 7, **given: Any) -> PullRequest:
    values = {
        "number": number,
        "title": "Keep the queue",
        "url": f"{WEB_URL}/pull/{number}",
        "author": ADA,
        "merged_at": datetime(2026, 2, 3, tzinfo=UTC),
        "merged_by": BO,
        "co_authors": (RAY,),
    }
    return PullRequest.model_validate(values | given)


def told(text: str) -> str:
    """A description in which Ada-Lin is user-1, bo is user-2 and ray is user-3; ci-helper is a bot."""
    full = pull(body=text, comments=(Comment(id="C1", author=BOT, body="fine"),))
    return anonymize(collection(), [full]).pulls[0].body or ""


def in_diff(line: str) -> str:
    file = FileChange(path="a.py", status="modified", additions=1, deletions=0, patch=f"@@ -1 +1 @@\n+{line}")
    patch = anonymize(collection(), [pull(files=(file,))]).pulls[0].files[0].patch or ""
    return patch.partition("\n+")[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thanks @ada-lin, @BO and @ray!", "Thanks @user-1, @user-2 and @user-3!"),
        ("ADA-LIN's idea; (ray) agrees, ray. 感谢ada-lin的", "user-1's idea; (user-3) agrees, user-3. 感谢user-1的"),
        ("_ada-lin_ **ray** [ray](https://github.com/ray)", "_user-1_ **user-3** [user-3](https://github.com/user-3)"),
        ("ada-lin/fix, ada-lin:fix, ada-lin-patch-2", "user-1/fix, user-1:fix, user-1-patch-2"),
        ("Ada Lin, ada  lin and Ada Linde", "user-1, user-1 and Ada Linde"),
        ("bo is two letters", "bo is two letters"),
        ("ada-linen, my-ada-lin, arrays", "ada-linen, my-ada-lin, arrays"),
        ("ray.get(x), ray(x), obj.ray, --ray, my_ray", "ray.get(x), ray(x), obj.ray, --ray, my_ray"),
        ("@zed and @nia-wu, so nia-wu", "@user-4 and @user-5, so user-5"),
        ("@property, @app.route(), @types/node, @org/team", "@property, @app.route(), @types/node, @org/team"),
        ("@cached_property, x@2.0, me@home", "@cached_property, x@2.0, me@home"),
        ("@ci-helper run; ci-helper failed; @dependabot", "@ci-helper run; ci-helper failed; @dependabot"),
        ("@ghost and @aurora-serve", "@ghost and @aurora-serve"),
        ("Mail zed@corp.example.com.", "Mail user-4@example.invalid."),
        ("git clone git@github.com:ada-lin/aurora", "git clone git@github.com:user-1/aurora"),
        ("https://github.com/zed-x and /explore", "https://github.com/user-4 and /explore"),
        ("https://github.com/explore https://github.com/a/b", "https://github.com/explore https://github.com/a/b"),
        (f"{WEB_URL}/pull/3 by Aurora-Serve/aurora", f"{WEB_URL}/pull/3 by Aurora-Serve/aurora"),
        ("Signed-off-by: Zoe Wu <zoe@corp.org>\nZoe Wu", "Signed-off-by: user-4 <user-4@example.invalid>\nuser-4"),
        (
            "Co-authored-by: A. L. <9+ada-lin@users.noreply.github.com>",
            "Co-authored-by: user-1 <user-1@example.invalid>",
        ),
        ("Reviewed-by: Zoe Wu\r\nok", "Reviewed-by: user-4\r\nok"),
        ("Signed-off-by: ci[bot] <9+ci[bot]@users.noreply.github.com>", None),
        ("Cc: a team", None),
        ("`ray` and `ada-lin`, `@ray` and `@ray.get`", "`ray` and `user-1`, `@user-3` and `@ray.get`"),
        ("`cc @ray` ``x ` @ray``", "`cc @user-3` ``x ` @user-3``"),
        (
            "```py\n@ray\nray = x@self.weight  # @ray ada-lin\n```\nray",
            "```py\n@ray\nray = x@self.weight  # @user-3 user-1\n```\nuser-3",
        ),
    ],
)
def test_in_prose(text: str, expected: str | None) -> None:
    assert told(text) == (text if expected is None else expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("@ray", "@ray"),
        ("    @ray.remote", "    @ray.remote"),
        ("import ray  # ada-lin, Ada Lin", "import ray  # ada-lin, Ada Lin"),
        ("# TODO(@ray): ask @ada-lin, @zed", "# TODO(@user-3): ask @user-1, @zed"),
        ("@ada-lin owns it", "@user-1 owns it"),
        ("y = x@self.weight + a@b.T", "y = x@self.weight + a@b.T"),
        ("mail = 'zed@corp.com'", "mail = 'user-4@example.invalid'"),
        ("Zed <zed@corp.engineering>", "Zed <user-4@example.invalid>"),
        ("Signed-off-by: Zed Wu <zed@corp.engineering>", "Signed-off-by: user-4 <user-4@example.invalid>"),
        ("managed-by: helm", "managed-by: helm"),
        ("cc: Foo<int>", "cc: Foo<int>"),
        (f"see {WEB_URL} @aurora-serve", f"see {WEB_URL} @aurora-serve"),
    ],
)
def test_in_a_diff(line: str, expected: str) -> None:
    assert in_diff(line) == expected


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        ("ada-lin/fix", "user-1/fix"),
        ("Ada-Lin:fix", "user-1:fix"),
        ("users/ray/main", "users/user-3/main"),
        ("ada-lin-patch-1", "user-1-patch-1"),
        ("ray-patch-12", "user-3-patch-12"),
        ("fix-ada-lin-2", "fix-user-1-2"),
        ("ray", "ray"),
        ("array/x", "array/x"),
        ("ray-tracing", "ray-tracing"),
    ],
)
def test_in_the_name_of_a_branch(branch: str, expected: str) -> None:
    found = anonymize(collection(), [pull(head_branch=branch, base_branch=branch)]).pulls[0]
    assert (found.head_branch, found.base_branch) == (expected, expected)


def test_every_record_has_the_same_stand_in_for_the_same_person() -> None:
    nia = Person(login="nia-wu", name="Nia Wu", kind="human")
    thread = ReviewThread(
        id="T1",
        path="ada-lin/ray.py",
        resolved_by=nia.updated(login="NIA-WU"),
        diff_hunk="@@ -1 +1 @@\n+x  # @nia-wu",
        url=f"{WEB_URL}/pull/7#discussion_r1",
        comments=(Comment(id="C1", author=BOT, body="nia-wu?"), Comment(id="C2", author=GONE, body="ray")),
    )
    full = pull(
        labels=("ray", "owner: nia-wu"),
        commits=(Commit(sha="a" * 40, message="Fix it for Nia Wu", author=Person(name="Nia Wu")),),
        reviews=(Review(author=nia, state="approved", body="cc @ada-lin"),),
        threads=(thread,),
        comments=(Comment(id="C3", author=RAY, body="by Nia Wu"),),
        follow_ups=(FollowUp(number=9, title="Follow nia-wu"),),
        completeness=Completeness(notes=("ray said nia-wu",)),
    )
    found = anonymize(collection(), [full])
    own = found.pulls[0]
    assert found.people == 4
    assert own.author == Person(login="user-1", name="user-1", kind="human")
    assert own.merged_by == Person(login="user-2", kind="human")
    assert own.co_authors == (Person(login="user-3", name="user-3", kind="human"),)
    assert own.labels == ("ray", "owner: user-4")
    assert (own.commits[0].author, own.commits[0].message) == (Person(name="user-4"), "Fix it for user-4")
    assert own.reviews
    assert (own.reviews[0].author.login, own.reviews[0].body) == ("user-4", "cc @user-1")
    assert own.threads
    assert own.threads[0] == thread.updated(
        resolved_by=Person(login="user-4", name="user-4", kind="human"),
        diff_hunk="@@ -1 +1 @@\n+x  # @user-4",
        comments=(Comment(id="C1", author=BOT, body="user-4?"), Comment(id="C2", author=GONE, body="user-3")),
    )
    assert own.comments
    assert (own.comments[0].author.login, own.comments[0].body) == ("user-3", "by user-4")
    assert own.follow_ups == (FollowUp(number=9, title="Follow user-4"),)
    assert own.completeness.notes == ("ray said user-4",)
    assert own.url == full.url


def test_what_is_set_aside_fits_the_filters_still() -> None:
    asked = collection(
        filters=Filters(
            base=("main", "ada-lin/*"),
            authors=("!ada-*", "!troll", "*", "!*[bot]"),
            labels=("!ada-lin",),
            paths=("a/**",),
        ),
        set_aside=(
            SetAside(number=8, title="For @ray", reason="author", detail="Ada-Lin"),
            SetAside(number=9, title="By nobody else", reason="author", detail="troll"),
            SetAside(number=10, title="Bump", reason="bot", detail="dependabot"),
            SetAside(number=11, title="Stacked", reason="base", detail="ray/next"),
            SetAside(number=12, title="Wait", reason="label", detail="wip, ada-lin"),
            SetAside(number=13, title="Words", reason="path", detail="ray/a.md"),
        ),
        notes=("ada-lin: pull requests may be missing",),
    )
    found = anonymize(asked, [pull()]).collection
    assert [(aside.title, aside.detail) for aside in found.set_aside] == [
        ("For @user-3", "user-1"),
        ("By nobody else", "user-4"),
        ("Bump", "dependabot"),
        ("Stacked", "user-3/next"),
        ("Wait", "wip, user-1"),
        ("Words", "ray/a.md"),
    ]
    assert found.filters == Filters(
        base=("main", "user-1/*"),
        authors=("!user-1", "!user-4", "*", "!*[bot]"),
        labels=("!user-1",),
        paths=("a/**",),
    )
    assert found.notes == ("user-1: pull requests may be missing",)
    assert (found.repository, found.web_url, found.numbers) == (asked.repository, WEB_URL, (7,))


def test_the_owner_is_replaced_as_a_person_but_the_repository_keeps_its_name() -> None:
    owner = Person(login="Zoe-W", kind="human")
    url = "https://github.com/zoe-w/tool"
    week = anonymize(
        collection(repository="zoe-w/tool", web_url=url), [pull(author=owner, body=f"@zoe-w: zoe-w/tool, {url} zoe-w")]
    )
    assert week.pulls[0].author.login == "user-1"
    assert week.pulls[0].body == f"@user-1: zoe-w/tool, {url} user-1"


def test_names_that_only_git_knows() -> None:
    li = Person(name="王小明")
    week = anonymize(
        collection(), [pull(author=li, merged_by=None, co_authors=(Person(name="Ada"),), title="感谢王小明的 Ada 代码")]
    )
    own = week.pulls[0]
    assert (own.author, own.co_authors, own.title) == (
        Person(name="user-1"),
        (Person(name="user-2"),),
        "感谢user-1的 Ada 代码",
    )


def test_numbers_follow_the_order_of_pull_requests_not_of_the_files() -> None:
    first, second = pull(3, author=RAY), pull(12)
    week = anonymize(collection(), [second, first])
    assert [own.number for own in week.pulls] == [3, 12]
    assert [own.author.login for own in week.pulls] == ["user-1", "user-3"]
    assert week == anonymize(collection(), [first, second])


LOGIN = st.from_regex(r"[qxzQXZ][a-zA-Z0-9](-?[a-zA-Z0-9]){1,12}", fullmatch=True)
AROUND = (
    *("@{}", "{}'s", "({})", "**{}**", "{}/fix", "{}:fix", "感谢{}。", "{},", "{}.", "cc {}", "“{}”"),
    *(
        "[x](https://github.com/{})",
        "https://github.com/{}/aurora/tree/x",
        "Co-authored-by: Q <1+{}@users.noreply.github.com>",
    ),
    *("Reviewed-by: {}", "{}-patch-3", "> {}", "- {}"),
)


@st.composite
def prose(draw: st.DrawFn, logins: list[str]) -> str:
    cases: tuple[Callable[[str], str], ...] = (str.upper, str.lower, str)
    pieces = draw(
        st.lists(st.tuples(st.sampled_from(AROUND), st.sampled_from(logins), st.sampled_from(cases)), max_size=8)
    )
    joints = draw(st.lists(st.sampled_from([" ", "\n", "\n\n", ", "]), min_size=len(pieces), max_size=len(pieces)))
    return "".join(
        around.format(case(login)) + joint for (around, login, case), joint in zip(pieces, joints, strict=True)
    )


@given(st.data())
@settings(max_examples=150)
def test_no_login_is_left_in_any_record(data: st.DataObject) -> None:
    logins = data.draw(st.lists(LOGIN, min_size=1, max_size=5, unique_by=str.lower))
    people = [Person(login=login, kind="human") for login in logins]
    texts = [data.draw(prose(logins)) for _ in range(3)]
    week = anonymize(
        collection(set_aside=(SetAside(number=9, title=texts[0], reason="author", detail=logins[-1]),)),
        [
            pull(
                title=texts[0],
                body=texts[1],
                author=people[0],
                merged_by=people[-1],
                co_authors=tuple(people),
                head_branch=f"{logins[0]}/fix",
                comments=tuple(Comment(id=person.label[:1], author=person, body=texts[2]) for person in people),
            )
        ],
    )
    whole = week.collection.to_json() + week.pulls[0].to_json()
    for login in logins:
        assert not re.search(rf"(?<![A-Za-z0-9-]){login}(?![A-Za-z0-9-])", whole, re.IGNORECASE)
    stand_ins = [person.login for person in week.pulls[0].co_authors]
    assert len(set(stand_ins)) == len(logins)
    assert again(week) == week


ODD = (
    *("@", "-", "_", ".", "/", ":", "(", "`", "```\n", "\n", " ", "<", ">", "a", "Z", "7", "é", "user-1", "user-02"),
    *("@user-3", "user-2@example.invalid", "Ada Lin", "ADA-LIN", "ray", "bo", "@nia-w", "nia-w", "https://github.com/"),
    *(
        "\nSigned-off-by: ",
        "\nCc: ",
        "<zed@corp.org>",
        "<1+nia-w@users.noreply.github.com>",
        "zed@corp.org",
        "-patch-1",
    ),
    *("aurora-serve/aurora", "aurora-serve", "dependabot[bot]", "王小明", "@ray", "self.w"),
)
odd_text = st.lists(st.sampled_from(ODD), max_size=14).map("".join)


@given(
    odd_text, odd_text, odd_text, st.sampled_from([ADA, BO, Person(name="王小明"), Person(login="user-2"), BOT, GONE])
)
@example("user-3 @ada-lin", "Ada Lin-patch-1", "Ada Lin@self.w", ADA)
@settings(max_examples=300)
def test_a_second_time_changes_nothing(title: str, body: str, line: str, author: Person) -> None:
    file = FileChange(path="a.py", status="modified", additions=1, deletions=0, patch=f"@@ -1 +1 @@\n+{line}")
    asked = collection(
        filters=Filters(authors=("!zed", "a*", line)), set_aside=(SetAside(number=9, title=line, reason="bot"),)
    )
    week = anonymize(
        asked, [pull(title=title, body=body, author=author, files=(file,), head_branch=line, labels=(line,)), pull(3)]
    )
    assert again(week) == week


def again(week: AnonymousWeek) -> AnonymousWeek:
    return anonymize(week.collection, week.pulls)
