import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_reader import read

from prhub_digest.render.inline import parse_sentence
from prhub_digest.render.markdown_escape import markdown
from prhub_digest.render.typography import polish


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**FP4 索引器 **（#26209）", "**FP4 索引器**（#26209）"),
        ("**性能提升。**本周", "**性能提升**。本周"),
        ("支持**（实验性）**功能", "支持（**实验性**）功能"),
        ("**`x`**的", "**`x`** 的"),
        ("使用`foo`的FP4索引", "使用 `foo` 的 FP4 索引"),
        ("支持**FP8**量化", "支持 **FP8** 量化"),
        ("**中文**FP8", "**中文** FP8"),
        ("速度快,内存少(仅单卡).", "速度快，内存少（仅单卡）。"),
        ("见 foo(x),然后 bar(a, b) 结束", "见 foo(x)，然后 bar(a, b) 结束"),
        ("你好， world 。", "你好，world。"),
        ("提升39%的吞吐", "提升 39% 的吞吐"),
        ("保留`a,b(中文)`不动", "保留 `a,b(中文)` 不动"),
        ("见https://example.org/中a的页", "见 https://example.org/ 中 a 的页"),
        ("2 ** 3 ** 4 与 **kwargs and **options", "2 ** 3 ** 4 与 **kwargs and **options"),
        ("支持(beta)功能", "支持（beta）功能"),
    ],
)
def test_chinese(source: str, expected: str) -> None:
    assert polish(source, "zh") == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("**Faster **(see below), 1,000 a,b", "**Faster** (see below), 1,000 a,b"),
        ("A **bold.**", "A **bold**."),
        ("Call `**x **` as is", "Call `**x **` as is"),
    ],
)
def test_english_only_gets_working_bold(source: str, expected: str) -> None:
    assert polish(source, "en") == expected


@pytest.mark.parametrize(
    ("source", "bold", "text"),
    [
        ("**FP4 索引器 **（#26209）", "FP4 索引器", "FP4 索引器（#26209）"),
        ("**性能提升。**本周", "性能提升", "性能提升。本周"),
        ("支持**（实验性）**功能", "实验性", "支持（实验性）功能"),
        ("**`x`**的", "x", "x 的"),
        ("**支持（实验性）**功能", "支持（实验性）", "支持（实验性） 功能"),
    ],
)
def test_bold_beside_chinese_is_read_as_bold(source: str, bold: str, text: str) -> None:
    """H-22: a plain CommonMark parser sees strong text and no asterisks."""
    found = read(markdown(parse_sentence(source, "zh")))
    assert found.strong == (bold,)
    assert found.text == text


_ALPHABET = st.text(alphabet="中文a1 ,.:()（）。，`*_%\ue000\ue001\ue002", max_size=24)


@settings(max_examples=300)
@given(_ALPHABET)
def test_polishing_twice_changes_nothing(text: str) -> None:
    for language in ("zh", "en"):
        once = polish(text, language)
        assert polish(once, language) == once


@settings(max_examples=200)
@given(_ALPHABET)
def test_polishing_keeps_every_letter_and_all_code(text: str) -> None:
    polished = polish(text, "zh")
    assert [c for c in polished if c.isalnum() or c in "`_%"] == [c for c in text if c.isalnum() or c in "`_%"]
