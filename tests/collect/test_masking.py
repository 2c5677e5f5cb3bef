"""Planted secrets are put together at run time: no file of ours may hold something that looks like one."""

import random
import string
from datetime import UTC, datetime
from typing import Any, Literal, get_args, get_origin

import pytest

from prhub_digest.collect.masking import mask, mask_collection
from prhub_digest.models.base import Record
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import (
    Collection,
    FileChange,
    FollowUp,
    Person,
    PullRequest,
    ReviewThread,
)

# What is no text of people: names by which things are found again, and the user's own filters.
_KEPT = {"id", "login", "sha", "merge_commit", "head", "repository", "filters"}
_MASKED = "[secret:github-pat]"
_ALNUM = string.ascii_letters + string.digits
_ADA = Person(name="Ada")


def _random(length: int, alphabet: str = _ALNUM, seed: int = 5) -> str:
    return "".join(random.Random(seed).choices(alphabet, k=length))


_BASE32 = string.ascii_uppercase + "234567"
_BEGIN, _END = ("-" * 5 + f"{word} RSA PRIVATE " + "KEY" + "-" * 5 for word in ("BEGIN", "END"))
_AWS_ID = "AK" + "IA" + _random(16, _BASE32)
_SECRETS = {
    "aws-key": _AWS_ID,
    "github-pat": "gh" + "p_" + _random(36),
    "github-fine-grained-pat": "github" + "_pat_" + _random(22) + "_" + _random(59),
    "gitlab-pat": "gl" + "pat-" + _random(20),
    "slack-bot-token": "xo" + "xb-" + _random(12, string.digits) + "-" + _random(12, string.digits) + "-" + _random(24),
    "openai-api-key": "s" + "k-proj-" + _random(74) + "T3Blbk" + "FJ" + _random(74, seed=6),
    "anthropic-api-key": "s" + "k-ant-api03-" + _random(93) + "AA",
    "huggingface-access-token": "h" + "f_" + _random(34, string.ascii_letters),
    "stripe-access-token": "s" + "k_live_" + _random(24),
    "gcp-api-key": "AI" + "za" + _random(35),
}


def _pull(**fields: object) -> PullRequest:
    plain = {"number": 7, "title": "t", "author": _ADA, "merged_at": datetime(2026, 2, 3, tzinfo=UTC)}
    return PullRequest.model_validate({**plain, **fields})


def _with_patch(patch: str) -> PullRequest:
    lines = patch.count("\n")
    return _pull(files=(FileChange(path="a.py", status="modified", additions=lines, deletions=0, patch=patch),))


@pytest.mark.parametrize("kind", _SECRETS)
def test_known_formats(kind: str) -> None:
    secret = _SECRETS[kind]
    masked = mask(_with_patch(f'@@ -1 +1,2 @@\n 缓存 = 1\n+key = "{secret}"  # 密钥'))
    assert masked.files[0].patch == f'@@ -1 +1,2 @@\n 缓存 = 1\n+key = "[secret:{kind}]"  # 密钥'
    assert masked.masked_secrets == 1


def _filled(annotation: Any, text: str, name: str = "") -> Any:
    """A value of a type in which `text` stands wherever a text may, but for names that stay."""
    kept = text if name not in _KEPT else f"a {name}"
    if annotation is str:
        return kept
    if annotation is Period:
        return Period.from_week("2026-W06")
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation(
            **{name: _filled(own.annotation, kept, name) for name, own in annotation.model_fields.items()}
        )
    if get_origin(annotation) is tuple:
        return (_filled(get_args(annotation)[0], text, name),)
    if get_origin(annotation) is Literal:
        return get_args(annotation)[0]
    if get_args(annotation):  # something or None
        return _filled(get_args(annotation)[0], text, name)
    return {int: 7, bool: True}.get(annotation, datetime(2026, 2, 3, tzinfo=UTC))


def test_every_text_field() -> None:
    """Whatever fields the records have."""
    pull, expected = (_filled(PullRequest, f"see {word} here") for word in (_SECRETS["github-pat"], _MASKED))
    masked = mask(pull)
    assert masked.masked_secrets == 7 + expected.to_json().count(_MASKED) > 30
    assert masked == expected.updated(masked_secrets=masked.masked_secrets)


def test_every_text_field_of_a_collection() -> None:
    collection, expected = (_filled(Collection, f"see {word} here") for word in (_SECRETS["github-pat"], _MASKED))
    assert mask_collection(collection) == expected
    # The address, title and detail of one that is set aside, folder and pattern of an attribute, a note.
    assert expected.to_json().count(_MASKED) == 6


