"""Steps from queried alignment scores to the rows of a figure: a page and a notebook call the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from isogloss.backend.experiments import categories
from isogloss.backend.experiments.alignment.words import errors as word_errors
from isogloss.backend.experiments.alignment.words.errors import WordErrorsSpec
from isogloss.backend.experiments.frames import place_checkpoints, placed_by
from isogloss.backend.metrics.correlation import Correlation, spearman
from isogloss.backend.metrics.retrieval.distributions import bin_edges
from isogloss.backend.recipe_mark import in_recipes

MASKED = ", masked"
"""What a line of masked words is called, after its pair."""
OVERLAPS = ("overlap_random", "overlap_random_within")


@in_recipes
def name_measures(frame: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Add the `measure`: the metric without its unit and variant, by `names`; others keep their names."""
    return frame.assign(measure=frame["metric"].map({name: names.get(name, name) for name in frame["metric"].unique()}))


@in_recipes
def name_pairs(frame: pd.DataFrame) -> pd.DataFrame:
    """Make every directed pair a line of its own."""
    return frame.assign(line=frame["source"] + " → " + frame["target"])


@in_recipes
def name_masking(frame: pd.DataFrame, masked: Sequence[str]) -> pd.DataFrame:
    """Make words and masked words (by their variants) lines of their own, of each pair where pairs are lines."""
    is_masked = frame["variant"].isin(list(masked))
    if "line" in frame:
        return frame.assign(line=frame["line"] + is_masked.map({False: "", True: MASKED}))
    return frame.assign(line=is_masked.map({False: "", True: MASKED.strip(", ")}))


@in_recipes
def side_by_side(frame: pd.DataFrame, distinct: Sequence[str], repeated: Sequence[str]) -> pd.DataFrame:
    """Pair the scores of two kinds of variants: a row a model, checkpoint, layer and directed pair, `x` and `y`."""
    keys = ["model", "checkpoint", "label", "layer", "source", "target", "measure"]
    x, y = (frame.loc[frame["variant"].isin(variants), [*keys, "value"]] for variants in (distinct, repeated))
    return x.rename(columns={"value": "x"}).merge(y.rename(columns={"value": "y"}), on=keys)


def rank_correlation(frame: pd.DataFrame) -> Correlation:
    """Return Spearman's ρ of `x` and `y`, as `side_by_side` leaves them."""
    return spearman(frame["x"], frame["y"])


@in_recipes
def with_static(frame: pd.DataFrame, static: pd.DataFrame, names: Mapping[str, str], measure: str) -> pd.DataFrame:
    """Add below a measure's rows those of static vectors (`queries.grid` or `queries.pairs`), which have no layer and no step.

    `names` are the sets' by their fingerprints: each is a `model`, and each directed pair a line where pairs are.
    """
    own = static.assign(model=static["checkpoint"].map(names), measure=measure)
    own = name_pairs(own) if "source" in own else own.assign(line="")
    return pd.concat([frame, own[frame.columns.intersection(own.columns)]], ignore_index=True)


@in_recipes
def name_vectors(frame: pd.DataFrame, vectors: Mapping[str, str], kinds: Mapping[str, str]) -> pd.DataFrame:
    """Make every kind of sentence vector (by its variant) a line, and say of which `kind` the pairs of sentences are."""
    vector = frame["variant"].map(vectors)
    return frame.assign(vector=vector, kind=frame["metric"].map(kinds), line=vector)


@in_recipes
def kinds_as_models(frame: pd.DataFrame) -> pd.DataFrame:
    """Let each kind of pair have the colour and the legend entry that a model has elsewhere."""
    return frame.assign(model=frame["kind"])


@in_recipes
def over_checkpoints(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the chosen layers, for each line where there are several. A checkpoint without a step stands at its position."""
    keys = ["measure", "model", *placed_by(frame), *frame.columns.intersection(["line"])]
    means = {"value": "mean", "low": "mean", "high": "mean", "n": "min"}
    return place_checkpoints(frame).groupby(keys, as_index=False, sort=False).agg(means)


@in_recipes
def histogram(frame: pd.DataFrame, layer: int) -> pd.DataFrame:
    """List the histograms of one layer (`distributions.load`), a row a kind of pair and bin: layer, kind, pairs, from."""
    rows = frame.loc[frame["layer"] == layer, ["layer", "kind", "counts"]]
    found = rows.explode("counts").astype({"counts": int}).rename(columns={"counts": "pairs"})
    return found.assign(**{"from": np.tile(bin_edges()[:-1], len(rows))})


@in_recipes
def overlaps(frame: pd.DataFrame) -> pd.DataFrame:
    """List how far paired and random words overlap (`distributions.load`): layer, kind, n, and a column a random set."""
    return frame.loc[frame["kind"].isin(["dictionary", "aligner", "alignment"]), ["layer", "kind", "n", *OVERLAPS]]


@in_recipes
def with_categories(frame: pd.DataFrame, spec: WordErrorsSpec, workspaces: Sequence[Path]) -> pd.DataFrame:
    """Add to retrieved words (`errors.load`) the margin of the right one and the category that the user gave, or ""."""
    kept = categories.read(workspaces, spec.corpus)
    named = [kept.get(key, "") for key in word_errors.keys(spec, frame)]
    return frame.assign(margin=frame["right_similarity"] - frame["similarity"], category=named)


@in_recipes
def name_sources(frame: pd.DataFrame, names: Mapping[str, str], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Name the sources of word pairs (`pair_precision.load`) by their ids; `columns` are those that are taken, all if None."""
    named = frame.assign(name=frame["id"].map(names))
    return named if columns is None else named[list(columns)]
