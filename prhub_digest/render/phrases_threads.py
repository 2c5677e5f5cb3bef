"""The phrases of review threads and units; part of the one table in `phrases`."""

THREADS: dict[str, tuple[str, str]] = {  # key: (en, zh)
    "threads.unknown": ("The source knows no review threads.", "数据源不含评审讨论。"),
    "threads.unread": ("The review threads could not be read.", "未能读取评审讨论。"),
    "threads.absent": ("There was no review thread at all.", "没有任何评审讨论。"),
    "flags.apart": (
        "Small changes need no test here; threads left for later are not among the open ones.",
        "小改动不计入“缺少测试”，留待以后处理的讨论不计入“遗留评审讨论”。",
    ),
    "flags.unknown": ("Not known of any PR, since the source does not tell: {names}.", "本数据来源无法判定：{names}。"),
    "threads.none": ("No review thread was left open.", "没有遗留未关闭的评审讨论。"),
    "threads.none_read": (
        "Of the review threads that could be read, none was left open.",
        "已读取的评审讨论中，没有遗留未关闭的。",
    ),
    "threads.some_unknown": (
        "Review threads are unknown for {n} of {total} PRs.",
        "{total} 个 PR 中有 {n} 个的评审讨论未知。",
    ),
    "threads.undecided": (
        "Threads of which it is not known whether they were settled: {n}.",
        "另有 {n} 条讨论，不知道是否已处理。",
    ),
    "threads.disputed": ("disputed", "有争议"),
    "threads.taken_up": ("taken up by ", "后续见 "),
    "threads.open_means": (
        (
            "Left open: not resolved; without the threads of the PR's own authors, deferred or disputed ones, answered"
            " questions, hidden remarks of bots, and those whose lines were changed later."
        ),
        (
            "“未关闭”指未标为已解决的讨论；作者自己发起的、推迟处理的、有争议的、已答复的提问、被隐藏的机器人评论"
            "以及相应行此后有改动的不计入。"
        ),
    ),
    # why a review thread counts as open, disputed or deferred, as `signals` says it
    "reason.not resolved, no reply": ("not resolved, no reply", "未解决，无人回复"),
    "reason.not resolved after {n} replies": ("not resolved after {n} {n:reply|replies}", "{n} 条回复后仍未解决"),
    "reason.the author says done, but the lines did not change": (
        "the author says done, but the lines did not change",
        "作者称已处理，但相应行未改动",
    ),
    "reason.the author declines, and the reviewer does not agree": (
        "the author declines, and the reviewer does not agree",
        "作者不采纳，评审者未表示同意",
    ),
    "reason.the author leaves it for later": ("the author leaves it for later", "作者留待以后处理"),
    "reason.a reviewer leaves it for later": ("a reviewer leaves it for later", "评审者同意以后处理"),
    "reason.not resolved, but a later pull request takes it up": (
        "not resolved, but a later PR takes it up",
        "未解决，但有后续 PR 处理",
    ),
    # what a pull request is one change with
    "entry.reverts": ("reverts ", "回退 "),
    "entry.relands": ("takes back the revert ", "撤销回退 "),
    "entry.reverted_by": ("reverted by ", "已回退，见 "),
    "entry.relanded_by": ("itself taken back by ", "该回退已被撤销，见 "),
    "unit_kind.with": (", with ", "，另见 "),
    "unit_kind.series": ("part of one work", "同一工作的一部分"),
    "unit_kind.series_of": ("series of {n}", "共 {n} 部分的系列"),
    "unit_kind.backport": ("one change with its ports", "同一改动及其移植"),
    "unit_kind.twin": ("merged into two branches", "合入了两个分支"),
    "unit_kind.joined": ("one change", "同一项改动"),
    "before.revert": ("takes back an earlier change: ", "回退此前的 "),
    "before.again": ("brings back an earlier change: ", "重新合入此前的 "),
    "before.backport": ("port of ", "移植自 "),
    "before.twin": ("merges again ", "再次合入 "),
}
