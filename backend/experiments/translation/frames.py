"""From the scores of the machine-translation check to what is read: a table source × setting, beams, translations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from isogloss.backend.experiments.sources.groups import GROUPS
from isogloss.backend.recipe_mark import depends_on, holds_texts, in_recipes
from isogloss.backend.store import details
from isogloss.backend.training.translation.options import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

EXAMPLE = ("source", "reference", "hypothesis")
BEAM = ("setting", "seed", "beam", "chrf", "bleu")


@in_recipes
def table(translations: pd.DataFrame, names: Mapping[str, str], groups: Mapping[str, str], metric: str) -> pd.DataFrame:
    """Return one row per source, group after group, the best first: source, name, group, then a column a setting, then seeds.

    `translations` is `translation_queries.translations`, `metric` `chrf` or `bleu` (percent; higher is better). What was not
    computed is nan; a setting without any score has no column. `seeds` is how many trainings the least repeated score is of.
    """
    of_metric = translations[translations["metric"] == metric]
    there = [setting for setting in SETTINGS if setting in set(of_metric["setting"])]
    wide = of_metric.pivot(index="source", columns="setting", values="value")[there].rename_axis(columns=None).reset_index()
    order = list(GROUPS)
    rows = wide.assign(
        name=wide["source"].map(names),
        group=wide["source"].map(groups),
        seeds=wide["source"].map(of_metric.groupby("source")["seeds"].min()),
    )
    rows = rows.assign(
        rank=rows["group"].map({group: place for place, group in enumerate(order)}), best=rows[there].max(axis=1)
    )
    rows = rows.sort_values(["rank", "best", "name"], ascending=[True, False, True], kind="stable", ignore_index=True)
    return rows[["source", "name", "group", *there, "seeds"]]


@in_recipes
@holds_texts
@depends_on(lambda run, workspaces: details.published([run], workspaces))
def examples(run: str, workspaces: Sequence[Path]) -> pd.DataFrame:
    """The translations that are kept of one tuning, by its key; columns `EXAMPLE`. Empty where they were removed or damaged."""
    found = _provenance(run, workspaces).get("examples", [])
    return pd.DataFrame([[each.get(name, "") for name in EXAMPLE] for each in found], columns=list(EXAMPLE), dtype=object)


def beams(runs: pd.DataFrame, workspaces: Sequence[Path]) -> pd.DataFrame:
    """List chrF and BLEU of each width of the beam search, which scores are means over; columns `BEAM`.

    `runs` are rows of `translation_queries.runs`. What was removed or damaged is left out.
    """
    rows = []
    for run, setting, seed in zip(runs["run"], runs["setting"], runs["seed"], strict=True):
        provenance = _provenance(str(run), workspaces)
        chrf, bleu = provenance.get("chrf", {}), provenance.get("bleu", {})
        rows += [(setting, int(seed), int(beam), float(chrf[beam]), float(bleu[beam])) for beam in chrf if beam in bleu]
    found = pd.DataFrame(rows, columns=list(BEAM))
    return found.sort_values(["setting", "seed", "beam"], kind="stable", ignore_index=True)


def _provenance(run: str, workspaces: Sequence[Path]) -> dict[str, Any]:
    return details.provenance(run, workspaces) or {}
