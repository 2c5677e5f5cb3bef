"""Small repositories made by real git, with fixed dates and names."""

import os
import subprocess
from pathlib import Path

IN_WEEK = "2026-02-04T12:00:00+00:00"  # a Wednesday of 2026-W06
BEFORE = "2026-01-07T12:00:00+00:00"
AFTER = "2026-03-04T12:00:00+00:00"
EMAIL = "someone@example.invalid"


class History:
    """A work tree; every method is one step of its history."""

    def __init__(self, folder: Path, branch: str = "main") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", f"--initial-branch={branch}")

    def git(
        self,
        *arguments: str,
        when: str = IN_WEEK,
        author: str | bytes = "Ada Lin",
        text: bytes = b"",
        email: str = EMAIL,
    ) -> str:
        env: dict[str, str | bytes] = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": author,
            "GIT_AUTHOR_EMAIL": email,
            "GIT_COMMITTER_NAME": "Web",
            "GIT_COMMITTER_EMAIL": "web@example.invalid",
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
        }
        command = ["git", "-c", "protocol.file.allow=always", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=env, input=text, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(
        self,
        message: str | bytes,
        files: dict[str, str | bytes | None] | None = None,
        when: str = IN_WEEK,
        author: str | bytes = "Ada Lin",
        email: str = EMAIL,
    ) -> str:
        """Write files (None removes one), commit all; a commit without files is an empty one."""
        for name, content in (files or {}).items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git("add", "--all")
        raw = message if isinstance(message, bytes) else message.encode()
        options = ("--quiet", "--allow-empty", "--cleanup=verbatim", "-F", "-")
        self.git("commit", *options, when=when, author=author, text=raw, email=email)
        return self.git("rev-parse", "HEAD")

    def merge(self, branch: str, message: str, when: str = IN_WEEK) -> str:
        self.git("merge", "--quiet", "--no-ff", "-m", message, branch, when=when)
        return self.git("rev-parse", "HEAD")
