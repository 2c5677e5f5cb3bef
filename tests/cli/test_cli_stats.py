"""`show --stats` and the schema of `stats.json`, on a run without a model."""

import json
from datetime import timedelta
from pathlib import Path

import jsonschema
import pytest
from command_line import CommandLine
from small_week import BO, TITLES, pull_request, write_week

from prhub_digest.models.pull_request import Review

pytest_plugins = ["command_fixture"]

RUN = Path("runs/toy__pages/2026-W06")


@pytest.fixture
def finished(command: CommandLine) -> CommandLine:
    """Labels, a review a day after opening and a new author."""
    pulls = {number: pull_request(number, title, labels=("ui",)) for number, title in TITLES.items()}
    one = pulls[101]
    opened = one.merged_at - timedelta(hours=36)
    review = Review(author=BO, state="approved", submitted_at=opened + timedelta(hours=24))
    pulls[101] = one.updated(created_at=opened, reviews=(review,), threads=(), first_contribution=True)
    write_week(command.folder / "week", pulls)
    assert command("run", "--fixture", "./week/", "--llm", "none").code == 0
    return command


def test_the_statistics_as_tables(finished: CommandLine) -> None:
    outcome = finished("show", RUN, "--stats")
    assert (outcome.code, outcome.err) == (0, "")
    lines = [" ".join(line.split()) for line in outcome.out.split("\n")]
    assert lines[0] == "toy/pages, 2026-W06"
    for title, row in {
        "Pulls": "merged 3 #101 #102 #103",
        "People": "new_authors 1 person 1 #101",
        "Labels": "ui 3 #101 #102 #103",
        "Reviewers": "bo-reyes 3 #101 #102 #103",
        "Hours to first review": "median 24 hours 1 #101",
        "Hours to merge": "p90 36 hours",
    }.items():
        place = lines.index(title)
        table = lines[place + 1 : lines.index("", place) if "" in lines[place:] else None]
        assert table[0] == "name value of PRs"
        assert any(found.startswith(row) for found in table[1:]), (title, table)


def test_the_statistics_as_json_fit_their_schema(finished: CommandLine) -> None:
    told = json.loads(finished("show", RUN, "--stats", "--json").out)
    assert told == json.loads((RUN / "stats.json").read_bytes())
    schema = json.loads(finished("schema", "stats").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(told)
    for damaged in (
        told | {"extra": 1},
        {key: value for key, value in told.items() if key != "period"},
        told | {"counts": [told["counts"][0] | {"unit": "apples"}]},
        told | {"counts": [told["counts"][0] | {"pulls": ["101"]}]},
    ):
        assert not validator.is_valid(damaged)


def test_every_record_of_a_run_fits_its_schema(finished: CommandLine) -> None:
    names = finished("schema").out.split()
    records = {"PullRequest": "pulls/101.json", "Signals": "signals.json", "RunManifest": "run.json"}
    assert records.keys() < set(names)
    for name, file in records.items():
        schema = json.loads(finished("schema", name.upper()).out)
        jsonschema.Draft202012Validator(schema).validate(json.loads((RUN / file).read_bytes()))


def test_what_cannot_be_shown(finished: CommandLine) -> None:
    both = finished("show", RUN, "--stats", "--pr", "101")
    assert (both.code, both.out) == (2, "")
    assert "--stats is about all pull requests of a run, --pr about one" in both.err
    unknown = finished("schema", "statistic")
    assert (unknown.code, unknown.out) == (2, "")
    assert "no record 'statistic'; there are Chunk, Collection" in unknown.err
    (RUN / "stats.json").unlink()
    gone = finished("show", RUN, "--stats")
    assert (gone.code, gone.out) == (2, "")
    assert gone.err == f"error: {RUN} has no stats.json; make it with: prhub-digest rank {RUN}\n"
