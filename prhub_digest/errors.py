"""Every error this package raises on purpose. Adapters translate foreign errors into these; only `cli/` exits.

PrhubError
├── UsageError            exit 2   options, settings, unusable input or output
│   ├── SettingsError              prhub.toml, environment
│   ├── PromptError                a prompt file; names file, line and fix
│   ├── StoreError                 replies could not be kept, so that none is paid for
│   └── SourceError                not a repository, a clone that lacks the week, a broken fixture
├── ReplayError           exit 3   a recorded reply is missing or stale
├── ServiceError          exit 4   GitHub, git or the model provider failed
│   └── FatalServiceError exit 4   the same failure awaits every further call: wrong key, unknown model, quota
├── BudgetError           exit 5   a token or money budget is used up
├── PendingReplies        exit 0   batch files: requests wait for their replies
└── ReplyError                     one reply is unusable; its subject falls back, the run goes on
"""


class PrhubError(Exception):
    """The base of all; `exit_code` is what the command line ends with."""

    exit_code = 1


class UsageError(PrhubError):
    exit_code = 2


class SettingsError(UsageError):
    pass


class PromptError(UsageError):
    pass


class StoreError(UsageError):
    pass


class SourceError(UsageError):
    pass


class ReplayError(PrhubError):
    exit_code = 3


class ServiceError(PrhubError):
    exit_code = 4


class FatalServiceError(ServiceError):
    pass


class BudgetError(PrhubError):
    exit_code = 5


class PendingReplies(PrhubError):  # noqa: N818 - a state, not a fault
    """Raised by the batch client when a reply is not there yet.

    `hashes` are the request hashes that wait.
    """

    exit_code = 0

    def __init__(self, message: str, hashes: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.hashes = hashes


class ReplyError(PrhubError):
    """The model's reply to one request cannot be used, after its one informed retry."""
