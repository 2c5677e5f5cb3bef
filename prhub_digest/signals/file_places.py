"""Where files stand: paths that are public, hold settings, schemas or what security rests on."""

import re
from functools import lru_cache

from prhub_digest.models.globs import matches, matches_any

# Parts of a path that say "not for others", and those of what only developers run.
_PRIVATE = frozenset({"internal", "internals", "private", "impl", "detail", "details", "testing", "testutils"})
# Folders at the top that only developers use. `scripts` is one at any depth but the second: `trainer/scripts/` is what
# a package's users run.
_DEVELOPERS = frozenset(
    {"script", "scripts", "tool", "tools", "hack", "dev", "devtools", "ci", "docker", "maint", "release"}
)
# Parts of a path, or names, of what a package hands out on purpose.
_HANDED_OUT = re.compile(
    r"(?:^|/)(?:api|apis|public|sdk)/|(?:^|/)(?:__init__\.pyi?|lib\.rs|[^/]*api\.\w+|[^/]*\.pyi)$"
    r"|^(?:packages/[^/]+/|libs/[^/]+/)?(?:(?:src|lib)/)?(?:index|main|mod)\.[cm]?[jt]sx?$"
    r"|^(?:(?!src/)[^/]+/)*[^/]+\.d\.[cm]?ts$",
    re.IGNORECASE,
)
_HEADER = re.compile(r"\.(?:h|hpp|hh|hxx|cuh)$")
_SETTINGS_FILE = re.compile(
    r"(?:^|/)(?:config|conf|settings|configs|configuration|configurations)/(?:[^/]+/)*[^/]+$"
    r"|(?:^|[/_.-]|(?<=[a-z])(?=[CSOD]))(?:config|settings|configuration|options|defaults|envs?|arguments|args|flags)(?:[_.-][^/]*)?$",
    re.IGNORECASE,
)
# What a kernel calls its configuration are sizes of tiles, which nobody sets.
_KERNELS = re.compile(r"(?:^|/)(?:kernels?|csrc|ops)(?:_[^/]*)?/", re.IGNORECASE)
# Files that configure a developer's tools, not the product.
_TOOLING = re.compile(
    r"(?:^|/)\.(?!env)|\.config\.[cm]?[jt]s$|(?:^|/)(?:[^/]*(?:eslint|prettier|jest|vitest|playwright|babel|webpack|rollup|vite|tailwind|postcss"
    r"|tsconfig|renovate|dependabot|mypy|pyright|pyrightconfig|clippy|rustfmt|typos|mkdocs|codecov|pytest|tox|nx|lerna"
    r"|turbo|biome|deny|cliff|release|knip|svelte|next|nuxt)[^/]*)$",
    re.IGNORECASE,
)
_MIGRATION = re.compile(
    r"(?:^|/)(?:migrations?|alembic/versions|db/migrate|flyway|liquibase)/"
    r"|\.(?:proto|thrift|avsc|fbs|prisma|graphqls?|gql|xsd)$"
    r"|(?:^|/)(?:[^/]*[._-])?(?:schema|openapi|swagger)(?:[._-][^/]*)?\.(?:json|ya?ml|sql|rb|graphql)$",
    re.IGNORECASE,
)
_SECURITY_WORDS = frozenset(
    {"auth", "authn", "authz", "oauth", "oauth2", "oidc", "saml", "sso", "ldap", "jwt", "authentication"}
    | {"authorization", "authenticator", "authorizer", "login", "signin", "password", "passwords", "passwd"}
    | {"credential", "credentials", "secret", "secrets", "keyring", "keychain", "crypto", "cryptography", "cipher"}
    | {"encrypt", "encryption", "decrypt", "decryption", "tls", "ssl", "x509", "certificate", "certificates", "certs"}
    | {"permission", "permissions", "rbac", "acl", "iam", "sandbox", "sandboxed", "sandboxing", "seccomp", "security"}
    | {"csrf", "xss", "cors", "csp", "ssrf", "sanitize", "sanitization", "pickle", "deserialize"}
    | {"deserialization", "unpickle", "unpickler"}
)
_WORD = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*(?![a-z])|\d+")


def is_public(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether others may call what stands there: no part of the path is private, or the settings' patterns match.

    A header is public under `include/` alone.
    """
    return matches_any(path, patterns) if patterns else _is_public(path)


def is_handed_out(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether what stands there is public on purpose, and not only because other files must be able to import it."""
    return matches_any(path, patterns) if patterns else _HANDED_OUT.search(path) is not None


def is_for_developers(path: str) -> bool:
    """Whether only those who build the product run it."""
    folders = path.lower().split("/")[:-1]
    return bool(folders) and (folders[0] in _DEVELOPERS or "scripts" in folders[2:])


def holds_settings(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether the file declares or holds the settings of the product, and not of a developer's tool."""
    if patterns:
        return matches_any(path, patterns)
    return _SETTINGS_FILE.search(path) is not None and not is_tooling(path) and not _KERNELS.search(path)


def is_tooling(path: str) -> bool:
    return _TOOLING.search(path) is not None


def is_migration(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether the file is a database migration or a schema that others read."""
    return matches_any(path, patterns) if patterns else _MIGRATION.search(path) is not None


def security_word(path: str, patterns: tuple[str, ...]) -> str | None:
    """Why security rests on the file: a whole word of its path (`auth`, never `author`), or a pattern."""
    if patterns:
        return next((pattern for pattern in patterns if matches(path, pattern)), None)
    return _security_word(path)


@lru_cache(maxsize=8192)
def _security_word(path: str) -> str | None:
    return next((word for word in map(str.lower, _WORD.findall(path)) if word in _SECURITY_WORDS), None)


@lru_cache(maxsize=8192)
def _is_public(path: str) -> bool:
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    private = (part.startswith("_") for part in (*folders, "" if stem == "__init__" else stem))
    if _HEADER.search(path) and "include" not in folders:
        return False
    return not any(private) and _PRIVATE.isdisjoint(part.lower() for part in (*folders, stem))
