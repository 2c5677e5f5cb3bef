import os
import random
import subprocess
from pathlib import Path

import pytest

from prhub_digest.file_kinds import AttributeRule, FileKind, FileKinds, KindRule, file_kind, parse_attributes
from prhub_digest.models.pull_request import FileChange, FileStatus

_CASES: dict[FileKind, str] = {
    "source": """
        src/app.py python/sglang/srt/layers/attention.py csrc/kernels/topk.cu include/core/vec.cuh src/lib.rs
        crates/parser/src/token.rs cmd/server/main.go web/src/App.tsx src/main/java/org/acme/Main.java bin/run
        pkg/contest/entry.go src/attestation.py lib/latest.ts src/testament.rs src/docstring.py scripts/bench.sh
        src/protest_march.py src/security.py src/license_check.py
        src/dockerfile_parser.py src/notice_board.py src/data/loader.py""",
    "test": """
        tests/test_core.py test/unit/util.py src/pkg/test_diff.py pkg/server/server_test.go ui/src/App.spec.ts
        ui/src/app.test.tsx src/__tests__/App.jsx src/test/java/org/acme/MainTest.java crates/core/tests/it.rs
        crates/ty_test/src/lib.rs csrc/kernels/topk_test.cc tests/data/week.json conftest.py tests/conftest.py
        crates/linter/resources/test/fixtures/E501.py src/snapshots/out.snap test/registered/README.md
        App.Core.Tests/Main.cs""",
    "docs": """
        README.md docs/guide.md docs/conf.py doc/index.rst CHANGELOG LICENSE LICENSE-MIT CONTRIBUTING.md
        docs/缓存说明.md man/tool.1 notes.txt""",
    "config": """
        config/default.yaml settings.toml .editorconfig .env src/app.properties .eslintrc k8s/deploy.yml""",
    "build": """
        .github/workflows/ci.yml Makefile pyproject.toml Cargo.toml package.json go.mod pom.xml CMakeLists.txt
        docker/Dockerfile.cuda setup.py requirements-dev.txt .gitlab-ci.yml tsconfig.json build.gradle
        crates/x/build.rs .pre-commit-config.yaml BUILD.bazel cmake/FindFoo.cmake""",
    "generated": """
        api/v1/service.pb.go proto/service_pb2.py src/schema.generated.ts src/generated/client.rs""",
    "vendored": """
        vendor/github.com/a/b.go third_party/lib/tests/x.c node_modules/left-pad/index.js pkg/_vendor/six.py""",
    "lock": """
        uv.lock Cargo.lock package-lock.json ui/yarn.lock pnpm-lock.yaml go.sum poetry.lock aa/package-lock.json""",
    "minified": """
        static/app.min.js static/app.min.css data/blob.min.json dist/app.js.map""",
    "data": """
        data/rows.csv assets/anim.json locale/zh/app.po examples/demo.ipynb assets/logo.svg""",
    "binary": """
        assets/logo.png tests/data/model.safetensors docs/paper.pdf lib/libfoo.so.1 fonts/a.woff2""",
}


@pytest.mark.parametrize("kind", _CASES)
def test_each_kind(kind: FileKind) -> None:
    paths = _CASES[kind].split()
    assert {path: file_kind(path) for path in paths} == dict.fromkeys(paths, kind)


def test_case_does_not_matter() -> None:
    assert file_kind("Docs/Guide.MD") == "docs"
    assert file_kind("MAKEFILE") == "build"


def change(path: str, patch: str | None, status: FileStatus = "modified") -> FileChange:
    return FileChange(path=path, status=status, additions=1, deletions=0, patch=patch)


def added(path: str, *lines: str) -> FileChange:
    return change(path, "\n".join([f"@@ -0,0 +1,{len(lines)} @@", *("+" + line for line in lines)]), "added")


def test_rules_of_the_settings_come_first_and_the_first_that_matches_decides() -> None:
    rules = (
        KindRule(kind="source", paths=("docs/**/*.py", "go.sum")),
        KindRule(kind="generated", paths=("docs/**", "api/*.ts")),
    )
    kinds = FileKinds(rules, parse_attributes("api/* -linguist-generated\n"))
    paths = "docs/a/conf.py go.sum docs/index.md api/client.ts api/deep/client.ts"
    assert [kinds.of(path) for path in paths.split()] == ["source", "source", "generated", "generated", "source"]
    marked = added("docs/a/conf.py", "# @generated")
    assert kinds.of_file(marked) == "source"
    assert FileKinds().of_file(marked) == "generated"


