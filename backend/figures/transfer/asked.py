"""What a matrix of transfer directions shows: IGap in a window, test accuracy, the transfer gap, or how lopsided one is."""

from __future__ import annotations

from dataclasses import dataclass

from isogloss.backend.experiments.transfer.directions import HIGHER_IS_BETTER, Measure
from isogloss.backend.recipe_mark import in_recipes

NAMES: dict[Measure, str] = {"igap": "IGap", "accuracy": "Test accuracy", "gap": "Transfer gap"}
UNITS: dict[Measure, str] = {
    "igap": "percentage points; lower = better transfer",
    "accuracy": "percent; higher = better",
    "gap": "percentage points; lower = better transfer",
}


@in_recipes
@dataclass(frozen=True)
class Asked:
    """What is looked at: a measure, or how lopsided it is, in a window of training error (of IGap alone)."""

    measure: Measure
    asymmetric: bool = False
    at: float = 0.0
    epsilon: float = 0.001

    @property
    def name(self) -> str:
        """The measure as titles have it."""
        return f"Asymmetry of {_lower(NAMES[self.measure])}" if self.asymmetric else NAMES[self.measure]

    @property
    def unit(self) -> str:
        """The unit, and which way is better."""
        if self.asymmetric:
            return f"percentage points; above 0 = {_lower(NAMES[self.measure])} higher than on the way back"
        return UNITS[self.measure]

    @property
    def title(self) -> str:
        """For a colour bar."""
        return f"{self.name} ({self.unit})"

    @property
    def higher_is_better(self) -> bool:
        """Whether more is better; False for an asymmetry."""
        return HIGHER_IS_BETTER[self.measure] and not self.asymmetric

    @property
    def best(self) -> str:
        """What a framed cell is. A poor model of the source has a small transfer gap too: the least is not the best."""
        return "least gap of the target" if self.measure == "gap" else "best source of the target"

    @property
    def framed(self) -> str:
        """What is framed, in a caption."""
        unlike = "" if self.measure == "gap" else " and from a guess"
        return f"{self.best}, where its 95% interval over examples and its seeds tell it from the next{unlike}"

    @property
    def window(self) -> str:
        """In words; empty where the measure has none."""
        if self.measure != "igap":
            return ""
        return window_said(self.at, self.epsilon)


def window_said(at: float, epsilon: float) -> str:
    """Return a window of training error in words."""
    return f"{in_percent(at)} ≤ training error < {in_percent(at + epsilon)}"


def in_percent(share: float) -> str:
    """Return a share of the training examples as people read it: `2.5%`."""
    return f"{round(100 * share, 9):g}%"


def _lower(name: str) -> str:
    return name if name.startswith("IG") else name.lower()
