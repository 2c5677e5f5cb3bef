from typing import Any

import pytest

from prhub_digest.collect.github_people import co_authors, commit_author, person
from prhub_digest.collect.landing import person as person_by_name
from prhub_digest.models.pull_request import Person

DELETED = Person(kind="deleted")
COPILOT = Person(login="Copilot", kind="bot")


@pytest.mark.parametrize(
    ("actor", "expected"),
    [
        (None, DELETED),
        ({"__typename": "User", "login": "ghost"}, DELETED),
        ({"__typename": "User", "login": "ghost", "name": "Deleted user"}, DELETED),
        ({"__typename": "User", "login": "ghosts"}, Person(login="ghosts", kind="human")),
        (
            {"__typename": "User", "login": "ada-lin", "name": "Ada Lin"},
            Person(login="ada-lin", name="Ada Lin", kind="human"),
        ),
        ({"__typename": "User", "login": "ada-lin", "name": None}, Person(login="ada-lin", kind="human")),
        ({"__typename": "User", "login": "ada-lin", "name": ""}, Person(login="ada-lin", kind="human")),
        ({"__typename": "Mannequin", "login": "old-ada"}, Person(login="old-ada", kind="human")),
        ({"__typename": "EnterpriseUserAccount", "login": "ada_corp"}, Person(login="ada_corp", kind="human")),
        ({"__typename": "Organization", "login": "aurora"}, Person(login="aurora", kind="unknown")),
        ({"__typename": "Bot", "login": "dependabot"}, Person(login="dependabot", kind="bot")),
        ({"__typename": "Bot", "login": "dependabot[bot]"}, Person(login="dependabot", kind="bot")),
        ({"__typename": "Bot", "login": "copilot-pull-request-reviewer"}, COPILOT),
        ({"__typename": "Bot", "login": "copilot-pull-request-reviewer[bot]"}, COPILOT),
        ({"__typename": "Bot", "login": "Copilot"}, COPILOT),
        ({"__typename": "Bot", "login": "copilot[bot]"}, COPILOT),
        # who writes pull requests is not who reviews them: a remark of one on the other's is no note to oneself
        ({"__typename": "Bot", "login": "copilot-swe-agent"}, Person(login="copilot-swe-agent", kind="bot")),
        ({}, Person()),
    ],
)
def test_an_actor(actor: dict[str, Any] | None, expected: Person) -> None:
    assert person(actor) == expected


def test_a_deleted_account_is_shown_as_github_shows_it() -> None:
    assert person(None).label == "ghost"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dependabot[bot]", Person(name="dependabot", kind="bot")),
        ("Dependabot[Bot]", Person(name="Dependabot", kind="bot")),
        ("copilot-pull-request-reviewer[bot]", Person(name="Copilot", kind="bot")),
        ("robot", Person(name="robot")),
        ("[bot] Ada", Person(name="[bot] Ada")),
        ("[bot]", Person(name="unknown", kind="bot")),
    ],
)
def test_a_name_of_a_commit(name: str, expected: Person) -> None:
    assert person_by_name(name) == expected


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ({"name": "Ada Lin", "user": {"login": "ada-lin"}}, Person(login="ada-lin", name="Ada Lin", kind="human")),
        ({"name": "Ada Lin", "user": None}, Person(name="Ada Lin")),
        ({"name": "helper[bot]", "user": None}, Person(name="helper", kind="bot")),
        ({"name": "Ada Lin", "user": {"login": "ghost"}}, DELETED),
        ({"name": None, "user": None}, Person(name="unknown")),
        (None, Person(name="unknown")),
    ],
)
def test_the_author_of_a_commit(author: dict[str, Any] | None, expected: Person) -> None:
    assert commit_author(author) == expected


ADA = Person(login="ada-lin", name="Ada Lin", kind="human")
BO = Person(login="bo-wu", name="Bo Wu", kind="human")


def commit(name: str | None, login: str | None = None, message: str = "Change") -> dict[str, Any]:
    return {"author": {"name": name, "user": {"login": login} if login else None}, "message": message}


CO_AUTHORS: dict[str, tuple[Person, list[dict[str, Any]], tuple[Person, ...]]] = {
    "nobody else": (ADA, [commit("Ada Lin", "ada-lin")], ()),
    "an account": (ADA, [commit("Bo Wu", "bo-wu")], (BO,)),
    "once, whatever its case": (ADA, [commit("Bo Wu", "bo-wu"), commit("Bo Wu", "Bo-Wu")], (BO,)),
    "a trailer": (
        ADA,
        [commit("Ada Lin", "ada-lin", "Change\r\n\r\nCo-authored-by: Cy Park <cy@example.invalid>\r\n")],
        (Person(name="Cy Park"),),
    ),
    "a trailer and an account are one": (
        ADA,
        [commit("Ada Lin", "ada-lin", "Change\n\nCo-authored-by: Bo Wu <b@example.invalid>"), commit("Bo Wu", "bo-wu")],
        (BO,),
    ),
    "the author by an unknown address": (ADA, [commit("Ada Lin")], ()),
    "the author's login as a name": (ADA, [commit("ada-lin")], ()),
    "the author's second account": (ADA, [commit("Ada Lin", "ada-lin-work")], ()),
    "the author under the name of the commits": (
        Person(login="ada-lin", kind="human"),
        [commit("A. Lin", "ada-lin", "Change\n\nCo-authored-by: A. Lin <a@example.invalid>")],
        (),
    ),
    "two accounts of one name": (
        ADA,
        [commit("Bo Wu", "bo-wu"), commit("Bo Wu", "bo-wu-2")],
        (BO, Person(login="bo-wu-2", name="Bo Wu", kind="human")),
    ),
    "a bot's own commits": (Person(login="dependabot", kind="bot"), [commit("dependabot[bot]")], ()),
    "a bot on a person's": (ADA, [commit("pre-commit-ci[bot]")], (Person(name="pre-commit-ci", kind="bot"),)),
    "nobody known": (ADA, [commit(None), {"author": None, "message": "x"}, commit("Gone", "ghost")], ()),
    "accounts before names": (
        ADA,
        [commit("Ada Lin", "ada-lin", "Co-authored-by: Cy Park <c@example.invalid>"), commit("Bo Wu", "bo-wu")],
        (BO, Person(name="Cy Park")),
    ),
    "of a deleted account's": (DELETED, [commit("Ada Lin", "ada-lin")], (ADA,)),
}


@pytest.mark.parametrize(("author", "commits", "expected"), CO_AUTHORS.values(), ids=CO_AUTHORS.keys())
def test_co_authors(author: Person, commits: list[dict[str, Any]], expected: tuple[Person, ...]) -> None:
    assert co_authors(author, commits) == expected
