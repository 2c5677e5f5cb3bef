import os
import threading
from pathlib import Path

import pytest

from prhub_digest.llm.abilities import Abilities, AbilityStore, plain_address

URL = "http://model.example:8000/v1"
LEARNT = Abilities(rung="json", limit_name="max_completion_tokens", temperature=False)
DAY = 86_400


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_what_was_saved_is_found_by_endpoint_and_model(tmp_path: Path) -> None:
    AbilityStore(tmp_path / "a").save(URL, "toy", LEARNT)
    store = AbilityStore(tmp_path / "a")
    assert store.find(URL, "toy") == LEARNT
    assert store.find(URL, "other") is None
    assert store.find("http://model.example:8001/v1", "toy") is None
    assert store.find("https://model.example:8000/v1", "toy") is None
    store.save(URL, "toy", Abilities())
    assert store.find(URL, "toy") == Abilities()
    assert len(files(tmp_path)) == 1


def test_a_url_with_a_password_is_the_same_endpoint_and_nothing_of_it_is_written(tmp_path: Path) -> None:
    store = AbilityStore(tmp_path)
    store.save("http://ann:hush@Model.Example:8000/v1/?key=hush#hush", "toy", LEARNT)
    assert store.find(URL, "toy") == LEARNT
    (path,) = files(tmp_path)
    assert "hush" not in path.read_text() + path.name
    assert "ann" not in path.read_text()


def test_addresses() -> None:
    assert plain_address(" HTTP://[::1]:80/v1/ ") == "http://[::1]:80/v1"
    assert plain_address("https://a.example") == "https://a.example"


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"rung": "json"}', b"[" * 100_000])
def test_a_damaged_file_is_a_miss_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    store = AbilityStore(tmp_path)
    store.save(URL, "toy", LEARNT)
    (path,) = files(tmp_path)
    path.write_bytes(content)
    assert store.find(URL, "toy") is None
    store.save(URL, "toy", LEARNT)
    assert store.find(URL, "toy") == LEARNT


def test_a_file_of_another_endpoint_or_version_is_a_miss(tmp_path: Path) -> None:
    store = AbilityStore(tmp_path)
    store.save(URL, "toy", LEARNT)
    (path,) = files(tmp_path)
    whole = path.read_text()
    path.write_text(whole.replace('"toy"', '"other"'))
    assert store.find(URL, "toy") is None
    path.write_text(whole.replace('"json"', '"telepathy"'))
    assert store.find(URL, "toy") is None


def test_an_endpoint_may_have_learnt_since(tmp_path: Path) -> None:
    AbilityStore(tmp_path).save(URL, "toy", LEARNT)
    (path,) = files(tmp_path)
    os.utime(path, (0, 0))
    assert AbilityStore(tmp_path, lambda: 29.0 * DAY).find(URL, "toy") == LEARNT
    assert AbilityStore(tmp_path, lambda: 31.0 * DAY).find(URL, "toy") is None


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = AbilityStore(tmp_path / "file")
    store.save(URL, "toy", LEARNT)
    assert store.find(URL, "toy") is None


def test_many_writers_leave_one_whole_file(tmp_path: Path) -> None:
    def write() -> None:
        for temperature in (True, False):
            AbilityStore(tmp_path).save(URL, "toy", Abilities(temperature=temperature))

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(files(tmp_path)) == 1
    assert AbilityStore(tmp_path).find(URL, "toy") is not None
