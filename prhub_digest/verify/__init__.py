"""A worded digest and everything it was made from -> what does not hold. One file a check, listed in docs/checks.md."""

from prhub_digest.verify.inputs import VerifyInput
from prhub_digest.verify.verification import verify_digest

__all__ = ["VerifyInput", "verify_digest"]
