"""Fails unless every family has an accepted pair in each file of pairs."""

import json
import sys
from pathlib import Path

ALL = {
    f"{target}/{type_}"
    for target in ("user", "procedure", "context", "tools")
    for type_ in ("missing", "redundant", "incorrect")
}

for name in sys.argv[1:]:
    pairs = [json.loads(line) for line in Path(name).read_text().splitlines()]
    accepted = {f"{pair['target']}/{pair['type']}" for pair in pairs if pair["status"] == "accepted"}
    if ALL - accepted:
        sys.exit(f"{name}: no accepted pair of {', '.join(sorted(ALL - accepted))}")
    print(
        f"{name}: {sum(pair['status'] == 'accepted' for pair in pairs)} of {len(pairs)} pairs accepted, all 12 families"
    )
