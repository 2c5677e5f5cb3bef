import threading
from pathlib import Path

from prhub_digest.llm.paying_store import _in_the_way


def test_a_folder_that_another_thread_makes_at_that_moment_stands_in_nobodys_way(tmp_path: Path) -> None:
    for number in range(300):
        folder = tmp_path / str(number)
        maker = threading.Thread(target=folder.mkdir)
        maker.start()
        said = _in_the_way(folder)
        maker.join()
        assert not said


def test_what_stands_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("gone")
    assert not _in_the_way(tmp_path / "new" / "folder")
    assert _in_the_way(tmp_path / "file") == f"{tmp_path}/file is not a folder"
    assert _in_the_way(tmp_path / "file" / "below") == f"{tmp_path}/file is not a folder"
    assert _in_the_way(tmp_path / "link") == f"{tmp_path}/link is a link to gone, which is not there"
