from typing import Any

import pytest
from signal_builders import change, edit, pull

from prhub_digest.models.pull_request import Completeness, PullRequest
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import Flag
from prhub_digest.signals.compute import compute_signals
from prhub_digest.signals.flags_paths import dependency, migration, security_path
from prhub_digest.signals.subject import Subject

DEPENDENCIES = {
    "a lock file": ("uv.lock", None, True),
    "requirements": ("requirements-dev.txt", None, True),
    "a requirement in a manifest": ("pyproject.toml", '+    "httpx>=0.27,<1",', True),
    "a version in Cargo.toml": ("crates/a/Cargo.toml", '-serde = "1.0"\n+serde = { version = "1.1" }', True),
    "package.json": ("web/package.json", '+    "react": "^19.0.0",', True),
    "a bound in a list on one line": (
        "pyproject.toml",
        '-dependencies=["numbers"]\n+dependencies=["numbers>=2"]',
        True,
    ),
    "a name in a list on one line": ("pyproject.toml", '-dependencies = ["a"]\n+dependencies = ["a", "b"]', True),
    "an extra in a list on one line": ("pyproject.toml", '+dev = ["a[x]", "runner>=8"]', True),
    "a build's requirement": ("pyproject.toml", '+requires = ["builder"]', True),
    "a list of other names": ("pyproject.toml", '+keywords = ["numbers", "v 2"]', False),
    "what is read elsewhere": ("pyproject.toml", '+dynamic = ["dependencies"]', False),
    "the package's own version": ("pyproject.toml", '-version = "1.2.0"\n+version = "1.3.0"', False),
    "a lint setting": ("pyproject.toml", "+line-length = 120", False),
    "a manifest whose patch is not known": ("pyproject.toml", None, True),
    "a lock file that says what depends on what": ("Cargo.lock", '+ "widgets_core",', False),
    "a version in a lock file": ("Cargo.lock", '-version = "1.1.4"\n+version = "1.1.5"', True),
    "only when it applies": ("uv.lock", '+    { name = "idna", marker = "python_version < \'3.13\'" },', False),
    "the language's own version": ("pyproject.toml", '+requires-python = ">=3.13"', False),
    "only a comment of requirements": ("requirements.txt", "+# pinned by hand", False),
    "requirements of a test": ("tests/runner/requirements.txt", "+httpx==0.27.0", False),
    "requirements of an example": ("examples/chat/requirements.txt", "+httpx==0.27.0", False),
    "an action of CI": (".github/workflows/test.yml", "+      - uses: actions/cache@v4", False),
    "a file that only sounds like one": ("src/requirements_parser.py", '+x = "1.2"', False),
}


@pytest.mark.parametrize(("path", "lines", "raised"), DEPENDENCIES.values(), ids=DEPENDENCIES.keys())
def test_dependency(path: str, lines: str | None, raised: bool) -> None:
    patch = None if lines is None else f"@@ -1,2 +1,2 @@\n{lines}"
    assert dependency(Subject.read(pull(1, files=(change(path, 1, 1, patch=patch),)))).raised is raised


def test_a_release_is_no_change_of_dependencies() -> None:
    files = (
        edit(
            "Cargo.toml",
            '-version = "0.16.2"',
            '+version = "0.16.3"',
            " [dependencies]",
            '+core = { version = "0.16.3", path = "core" }',
        ),
        edit("Cargo.lock", ' name = "core"', '-version = "0.16.2"', '+version = "0.16.3"'),
    )
    assert dependency(Subject.read(pull(1, files=files))).raised is False
    other = edit("Cargo.lock", ' name = "serde"', '-version = "1.0.1"', '+version = "1.0.2"')
    assert dependency(Subject.read(pull(1, files=(*files, other)))) == Flag(
        name="dependency", raised=True, evidence='Cargo.lock:2 added: version = "1.0.2"'
    )


def test_a_renamed_requirements_file_changes_no_dependency() -> None:
    moved = change("build/requirements.txt", 0, 0, status="renamed", previous_path="requirements.txt")
    assert dependency(Subject.read(pull(1, files=(moved,)))).raised is False


