"""Which source language to train on for a target: the best of `directions.sources`, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from isogloss.backend.experiments.transfer.directions import leading

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True)
class Answer:
    """The best source language of one target, with what is needed to judge it. Shares, 0 to 1."""

    target: str
    best: tuple[str, ...]
    """Several where they are equal; none where no source has a value."""
    value: float
    next: tuple[str, ...]
    lead: float
    """How much better than `next`, above 0; nan without one."""
    deviation: float
    """The larger one over seeds of the best and the next; nan where not both have at least two."""
    runs: int
    """Behind all ranked sources."""
    ranked: int
    unranked: tuple[str, ...]
    n: int = 0
    """Examples behind the best; 0 where that is not known."""
    low: float = float("nan")
    """To `high`: the 95% interval of `value` over these examples; nan where several are best."""
    high: float = float("nan")
    apart: bool = False
    """Whether the best is told from the next (`directions.leading`)."""
    told: bool = False
    """Whether it is told from guessing too, and so may be called the best."""

    @property
    def within_seeds(self) -> bool:
        """Whether the lead is no more than what seeds differ by."""
        return self.deviation == self.deviation and self.lead <= self.deviation


def answer(sources: pd.DataFrame, levels: Collection[float] = ()) -> Answer:
    """Find the best source and its lead. `sources`: the ranked rows of one model and target; `levels`: what guessing gives."""
    (found,) = of_targets(sources, levels)
    return found


def of_targets(sources: pd.DataFrame, levels: Collection[float] = ()) -> list[Answer]:
    """Find the best source of each target, as `answer` does. `sources`: ranked rows of one model, whose order is kept."""
    apart = set(leading(sources, [])["target"])
    told = set(leading(sources, [], levels)["target"])
    by_target = sources.groupby("target", sort=False)
    return [_answer(str(target), rows, apart=target in apart, told=target in told) for target, rows in by_target]


def _answer(target: str, sources: pd.DataFrame, *, apart: bool, told: bool) -> Answer:
    ranked = sources.dropna(subset=["rank"])
    first = ranked[ranked["rank"] == 1]
    others = ranked[ranked["rank"] > 1]
    second = others[others["rank"] == others["rank"].min()]
    both = pd.concat([first, second])["deviation"]
    low, high, n = first.reindex(columns=["low", "high", "n"]).iloc[0] if len(first) == 1 else (float("nan"),) * 3
    return Answer(
        target=target,
        best=tuple(first["source"]),
        value=float(first["value"].iloc[0]) if len(first) else float("nan"),
        next=tuple(second["source"]),
        lead=abs(float(first["value"].iloc[0] - second["value"].iloc[0])) if len(second) else float("nan"),
        deviation=float(both.max()) if len(second) and both.notna().all() else float("nan"),
        runs=int(ranked["runs"].sum()),
        ranked=len(ranked),
        unranked=tuple(sources.loc[sources["rank"].isna(), "source"]),
        n=int(n) if n == n else 0,
        low=float(low),
        high=float(high),
        apart=apart,
        told=told,
    )
