"""Lines of a description, with the number of the line of the raw text where each stands."""

from prhub_digest.hygiene import prose_lines
from prhub_digest.models.pull_request import PullRequest
from prhub_digest.source_lines import source_lines

TEMPLATE = """<!-- Thank you for contributing! -->
## Description

Please include a summary of the change and which issue is fixed.

The loader kept every page in memory; now it frees them after use.

## How Has This Been Tested?

## Checklist:

- [x] My code follows the style guidelines of this project
- [ ] I have added tests that prove my fix is effective
"""


def test_numbers_are_those_of_the_raw_text() -> None:
    text = (
        "<!--\nTell us what\nand why\n-->\r\nFrees pages.\r\n\r\n"
        "<details><summary>Logs</summary>\nout of memory\n</details>\n"
        "<table><tr><td>before</td></tr>\n<tr><td>after</td></tr></table>\nSame line\nSame line\n"
        "- [x] I have read the guide\n- [ ] I have added tests\n\nThe end &amp; more"
    )
    assert list(prose_lines(text, description=True)) == [
        (5, "Frees pages."),
        (7, "Logs"),
        (8, "out of memory"),
        (10, " before"),
        (11, " after"),
        (12, "Same line"),
        (13, "Same line"),
        (14, "[checklist: 1 of 2 ticked; not ticked: I have added tests]"),
        (17, "The end & more"),
    ]


def test_the_record_keeps_the_raw_text_and_lines_name_it() -> None:
    pull = PullRequest.model_validate(
        {"number": 1, "title": "t", "author": {}, "merged_at": "2026-02-04T00:00:00Z", "body": TEMPLATE}
    )
    found = [line for line in source_lines(pull) if line.id.startswith("B")]
    assert pull.body == TEMPLATE
    assert [(line.id, line.place.line, line.text) for line in found] == [
        ("B1", 2, "## Description"),
        ("B2", 6, "The loader kept every page in memory; now it frees them after use."),
        ("B3", 10, "## Checklist:"),
        ("B4", 12, "[checklist: 1 of 2 ticked; not ticked: I have added tests that prove my fix is effective]"),
    ]
