import pytest

from prhub_digest.summarize.numbers import foreign_numbers, numbers


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("TTFT falls from 412 ms to 251.5 ms", {"412", "251.5"}),
        ("1,024 tokens", {"1024"}),
        ("batch 1, 2 and 3", {"1", "2", "3"}),
        ("FP4 on H200", {"4", "200"}),
        ("４１２ ms", {"412"}),
        ("two of five", set()),
    ],
)
def test_numbers_in_a_text(text, right):
    assert numbers(text) == right


def test_foreign_numbers_are_those_no_source_holds():
    assert foreign_numbers("39 % faster at 64", "page size 64", "TTFT -39.1 %") == {"39"}
    assert foreign_numbers("1024 tokens", "up to 1,024 tokens") == set()