MIGRATIONS = {
    "a folder of migrations": (edit("shop/migrations/0007_add_state.py", "+    state = 1"), True),
    "a table in SQL": (edit("db/setup.sql", "+CREATE TABLE jobs (id int);"), True),
    "a column by a tool": (edit("tools/x/versions/a.py", '+    op.add_column("jobs", state)'), True),
    "a schema of messages": (edit("api/jobs.proto", "+  string state = 4;"), True),
    "a schema of an interface": (edit("api/openapi.yaml", "+  /jobs:"), True),
    "a renamed schema": (
        change("api/b.proto", 0, 0, status="renamed", previous_path="api/a.proto"),
        False,
    ),
    "only a comment": (edit("api/jobs.proto", "+// what a job is"), False),
    "a test's schema": (edit("tests/api/jobs.proto", "+  string state = 4;"), False),
    "a page about migrations": (edit("docs/migrations/v2.md", "+ALTER TABLE jobs"), False),
    "words": (edit("app/table.py", '+    label = "create a table"'), False),
    "a table of a page": (edit("app/view.py", "+    alter = table.width"), False),
    "a line that only moved": (
        edit("db/setup.sql", "-CREATE TABLE jobs (id int);", " -- jobs", "+CREATE TABLE jobs (id int);"),
        False,
    ),
}


@pytest.mark.parametrize(("file", "raised"), MIGRATIONS.values(), ids=MIGRATIONS.keys())
def test_migration(file: Any, raised: bool) -> None:
    assert migration(Subject.read(pull(1, files=(file,)))).raised is raised


SECURITY = {
    "a word of the path": (edit("src/auth/session.py", "+    check(user)"), True),
    "a word of a name in capitals": (edit("src/web/LoginController.java", "+    check(user);"), True),
    "a word that only begins so": (edit("src/authors/list.py", "+    check(user)"), False),
    "a tokenizer": (edit("src/tokenizers/fast.py", "+    check(user)"), False),
    "renamed without an edit": (
        change("src/auth/b.py", 0, 0, status="renamed", previous_path="src/auth/a.py"),
        False,
    ),
    "only a comment": (edit("src/auth/session.py", "+    # who it is"), False),
    "a test": (edit("tests/auth/test_session.py", "+    check(user)"), False),
    "a page": (edit("docs/security.md", "+Report it."), False),
    "unpickling": (edit("src/load.py", "+    data = pickle.load(file)"), True),
    "spoken of": (edit("src/rules.py", '+    "`pickle.load(file)` is unsafe",'), False),
    "a safe loader": (edit("src/load.py", "+    data = yaml.load(file, Loader=yaml.SafeLoader)"), False),
    "a model's eval()": (edit("src/train.py", "+    model.eval()"), False),
    "a shell": (edit("src/run.py", "+    call(line, shell=True)"), True),
    "the same words in another language": (edit("src/run.rs", "+    // shell=True", '+    say("shell=True");'), False),
    "moved": (edit("src/run.py", "-    call(line, shell=True)", " x = 1", "+    call(line, shell=True)"), False),
    "rights of a workflow": (edit(".github/workflows/ci.yml", "+permissions:", "+  contents: write"), True),
    "a step of a workflow": (edit(".github/workflows/ci.yml", "+      - run: make test"), False),
    "the token of every workflow": (
        edit(".github/workflows/ci.yml", "+        token: ${{ secrets.GITHUB_TOKEN }}"),
        False,
    ),
    "a secret of a workflow": (edit(".github/workflows/ci.yml", "+        token: ${{ secrets.DEPLOY }}"), True),
}


@pytest.mark.parametrize(("file", "raised"), SECURITY.values(), ids=SECURITY.keys())
def test_security_path(file: Any, raised: bool) -> None:
    assert security_path(Subject.read(pull(1, files=(file,)))).raised is raised


def test_paths_of_the_settings_stand_in_place_of_the_rules() -> None:
    settings = SignalSettings(security_paths=("src/vault/**",), migration_paths=("store/**",))
    record = pull(1, files=(edit("src/vault/a.py", "+x = 1"), edit("store/b.py", "+y = 1")))
    assert security_path(Subject.read(record, settings)).evidence == (
        "src/vault/a.py:1 added, path has 'src/vault/**': x = 1"
    )
    assert migration(Subject.read(record, settings)).evidence == "store/b.py:1 added: y = 1"
    other = pull(1, files=(edit("src/auth/a.py", "+x = 1"), edit("api/a.proto", "+x = 1")))
    assert security_path(Subject.read(other, settings)).raised is False
    assert migration(Subject.read(other, settings)).raised is False


def test_a_missing_diff_is_unknown() -> None:
    subject = Subject.read(pull(1, completeness=Completeness(diff="missing")))
    assert [flag(subject).raised for flag in (dependency, migration, security_path)] == [None, None, None]


def week(*changed: str, imports: str = "") -> list[PullRequest]:
    """Twenty pull requests with a file of their own each; `changed` by the first ones, one each."""
    pulls = []
    for number in range(1, 21):
        lines = ["+" + imports] if imports and number > 10 else []
        own = [edit(f"src/shop/part{number}.py", *lines, f"+x = {number}")]
        shared = [edit(path, f"+y = {number}") for path in changed[number - 1 : number]]
        pulls.append(pull(number, files=(*own, *shared)))
    return pulls


