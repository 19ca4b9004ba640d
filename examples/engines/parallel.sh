#!/usr/bin/env bash
# A map filter on all cores of this host, or of several, in input order:
#   parallel.sh wf-score --metrics chain_f1,bleu < pairs.jsonl > scored.jsonl
#   HOSTS=:,16/big,32/bigger parallel.sh wf-score < pairs.jsonl > scored.jsonl     # 16 and 32 jobs there over ssh
set -euo pipefail
command=$(printf '%q ' "$@")
# GNU parallel stops at the first job that fails and exits as that job did. Exit code 3 is no failure here: it says that
# there are error records, which go on in the stream and are counted by wf-gate and wf-sensitivity.
exec parallel --will-cite --pipe --keep-order --block "${BLOCK:-1M}" --halt now,fail=1 --sshlogin "${HOSTS:-:}" \
    "$command || { code=\$?; test \$code -eq 3 || exit \$code; }"
