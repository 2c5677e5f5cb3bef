"""Chat-template control tokens in untrusted text: broken up before sending, put back when quotes are matched.

A server that applies a template reads `<|im_end|>` inside a user's text as the end of the turn, wherever it stands;
so `List<s>` is broken too. Breaking puts one middle dot behind the token's opening bracket: `<·|im_end|>`, `[·INST]`.
A text that has such dots already gets one more, so that mending gives every text back unchanged.
"""

import re

_DOT = "·"
# Tokens of this shape never hold blanks, code such as `a <| b |> c` does. The second bar is the full-width one.
_BARS = r"(?:\||｜)[^\s<>|｜]{1,80}(?:\||｜)"
_ANGLE_NAMES = (
    "s|bos|eos|pad|unk|mask|cls|sep|sop|eop|eod|eot|EOT|PRE|SUF|MID|BOS_TOKEN|EOS_TOKEN"
    "|think|thinking|tools|tool_call|tool_calls|tool_response|tool_sep|arg_key|arg_value|start_of_turn|end_of_turn|start_of_image|end_of_image|image_soft_token"
    "|start_of_role|end_of_role|begin_of_box|end_of_box|fim_prefix|fim_middle|fim_suffix|fim_pad|file_sep|repo_name"
    "|endoftext|im_start|im_end|seed:[a-z_]{1,40}|extra_id_[0-9]{1,4}|unused[0-9]{1,4}"
    "|reserved_[0-9]{1,4}"
)
_SQUARE_NAMES = (
    "INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|CALL_ID|ARGS|THINK|IMG|IMG_BREAK"
    "|IMG_END|PREFIX|MIDDLE|SUFFIX|BOS|EOS|EOT|PAD|UNK|CLS|SEP|MASK|gMASK|sMASK"
)
_TOKEN = re.compile(
    rf"(?P<head><(?={_DOT}*+(?:{_BARS}>|/?(?:{_ANGLE_NAMES})>|</?SYS>>))"
    rf"|\[(?={_DOT}*+(?:/?(?:{_SQUARE_NAMES})\]|\|[^\s\[\]|]{{1,80}}\|\])))(?P<dots>{_DOT}*+)"
)


def break_control_tokens(text: str) -> str:
    """The text with a dot in every control token; `mend_control_tokens` undoes it."""
    if "<" not in text and "[" not in text:
        return text
    return _TOKEN.sub(lambda token: f"{token['head']}{_DOT}{token['dots']}", text)


def mend_control_tokens(text: str) -> str:
    """The text that `break_control_tokens` was given; text without broken tokens stays as it is."""
    return _TOKEN.sub(lambda token: token["head"] + token["dots"][1:], text)