ATTRIBUTES = """
# comment
*.schema.json linguist-generated=true text=auto
"with space/*.ts" linguist-generated
/tools/** linguist-vendored
examples/** linguist-documentation
doc/api/** -linguist-documentation
third_party/ours/** linguist-vendored=false
web/app.min.js -linguist-generated
src/generated/** !linguist-generated
src/generated/hand.rs -linguist-generated
*.lock linguist-generated
Cargo.lock -linguist-generated
gen/ linguist-generated
!no.py linguist-generated
[attr]ours linguist-generated
*.tpl text
late.py linguist-generated
late.py !linguist-generated
"""
BY_ATTRIBUTES: dict[str, FileKind] = {
    "a/b/x.schema.json": "generated",
    "with space/x.ts": "generated",
    "tools/x/y.py": "vendored",
    "a/tools/y.py": "source",
    "examples/a/b.py": "docs",
    "doc/api/server.py": "source",
    "doc/other.py": "docs",
    "third_party/ours/x.c": "source",
    "third_party/theirs/x.c": "vendored",
    "web/app.min.js": "source",
    "src/generated/a.rs": "generated",
    "src/generated/hand.rs": "source",
    "uv.lock": "lock",
    "Cargo.lock": "lock",
    "gen/x.py": "source",
    "no.py": "source",
    "late.py": "source",
}


def test_linguist_attributes() -> None:
    kinds = FileKinds(attributes=parse_attributes(ATTRIBUTES))
    assert {path: kinds.of(path) for path in BY_ATTRIBUTES} == BY_ATTRIBUTES


def test_a_file_below_decides_over_one_above() -> None:
    attributes = (*parse_attributes("*.py linguist-generated"), *parse_attributes("*.py -linguist-generated", "a/b"))
    kinds = FileKinds(attributes=attributes)
    assert [kinds.of(path) for path in ("x.py", "a/x.py", "a/b/x.py", "a/b/c/x.py", "b/x.py")] == [
        "generated",
        "generated",
        "source",
        "source",
        "generated",
    ]
    assert attributes[1] == AttributeRule(folder="a/b", pattern="*.py", attribute="generated", value=False)


@pytest.mark.parametrize("seed", range(4))
def test_patterns_mean_what_git_says(seed: int, tmp_path: Path) -> None:
    """Patterns and paths made of the same few pieces, so that many match; one folder a pattern, one run of git."""
    dice = random.Random(seed)
    pieces = ["a", "b", "ab", "a.b", "*", "?", "a*", "*b", "**", "[ab]", "[!a]", "[^b]", "[[:alpha:]]", "\\*", "*a*b*"]
    names = ["a", "b", "ab", "a.b", "aab", "*", ".ab"]
    expected, asked = [], []
    for number in range(60):
        pattern = "/".join(dice.choices(pieces, k=dice.randint(1, 4)))
        pattern = dice.choice(["", "", "/"]) + pattern + dice.choice(["", "", "", "/"])
        folder = tmp_path / f"p{number}"
        folder.mkdir()
        (folder / ".gitattributes").write_text(f"{pattern} linguist-generated\n", encoding="utf-8")
        kinds = FileKinds(attributes=parse_attributes(f"{pattern} linguist-generated\n", f"p{number}"))
        for _ in range(12):
            path = f"p{number}/" + "/".join(dice.choices(names, k=dice.randint(1, 4)))
            asked.append(path)
            expected.append((pattern, path, kinds.of(path) == "generated"))
    env = {"PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": "/"}
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, env=env, check=True)
    command = ["git", "check-attr", "-z", "--stdin", "linguist-generated"]
    answer = subprocess.run(
        command, cwd=tmp_path, env=env, input="\0".join(asked).encode(), capture_output=True, check=True
    )
    values = answer.stdout.decode().split("\0")[2::3]
    assert [(pattern, path, value == "set") for (pattern, path, _), value in zip(expected, values, strict=True)] == (
        expected
    )


def test_a_hostile_pattern_is_no_work() -> None:
    kinds = FileKinds(
        attributes=parse_attributes("*a" * 500 + "b linguist-generated\n" + "**/a/" * 300 + "b linguist-generated")
    )
    assert kinds.of("a/" * 2000 + "a" * 200) == "source"


