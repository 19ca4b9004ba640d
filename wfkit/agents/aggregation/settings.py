"""What the user may choose about the statistics."""

from dataclasses import dataclass, field

from wfkit.agents.label_set import DEFAULT_LABEL_SET
from wfkit.errors import UsageProblem

CHANGES = ("difference", "relative")


@dataclass(frozen=True)
class Settings:
    """The choices behind the figures.

    Attributes:
        seed: of every random draw.
        replicates: of every bootstrap.
        level: the confidence level of every interval, in (0, 1).
        success: the least score that counts as a success, in (0, 1].
        change: the change of the cross-family structure, perturbed minus clean as `difference` or `relative` to clean.
        most_capable: how many models are set against the rest.
        label_set: the labels of awareness and behaviour.

    Raises:
        UsageProblem: a choice is out of range.
    """

    seed: int = 0
    replicates: int = 2000
    level: float = 0.95
    success: float = 1.0
    change: str = "difference"
    most_capable: int = 3
    label_set: dict[str, list[str]] = field(default_factory=lambda: DEFAULT_LABEL_SET)

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        if self.seed < 0:
            raise UsageProblem(f"a seed should be at least 0, not {self.seed}")
        if self.replicates < 1:
            raise UsageProblem(f"there should be at least one replicate, not {self.replicates}")
        if not 0 < self.level < 1:
            raise UsageProblem(f"a confidence level should lie between 0 and 1, not be {self.level}")
        if not 0 < self.success <= 1:
            raise UsageProblem(f"the least score of a success should be above 0 and at most 1, not {self.success}")
        if self.change not in CHANGES:
            raise UsageProblem(f"a change is one of {', '.join(CHANGES)}, not {self.change}")
        if self.most_capable < 1:
            raise UsageProblem(f"at least one model should be set against the rest, not {self.most_capable}")
