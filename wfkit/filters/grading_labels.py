"""The annotator that --label names."""

from typing import TYPE_CHECKING

from wfkit.errors import Unavailable, UsageProblem

if TYPE_CHECKING:
    from wfkit.agents.grading.labels.trace import Annotator, LabelSet


def annotator_of(
    label: str, label_set: str | None, label_model: str | None, endpoints: str | None, timeout: float
) -> "Annotator":
    """Make the annotator.

    Raises:
        UsageProblem: an option is missing or says nothing, a file or the command is not as it must be.
        Unavailable: the model cannot even be asked on this machine.
    """
    labels = _label_set(label_set)
    if (label_model is not None) != (label == "llm"):
        raise UsageProblem("--label llm and --label-model MODEL need each other")
    if label == "rules":
        from wfkit.agents.grading.labels.rules import RuleAnnotator

        return RuleAnnotator(labels)
    if label_model is not None:
        return _model(label_model, endpoints, labels)
    from wfkit.agents.command import LineCommand
    from wfkit.agents.grading.labels.command import CommandAnnotator
    from wfkit.agents.grading.programs import check_command

    check_command(label, "annotator")
    return CommandAnnotator(LineCommand(label, timeout=timeout, name="annotator"), labels)


def _label_set(name: str | None) -> "LabelSet":
    from wfkit.agents.label_set import DEFAULT_LABEL_SET, read_label_set
    from wfkit.filters.options import read_json

    if name is None:
        return DEFAULT_LABEL_SET
    config = read_json(name)
    if not isinstance(config, dict):
        raise UsageProblem(f"{name}: a label set is an object with awareness and behaviour")
    return read_label_set(config)


def _model(model: str, endpoints: str | None, labels: "LabelSet") -> "Annotator":
    import os

    from wfkit import streams
    from wfkit.agents.grading.labels.llm import ModelAnnotator
    from wfkit.filters.options import read_json
    from wfkit.llm.budget import Budget
    from wfkit.llm.cache import AnswerCache
    from wfkit.llm.client import Client, Settings
    from wfkit.llm.endpoints import Endpoints
    from wfkit.models.places import cache_directory

    profiles = {} if endpoints is None else read_json(endpoints)
    if not isinstance(profiles, dict):
        raise UsageProblem(f"{endpoints}: endpoint profiles are an object of objects")
    client = Client(
        Endpoints(profiles, os.environ),
        settings=Settings(jobs=1),
        budget=Budget(),
        prices={},
        cache=AnswerCache(cache_directory(), lambda line: streams.tell(f"ap-grade: {line}")),
    )
    if lacking := client.lacking(model):
        raise Unavailable(lacking)
    return ModelAnnotator(client, model, labels)
