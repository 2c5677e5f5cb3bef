"""The phrases of the closing note; part of the one table in `phrases`."""

CLOSING: dict[str, tuple[str, str]] = {  # key: (en, zh)
    "close.read_all": ("All {pulls} {pulls:PR was|PRs were} read in full.", "{pulls} 个 PR 均已全文阅读。"),
    "close.read": (
        "Read in full: {full} of {pulls} {pulls:PR|PRs}; {part} in part or by name only",
        "全文阅读 {full} / {pulls} 个 PR；{part} 个部分阅读或仅看文件名",
    ),
    "unread.token_budget": ("token budget", "token 预算"),
    "unread.lines_cut_short": ("lines cut short", "长行截断"),
    "unread.lock_file": ("lock files", "锁文件"),
    "unread.generated": ("generated", "自动生成"),
    "unread.vendored": ("vendored", "第三方代码"),
    "unread.minified": ("minified", "压缩代码"),
    "unread.binary": ("binary", "二进制"),
    "unread.diff_cut_short_by_the_source": ("diff cut short by the source", "来源截断了差异"),
    "unread.diff_not_given_by_the_source": ("diff not given by the source", "来源未提供差异"),
    "unread.no_change_of_text": ("no change of text", "文本无改动"),
    "unread.submodule_pointer": ("submodule pointers", "子模块指针"),
    "close.lines": (
        "Changed lines shown to the model: {shown} of {lines}; files not shown in full: {files} of {all_files}",
        "给模型看过的改动行：{shown} / {lines}；未完整展示的文件：{files} / {all_files}",
    ),
    "close.all_summarised": ("Every one of the {total} {total:PR|PRs} was summarised.", "{total} 个 PR 均已生成摘要。"),
    "close.not_summarised": ("{n} of {total} {total:PR|PRs} not summarised", "{total} 个 PR 中有 {n} 个未生成摘要"),
    "close.uncertain": (
        "Diffs that are not checked against, or differ from, the source's own counts, {n} in all",
        "diff 的行数或文件数与数据源所报不符或未能核对，共 {n} 个",
    ),
    "close.incomplete": (
        "PRs that could not be read whole from the source, {n} in all",
        "未能从数据源完整读取的 PR，共 {n} 个",
    ),
    "close.no_note": ("the source does not say what is missing", "数据源未说明缺少什么"),
    "close.failure": ("Failed in {stage}, {subject}: {reason}", "{stage} 阶段未完成 {subject}：{reason}"),
    "close.source_note": ("From the source: {note}", "数据源说明：{note}"),
    "close.plan_by_rules": (
        "What stands in which section was decided by rules, not by the model: {reason}",
        "各节内容由规则而非模型选定：{reason}",
    ),
    "close.not_highlighted": (
        "PRs that the settings want highlighted, but that were taken back or are shown by another one, {n} in all",
        "设置要求列为重点、但已被回退或已由同一改动的另一 PR 代表的 PR，共 {n} 个",
    ),
    "close.kept_out": (
        "Kept out of the highlights by the settings: {n} {n:PR|PRs}.",
        "设置不列为重点的 PR：{n} 个。",
    ),
    "close.stub": (
        "No model was asked: each headline is the pull request's own title, areas and scores are by rules.",
        "未使用模型：标题句即 PR 自身的标题，领域与评分由规则得出。",
    ),
    "close.left_out": (
        "PRs that stand in the list by area alone, since the planning request had no room for them, {n} in all",
        "规划请求容纳不下而只出现在按领域列表中的 PR，共 {n} 个",
    ),
    "close.sentences": (
        (
            "{n} {n:sentence|sentences} checked by code ({made} {made:check|checks}):"
            " every number, link and name in {n:it|them} comes from the data."
        ),
        "代码核对了 {n} 个句子（共 {made} 处）：其中的数字、链接和名称均来自数据。",
    ),
    "close.sentences_failed": (
        "{n} {n:sentence|sentences} checked by code ({made} {made:check|checks}); not all passed, see below.",
        "代码核对了 {n} 个句子（共 {made} 处）；有未通过之处，见下。",
    ),
    "close.checked": ("Checks made: {n}.", "共检查 {n} 处。"),
    "close.findings": ("To be read with care: {n} {n:place|places}.", "阅读时请留意：{n} 处。"),
    "close.no_findings": ("No check failed.", "所有检查均通过。"),
    "close.not_checked": ("The checks were not run.", "尚未运行检查。"),
    "close.templates": (
        "Sentences that a template worded, from the facts' own text: {n} of {total}.",
        "{total} 个句子中有 {n} 个由模板写成，取自事实原文。",
    ),
    "close.dropped": (
        "What the model wrote of PRs and was left out, since no evidence for it was found or a check refused it",
        "事先因找不到证据或未通过检查而舍弃的模型陈述",
    ),
    "close.none_dropped": ("No statement of the model was left out.", "没有舍弃模型的任何陈述。"),
    "close.usage_unknown": (
        "Model: {model}, {calls} {calls:call|calls}; token counts were not reported.",
        "模型：{model}，调用 {calls} 次；未报告 token 用量。",
    ),
    "close.usage": (
        (
            "Model: {model}, {calls} {calls:call|calls}:"
            " {input} input tokens ({cached} of them cached), {output} output tokens."
        ),
        "模型：{model}，调用 {calls} 次：输入 {input} token（其中缓存 {cached}），输出 {output} token。",
    ),
    "close.wording": (
        "The words of each sentence were compared with what it cites; code does not see a wrong cause or direction.",
        "中文句子只由代码核对了编号、数字、标识符和否定、限定词；词义是否与所引事实一致未经核对。",
    ),
    "close.facts_mode": (
        "Every number, list and order here was computed from the pull requests by rules.",
        "所有数字、列表和排序均由规则根据 PR 计算得出。",
    ),
    "dropped.headline": ("headlines", "标题句"),
    "dropped.scope": ("limits of scope", "适用范围"),
    "dropped.condition": ("conditions", "生效条件"),
    "dropped.default": ("default states", "默认状态"),
    "dropped.claim": ("claims", "陈述"),
    "dropped.figure": ("figures", "测量数据"),
    "dropped.risk": ("risks", "风险"),
    "dropped.thread": ("review threads", "评审讨论"),
    "dropped.score": ("sub-scores", "评分"),
    "dropped.area": ("areas", "领域"),
    "place.digest": ("the whole digest", "整篇摘要"),
    "place.sentence": ("{n}", "第 {n} 句"),
    "finding.error": ("error", "错误"),
    "finding.warning": ("warning", "警告"),
}
