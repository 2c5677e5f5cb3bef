"""What is shown when not everything fits: the most telling hunks, in the files' order, and nothing cut without need."""

import pytest
from chunk_pulls import added, changed, pull_request

from prhub_digest.chunk import chunk_pull_request
from prhub_digest.chunk.choosing import choose
from prhub_digest.chunk.measure import Measure
from prhub_digest.chunk.telling import Rules, Telling
from prhub_digest.chunk.whole import whole_of
from prhub_digest.file_kinds import FileKinds
from prhub_digest.models.chunk import Coverage
from prhub_digest.models.pull_request import FileChange
from prhub_digest.tokens import tokenizer_for

TOKENIZER = tokenizer_for("gpt-4o")
BODY = [("+", f"step = run(step, {n})") for n in range(30)]
MOVED = [f"row_{n} = build_row(table, {n})" for n in range(30)]

SIGNATURE = changed("src/api.py", [("-", "def load(path):"), ("+", "def load(path, limit):"), *BODY])
CORE = changed("src/engine/loop.py", BODY)
SOURCE = changed("src/plain.py", BODY)
SETTINGS = changed("conf/app.yaml", [("-", "size: 1"), *(("+", f"key_{n}: {n}") for n in range(30))])
TEST = changed("tests/test_api.py", [("+", f"assert load('a', {n})") for n in range(30)])
OTHER_TEST = changed("tests/test_rest.py", [("+", f"assert other('a', {n})") for n in range(30)])
TEXT = changed("docs/guide.md", [("+", f"Sentence number {n}.") for n in range(30)])
MOVED_FROM = changed("src/old_rows.py", [("-", line) for line in MOVED])
MOVED_TO = changed("src/rows.py", [("+", "    " + line) for line in MOVED])
FORMATTED = changed("src/style.py", [("-", "x = f( a,b )"), ("+", "x = f(a, b)"), *[(" ", "same")] * 30])
DELETED = changed("src/gone.py", [("-", f"dead_{n} = {n}") for n in range(30)])


def telling_of(*files: FileChange) -> list[Telling]:
    whole = whole_of(pull_request(files=files), FileKinds(), Measure(TOKENIZER), 1000)
    rules = Rules(whole.files, ("src/engine/**",))
    return [rules.telling(file, hunk) for file in whole.files for hunk in file.hunks]


def test_what_each_hunk_tells() -> None:
    files = (CORE, SIGNATURE, SETTINGS, TEST, SOURCE, OTHER_TEST, TEXT, MOVED_FROM, MOVED_TO, FORMATTED, DELETED)
    assert telling_of(*files) == [
        Telling.CORE,
        Telling.SIGNATURE,
        Telling.CONFIGURATION,
        Telling.TEST_OF_THE_CHANGE,
        Telling.SOURCE,
        Telling.OTHER_TEST,
        Telling.TEXT,
        Telling.MOVED,
        Telling.MOVED,
        Telling.FORMATTING,
        Telling.DELETION,
    ]


@pytest.mark.parametrize(
    "line",
    [
        "async def load(path):",
        "export default function load() {",
        "pub(crate) fn load(&self) -> u8 {",
        "func (s *Server) Load() error {",
        "public static final class Loader {",
        "template <typename T>",
        "interface Loader {",
        "@app.get('/load')",
    ],
)
def test_signatures_of_many_languages(line: str) -> None:
    assert telling_of(changed("src/a.py", [("+", line)])) == [Telling.SIGNATURE]


@pytest.mark.parametrize("line", ["definition = 1", "classes.append(x)", "functional(x)", "return type_of(x)"])
def test_words_that_only_begin_like_a_signature(line: str) -> None:
    assert telling_of(changed("src/a.py", [("+", line)])) == [Telling.SOURCE]


def shown(files: tuple[FileChange, ...], budget: int, max_chunks: int = 1) -> tuple[str, Coverage]:
    chunks, coverage = chunk_pull_request(
        pull_request(files=files),
        budget=budget,
        max_chunks=max_chunks,
        tokenizer=TOKENIZER,
        core_paths=("src/engine/**",),
    )
    assert all(chunk.tokens == TOKENIZER.count(chunk.text) <= budget for chunk in chunks)
    return "\n".join(chunk.text for chunk in chunks), coverage


