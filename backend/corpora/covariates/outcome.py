"""Outcomes of elsewhere: what another tool found a model to do in a language, each number with where it comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Unit = Literal["share", "percent", "as written"]
Better = Literal["higher", "lower", "neither"]

SHARES = re.compile(r"acc(uracy)?(_norm|_mutual_info|_bytes)?|exact_match|em|pass_rate|pass@1")
"""Metrics that are the share of items that were right: Wilson's interval holds for no other."""
BETWEEN_0_AND_1 = re.compile(
    rf"{SHARES.pattern}|(.*[_-])?f1([_-].*)?|ndcg.*|map.*|mrr.*|recall.*|precision.*|ap|main_score|mcc"
)
"""Metrics whose values lie between 0 and 1, or are written as percent."""
HIGHER = re.compile(r"(sacre)?bleu|chrf(\+\+|pp)?|rouge.*|meteor|comet.*|bertscore.*|spearman.*|pearson.*")
"""Other metrics of which more is better."""
LOWER = re.compile(r"(.*_)?(perplexity|ppl|wer|cer|ter|loss|error|bits_per_byte)")
NO_REVISION = frozenset({"main", "no_revision_available", "external", "unknown"})
"""What tools write where no revision was asked for."""


@dataclass(frozen=True)
class Found:
    """One number of a results file, as it is written there."""

    task: str
    metric: str
    value: float
    """nan where the file has no number in its place."""
    file: str
    model: str
    """As the file calls it; empty where it does not say."""
    revision: str = ""
    tool: str = ""
    """With its version."""
    date: str = ""
    """ISO 8601, as far as it is known."""
    setting: str = ""
    """What numbers of one task may differ in: the split, a filter, examples in the prompt."""
    languages: tuple[str, ...] = ()
    """As the file says them; empty where only the task's name may tell."""
    n: int | None = None
    error: float | None = None
    """The standard error."""
    better: Better | None = None
    unit: Unit | None = None
    """None where the file does not say."""

    @property
    def cell(self) -> Cell:
        """What is kept beside the number."""
        return Cell(self.n, self.error, " · ".join(filter(None, (self.tool, self.file, self.date))))


@dataclass(frozen=True)
class Cell:
    """What is known of the number of one language."""

    n: int | None
    error: float | None
    """The standard error, in the number's unit."""
    source: str
    """Tool and its version, file, date."""


@dataclass(frozen=True)
class Outcome:
    """What a column of outcomes is of."""

    task: str
    metric: str
    model: str
    revision: str
    setting: str
    unit: Unit
    better: Better

    @property
    def key(self) -> str:
        """The measure's name in exports: letters, digits and `_`."""
        return re.sub(r"\W+", "_", f"{self.task}_{self.metric}").strip("_").lower()

    @property
    def title(self) -> str:
        """The task with its metric, as people read them."""
        return f"{self.task} {self.metric}"

    @property
    def column(self) -> str:
        """The name of its column in a table: no two outcomes have the same."""
        revision = f"@{self.revision[:12]}" if self.revision else ""
        setting = f" ({self.setting})" if self.setting else ""
        return f"{self.title}{setting}, {self.model}{revision}"


def unit_of(metric: str, values: list[float]) -> Unit:
    """Return the unit of a metric's values: those between 0 and 1 by their metric are percent where any is above 1."""
    if not BETWEEN_0_AND_1.fullmatch(metric.lower()) or not all(-1 <= value <= 100 for value in values):
        return "as written"
    return "percent" if any(value > 1 for value in values) else "share"


def better_of(metric: str) -> Better:
    """Return which values of a metric are good, where its file does not say."""
    name = metric.lower()
    higher = BETWEEN_0_AND_1.fullmatch(name) or HIGHER.fullmatch(name)
    return "lower" if LOWER.fullmatch(name) else "higher" if higher else "neither"
