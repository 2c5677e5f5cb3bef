import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_reader import read, table_rows

from prhub_digest.render.inline import Span, clip, code, parse_sentence, parse_title, plain
from prhub_digest.render.markdown_escape import markdown

HOSTILE = [
    "Return Task<bool> instead of Task",
    "<b>bold</b> <!-- hidden --> <script>x</script> &lt;i&gt; &#64; AT&T",
    "![image](http://x.test/a.png) [link](javascript:alert(1)) <https://x.test> [ref]: http://x.test",
    "# heading ## trailing ##",
    "- item",
    "+ item",
    "12. item",
    "> quote",
    "---",
    "===",
    "*emphasis* _emphasis_ __strong__ ~~gone~~ snake_case_name __init__",
    "trailing backslash \\",
    "a \\* b \\\\ c \\| d | e",
    "one ` tick, two `` ticks",
    "$x^2$ and $$y$$",
    "wow! [x]",
    "| a | b |",
]


def visible_text(spans: Sequence[Span]) -> str:
    """What a reader of the formatted line sees."""
    return "".join(span.text for span in spans)


@pytest.mark.parametrize("title", HOSTILE)
def test_titles_read_as_they_were_written(title: str) -> None:
    found = read(f"- {markdown(parse_title(title))}")
    assert found.text == title
    assert (found.links, found.strong) == ((), ())
    assert read(markdown(parse_title(title))).text == title
    assert table_rows(f"| x |\n| --- |\n| {markdown(parse_title(title), in_table=True)} |") == [["x"], [title]]


def test_generics_and_tags() -> None:
    """H-20."""
    found = read(markdown(parse_title("Render `<picture>` & <video> tags")))
    assert found.text == "Render <picture> & <video> tags"
    assert found.code == ("<picture>",)


def test_pipes_and_line_breaks_in_cells() -> None:
    """H-19."""
    titles = ["Fix `a | b` parsing", "Split cfg | merge", "Code `a\\|b` and\nanother\r\nline | \\"]
    rows = [f"| {markdown(parse_title(title), in_table=True)} | end |" for title in titles]
    found = table_rows("\n".join(("| title | x |", "| --- | --- |", *rows)))
    assert found == [
        ["title", "x"],
        ["Fix a | b parsing", "end"],
        ["Split cfg | merge", "end"],
        ["Code a\\|b and another line | \\", "end"],
    ]


LIVE = [
    ("Guard @cached_property (port of other-org/lib#88, see #88)", ("@cached_property", "other-org/lib#88", "#88")),
    ("Fixes #1, closes octo/lib#2 and resolves GH-3", ("#1", "octo/lib#2", "GH-3")),
    ("thanks @octo-org/team-a. see @functools.lru_cache", ("@octo-org/team-a", "@functools.lru_cache")),
    ("见#88和@octocat的https://github.com/a/b/issues/1页", ("#88", "@octocat", "https://github.com/a/b/issues/1")),
    ("www.example.org me@example.org", ("www.example.org", "me@example.org")),
    ("commit 0123abcd0123abcd0123abcd0123abcd0123abcd", ("0123abcd0123abcd0123abcd0123abcd0123abcd",)),
    ("smile :smile: std::vector::push 12:30:45", (":smile:",)),
]


@pytest.mark.parametrize(("title", "expected"), LIVE)
def test_what_github_would_link_stands_in_code(title: str, expected: tuple[str, ...]) -> None:
    """H-21: GitHub looks at rendered text; only code is left alone."""
    found = read(markdown(parse_title(title)))
    assert found.text == title
    assert found.code == expected
    assert found.links == ()


@settings(max_examples=300)
@given(st.text(alphabet="ab_1 `*\\|<>&#@!$~[]()-+.:/中（）\n\x1b", max_size=30))
def test_any_title_reads_back(title: str) -> None:
    spans = parse_title(title)
    written = markdown(spans)
    found = read(f"- x {written}")
    assert found.text.strip() == f"x {visible_text(spans)}".strip()
    in_text = re.sub("|".join(map(re.escape, sorted(found.code, key=len, reverse=True))) or "$^", " ", found.text)
    assert not re.search(r"@[A-Za-z0-9]|#\d", in_text)
    rows = table_rows(f"| x |\n| --- |\n| x {markdown(spans, in_table=True)} |")
    assert [cell.strip() for cell in rows[1]] == [f"x {visible_text(spans)}".strip()]


@settings(max_examples=300)
@given(st.text(alphabet="ab1 `*_中文（）。，<", max_size=24))
def test_any_sentence_reads_back(text: str) -> None:
    spans = parse_sentence(text, "zh")
    assert read(f"- x {markdown(spans)}").text.strip() == f"x {visible_text(spans)}".strip()


def test_text_before_a_link_makes_no_image() -> None:
    spans = (Span("wow!"), Span("#9", "link", "https://github.com/o/r/pull/9"))
    assert read(markdown(spans)).links == (("#9", "https://github.com/o/r/pull/9"),)


def test_a_cut_inside_code_leaves_no_code_open() -> None:
    """H-28: the fence is closed, the cut is marked outside of it, and what follows is a heading."""
    source = "Steps:\n\n```bash\nmake build\nmake test\nmake bench\n```\nDone.\n"
    written = markdown(clip(parse_title(source), 30)) + "\n\n## Risks\n"
    assert written == "Steps: `bash make build make te`…\n\n## Risks\n"
    assert read(written).text == "Steps: bash make build make te…\nRisks"


def test_names_and_controls() -> None:
    assert markdown(code("a`b\x1b")) == "``a`b\\x1b``"
    assert markdown(plain("\x1b[2J \u202eabc")) == "\\\\x1b\\[2J \\\\u202eabc"


def test_a_bare_number_of_a_sentence_is_no_code_and_that_of_a_title_is() -> None:
    assert parse_sentence("At most `256` experts since `0.9`, with `--page-size 64`.", "en") == (
        Span("At most "),
        Span("256"),
        Span(" experts since "),
        Span("0.9"),
        Span(", with "),
        Span("--page-size 64", "code"),
        Span("."),
    )
    assert parse_title("Answer `500`") == (Span("Answer "), Span("500", "code"))
