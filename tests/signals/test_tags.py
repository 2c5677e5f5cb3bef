from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signal_builders import pull

from prhub_digest.models.signal_settings import SignalSettings, Tag
from prhub_digest.models.signals import Tags
from prhub_digest.signals.tags import tags_of

PATHS = {
    "a folder": ("csrc/rocm/attention.cpp", "amd"),
    "a word of a file's name": ("layers/fp8_cuda_ops.py", "nvidia"),
    "a folder before the file": ("csrc/rocm/skinny_gemms_cuda.cu", "amd"),
    "the deepest folder": ("cuda/compat/rocm/a.h", "amd"),
    "an ending alone": ("csrc/attention.cu", "nvidia"),
    "an ending of Apple's": ("kernels/softmax.metal", "apple"),
    "requirements": ("requirements-xpu.txt", "intel"),
    "upper case": ("docker/Dockerfile.ROCm", "amd"),
    "hardware in a folder of a system": ("ci/linux/build_cuda.sh", "nvidia linux"),
    "a system's folder": ("src/sys/windows/pipe.rs", "windows"),
    "a system's file": ("src/exec_darwin.go", "macos"),
    "a system's job": (".github/workflows/windows-wheels.yml", "windows"),
    "aarch64": ("cpu/kernels/aarch64/dot.S", "arm"),
    # near misses
    "part of a word": ("charm/alarm/swarm_hiphop.py", ""),
    "amd64 is a kind of processor": ("docker/Dockerfile.amd64", ""),
    "windows that slide": ("attention/sliding_windows/context_windows.py", ""),
    "a metallic name": ("ui/metallic/theme.ts", ""),
    "nothing": ("engine/scheduler.py", ""),
}


@pytest.mark.parametrize(("path", "expected"), PATHS.values(), ids=PATHS.keys())
def test_platforms_of_a_path(path: str, expected: str) -> None:
    assert tags_of(pull(1, path)).platforms == tuple(expected.split())


SAID: dict[str, tuple[dict[str, Any], str]] = {
    "a tag in brackets": ({"title": "[ROCm] Fix a crash"}, "amd"),
    "a scope": ({"title": "fix(arm): dot product"}, "arm"),
    "a tag that is a verb elsewhere": ({"title": "[Arm] Dot product"}, "arm"),
    "a word": ({"title": "Support cuda graphs on Windows"}, "nvidia windows"),
    "as it is written": ({"title": "Tune for Blackwell and MPS"}, "nvidia apple"),
    "a label": ({"labels": ("hw: npu",)}, "npu"),
    "a label in any case": ({"labels": ("Metal",)}, "apple"),
    # near misses
    "a verb": ({"title": "Arm the timer before the queue"}, ""),
    "no metal": ({"title": "Run on bare-metal hosts"}, ""),
    "windows that slide": ({"title": "Sliding windows for context"}, ""),
    "part of a word": ({"title": "Hiphop, charms and amd64 images"}, ""),
    "labels are not known": ({"labels": None}, ""),
}


@pytest.mark.parametrize(("fields", "expected"), SAID.values(), ids=SAID.keys())
def test_platforms_of_title_and_labels(fields: dict[str, Any], expected: str) -> None:
    assert tags_of(pull(1, "engine/scheduler.py", **fields)).platforms == tuple(expected.split())


def test_a_change_for_one_vendor_never_lands_under_another() -> None:
    amd = pull(1, "csrc/quantization/scaled_mm.cu", title="[ROCm] Faster scaled_mm")
    nvidia = pull(2, "csrc/quantization/scaled_mm.cu", title="Faster scaled_mm on H100")
    shared = pull(3, "csrc/quantization/scaled_mm.cu", "csrc/rocm/scaled_mm.cpp", "csrc/cuda/scaled_mm.cpp")
    assert [tags_of(one).platforms for one in (amd, nvidia, shared)] == [("amd",), ("nvidia",), ("nvidia", "amd")]


def test_tags_of_the_settings_replace_the_shipped_platforms() -> None:
    own = SignalSettings(
        platforms=(Tag(key="board", parts=("riscv",), words=("RISC-V",)),),
        modules=(Tag(key="server", paths=("srv/**",)), Tag(key="client", paths=("web/**",), words=("sdk",))),
    )
    one = pull(1, "srv/riscv/cuda.cu", title="Boot")
    other = pull(2, "tools/a.py", title="SDK for RISC-V boards")
    third = pull(3, "srv/a.py", "web/b.ts", title="risc-v, in small letters")
    assert tags_of(one, own) == Tags(platforms=("board",), modules=("server",))
    assert tags_of(other, own) == Tags(platforms=("board",), modules=("client",))
    assert tags_of(third, own) == Tags(modules=("server", "client"))
    assert tags_of(one).modules == ()


@settings(max_examples=30)
@given(st.permutations([path for path, _ in PATHS.values()]))
def test_the_order_of_the_files_does_not_matter(paths: list[str]) -> None:
    assert tags_of(pull(1, *paths)).platforms == ("nvidia", "amd", "intel", "arm", "apple", "windows", "linux", "macos")
