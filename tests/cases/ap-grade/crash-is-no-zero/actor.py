import json
import sys

for line in sys.stdin:
    task = json.loads(line)
    if task["public"]["user"] == "crash":
        sys.exit("it broke")
    episode = {"kind": "episode", "id": task["id"], "status": "done", "result": task["public"]["user"]}
    print(json.dumps(episode), flush=True)
