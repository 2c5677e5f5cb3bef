import pytest

from prhub_digest.signals.codeowners import owned_folders

PATHS = ("core/sched/policy/a.py", "core/io/b.py", "docs/a.md", "README.md")
LINES = {
    "a folder": ("/core/sched/ @team", ("core/sched",)),
    "without a slash at the end": ("core/io @ada @bo", ("core/io",)),
    "all in a folder": ("core/sched/** @team", ("core/sched",)),
    "of the top": ("/docs/ @team", ("docs",)),
    "with a comment": ("/core/io/  @ada # for now", ("core/io",)),
    # near misses
    "a folder of any place": ("docs/ @team", ()),
    "names of files": ("*.py @team", ()),
    "a file": ("/README.md @team", ()),
    "nobody's": ("/core/io/", ()),
    "not changed": ("/core/net/ @team", ()),
    "a pattern inside": ("/core/*/policy/ @team", ()),
    "a comment": ("# /core/io/ @team", ()),
    "a section": ("[Core] @core/io", ()),
    "everything": ("* @team", ()),
}


@pytest.mark.parametrize(("line", "expected"), LINES.values(), ids=LINES.keys())
def test_owned_folders(line: str, expected: tuple[str, ...]) -> None:
    assert owned_folders(line, PATHS) == expected


def test_each_folder_once_in_the_order_of_the_file() -> None:
    text = "/docs/ @a\r\n/core/io/ @b\n\n/docs/** @c\n"
    assert owned_folders(text, PATHS) == ("docs", "core/io")
