"""Names of code in a sentence stand in a pull request that it cites, or name an area or the repository."""

from prhub_digest.verify.context import Context
from prhub_digest.verify.inputs import Report
from prhub_digest.verify.tokens import code_tokens


def check(context: Context) -> Report:
    report = Report("identifiers")
    for sentence in context.digest.sentences:
        for token in code_tokens(sentence.text):
            report.checked += 1
            if not context.backs(sentence, token):
                report.error(sentence.item, f"no cited pull request holds the name {token.text!r}")
    return report
