"""What a page says first when its replies are no answers to its requests."""

import json

import pytest
from markdown_reader import read
from render_week import digest, week

from prhub_digest.models.digest import Language
from prhub_digest.models.llm import Usage
from prhub_digest.render import Mark, build_view, mark_of, render_json, render_markdown, render_text

STALE = Usage(calls=3, input_tokens=900, stale=2)
STUBS = Usage(stubs=4)
TEXTS: dict[tuple[str, Language], str] = {
    ("stale", "en"): "STALE: recorded for other requests: 2 of the replies behind this (--replay nearest).",
    ("stale", "zh"): "STALE（过期）：所依据的回复中有 2 条是为其他请求录制的（--replay nearest）。",
    (
        "stub",
        "en",
    ): "STUB: not written by a model. Replies made up from titles: 4; the rest is by rules (--replay stub).",
    ("stub", "zh"): "STUB（占位）：内容并非模型所写。由标题拟成的回复：4 条，其余由规则写成（--replay stub）。",
}


@pytest.mark.parametrize(("kind", "language"), TEXTS)
def test_it_stands_between_the_title_and_everything_else(kind: str, language: Language) -> None:
    text = TEXTS[kind, language]
    usage = STALE if kind == "stale" else STUBS
    plain = build_view(week(language))
    view = build_view(week(language, digest=digest(language).updated(usage=usage)))
    assert (plain.mark, view.mark) == (None, mark_of(usage, language))
    heading, empty, rest = render_markdown(plain).split("\n", 2)
    assert rest.startswith(plain.facts[0].split(" ", maxsplit=1)[0])
    marked = render_markdown(view)
    assert marked.startswith(f"{heading}\n{empty}\n**{text}**\n\n{view.facts[0]}")
    assert text in read(marked).text
    assert render_text(view).split("\n")[3:6] == [text, "", " · ".join(view.facts)]
    page = json.loads(render_json(view))
    assert page["mark"] == {"kind": kind, "replies": usage.stand_ins, "text": text}
    assert "mark" not in json.loads(render_json(plain))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_of_stubs_nothing_is_told_as_read_or_said_by_a_model(language: Language) -> None:
    told = render_markdown(build_view(week(language, digest=digest(language).updated(usage=STUBS, model=None))))
    closing = told.rpartition("\n## ")[2]
    without = {
        "en": ("summarised", "Read in full", "shown to the model", "Model:", "calls", "left out"),
        "zh": ("生成摘要", "全文阅读", "给模型看过", "- 模型：", "调用", "舍弃"),
    }
    for words in without[language]:
        assert words not in closing
    assert {"en": "No model was asked: ", "zh": "未使用模型："}[language] in closing


def test_a_stub_outweighs_a_stale_reply() -> None:
    assert mark_of(Usage(calls=4)) is None
    assert mark_of(STALE + STUBS) == Mark("stub", 4, TEXTS["stub", "en"])
