"""Counts are tiktoken's own, offline, for any text and any model's name."""

import base64
import hashlib
import socket
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prhub_digest.errors import PrhubError
from prhub_digest.tokens import Tokenizer, tokenizer_for, vocabulary

EXACT = Tokenizer("o200k_base", exact=True)
ESTIMATED = Tokenizer("o200k_base x1.25 (estimated)", exact=False, factor=1.25)


def test_the_data_is_the_official_vocabulary() -> None:
    official = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in vocabulary.ranks().items())
    digest = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
    assert hashlib.sha256(official).hexdigest() == digest


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("索引量化缓存调度前缀内存显存吞吐延迟并行", 20),
        ("Stop the sampler from writing <|endoftext|> twice.", 14),
        ("+    cache.warm_up(index, limit=MAX_PREFETCH)\n", 14),
    ],
)
def test_known_counts(text: str, tokens: int) -> None:
    assert EXACT.count(text) == tokens


@pytest.mark.parametrize(
    ("model", "tokenizer"),
    [
        ("gpt-4o", EXACT),
        ("gpt-5-mini", EXACT),
        ("o3", EXACT),
        ("gpt-4", ESTIMATED),
        ("deepseek-chat", ESTIMATED),
        ("org/qwen-local-32b", ESTIMATED),
        ("", ESTIMATED),
    ],
)
def test_the_tokenizer_of_a_model(model: str, tokenizer: Tokenizer) -> None:
    assert tokenizer_for(model) == tokenizer


def test_a_model_of_an_unknown_vocabulary_makes_all_counts_estimates() -> None:
    assert tokenizer_for("gpt-4o", "gpt-4o-mini") == EXACT
    assert tokenizer_for("gpt-4o", "qwen-local") == ESTIMATED
    assert tokenizer_for("qwen-local", "gpt-4o") == ESTIMATED


def test_an_estimate_is_rounded_up() -> None:
    assert [ESTIMATED.count(text) for text in ("", "hello", "hello world", "The quick brown fox")] == [0, 2, 3, 5]


def test_nothing_is_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    vocabulary.encoding.cache_clear()
    assert tokenizer_for("org/qwen-local-32b").count("hello world") == 3
    assert tokenizer_for("gpt-4o").count("hello world") == 2


def test_a_special_token_in_a_text_is_text() -> None:
    with_token, without = "see <|endoftext|> here", "see <|nothing|> here"
    assert EXACT.count(with_token) > EXACT.count("see  here") + 2
    assert abs(EXACT.count(with_token) - EXACT.count(without)) <= 3


def test_long_runs_do_not_panic() -> None:
    for run in (" ", "\t", "\u3000", "\n", "a", "="):
        assert EXACT.count(run * 1_200_000 + "x") > 0


@settings(max_examples=50)
@given(st.text())
def test_any_text_can_be_counted(text: str) -> None:
    encoded = vocabulary.encoding().encode_ordinary(text)
    assert EXACT.count(text) == len(encoded)
    assert vocabulary.encoding().decode(encoded) == text


def test_a_damaged_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "_CONTENT", "0" * 64)
    with pytest.raises(PrhubError, match="damaged, install prhub_digest again"):
        vocabulary.ranks()


def test_the_library_is_imported_at_first_use() -> None:
    check = "import sys, prhub_digest.tokens; sys.exit('tiktoken' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
