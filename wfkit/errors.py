"""The errors a user can cause or meet, each with the exit code that the filters answer with.

Domain code raises these and never prints or exits; the skeleton turns them into a line on stderr, an
`error` record or an exit code (the table is in the README and in every ``--help``).
"""


class WfkitError(Exception):
    """Base of all errors that are told to the user in one line."""

    exit_code = 70


class UsageProblem(WfkitError):
    """Wrong command line or configuration (exit code 2)."""

    exit_code = 2


class DataError(WfkitError):
    """One record cannot be processed (an `error` record in its place, exit code 3).

    Args:
        message: one line that names the fault and, where there is one, the remedy.
        code: a short stable name such as ``E-CYCLE``, for programs.
        path: the JSON path inside the record, such as ``$.golden.nodes[3]``.
    """

    exit_code = 3

    def __init__(self, message: str, *, code: str = "E-DATA", path: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.path = path


class Unavailable(WfkitError):
    """Something needed is not there: a package, a model, a key or a service (exit code 4)."""

    exit_code = 4
