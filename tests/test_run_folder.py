import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from prhub_digest.errors import UsageError
from prhub_digest.models.llm import Usage
from prhub_digest.run_folder import RunFolder, inputs_hash


@pytest.mark.parametrize(
    ("repository", "label", "expected"),
    [
        ("octo-demo/widgets", "2026-W23", "octo-demo__widgets/2026-W23"),
        ("local/my repo", "2026-06-01_2026-06-05", "local__my-repo/2026-06-01_2026-06-05"),
        ("local/项目", "2026-W23", "local__项目/2026-W23"),
        ("../../x", "2026-W23", "______x/2026-W23"),
        ("/etc", "..", "___etc/_"),
        ("a/..\\..\\b\0", "../../out", "a__b-/out"),
    ],
)
def test_names_are_confined(tmp_path: Path, repository: str, label: str, expected: str) -> None:
    folder = RunFolder.of(tmp_path / "runs", repository, label)
    assert folder.path == tmp_path / "runs" / expected
    assert (folder.path.resolve().parents[1]) == (tmp_path / "runs").resolve()


def test_long_names_stay_apart(tmp_path: Path) -> None:
    first, second = (RunFolder.of(tmp_path, "local/" + "项" * 200 + end, "2026-W23") for end in "ab")
    assert first.path != second.path
    assert all(len(part.encode()) <= 120 for part in first.path.relative_to(tmp_path).parts)


def test_records_round_trip(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    record = Usage(calls=2, input_tokens=7)
    assert folder.read_record("stats.json", Usage) is None
    folder.write_record("stats.json", record)
    assert folder.read_record("stats.json", Usage) == record
    assert (tmp_path / "run" / "stats.json").read_bytes() == record.to_json().encode()
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["stats.json"]


def test_text_keeps_its_line_ends(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.write_text("digest.zh.md", "一\r\n二\r三\n")
    assert (tmp_path / "digest.zh.md").read_bytes() == "一\r\n二\r三\n".encode()
    assert folder.read_text("digest.zh.md") == "一\r\n二\r三\n"


@pytest.mark.parametrize(
    "name", ["../run.json", "notes.txt", "pulls/../../x.json", "/run.json", "pulls/a/b.json", "run"]
)
def test_other_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no file of a run folder"):
        RunFolder(tmp_path).write_text(name, "")


@pytest.mark.parametrize("content", [b"", b'{"calls": 2', b'{"calls": "many"}', b'{"cals": 2}', b"\xff\xfe", b"null"])
def test_what_is_not_a_record_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "stats.json").write_bytes(content)
    folder = RunFolder(tmp_path)
    with pytest.raises(UsageError, match=r"stats\.json.*--fresh"):
        folder.read_record("stats.json", Usage)
    assert folder.read_valid("stats.json", Usage) is None


def test_an_unusable_folder_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    folder = RunFolder(tmp_path / "file" / "run")
    with pytest.raises(UsageError, match=r"cannot write .*--out"):
        folder.write_text("run.json", "{}")
    with pytest.raises(UsageError, match=r"cannot write .*--out"), folder.lock():
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_a_usage_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UsageError, match="Permission denied"):
            RunFolder(tmp_path).write_text("run.json", "{}")
    finally:
        tmp_path.chmod(0o700)


def test_a_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    (tmp_path / "run.json").mkdir()
    with pytest.raises(UsageError):
        folder.write_text("run.json", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_remove_deletes_only_own_files(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for name in (
        "run.json",
        "digest.en.md",
        "digest.en.json",
        "verification.en.json",
        "pulls/1.json",
        "summaries/1.json",
    ):
        folder.write_text(name, "{}")
    for name in ("notes.json", "summaries/mine.txt", ".hidden.tmp", ".run.json.12-0.tmp"):
        (tmp_path / name).write_text("", encoding="utf-8")
    folder.remove()
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert left == [".hidden.tmp", "notes.json", "summaries/mine.txt"]
    assert not (tmp_path / "pulls").exists()


def test_hash_depends_on_order_and_boundaries() -> None:
    record = Usage(calls=1)
    hashes = [
        inputs_hash(),
        inputs_hash(""),
        inputs_hash("ab", "c"),
        inputs_hash("a", "bc"),
        inputs_hash("c", "ab"),
        inputs_hash("abc"),
        inputs_hash(record),
        inputs_hash(record, ""),
    ]
    assert len(set(hashes)) == len(hashes)
    assert inputs_hash("ab", record) == inputs_hash(b"ab", record.to_json())
    assert inputs_hash("") == "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc"


_WRITER = """
    import itertools, sys
    from pathlib import Path
    from prhub_digest.models.llm import Message
    from prhub_digest.run_folder import RunFolder

    folder = RunFolder(Path(sys.argv[1]))
    with folder.lock():
        print("ready", flush=True)
        for turn in itertools.count():
            letter = "ab"[turn % 2]
            folder.write_record(f"pulls/{turn % 7 + 1}.json", Message(role="user", content=letter * 300_000))
"""


def _child(script: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(folder)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("seconds", [0.02, 0.11, 0.23])
def test_a_killed_writer_leaves_only_whole_files(tmp_path: Path, seconds: float) -> None:
    from prhub_digest.models.llm import Message

    with _child(_WRITER, tmp_path) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        while not list(tmp_path.glob("pulls/*.json")):
            time.sleep(0.005)
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
    folder = RunFolder(tmp_path)
    written = list((tmp_path / "pulls").glob("*.json"))
    assert written
    for path in written:
        record = folder.read_record(f"pulls/{path.name}", Message)
        assert record is not None
        assert record.content in {"a" * 300_000, "b" * 300_000}
    with folder.lock():  # the lock died with its owner, and leftovers go
        assert not list(tmp_path.rglob("*.tmp"))


def test_two_runs_do_not_work_in_one_folder(tmp_path: Path) -> None:
    with _child(_WRITER, tmp_path) as child:
        assert child.stdout is not None
        child.stdout.readline()
        with pytest.raises(UsageError, match=f"process {child.pid} is working in"), RunFolder(tmp_path).lock():
            pass
        child.send_signal(signal.SIGKILL)
    with RunFolder(tmp_path).lock():
        pass


def test_two_writers_of_one_file_never_mix(tmp_path: Path) -> None:
    script = _WRITER.replace("with folder.lock():", "if True:")
    with _child(script, tmp_path) as first, _child(script, tmp_path) as second:
        for child in (first, second):
            assert child.stdout is not None
            child.stdout.readline()
        folder = RunFolder(tmp_path)
        contents = set()
        until = time.monotonic() + 0.5
        while time.monotonic() < until:
            text = folder.read_text("pulls/1.json")
            contents.add(None if text is None else (len(text), len(set(text[40:-40]))))
        for child in (first, second):
            child.send_signal(signal.SIGKILL)
    whole = len('{\n  "role": "user",\n  "content": ""\n}\n') + 300_000
    assert contents - {None} == {(whole, 1)}