def test_the_least_telling_hunks_are_left_out_first() -> None:
    files = (DELETED, FORMATTED, MOVED_FROM, MOVED_TO, TEXT, TEST, SETTINGS, SOURCE, SIGNATURE, CORE)
    last = {file.path for file in (DELETED, FORMATTED, MOVED_FROM, MOVED_TO)}
    _, coverage = shown(files, 2600)
    assert {file.path for file in coverage.files if file.shown != "full"} == last
    assert {file.reason for file in coverage.files if file.path in last} == {"token budget"}
    _, coverage = shown(files, 1200)
    changed_shown = {file.path: file.changed_lines_shown for file in coverage.files}
    assert [changed_shown[path] for path in last] == [0] * 4
    assert min(changed_shown[file.path] for file in (CORE, SIGNATURE, SETTINGS)) > 15
    assert all(changed_shown[file.path] for file in (TEST, SOURCE, TEXT))


def test_hunks_of_a_file_stay_in_its_order_and_signatures_are_among_them() -> None:
    plain = [[("+", f"value_{part}_{n} = {n}") for n in range(20)] for part in range(8)]
    telling = [("+", "def added_at_the_end():"), ("+", "    return 1")]
    text, coverage = shown((changed("src/a.py", *plain, telling),), 700)
    ids = [int(line[1:].partition("|")[0]) for line in text.split("\n") if line.startswith("D") and "|" in line]
    assert ids == sorted(ids)
    assert "+def added_at_the_end():" in text
    assert coverage.files[0].shown == "partial"
    assert f"… {162 - coverage.changed_lines_shown} changed lines of 1 files left out" in text


def test_one_large_file_leaves_room_for_the_others() -> None:
    large = added("src/large.py", [f"value_{n} = compute({n})" for n in range(2000)])
    _, coverage = shown((large, SETTINGS, TEST, SOURCE), 2400)
    assert [file.shown for file in coverage.files] == ["partial", "full", "full", "full"]
    assert coverage.files[0].changed_lines_shown > 30


def test_everything_chosen_fits_and_files_take_turns() -> None:
    files = tuple(
        changed(f"src/part_{n}.py", *[[("+", f"value_{n}_{part} = compute({part})")] * 12 for part in range(6)])
        for n in range(6)
    )
    measure = Measure(TOKENIZER)
    whole = whole_of(pull_request(files=files), FileKinds(), measure, 1000)
    chosen = choose(whole.files, 2000, (), 500)
    taken = sum(hunk.tokens_in(0, stop) for own in chosen for hunk, stop, _ in own)
    assert 1800 < taken + sum(file.mark.tokens for file in whole.files) <= 2000
    assert {len(own) for own in chosen} == {1, 2}


def test_a_long_line_is_cut_and_said_so() -> None:
    text, coverage = shown((added("src/a.py", ["x = 1", "y" * 9000, "z = 2"]),), 6000)
    assert f"\nD3|+{'y' * 7999} … 1001 characters left out\nD4|+z = 2" in text
    (file,) = coverage.files
    assert (file.shown, file.reason, file.changed_lines_shown, file.changed_lines) == (
        "partial",
        "lines cut short",
        2,
        3,
    )


def test_tokens_of_the_parts_are_those_of_the_text() -> None:
    pull = pull_request(body="Why.\n\nBecause of the cold start.", files=(SOURCE, TEXT))
    (chunk,), _ = chunk_pull_request(pull, budget=5000, max_chunks=1, tokenizer=TOKENIZER)
    parts = {part.part: part.tokens for part in chunk.parts}
    assert list(parts) == ["title", "files", "description", "diff"]
    assert parts["title"] == TOKENIZER.count("Title\nT1|Cache the index\n")
    assert sum(parts.values()) == chunk.tokens == TOKENIZER.count(chunk.text)


def test_h09_a_look_alike_of_a_control_token_is_text() -> None:
    pull = pull_request(body="Stop the sampler from writing <|endoftext|> twice.")
    tokenizer = tokenizer_for("org/qwen-local-32b")
    (chunk,), coverage = chunk_pull_request(pull, budget=500, max_chunks=1, tokenizer=tokenizer)
    assert "B1|Stop the sampler from writing <·|endoftext|> twice." in chunk.text
    assert chunk.tokens == tokenizer.count(chunk.text) == -(-TOKENIZER.count(chunk.text) * 5 // 4)
    assert (coverage.complete, tokenizer.name) == (True, "o200k_base x1.25 (estimated)")
    assert pull.body == "Stop the sampler from writing <|endoftext|> twice."
