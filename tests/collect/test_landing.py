import pytest

from prhub_digest.collect.landing import Landing, co_authors, landing, person, without_trailers
from prhub_digest.models.pull_request import Person


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Fix scan (#12)\n", Landing(12, "Fix scan", "")),
        ("Fix scan (#12)\n\n* one\n* two\n", Landing(12, "Fix scan", "\n* one\n* two")),
        ('Revert "Fix scan (#12)" (#15)', Landing(15, 'Revert "Fix scan (#12)"', "")),
        ("Backport (#3) to 1.x (#4)  ", Landing(4, "Backport (#3) to 1.x", "")),
        ("(#7)", Landing(7, "(#7)", "")),
        ("Merge pull request #9 from octo/fix/a\n\nThe title\n\nText", Landing(9, "The title", "\nText", "fix/a")),
        ("Merge pull request #9 from octo/fix", Landing(9, "Merge pull request #9 from octo/fix", "", "fix")),
        (
            "Merge branch 'speed' into 'main'\n\nMake it fast\n\nMore\n\nSee merge request group/proj!31",
            Landing(31, "Make it fast", "\nMore\n\nSee merge request group/proj!31", "speed", gitlab=True),
        ),
        (
            "A subject that is too long for one li… (#21)\n\n…ne of the log\n\nText",
            Landing(21, "A subject that is too long for one line of the log", "\nText"),
        ),
        (
            "A subject that is too long for one li…\n\n…ne of the log (#21)\n\nText",
            Landing(21, "A subject that is too long for one line of the log", "\nText"),
        ),
        ("Ends on purpose with … (#22)\n\nText", Landing(22, "Ends on purpose with …", "\nText")),
        ("Fix #12", None),
        ("Fix (#12) again", None),
        ('Revert "Fix scan (#12)"', None),
        ("Fix (#0)", None),
        ("Fix\n\nSee (#12)", None),
        ("Merge branch 'main' of host:octo/widgets", None),
        ("", None),
    ],
)
def test_messages(message: str, expected: Landing | None) -> None:
    assert landing(message) == expected


def test_trailers_leave_the_body_and_become_people() -> None:
    body = (
        "\n* Fix the scan\n\n---------\n\nSigned-off-by: Ada Lin <ada@example.invalid>\n"
        "Co-authored-by: Bo Wu <bo@example.invalid>\nCo-Authored-By: Bo Wu <other@example.invalid>\n"
        "co-authored-by: helper[bot] <1+helper@example.invalid>\nCo-authored-by: Ada Lin <ada@example.invalid>\n"
    )
    assert without_trailers(body) == "* Fix the scan"
    assert co_authors(body, "Ada Lin") == (Person(name="Bo Wu"), Person(name="helper", kind="bot"))
    assert without_trailers("\nSee merge request group/proj!31\n") is None
    assert without_trailers("Written by: hand, fixes: #3") == "Written by: hand, fixes: #3"


def test_an_address_is_not_a_name() -> None:
    assert person("ada@example.invalid") == Person(name="ada")
    assert person("") == Person(name="unknown")
