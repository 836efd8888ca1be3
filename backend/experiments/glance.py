"""What the home page draws of each family: means over the scores of some files, whatever family wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.experiments.latent import queries as latent_queries
from isogloss.backend.experiments.tokenisers import queries as tokeniser_queries
from isogloss.backend.experiments.transfer import queries, runs
from isogloss.backend.experiments.transfer.frames import measured_directions
from isogloss.backend.experiments.xferbench import frames
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.store import scores, told_apart

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.experiments.transfer.directions import Measure
    from isogloss.backend.store.shard_files import ShardFile

LEAST = 0.001
"""Width of the window of training error, as the page of transfer opens."""


def by_layer(files: Sequence[Path], metrics: Sequence[str]) -> pd.DataFrame:
    """Mean over languages, a row a metric and layer: metric, layer, value.

    Mixes of layers are left out, and single seeds beside their means.
    """
    return scores.query(
        "SELECT metric, layer, avg(value) AS value FROM (SELECT *, bool_or(seed IS NULL) OVER (PARTITION BY metric) AS means "
        "FROM {scores} WHERE list_contains($metrics, metric) AND layer IS NOT NULL) WHERE seed IS NULL OR NOT means "
        "GROUP BY metric, layer ORDER BY metric, layer",
        {"metrics": list(metrics)},
        files,
    )


def by_pair(files: Sequence[Path], metrics: Sequence[str]) -> pd.DataFrame:
    """Mean over layers and seeds of what is a number, a row a variant, metric, source and target: these, and value.

    `value - value = 0` is false of nan; `isnan` of a file is taken from its least and greatest number (`experiments.changes`).
    """
    return scores.query(
        "SELECT variant, metric, source, target, avg(value) AS value FROM {scores} WHERE list_contains($metrics, metric) "
        "AND value - value = 0 GROUP BY ALL ORDER BY variant, metric, source, target",
        {"metrics": list(metrics)},
        files,
    )


def premiums(file: ShardFile, languages: Sequence[str], checkpoint: str, pivot: str) -> pd.DataFrame:
    """Each language's pieces over the pivot's on the same text, a row a language: language, value, low, high, n."""
    return tokeniser_queries.by_language([file.path], languages, [checkpoint], "tokeniser_premium", pivot=pivot)


def latent_language(file: ShardFile, checkpoint: str, depth: int, target: str) -> pd.DataFrame:
    """Probability of each language's words where the answer is in `target`, a row a layer: layer, language, value."""
    return latent_queries.told([file.path], [checkpoint], range(depth + 1), target)


def by_source(workspaces: Sequence[Path]) -> pd.Series:
    """XferBench scores of the newest variant (nats per token), the best first, by source: of what the leaderboard opens on.

    The series is called as the variant.
    """
    known = xferbench_queries.variants(workspaces)
    if known.empty:
        return known["variant"]
    variant = str(known["variant"].iloc[0])
    cells = frames.opening_block(
        xferbench_queries.cross_entropies(workspaces, variant), *xferbench_queries.newest_cell(workspaces, variant)
    )
    return cells.groupby("source")["value"].mean().sort_values().rename(variant)


def runs_like_the_last(files: Sequence[ShardFile], *selection: Any) -> pd.DataFrame:
    """Return the runs of a `selection`, as `runs.runs_of_selection` takes it, that are like that of the last file."""
    return runs.like(runs.runs_of_selection(files, *selection), files[-1].run)


def variants(workspaces: Sequence[Path]) -> pd.DataFrame:
    """List the variants of XferBench that have scores, the newest first."""
    return xferbench_queries.variants(workspaces)


def by_direction(of_model: pd.DataFrame, files: Sequence[ShardFile], targets: Sequence[str]) -> tuple[Measure, pd.DataFrame]:
    """Measure every direction of the fine-tuning runs `of_model`, whose records are among `files`: source, target, percent.

    That is the IGap of models without training errors, where there are any with translated examples; else test accuracy.
    """
    of_runs = of_model[["run", "model", "learning_rate", "seed"]]
    errors = queries.errors([file.path for file in files if file.run in set(of_runs["run"])], targets)
    gaps = measured_directions(errors.merge(of_runs, on="run"), ["model"], "igap", False, 0.0, LEAST)
    if gaps["value"].notna().any():
        return "igap", gaps
    return "accuracy", measured_directions(errors.merge(of_runs, on="run"), ["model"], "accuracy", False, 0.0, LEAST)


def alike(files: Sequence[ShardFile]) -> list[ShardFile]:
    """Return the files of the newest one's variant, with one dictionary a pair of languages: numbers of two do not mix."""

    def variant(file: ShardFile) -> tuple[object, str]:
        return file.provenance.get("variant"), told_apart.more(file.path.parent.name, file.provenance)

    kept: list[ShardFile] = []
    paired: dict[tuple[str, str], str] = {}
    for file in reversed(files):
        own = told_apart.dictionaries(file.provenance)
        if variant(file) == variant(files[-1]) and all(paired.get(ends, each) == each for ends, each in own.items()):
            kept.append(file)
            paired |= own
    return kept[::-1]