def test_a_path_is_masked_alike_wherever_it_stands() -> None:
    path = f"keys/{_SECRETS['aws-key']}.py"
    file = FileChange(path=path, previous_path=path, status="renamed", additions=0, deletions=0)
    thread = ReviewThread(id="t", path=path, comments=())
    masked = mask(_pull(files=(file,), threads=(thread,), title=f"Move {path}"))
    assert masked.threads is not None
    names = {masked.files[0].path, masked.files[0].previous_path, masked.threads[0].path}
    assert names == {"keys/[secret:aws-key].py"}
    assert masked.title == "Move keys/[secret:aws-key].py"
    assert masked.masked_secrets == 4


def test_nothing_to_mask_is_the_same_record() -> None:
    for record, masking in ((PullRequest, mask), (Collection, mask_collection)):
        plain = _filled(record, "see nothing here")
        assert masking(plain) is plain


def test_pair_of_aws_keys() -> None:
    secret = _random(40, _ALNUM + "+/", seed=9)
    masked = mask(_with_patch(f'@@ -0,0 +1,2 @@\n+id = "{_AWS_ID}"\n+aws_secret_access_key = "{secret}"\n'))
    assert masked.files[0].patch == (
        '@@ -0,0 +1,2 @@\n+id = "[secret:aws-key]"\n+aws_secret_access_key = "[secret:aws-key]"\n'
    )


@pytest.mark.parametrize("end", [[_END], []], ids=["whole", "cut off"])
@pytest.mark.parametrize("sign", ["+", "-"])
def test_private_key_keeps_its_lines_and_their_signs(sign: str, end: list[str]) -> None:
    key = [_BEGIN, *(_random(64, _ALNUM + "+/", seed) for seed in range(8)), *end]
    masked = mask(_with_patch("\n".join(["@@ -1,9 +1,9 @@", " x", *(sign + line for line in key)])))
    placeholder = sign + "[secret:private-key]"
    assert masked.files[0].patch == "\n".join(["@@ -1,9 +1,9 @@", " x", *[placeholder] * len(key)])
    assert masked.masked_secrets == 1


@pytest.mark.parametrize("lines", [10, 6000, 6550, 6553, 6554, 6560, 20000])
def test_key_anywhere_in_a_long_text(lines: int) -> None:
    key = "\n".join([_BEGIN, *(_random(64, seed=seed) for seed in range(8)), _END])
    masked = mask(_pull(body="forty characters of quite ordinary text\n" * lines + key + "\nlast"))
    assert (masked.body or "").split("\n")[lines:] == ["[secret:private-key]"] * 10 + ["last"]
    assert masked.masked_secrets == 1


def test_same_secret_twice_is_masked_twice() -> None:
    secret = _SECRETS["github-pat"]
    assert mask(_pull(body=f"{secret}\n{secret}")).body == "[secret:github-pat]\n[secret:github-pat]"


def test_hashes_and_ordinary_words_stay() -> None:
    digest = _random(64, "0123456789abcdef")
    lock = "\n".join(
        [
            "@@ -1,5 +1,9 @@",
            " [[package]]",
            f'+checksum = "{digest}"',
            f'+    {{ url = "https://files.example/x-1.0.tar.gz", hash = "sha256:{digest}", size = 31 }},',
            f'+      "integrity": "sha512-{_random(86)}==",',
            f"+github.com/octo/widgets v1.2.0 h1:{_random(43)}=",
            f"-  resolution: {{integrity: sha512-{_random(86, seed=6)}==}}",
            f"+key: {digest[:40]}",
            f'+token = "{digest[:32]}"',
            "+id: 123e4567-e89b-42d3-a456-426614174000",
            '+password: str = "password"',
            "+Subproject commit " + digest[:40],
            "+secret = os.environ['API_KEY']",
        ]
    )
    pull = _with_patch(lock).updated(body=f"Reverts {digest[:40]}; access_key: {digest[:40]}", title="token counts")
    assert mask(pull) == pull


def test_titles_of_other_pull_requests() -> None:
    secret = _SECRETS["github-pat"]
    masked = mask(_pull(follow_ups=(FollowUp(number=8, title=f"Undo {secret}"),)))
    assert masked.follow_ups == (FollowUp(number=8, title="Undo [secret:github-pat]"),)
