"""The vocabulary that every agent record shares: targets, types, families and episode statuses."""

TARGETS = ("user", "procedure", "context", "tools")
TYPES = ("missing", "redundant", "incorrect")
FAMILIES = tuple(f"{target}/{type_}" for target in TARGETS for type_ in TYPES)
SCALES = ("binary", "unit")

# The actor did not finish in order; with `--actor-failure zero` the score of such an episode is an imposed 0.
ACTOR_FAILURES = ("actor_error", "actor_timeout", "turn_limit", "parse_error", "tool_error")

# `no_record` is set by ap-aggregate alone: the pair was requested and no valid record of it came.
STATUSES = ("graded", *ACTOR_FAILURES, "grader_error", "not_constructed", "no_record")
