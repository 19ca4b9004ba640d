"""Which programs acted and graded, and what an actor sees of our environment."""

from pathlib import Path

import pytest

from wfkit.agents.grading.programs import actor_environment, check_command, program_digest
from wfkit.errors import UsageProblem


def test_an_actor_gets_what_it_needs_to_run_and_nothing_of_the_evaluation() -> None:
    ours = {
        "PATH": "/bin", "HOME": "/root", "LC_ALL": "C", "https_proxy": "p", "OPENAI_API_KEY": "k", "MY_MODEL": "m",
        "REFERENCES": "/data/pairs.jsonl", "OLDPWD": "/data", "WFKIT_DEBUG": "1",
    }  # fmt: skip
    passed = {"PATH", "HOME", "LC_ALL", "https_proxy", "OPENAI_API_KEY"}
    assert set(actor_environment(ours, [])) == passed
    assert set(actor_environment(ours, ["MY_MODEL"])) == {*passed, "MY_MODEL"}


def test_a_variable_that_is_not_set_cannot_be_passed_on() -> None:
    with pytest.raises(UsageProblem, match="NOT_THERE"):
        actor_environment({}, ["NOT_THERE"])


def test_a_digest_is_of_what_a_program_is_and_not_of_where_it_is(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "agent.py").write_text("print(1)")
    first = program_digest(f"sh {here}/agent.py --fast")
    assert program_digest(f"sh {there}/agent.py --fast") == first
    assert program_digest(f"sh {here}/agent.py --slow") != first
    (here / "agent.py").write_text("print(2)")
    assert program_digest(f"sh {here}/agent.py --fast") != first


@pytest.mark.parametrize(
    "command", ["sh -c true", "exec sh", "PYTHONHASHSEED=0 sh", "cd / && sh", "(sh)", "ulimit -v 1; sh"]
)
def test_commands_that_a_shell_takes(command: str) -> None:
    check_command(command, "actor")


@pytest.mark.parametrize(
    ("command", "words"), [("no-such-program x", "no program"), ("", "empty"), ("sh 'x", "no command line")]
)
def test_slips_of_the_pen(command: str, words: str) -> None:
    with pytest.raises(UsageProblem, match=words):
        check_command(command, "actor")
