"""Which source language to train on for a target: the best of `directions.sources`, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd


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

    @property
    def unsure(self) -> bool:
        """Whether the lead is no more than what seeds differ by."""
        return self.deviation == self.deviation and self.lead <= self.deviation


def answer(sources: pd.DataFrame) -> Answer:
    """Find the best source and its lead; `sources` are the rows of one model and target, ranked."""
    ranked = sources.dropna(subset=["rank"])
    first = ranked[ranked["rank"] == 1]
    others = ranked[ranked["rank"] > 1]
    second = others[others["rank"] == others["rank"].min()]
    both = pd.concat([first, second])["deviation"]
    return Answer(
        target=str(sources["target"].iloc[0]),
        best=tuple(first["source"]),
        value=float(first["value"].iloc[0]) if len(first) else float("nan"),
        next=tuple(second["source"]),
        lead=abs(float(first["value"].iloc[0] - second["value"].iloc[0])) if len(second) else float("nan"),
        deviation=float(both.max()) if len(second) and both.notna().all() else float("nan"),
        runs=int(ranked["runs"].sum()),
        ranked=len(ranked),
        unranked=tuple(sources.loc[sources["rank"].isna(), "source"]),
    )