GENERATED_TOPS = [
    "// Code generated by protoc-gen-go. DO NOT EDIT.",
    "# @generated by reindeer",
    " * @generated SignedSource<<0123>>",
    "<!-- This file is auto-generated from schema.yaml -->",
    "# This file was automatically generated by SWIG",
    "/* AUTO-GENERATED FILE. DO NOT MODIFY. */",
    "// Generated by the protocol buffer compiler.  DO NOT EDIT!",
    "-- DO NOT EDIT: this file is generated",
    "# Autogenerated by tools/make_table.py",
]
HAND_WRITTEN_TOPS = [
    'HEADER = "// Code generated by make. DO NOT EDIT."',
    "// Optimizes code generated by the front end",
    "# Looks for the mark `@generated` at the top of a file",
    '# a file with "@generated" is not shown',
    "# Generates the table of opcodes",
    "// user@generated.example asked for this",
    "# Do not edit the cache by hand",
    "# the header generated for each request",
]


@pytest.mark.parametrize("top", GENERATED_TOPS)
def test_a_mark_at_the_top_says_generated(top: str) -> None:
    assert FileKinds().of_file(added("src/table.py", "#!/bin/sh", top, "x = 1")) == "generated"


@pytest.mark.parametrize("top", HAND_WRITTEN_TOPS)
def test_a_file_that_speaks_of_marks_is_written_by_hand(top: str) -> None:
    assert FileKinds().of_file(added("src/table.py", top, "x = 1")) == "source"


def test_where_a_mark_counts() -> None:
    mark = "// Code generated by stringer. DO NOT EDIT."
    kinds = FileKinds()
    assert kinds.of_file(change("a.go", f"@@ -1,3 +1,3 @@\n {mark}\n-x\n+y")) == "generated"
    assert kinds.of_file(change("a.go", f"@@ -1,3 +1,2 @@\n-{mark}\n x")) == "source"
    assert kinds.of_file(change("a.go", f"@@ -1,2 +1,3 @@\n+{mark}\n x\n+evil()")) == "source"
    assert kinds.of_file(change("a.go", f"@@ -1,2 +1,2 @@\n-{mark} v1\n+{mark} v2\n x")) == "generated"
    assert kinds.of_file(change("a.go", f"@@ -1,2 +0,0 @@\n-{mark}\n-x", "deleted")) == "generated"
    assert kinds.of_file(change("a.go", f"@@ -90,3 +90,3 @@\n {mark}\n-x\n+y")) == "source"
    assert kinds.of_file(added("a.go", *["// line"] * 20, mark)) == "source"
    assert kinds.of_file(change("a.go", None)) == "source"
    assert FileKinds(attributes=parse_attributes("*.go -linguist-generated")).of_file(added("a.go", mark)) == "source"


def test_pinned_requirements_are_a_lock_file() -> None:
    top = "# This file was autogenerated by uv via the following command:"
    assert FileKinds().of_file(added("requirements/dev.txt", top, "#    uv pip compile dev.in", "six==1.16")) == "lock"
    assert FileKinds().of_file(added("requirements/dev.txt", "six>=1.16")) == "build"


def test_a_submodule_says_what_is_built() -> None:
    pointer = change("third_party/lib", "@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2")
    pointer = pointer.updated(patch_state="submodule")
    assert FileKinds().of_file(pointer) == "build"
    assert FileKinds([KindRule(kind="vendored", paths=("third_party/**",))]).of_file(pointer) == "vendored"


def test_minified_by_the_shape_of_its_lines() -> None:
    packed = "!function(e,t){" + "e.a=t(1)[0];" * 200 + "}(window,n);"
    prose = "const text = '" + "a sentence with its blanks, as people write it; " * 40 + "';"
    kinds = FileKinds()
    assert kinds.of_file(added("site/app.js", "/*! app 1.2 */", packed)) == "minified"
    assert kinds.of_file(added("assets/anim.json", '{"k":[' + "1," * 3000 + "0]}")) == "minified"
    assert kinds.of_file(added("site/text.js", prose)) == "source"
    assert (
        kinds.of_file(added("site/app.js", *["const a = load(b);"] * 40, "const c = '" + "x" * 600 + "';")) == "source"
    )
    assert kinds.of_file(added("src/table.py", packed)) == "source"
