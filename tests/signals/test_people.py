import pytest

from prhub_digest.models.people import is_bot, same_person
from prhub_digest.models.pull_request import Person

DELETED = Person(kind="deleted")


@pytest.mark.parametrize(
    ("person", "expected"),
    [
        (Person(login="anything", kind="bot"), True),
        (Person(login="renovate", kind="human"), True),
        (Person(login="renovate[bot]", kind="human"), True),
        (Person(name="Release-Helper[Bot]"), True),
        (Person(login="Copilot"), True),
        (Person(login="copilot-pull-request-reviewer"), True),
        (Person(name="copilot-swe-agent"), True),
        (Person(login="K8s-CI-Robot", kind="human"), True),
        (Person(login="robota", kind="human"), False),
        (Person(login="copilot-fan", kind="human"), False),
        (DELETED, False),
    ],
)
def test_who_is_a_bot(person: Person, expected: bool) -> None:
    assert is_bot(person) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Person(login="ada"), Person(login="Ada", name="Ada Lin"), True),
        (Person(login="ada"), Person(login="bo"), False),
        (Person(name="Ada Lin"), Person(name="Ada Lin"), True),
        (Person(name="Ada Lin"), Person(name="Bo Wu"), False),
        (Person(name="Ada Lin"), Person(name="GitHub"), None),
        (Person(name="GitHub"), Person(name="GitHub"), None),
        (Person(login="ada"), Person(name="ada"), None),
        (DELETED, DELETED, None),
        (DELETED, Person(login="ada", kind="human"), False),
        (DELETED, Person(name="Ada Lin"), None),
        (Person(login="helper", kind="bot"), Person(login="helper[bot]", kind="bot"), True),
        (Person(login="helper", kind="bot"), Person(name="helper", kind="bot"), True),
        (Person(login="helper", kind="bot"), Person(login="helper", kind="human"), False),
        (Person(login="helper[bot]", kind="bot"), Person(login="helper"), True),
        (Person(login="Copilot", kind="bot"), Person(login="copilot-pull-request-reviewer", kind="bot"), True),
        (Person(login="Copilot", kind="bot"), Person(login="copilot-swe-agent", kind="bot"), False),
        (Person(), Person(), None),
    ],
)
def test_who_is_the_same(one: Person, other: Person, expected: bool | None) -> None:
    assert same_person(one, other) is expected
    assert same_person(other, one) is expected
