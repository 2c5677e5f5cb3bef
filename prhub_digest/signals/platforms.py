"""The shipped platforms: what names them in paths, titles and labels."""

from prhub_digest.models.signal_settings import Tag

_COMPILED = ("go", "rs", "c", "cc", "cpp", "h")


def _hardware(key: str, parts: str, more_words: str, *, ambiguous: str = "") -> Tag:
    """All names between blanks. Parts are words, too, except those that are `ambiguous` in a title."""
    words = [part for part in parts.split() if part not in ambiguous.split()]
    return Tag(key=key, parts=tuple(parts.split()), words=(*words, *more_words.split()))


def _system(key: str, names: str, words: str) -> Tag:
    """An operating system by whole folder names and by file names of compilers: `sliding_windows/` is none."""
    folders = (f"**/{name}/**" for name in names.split())
    files = (f"**/*_{name}.{ending}" for name in names.split() for ending in _COMPILED)
    jobs = (f"{folder}/**/*{name}*" for folder in (".github", "ci", "docker") for name in names.split())
    return Tag(key=key, paths=(*folders, *files, *jobs), words=tuple(words.split()))


PLATFORMS = (
    _hardware(
        "nvidia",
        "nvidia cuda cutlass cublas cudnn cutedsl tensorrt trtllm nccl nvshmem",
        "Hopper Blackwell A100 H100 H200 B200 GB200 sm90 sm100 sm120",
    ),
    _hardware(
        "amd",
        "amd rocm hip aiter miopen hipblas hipblaslt rocblas rccl mi300 gfx942 gfx950",
        "HIP MI300X MI325X MI350 MI355X",
        ambiguous="hip",
    ),
    _hardware("intel", "intel xpu hpu gaudi sycl oneapi onednn ipex openvino amx", ""),
    _hardware("arm", "arm arm64 aarch64 neon kleidiai", "ARM NEON", ambiguous="arm neon"),
    _hardware("apple", "apple metal mps mlx coreml", "Apple Metal MPS", ambiguous="apple metal mps"),
    _hardware("tpu", "tpu pallas libtpu", "TPUs"),
    _hardware("npu", "npu ascend cann", "Ascend CANN", ambiguous="ascend cann"),
    _system("windows", "windows win32", "Windows win32"),
    _system("linux", "linux", "linux"),
    _system("macos", "macos darwin osx", "macos darwin osx"),
)
SYSTEMS = frozenset({"windows", "linux", "macos"})
# What a file's ending suggests where nothing else names a platform.
BY_ENDING = {"cu": "nvidia", "cuh": "nvidia", "hip": "amd", "metal": "apple"}
