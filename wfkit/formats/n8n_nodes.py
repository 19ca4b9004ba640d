"""What n8n's nodes are called in words, and what their outputs mean."""

import re
from collections.abc import Mapping
from typing import Any

from wfkit.formats.wording import one_line, with_copy_number_apart, without_copy_number, words_of

DEFAULT_NAMES = {
    "agent": "ai agent",
    "chainllm": "basic llm chain",
    "manualtrigger": "when clicking ‘test workflow’",
    "lmchatopenai": "openai chat model",
    "set": "edit fields",
    "splitinbatches": "loop over items",
}
TABLE_PARAMETERS = ("tableId", "tableName", "table")

_RANDOM_PATH = re.compile(r"[0-9a-f-]{32,}")


def node_words(name: str, kind: str, parameters: Mapping[str, Any]) -> str:
    """The name of a node; one that is only the default of its type is told apart by its key parameter."""
    plain = one_line(name)
    short = kind.rpartition(".")[2]
    bare = without_copy_number(plain)
    is_default = _squeezed(bare) in (_squeezed(short), _squeezed(DEFAULT_NAMES.get(short.lower(), short)))
    detail = _key_parameter(parameters) if is_default else ""
    return f"{bare}: {detail}" if detail else with_copy_number_apart(plain)


def _squeezed(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _key_parameter(parameters: Mapping[str, Any]) -> str:
    url, path = parameters.get("url"), parameters.get("path")
    if isinstance(url, str) and url:
        return f"{parameters.get('method', 'GET')} {_expression(url)}"
    if isinstance(path, str) and path and not _RANDOM_PATH.fullmatch(path):
        return f"{parameters.get('httpMethod', 'GET')} {_expression(path)}"
    action = [parameters[key] for key in ("operation", "resource") if isinstance(parameters.get(key), str)]
    table = next((_chosen(parameters[key]) for key in TABLE_PARAMETERS if key in parameters), "")
    words = [words_of(str(part)).lower() for part in action] + ([table] if table else [])
    return " ".join(words)


def _chosen(value: Any) -> str:
    """What a resource locator or a plain parameter names."""
    if isinstance(value, dict):
        value = value.get("cachedResultName") or value.get("value")
    return _expression(value) if isinstance(value, str) else ""


def _expression(text: str) -> str:
    return one_line(text.removeprefix("="))


def branch(node: Mapping[str, Any], index: int) -> dict[str, Any]:
    """What an output of a node means: a label, and its kind, for edges that leave there."""
    kind = str(node.get("type", "")).rpartition(".")[2]
    parameters = node.get("parameters")
    names = _outputs(kind, node, parameters if isinstance(parameters, dict) else {})
    if index >= max(len(names), 1) and node.get("onError") == "continueErrorOutput":
        return {"label": "error", "kind": "error"}
    if index < len(names):
        return {"label": names[index], "kind": "conditional"}
    return {"label": f"output {index}", "kind": "conditional"} if index else {}


def _outputs(kind: str, node: Mapping[str, Any], parameters: Mapping[str, Any]) -> list[str]:
    if kind == "if":
        return ["true", "false"]
    if kind == "splitInBatches":  # the outputs changed places in version 3
        return ["done", "loop"] if _version(node) >= 3 else ["loop", "done"]
    if kind == "switch":
        rules = parameters.get("rules")
        listed = (rules.get("values") or rules.get("rules") or []) if isinstance(rules, dict) else []
        names = [
            str(rule["outputKey"]) if isinstance(rule, dict) and rule.get("outputKey") else f"rule {place}"
            for place, rule in enumerate(listed, start=1)
        ]
        options = parameters.get("options")
        extra = isinstance(options, dict) and options.get("fallbackOutput") == "extra"
        return [*names, "fallback"] if extra else names
    return []


def _version(node: Mapping[str, Any]) -> float:
    version = node.get("typeVersion")
    return float(version) if isinstance(version, (int, float)) else 1.0
