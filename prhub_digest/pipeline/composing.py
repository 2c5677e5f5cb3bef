"""compose and verify: one plan, and its wording per language."""

from prhub_digest.errors import PendingReplies, UsageError
from prhub_digest.models.digest import Digest, Language
from prhub_digest.models.llm import Usage
from prhub_digest.models.plan import Plan
from prhub_digest.models.verification import Verification
from prhub_digest.pipeline.collecting import COVERAGE
from prhub_digest.pipeline.context import Run
from prhub_digest.pipeline.planning import PLAN, plan_week
from prhub_digest.pipeline.summarizing import NO_MODEL, told_of_its_end
from prhub_digest.pipeline.week import Week
from prhub_digest.pipeline.wording import Composing, verify_input
from prhub_digest.run_folder import inputs_hash, pull_name
from prhub_digest.verify import verify_digest

PAGES = "digest.*.md"


def digest_name(language: Language) -> str:
    return f"digest.{language}.json"


def verification_name(language: Language) -> str:
    return f"verification.{language}.json"


def compose(run: Run, week: Week) -> Plan:
    """plan.json, and digest.<lang>.json with verification.<lang>.json for every language.

    What somebody edited since is kept, and checked anew.

    Raises:
        FatalServiceError: every further call would fail; what was answered is stored.
        BudgetError: the next call could cost more than is left; what was answered is stored.
        StoreError: the reply to the next call could not be stored.
        PendingReplies: batch files; the requests that wait were written.
    """
    inputs = run.hash(run.manifest.stages["rank"].inputs, week.statistics.to_json(), *_model_inputs(run))
    languages = run.options.languages
    outputs = (PLAN, *map(digest_name, languages), *map(verification_name, languages))
    stage_inputs = run.hash(inputs, *languages, *(term.to_json() for term in run.options.glossary))
    if run.done("compose", stage_inputs, outputs) and not run.failed("compose"):
        plan = run.folder.read_valid(PLAN, Plan)
        if plan is not None and all(_whole(run, week, plan, language) for language in languages):
            return plan
    with run.recorded("compose", stage_inputs) as cost, told_of_its_end(run, "compose", stage_inputs, cost):
        plan = plan_week(run, week, inputs, cost)
        run.folder.write_record(PLAN, plan)
        summarized = sum((summary.usage for summary in week.summaries.values()), Usage())
        pending: PendingReplies | None = None
        for language in languages:
            composing = Composing(run, week, plan, language, cost)
            try:
                digest = composing.digest(summarized + plan.usage)
            except PendingReplies as waiting:
                pending = waiting  # all languages go into one round of batch files
                continue
            run.folder.write_record(digest_name(language), digest)
            _keep(run, week, plan, digest, composing.verification(digest))
        if pending is not None:
            raise pending
    return plan


def _whole(run: Run, week: Week, plan: Plan, language: Language) -> bool:
    """Whether the digest of a language and its verification are no damaged leftovers; an edited one is checked anew."""
    digest = run.folder.read_valid(digest_name(language), Digest)
    kept = run.folder.read_valid(verification_name(language), Verification)
    if digest is None or kept is None or not digest.language == kept.language == language:
        return False
    if kept.inputs != _checked(run, week, plan, digest, kept):
        verify(run, week, plan, digest)
    return True


def verify(run: Run, week: Week, plan: Plan, digest: Digest) -> Verification:
    """verification.<lang>.json of one digest; a warning if it is another than the one that is kept.

    Raises:
        UsageError: the plan was edited, so that it is about other pull requests.
    """
    strangers = {fact.pull for fact in plan.facts}.difference(week.collection.numbers)
    if strangers:
        run.folder.discard(PAGES)  # they would read as made from this plan
        raise UsageError(
            f"{run.folder.file(PLAN)} rests on pull request {min(strangers)}, which was not collected;"
            " delete it, and the next run makes it again"
        )
    kept = run.folder.read_valid(verification_name(digest.language), Verification)
    verification = _keep(run, week, plan, digest, verify_digest(verify_input(run, week, plan, digest)))
    if kept is not None and kept != verification:
        name = digest_name(digest.language)
        run.console.warning(f"{name}, its verification or what they rest on has changed since its checks; checked anew")
    return verification


def _keep(run: Run, week: Week, plan: Plan, digest: Digest, found: Verification) -> Verification:
    verification = found.updated(inputs=_checked(run, week, plan, digest, found))
    run.folder.write_record(verification_name(digest.language), verification)
    return verification


def _checked(run: Run, week: Week, plan: Plan, digest: Digest, found: Verification) -> str:
    """The hash of everything that the checks read or the page prints, and of what was found.

    The stage's inputs hold summaries and glossary already.
    """
    names = (COVERAGE, *map(pull_name, week.collection.numbers))
    texts = (run.folder.read_text(name) or "" for name in names)
    made = (digest, plan, week.statistics, week.ranking, week.signals, week.collection)
    return inputs_hash(*made, found.updated(inputs=""), *texts)


def _model_inputs(run: Run) -> tuple[str, ...]:
    builder = run.builder
    if builder is None:
        return (NO_MODEL,)
    hashes = builder.hashes()
    stage_prompts = sorted(prompt.id for prompt in builder.prompts.values() if prompt.front.stage == "compose")
    return (
        builder.models["large"],
        builder.provider,
        str(run.options.compose_tokens),
        *(hashes[prompt] for prompt in stage_prompts),
    )
