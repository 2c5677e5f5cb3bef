"""Evidence is found by code and copied from the source."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.evidence import EvidenceIndex, content_words, locate
from prhub_digest.hygiene import break_control_tokens
from prhub_digest.models.chunk import Place, SourceLine


def line(identifier: str, text: str, path: str | None = None) -> SourceLine:
    kinds = {"T": "title", "B": "description", "D": "diff", "R": "thread", "C": "comment", "F": "file"}
    place = {"kind": kinds[identifier[0]], "path": path, "line": int(identifier[1:])}
    return SourceLine.at(identifier, text, Place.model_validate(place))


LINES = (
    line("T1", "Prefetch the index before the first token"),
    line("B1", "TTFT falls by 39.3 % on average (H20, batch 8)."),
    line("B2", "索引预取让首个 token 更快，默认关闭。"),
    line("B3", "The sampler no longer writes <|endoftext|> twice."),
    line("B4", "See the notes below"),
    line("D1", "@@ -1,2 +1,3 @@ def warm_up():", "src/a.py"),
    line("D2", "+    cache.warm_up(index, limit=MAX_PREFETCH)", "src/a.py"),
    line("D3", "-    return None", "src/a.py"),
    line("D4", "@@ -1 +1 @@", "src/b.py"),
    line("D5", "+    cache.warm_up(index, limit=MAX_PREFETCH)", "src/b.py"),
    line("D6", "+" + "x1 " * 300 + "needle_word found here" + " y1" * 300, "src/b.py"),
)

CASES = [
    ("the named line", "falls by 39.3 % on average", "B1", "", ("B1", "line")),
    ("case, width and punctuation", "ＴＴＦＴ falls; BY 39.3", "B1", "", ("B1", "line")),
    ("identifiers", "cache.warm_up(index, limit=MAX_PREFETCH)", "D2", "", ("D2", "line")),
    ("another line named", "TTFT falls by 39.3", "T1", "", ("B1", "elsewhere")),
    ("an unknown line named", "TTFT falls by 39.3", "Z99", "", ("B1", "elsewhere")),
    ("the nearer of two", "cache.warm_up(index", "D4", "", ("D5", "elsewhere")),
    ("the nearer of two, from above", "cache.warm_up(index", "D3", "", ("D2", "elsewhere")),
    ("the first of two", "cache.warm_up(index", "B1", "", ("D2", "elsewhere")),
    ("Chinese", "首个 token 更快", "B2", "", ("B2", "line")),
    ("the shown form copied with its id", "D2|+ cache.warm_up(index", "D2", "", ("D2", "line")),
    ("a broken control token", break_control_tokens("writes <|endoftext|> twice"), "B3", "", ("B3", "line")),
    ("a ninth word is not read", "TTFT falls by 39.3 % on average H20 nonsense", "B1", "", ("B1", "line")),
    ("words that are not there", "TTFT rises by 39.3", "B1", "", None),
    ("part of a word", "FT falls by 39.3", "B1", "", None),
    ("one content word", "the index", "T1", "", None),
    ("the same word twice", "index index", "T1", "", None),
    ("only stop words", "and the of", "T1", "", None),
    ("no words", "", "T1", "", None),
    ("a passage", "", "T1", "The index is prefetched before the first token: prefetch", ("T1", "passage")),
    ("a passage over lines", "nothing of it", "", "warm_up gets a limit, MAX_PREFETCH, and None", ("D2", "passage")),
    ("no passage over files", "", "", "return none, first y1 needle", None),
    ("too little of it", "", "", "Prefetch improves cold start considerably everywhere", None),
    ("too short a statement", "", "", "index", None),
]


@pytest.mark.parametrize(("name", "words", "line_id", "statement", "expected"), CASES, ids=[case[0] for case in CASES])
def test_locate(name: str, words: str, line_id: str, statement: str, expected: tuple[str, str] | None) -> None:
    found = locate(words, line_id, statement, LINES)
    assert (None if found is None else (found.line, found.found_by)) == expected
    if found is not None:
        source = next(source for source in LINES if source.id == found.line)
        assert found.quote.startswith(source.text)
        assert found.place == source.place


def test_a_passage_is_quoted_line_by_line() -> None:
    found = locate("", "", "warm_up gets a limit, MAX_PREFETCH, and None", LINES)
    assert found is not None
    assert found.quote == "+    cache.warm_up(index, limit=MAX_PREFETCH)\n-    return None"


def test_a_long_line_is_quoted_around_the_words() -> None:
    found = locate("needle_word found here", "D6", "", LINES)
    assert found is not None
    assert len(found.quote) == 300
    assert "needle_word found here" in found.quote
    assert found.quote in LINES[-1].text


def test_content_words_are_folded_and_told_once() -> None:
    assert content_words("The Cache, a cache: <·s> MAX_prefetch 与 索引的 5%") == (
        "cache",
        "max",
        "prefetch",
        "索",
        "引",
        "5",
    )


words = st.lists(
    st.sampled_from(("alpha", "beta", "gamma", "delta", "索引", "x1", "y2", "the", "of", "<|a|>")), max_size=9
).map(" ".join)


@settings(max_examples=80)
@given(texts=st.lists(words, min_size=1, max_size=8), sought=words, identifier=st.sampled_from(["B1", "B3", "", "B99"]))
def test_evidence_is_always_in_its_source(texts: list[str], sought: str, identifier: str) -> None:
    lines = tuple(line(f"B{number}", text) for number, text in enumerate(texts, 1))
    found = EvidenceIndex(lines).locate(sought, identifier, sought)
    assert found == locate(sought, identifier, sought, lines)
    if found is not None:
        assert found.quote in "\n".join(texts)


def test_a_large_pull_request_is_searched_by_index() -> None:
    lines = tuple(line(f"D{n}", f"+ value_{n % 97} = compute(cache, index_{n})", "src/a.py") for n in range(1, 20_001))
    index = EvidenceIndex(lines)
    found = [index.locate(f"compute cache index_{n}", "D1", "") for n in range(1, 20_001, 700)]
    assert [evidence.line for evidence in found if evidence] == [f"D{n}" for n in range(1, 20_001, 700)]
    passages = [index.locate("", "D1", f"compute cache value index {n}") for n in range(1, 20_001, 700)]
    assert [evidence.line for evidence in passages if evidence] == [f"D{n}" for n in range(1, 20_001, 700)]
