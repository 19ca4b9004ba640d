"""The rule editors: one module for each family or pair of families, found by the table below."""

FAMILY_EDITORS = {
    "user/missing": "wfkit.agents.pairing.editors.user_missing",
    "user/redundant": "wfkit.agents.pairing.editors.user_redundant",
    "user/incorrect": "wfkit.agents.pairing.editors.user_incorrect",
    "procedure/missing": "wfkit.agents.pairing.editors.procedure_missing",
    "procedure/redundant": "wfkit.agents.pairing.editors.procedure_redundant",
    "procedure/incorrect": "wfkit.agents.pairing.editors.procedure_incorrect",
    "context/missing": "wfkit.agents.pairing.editors.context_missing",
    "context/redundant": "wfkit.agents.pairing.editors.context_redundant",
    "context/incorrect": "wfkit.agents.pairing.editors.context_incorrect",
    "tools/missing": "wfkit.agents.pairing.editors.tools_missing",
    "tools/redundant": "wfkit.agents.pairing.editors.tools_redundant",
    "tools/incorrect": "wfkit.agents.pairing.editors.tools_incorrect",
}
