from datetime import UTC, datetime
from pathlib import Path

import pytest

from prhub_digest.collect.fixture import FixtureSource, read_manifest
from prhub_digest.errors import SourceError
from prhub_digest.models.fixture import FixtureManifest
from prhub_digest.models.period import Period
from prhub_digest.models.pull_request import Collection, Person, PullRequest

_WEEK = Period.from_week("2026-W06")


def _pull(number: int) -> PullRequest:
    merged_at = datetime(2026, 2, 3, tzinfo=UTC)
    return PullRequest(number=number, title=f"Pull {number}", author=Person(login="ada"), merged_at=merged_at)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    manifest = FixtureManifest(
        name="toy",
        description="two pull requests",
        collection=Collection(repository="octo/widgets", source="fixture", period=_WEEK, numbers=(12, 7)),
        model="m",
        small_model="s",
        provider="p",
        chunk_tokens=1000,
        max_chunks=4,
    )
    (tmp_path / "pulls").mkdir()
    (tmp_path / "manifest.json").write_text(manifest.to_json(), encoding="utf-8", newline="")
    for number in (7, 12):
        (tmp_path / "pulls" / f"{number}.json").write_text(_pull(number).to_json(), encoding="utf-8", newline="")
    return tmp_path


def test_pull_requests_in_the_order_of_the_collection(folder: Path) -> None:
    source = FixtureSource(folder)
    collection = source.collection(_WEEK)
    assert collection == read_manifest(folder).collection
    assert list(source.pull_requests(collection, frozenset())) == [_pull(12), _pull(7)]
    assert list(source.pull_requests(collection, frozenset({12}))) == [_pull(7)]


def test_another_period_is_refused(folder: Path) -> None:
    with pytest.raises(SourceError, match=r"holds 2026-W06 .*not 2026-W07"):
        FixtureSource(folder).collection(Period.from_week("2026-W07"))
    with pytest.raises(SourceError, match=r"\(UTC\), not 2026-W06 \(Asia/Shanghai\)"):
        FixtureSource(folder).collection(Period.from_week("2026-W06", "Asia/Shanghai"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("pulls/7.json", None, r"pulls/7\.json: no such file"),
        ("pulls/7.json", "{", r"pulls/7\.json: the file: Invalid JSON"),
        ("pulls/7.json", _pull(8).to_json(), r"pulls/7\.json: number: is 8"),
        (
            "pulls/7.json",
            _pull(7).to_json().replace('"title"', '"titel"'),
            r"7\.json: title: Field required; titel: Extra",
        ),
        ("manifest.json", None, r"manifest\.json: no such file"),
        ("manifest.json", '{"name": 3}', r"manifest\.json: name: .*\(and \d+ more\)"),
    ],
)
def test_broken_fixture_names_file_and_field(folder: Path, name: str, content: str | None, words: str) -> None:
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(content, encoding="utf-8", newline="")
    source = FixtureSource(folder)
    with pytest.raises(SourceError, match=words):
        list(source.pull_requests(source.collection(_WEEK), frozenset()))
