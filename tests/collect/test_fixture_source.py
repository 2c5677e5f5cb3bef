import json
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


_AREA = {"key": "core", "paths": ["src/**"]}


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("chunk_tokens", -1, "chunk_tokens = -1: write a whole number of tokens, 500 or more"),
        ("compose_tokens", 25_000, "compose_tokens = 25000: write a whole number of tokens, 500 to 24000"),
        ("max_chunks", 0, "max_chunks = 0: write a whole number from 1 to 100"),
        ("highlights", -1, "highlights = -1: write a whole number, 0 or more"),
        ("model", "", "model = '': write the name of a model, like \"gpt-5-mini\""),
        ("small_model", " ", "small_model = ' ': write the name of a model, like \"gpt-5-nano\""),
        ("provider", "", "provider = '': write a label, like \"openai\""),
        ("areas", [_AREA, _AREA], "areas.1.key = 'core': areas.0.key is the same; keep one of them"),
        (
            "collection.period.timezone",
            "Nope",
            (
                "collection.period.timezone = 'Nope': no such time zone; "
                'write a time zone, like "UTC" or "Asia/Shanghai"'
            ),
        ),
        (
            "collection.filters.labels",
            ["bug", " "],
            'collection.filters.labels.1 = \' \': write a list of patterns, like ["bug*", "!wontfix"]',
        ),
        (
            "collection.filters.paths",
            ["src/"],
            (
                "collection.filters.paths.0 = 'src/': no path matches it: what is in the folder matches src/**; "
                'write a list of patterns, like ["src/**", "!**/*.md"]'
            ),
        ),
        ("collection.period.until", "2026-02-02T00:00:00Z", "collection.period.since: is not before until"),
        ("collection.period.since", "0001-01-01T00:00:00Z", "collection.period: no calendar here reaches that far"),
        ("collection.numbers", [12, 7, 12], "collection.numbers: 12 stands there twice; keep one of them"),
        ("languages", ["fr"], "languages.0: Input should be 'en' or 'zh'"),
    ],
)
def test_a_manifest_holds_what_a_run_can_be_set_to(folder: Path, place: str, value: object, message: str) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    *tables, key = place.split(".")
    table = manifest
    for name in tables:
        table = table[name]
    table[key] = value
    if place == "collection.period.since":
        table["timezone"] = "America/New_York"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        read_manifest(folder)
    assert str(caught.value) == f"{path}: {message}"
