"""The one table of exit codes, printed in every ``--help`` and in the README."""

OK = 0
NO = 1
USAGE = 2
DATA = 3
UNAVAILABLE = 4
BUG = 70
INTERRUPTED = 130
READER_GONE = 141

MEANINGS = {
    OK: "done; gate passed; everything valid",
    NO: "the answer is no: the gate failed, or wf-validate found invalid records",
    USAGE: "wrong command line or configuration",
    DATA: "some input record was bad (an error record was written or read)",
    UNAVAILABLE: "could not be measured: model, key, service or command unavailable, cap reached, too little",
    BUG: "a bug of ours: one line, the traceback with WFKIT_DEBUG=1",
    INTERRUPTED: "interrupted",
    READER_GONE: "the reader went away (quietly)",
}

PRECEDENCE = (INTERRUPTED, READER_GONE, BUG, USAGE, NO, DATA, UNAVAILABLE, OK)


def first(codes: set[int]) -> int:
    """The code to exit with when several apply; ``OK`` where none does."""
    return next((code for code in PRECEDENCE if code in codes), OK)
