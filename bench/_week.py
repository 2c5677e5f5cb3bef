"""A week of 60 pull requests, and the command that makes its digest, for the benchmarks that disturb it.

Each pull request has a word of its own, which stands in its title, in its diff and so in everything that the scripted
model says of it: what is said of another would show.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "llm"))  # the servers of the tests
sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "pipeline"))  # and their scripted model

from scripted_model import content_for
from small_week import open_thread, pull_request, write_week

from prhub_digest.llm.reply_text import read_object
from prhub_digest.llm.store import read_entry
from prhub_digest.models.llm import StoredReply
from prhub_digest.models.pull_request import FileChange, PullRequest

PULLS = range(1001, 1061)
LANGUAGES = ("en", "zh")
CONCURRENCY = 8
_SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru")
_LARGE = 12  # each so manieth takes several chunks
_DISCUSSED = 10


def word_of(number: int) -> str:
    """`debabade` for 1001: letters only, since the wording of a digest leaves digits out."""
    return "".join(_SYLLABLES[int(digit)] for digit in str(number))


def write(folder: Path) -> None:
    """The fixture `week` in `folder`."""
    write_week(folder / "week", {number: _pull(number) for number in PULLS}, highlights=10)


def _pull(number: int) -> PullRequest:
    word = word_of(number)
    lines = 160 if number % _LARGE == 0 else 2
    added = "\n".join(f"+pages.register({word}, name='{word} page', place={line})" for line in range(lines))
    return pull_request(
        number,
        f"Keep the {word} queue open while the cache drains",
        files=(
            FileChange(
                path=f"pages/{word}.py",
                status="modified",
                additions=lines,
                deletions=0,
                patch=f"@@ -1,1 +1,{lines + 1} @@\n import pages\n{added}",
            ),
        ),
        threads=(open_thread(number),) if number % _DISCUSSED == 0 else (),
    )


def start(folder: Path, base_url: str, out: str = "runs") -> subprocess.Popen[bytes]:
    """The command on the week in `folder`, in a process of its own; its run folder is `run_in(folder, out)`."""
    languages = [option for language in LANGUAGES for option in ("--lang", language)]
    asked = ["--fixture", "./week/", "--llm", "openai", "--model", "bench", "--concurrency", str(CONCURRENCY)]
    return subprocess.Popen(
        [sys.executable, "-m", "prhub_digest", "run", *asked, *languages, "--out", out],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(Path(__file__).parent.parent),  # the package beside these benchmarks
            "OPENAI_BASE_URL": base_url,
            "PRHUB_CACHE_DIR": str(folder / "cache"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ended(process: subprocess.Popen[bytes], seconds: float) -> tuple[int | None, str]:
    """The exit code and what stands on stderr; a process that hangs is killed, and has no code."""
    try:
        _, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, f"it did not end within {seconds:g} s"
    return process.returncode, said.decode("utf-8", "replace")


def run_in(folder: Path, out: str = "runs") -> Path:
    return folder / out / "toy__pages" / "2026-W06"


def entries(folder: Path) -> dict[str, StoredReply]:
    """What the store in `folder` holds, by the question; what a killed writer left half done is no entry.

    Raises RuntimeError for an entry that is not whole, and for two with one question.
    """
    found: dict[str, StoredReply] = {}
    for path in sorted((folder / "cache" / "replies").glob("*/[!.]*")):
        stored = read_entry(path)
        if not isinstance(stored, StoredReply) or question_of(stored) in found:
            raise RuntimeError(f"{path}: {stored}")
        found[question_of(stored)] = stored
    return found


def question_of(stored: StoredReply) -> str:
    """The text that no two requests of the week share."""
    return stored.request.messages[1].content


def is_answer(stored: StoredReply) -> bool:
    """Whether a stored reply is what the model answered to this very request."""
    asked = {"messages": [message.model_dump() for message in stored.request.messages]}
    given: dict[str, Any] = json.loads(content_for(asked))
    return read_object(stored.content) == given
