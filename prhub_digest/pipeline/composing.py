"""compose and verify: one plan, and its wording per language."""

from prhub_digest.errors import PendingReplies
from prhub_digest.models.digest import Digest, Language
from prhub_digest.models.llm import Usage
from prhub_digest.models.plan import Plan
from prhub_digest.models.verification import Verification
from prhub_digest.pipeline.context import Run
from prhub_digest.pipeline.planning import PLAN, plan_week
from prhub_digest.pipeline.summarizing import NO_MODEL, told_of_its_end
from prhub_digest.pipeline.week import Week
from prhub_digest.pipeline.wording import Composing, verify_input
from prhub_digest.verify import verify_digest


def digest_name(language: Language) -> str:
    return f"digest.{language}.json"


def verification_name(language: Language) -> str:
    return f"verification.{language}.json"


def compose(run: Run, week: Week) -> Plan:
    """plan.json, and digest.<lang>.json with verification.<lang>.json for every language.

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
        if plan is not None and all(_whole(run, language) for language in languages):
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
            run.folder.write_record(verification_name(language), composing.verification(digest))
        if pending is not None:
            raise pending
    return plan


def _whole(run: Run, language: Language) -> bool:
    """Whether the digest of a language and its verification are no damaged leftovers."""
    digest = run.folder.read_valid(digest_name(language), Digest)
    verification = run.folder.read_valid(verification_name(language), Verification)
    return digest is not None and verification is not None and digest.language == verification.language == language


def verify(run: Run, week: Week, plan: Plan, digest: Digest) -> Verification:
    """verification.<lang>.json of one digest."""
    verification = verify_digest(verify_input(run, week, plan, digest))
    run.folder.write_record(verification_name(digest.language), verification)
    return verification


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