def core_flags(pulls: list[PullRequest], settings: SignalSettings | None = None) -> dict[int, Flag]:
    signals = compute_signals(pulls, settings=settings or SignalSettings())
    return {own.pull: flag for own in signals.pulls for flag in own.flags if flag.name == "core_path"}


def test_what_many_pull_requests_change_is_core() -> None:
    pulls = week(*["src/shop/engine.py"] * 4)
    flags = core_flags(pulls)
    files = {own.pull: own.core_files for own in compute_signals(pulls).pulls if own.core_files}
    assert files == dict.fromkeys((1, 2, 3, 4), ("src/shop/engine.py",))
    assert [number for number, flag in flags.items() if flag.raised] == [1, 2, 3, 4]
    assert flags[1].evidence == "src/shop/engine.py (changed by 4 pull requests, imported by 0 files)"
    assert flags[9] == Flag(name="core_path", raised=False, evidence="no core file changed")


def test_what_is_imported_much_needs_fewer_changes() -> None:
    pulls = week("src/shop/engine.py", "src/shop/engine.py", imports="from shop.engine import Engine")
    flags = core_flags(pulls)
    assert [number for number, flag in flags.items() if flag.raised] == [1, 2]
    assert flags[1].evidence == "src/shop/engine.py (changed by 2 pull requests, imported by 10 files)"


NOT_CORE = {
    "changed by three, imported by none": week(*["src/shop/engine.py"] * 3),
    "changed by one, imported by many": week("src/shop/engine.py", imports="from shop.engine import Engine"),
    "another module of the same name": week(*["src/shop/engine.py"] * 2, imports="from other.engine import Engine"),
    "a test": week(*["tests/test_engine.py"] * 6),
    "a page": week(*["docs/engine.md"] * 6),
    "a lock file": week(*["uv.lock"] * 6),
    "an example": week(*["examples/engine.py"] * 6),
}


@pytest.mark.parametrize("pulls", NOT_CORE.values(), ids=NOT_CORE.keys())
def test_not_core(pulls: list[PullRequest]) -> None:
    assert {flag.raised for flag in core_flags(pulls).values()} == {False}


def test_a_comment_in_a_core_file_changes_no_core() -> None:
    pulls = [*week(*["src/shop/engine.py"] * 4), pull(21, files=(edit("src/shop/engine.py", "+# why"),))]
    assert core_flags(pulls)[21].raised is False


IMPORTS = {
    "Python": ("src/shop/engine.py", "from shop.engine import Engine"),
    "a relative import": ("src/shop/engine.py", "from .engine import Engine"),
    "a package": ("src/shop/engine/__init__.py", "from shop import engine"),
    "TypeScript": ("src/shop/engine.ts", 'import { Engine } from "./engine";'),
    "Rust": ("src/shop/engine.rs", "use crate::shop::engine::Engine;"),
    "Go": ("src/shop/engine/run.go", '\t"example.org/app/src/shop/engine"'),
    "Java": ("src/shop/Engine.java", "import shop.Engine;"),
    "C++": ("src/shop/engine.h", '#include "shop/engine.h"'),
}


@pytest.mark.parametrize(("path", "line"), IMPORTS.values(), ids=IMPORTS.keys())
def test_imports_of_each_language(path: str, line: str) -> None:
    ending = path.rpartition(".")[2]
    pulls = [
        pull(
            number,
            files=(
                edit(f"src/shop/part{number}.{ending}", "+" + line),
                *([edit(path, f"+x({number});")] if number < 3 else []),
            ),
        )
        for number in range(1, 21)
    ]
    flags = core_flags(pulls)
    assert [number for number, flag in flags.items() if flag.raised] == [1, 2]
    assert "changed by 2 pull requests, imported by 20 files" in flags[1].evidence


def test_the_settings_name_the_core_in_a_week_of_any_size() -> None:
    settings = SignalSettings(core_paths=("src/engine/**",))
    pulls = [pull(1, "src/engine/a.py"), pull(2, "src/other.py"), pull(3, "docs/engine.md")]
    assert {number: flag.raised for number, flag in core_flags(pulls, settings).items()} == {
        1: True,
        2: False,
        3: False,
    }
    assert core_flags(pulls, settings)[1].evidence == "src/engine/a.py (core by the settings)"


def test_a_small_week_teaches_nothing() -> None:
    flag = core_flags(week(*["src/shop/engine.py"] * 4)[:19])[1]
    assert flag.raised is None
    assert flag.evidence == "too few pull requests to learn which files are core"
