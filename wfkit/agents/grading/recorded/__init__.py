"""Episodes that were run elsewhere, one module for each format; each makes `episode` records of parsed JSON."""

# name -> module; loaded when it is asked for or may match. A module has SUMMARY, `matches` and `episodes`.
FORMATS = {
    "episode": "wfkit.agents.grading.recorded.own",
    "tau2": "wfkit.agents.grading.recorded.tau2",
    "tau": "wfkit.agents.grading.recorded.tau",
    "bfcl": "wfkit.agents.grading.recorded.bfcl",
    "inspect": "wfkit.agents.grading.recorded.inspect_log",
    "openai": "wfkit.agents.grading.recorded.openai_chat",
}
