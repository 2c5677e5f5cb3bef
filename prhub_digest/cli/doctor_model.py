"""The model part of `doctor`: is the endpoint there, does it know the model, and what can it be asked for."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from prhub_digest.cli.doctor_report import Report
from prhub_digest.cli.live_endpoint import ability_store, key_of
from prhub_digest.cli.setup import NO_MODEL
from prhub_digest.console import counted

if TYPE_CHECKING:
    from prhub_digest.llm.abilities import Rung
    from prhub_digest.llm.probe import Tried
    from prhub_digest.models.llm import Usage
    from prhub_digest.models.settings import Settings

_SHOWN = 8
_FORMS: "dict[Rung, str]" = {
    "schema_strict": "keeps to a strict JSON schema",
    "schema": "keeps to a JSON schema that is not strict",
    "json": "answers in JSON mode, keeps to no JSON schema",
    "text": "answers in plain text, takes neither a JSON schema nor JSON mode",
}


def check_model(report: Report, settings: "Settings") -> None:
    """Asks the endpoint which models it has, and each model of the settings a tiny question.

    What a model turns out to take replaces what was remembered of it.
    """
    if settings.model is None and settings.base_url is None:
        report.add("model", NO_MODEL, "note")
        return
    from prhub_digest.llm.abilities import plain_address
    from prhub_digest.llm.endpoint import OPENAI_BASE_URL
    from prhub_digest.llm.probe import Probe

    address = plain_address(settings.base_url or OPENAI_BASE_URL)
    key = key_of(settings)
    report.add(
        "key", "OPENAI_API_KEY is set" if key else "OPENAI_API_KEY is not set; endpoints of your own may need none"
    )
    named_by = {settings.small_model or "": "PRHUB_SMALL_MODEL", settings.model or "": "PRHUB_MODEL"}
    probe = Probe(settings.base_url, key, settings.timeout_seconds, named_by=named_by)
    listed = report.asked("endpoint", probe.models)
    if listed is None:
        return
    report.add("endpoint", address)
    wanted = dict.fromkeys(name for name in (settings.model, settings.small_model) if name is not None)
    _tell_listed(report, address, listed, tuple(wanted))
    for model in wanted:
        name = "model" if model == settings.model else "small model"
        tried = report.asked(name, partial(probe.best, model))
        if tried is not None:
            ability_store(settings).save(address, model, tried.abilities)
            _tell(report, name, model, tried)
    if settings.model is None:
        report.add("model", NO_MODEL, "note")


def _tell_listed(report: Report, address: str, listed: Sequence[str], wanted: Sequence[str]) -> None:
    from prhub_digest.llm.api_errors import address_hint

    missing = [name for name in wanted if name not in listed]
    more = f", and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    names = ", ".join(listed[:_SHOWN]) + more
    if not listed:
        hint = "" if "/v1" in address else f"; {address_hint(address)}"
        report.add("models", f"the endpoint does not list its models{hint}", "note")
    elif missing:
        report.add("models", f"the endpoint lists {names}; not {' and not '.join(missing)}", "note")
    elif wanted:
        report.add("models", f"{counted(len(listed), 'model')} listed, {' and '.join(wanted)} among them")
    else:
        report.add("models", names)


def _tell(report: Report, name: str, model: str, tried: "Tried") -> None:
    taken = tried.abilities
    limit = taken.limit_name or "no output limit"
    temperature = "and" if taken.temperature else "and no"
    says = (
        f"{model} {_FORMS[taken.rung]} ({taken.rung}); takes {limit} {temperature} temperature;"
        f" answered in {tried.seconds:.1f} s, {_counted(tried.usage)}"
    )
    wanting = taken.rung == "text" or not tried.usage.output_tokens
    report.add(name, says, "note" if wanting else "ok")


def _counted(usage: "Usage") -> str:
    if not usage.output_tokens:
        return "and does not say how many tokens that took, so that costs will be missing"
    return f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
