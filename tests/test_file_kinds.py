import pytest

from prhub_digest.file_kinds import FileKind, file_kind

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
