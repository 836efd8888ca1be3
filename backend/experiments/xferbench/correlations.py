"""Whether two numbers of the same sources go together: XferBench's score and translation, or a statistic of the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from isogloss.backend.experiments.xferbench import frames as xferbench_frames
from isogloss.backend.experiments.xferbench.queries import matrix
from isogloss.backend.metrics import xferbench
from isogloss.backend.metrics.correlation import Correlation, pearson, spearman
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.training.translation.options import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST = 4
"""Sources: two are always on a line, and of three a correlation may be anything and has no interval."""
STATISTICS: dict[str, str] = {
    "tokens": "Tokens",
    "utterances": "Utterances",
    "unique": "Unique utterances (share)",
    "vocabulary": "Symbols",
    "mean_length": "Length (mean tokens per utterance)",
    "entropy": "Entropy (bits per symbol)",
    "conditional": "Conditional entropy (bits per symbol)",
    "information": "Excess mutual information (bits)",
    "alpha": "Zipf α",
    "beta": "Zipf β",
    "bits_per_token": "Bits per token (compressor)",
    "topographic_similarity": "Topographic similarity",
    "posdis": "Positional disentanglement",
    "bosdis": "Bag-of-symbols disentanglement",
}
"""Columns of `emergent_frames.overview` that are worth a scatter, with titles."""


def scores(cells: pd.DataFrame, sources: set[str]) -> pd.Series:
    """XferBench's score of each of `sources` that has cells, by source: the mean over the texts that all of these have.

    `cells` are `xferbench_queries.cross_entropies` of one variant. Empty where the sources share no text.
    """
    own = cells[cells["source"].isin(sources)]
    shared = xferbench_frames.shared_texts(own) if len(own) else []
    if not shared:
        return pd.Series(dtype=float, name="score")
    return xferbench.score(matrix(xferbench_frames.of_texts(own, shared)))


@in_recipes
def join_translation_scores(
    translations: pd.DataFrame, cells: pd.DataFrame, names: Mapping[str, str], groups: Mapping[str, str], metric: str
) -> pd.DataFrame:
    """Return one row per source and setting that has both: source, name, group, setting, metric, score, value, seeds.

    `translations` is `translation_queries.translations`, `cells` are `xferbench_queries.cross_entropies`: `score` (nats a
    token) is the mean over the texts that all sources with a translation have. `names` and `groups` are those of the sources.
    """
    own = translations[translations["metric"] == metric]
    found = scores(cells, set(own["source"]))
    own = own[own["source"].isin(found.index)]
    frame = own.assign(
        name=own["source"].map(names), group=own["source"].map(groups), score=own["source"].map(found).astype(float)
    )
    return frame[["source", "name", "group", "setting", "metric", "score", "value", "seeds"]].reset_index(drop=True)


def by_setting(joined: pd.DataFrame) -> dict[str, Correlation]:
    """Pearson's correlation of `score` with `value`, by setting in the paper's order; nan below `LEAST` sources."""
    found = {str(setting): pearson_of(own["score"], own["value"]) for setting, own in joined.groupby("setting")}
    return {setting: found[setting] for setting in SETTINGS if setting in found}


@in_recipes
def against_statistic(
    cells: pd.DataFrame, overview: pd.DataFrame, corpora: Mapping[str, str], groups: Mapping[str, str], statistic: str
) -> pd.DataFrame:
    """Return one row per corpus that has a score and the statistic: source, name, group, score (nats per token), statistic.

    `overview` is `emergent_frames.overview` of corpora by name, `corpora` their names by id; `cells` as in
    `join_translation_scores`.
    """
    found = scores(cells, set(corpora))
    values = overview.set_index("corpus")[statistic].astype(float)
    rows = [(str(source), float(score)) for source, score in found.items()]
    frame = pd.DataFrame(
        {
            "source": [source for source, _ in rows],
            "name": [corpora[source] for source, _ in rows],
            "group": [groups.get(source, "emergent") for source, _ in rows],
            "score": np.array([score for _, score in rows], np.float64),
            statistic: np.array([values.get(corpora[source], np.nan) for source, _ in rows], np.float64),
        }
    )
    whole = np.isfinite(frame["score"].to_numpy()) & np.isfinite(frame[statistic].to_numpy())
    return pd.DataFrame(frame[whole]).reset_index(drop=True)


def pearson_of(x: pd.Series, y: pd.Series) -> Correlation:
    """Pearson's correlation; nan, with n, where fewer than `LEAST` sources have both."""
    return _enough(pearson(x.to_numpy(np.float64), y.to_numpy(np.float64)))


def spearman_of(x: pd.Series, y: pd.Series) -> Correlation:
    """Spearman's, as `pearson_of`."""
    return _enough(spearman(x.to_numpy(np.float64), y.to_numpy(np.float64)))


def _enough(found: Correlation) -> Correlation:
    return found if found.n >= LEAST else Correlation(np.nan, np.nan, np.nan, np.nan, found.n)
