from render_week import week

from prhub_digest.render import HighlightRule, build_view, render_text


def test_what_the_settings_say_of_highlights_is_told() -> None:
    first, second = week("en").ranking.highlights
    other = next(entry.pull for entry in week("en").ranking.entries if not entry.highlight)
    rule = HighlightRule(most=1, percent=30, forced=(first, second, other), kept_out=1)
    english = render_text(build_view(week("en", highlight_rule=rule)))
    assert "never more than 1. 2 of them stand here by the settings, beyond these limits if need be." in english
    assert f"that were taken back or are shown by another one, 1 in all: #{other}" in english
    assert "Kept out of the highlights by the settings: 1 PR." in english
    chinese = render_text(build_view(week("zh", highlight_rule=rule)))
    assert "至多 1 项。其中 2 项由设置指定，可超出上述上限。" in chinese
    assert "设置不列为重点的 PR：1 个。" in chinese
