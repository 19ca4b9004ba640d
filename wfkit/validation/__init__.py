"""Static checks of workflows and pairs, their audit, and the sample that a person inspects."""
