"""What answers in a replay, by its policy, and how its results are told from those of other runs."""

from typing import TYPE_CHECKING

from prhub_digest.cli.target import ModelKind, ReplayKind, Target

if TYPE_CHECKING:
    from prhub_digest.llm.store import Replies


def replies_of(fixture: str, policy: ReplayKind) -> "Replies":
    """Where a replay of a fixture finds its replies."""
    from prhub_digest.collect.fixture import read_manifest
    from prhub_digest.llm.replay import NearestReplies, ReplayStore
    from prhub_digest.llm.stub import StubReplies
    from prhub_digest.shipped import fixture_dir

    if policy is ReplayKind.stub:
        return StubReplies()
    folder = fixture_dir(fixture)
    recorded = NearestReplies if policy is ReplayKind.nearest else ReplayStore
    return recorded(folder, read_manifest(folder).failed, fixture)


def stand_ins(target: Target) -> str:
    """What besides the requests decides the result: of an older reply, the reply itself; nothing in a strict replay."""
    if target.llm is not ModelKind.replay or target.fixture is None or target.replay is ReplayKind.strict:
        return ""
    if target.replay is ReplayKind.stub:
        return target.replay.value
    from prhub_digest.collect.fixture import read_manifest
    from prhub_digest.llm.replay import replies_hash
    from prhub_digest.shipped import fixture_dir

    folder = fixture_dir(target.fixture)
    return f"{target.replay.value} {replies_hash(folder, read_manifest(folder).failed)}"
