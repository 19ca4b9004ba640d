"""A map filter under Spark: spark-submit spark_pipe.py pairs.jsonl scored wf-score --metrics bleu

Writes scored/part-00000 and so on, which joined in the order of their names are the output of one run; scored/_SUCCESS
appears only if every part ended well. The filter must be installed on the workers.
"""

import os
import shlex
import sys

from pyspark import SparkContext

# Spark takes every exit code but 0 for a failure. 3 is none here: there are error records, which go on in the stream.
ACCEPT_ERROR_RECORDS = '"$@" || { code=$?; test $code -eq 3 || exit $code; }'

# Spark starts the command with an empty environment, in which nothing would be found.
ENVIRONMENT = ("PATH", "HOME", "XDG_CACHE_HOME", "WFKIT_ENCODER")


def main(file: str, folder: str, *command: str) -> None:
    context = SparkContext(appName=command[0])
    lines = context.textFile(file, minPartitions=int(os.environ.get("PARTS", context.defaultParallelism)))
    piped = shlex.join(["sh", "-c", ACCEPT_ERROR_RECORDS, *command[:1], *command])
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    # Without checkCode a filter that was killed would be taken for one that had nothing more to write.
    lines.pipe(piped, environment, checkCode=True).saveAsTextFile(folder)
    context.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
