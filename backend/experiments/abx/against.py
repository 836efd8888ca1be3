"""Steps that set beside ABX scores what length alone, a bag of bytes and random weights reach: for pages and notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from isogloss.backend.experiments.abx import queries
from isogloss.backend.experiments.abx.controls import CONTROLS
from isogloss.backend.experiments.abx.controls import FAMILY as OF_TEXTS
from isogloss.backend.experiments.abx.shard import FAMILY
from isogloss.backend.experiments.frames import files_of
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store.cube import NO_LAYER

RANDOM = "random"
AGAINST = {**CONTROLS, RANDOM: "Random weights"}
"""What scores are held against, and what each is called."""
Sources = Mapping[str, Mapping[str, tuple[str, str]]]
"""Model → of each of `AGAINST` that is computed: the shard that has it, and the fingerprint it is filed under."""
NUMBERS = ["value", "low", "high"]


@in_recipes
def scores(
    workspaces: Sequence[Path],
    sources: Sources,
    languages: Sequence[str],
    layers: Sequence[int],
    pairs: queries.Pairs = None,
) -> pd.DataFrame:
    """Return means over pairs: metric (as the model's own), model, control (one of `AGAINST`), layer, value, low, high, n.

    Of texts they are the same at each of `layers`.
    """
    found = []
    for model, name, files, fingerprint in _each(workspaces, sources):
        rows = queries.grid(files, languages, [fingerprint], pairs=pairs)
        if name == RANDOM:
            rows = rows[rows["layer"].isin(list(layers))]
        else:
            rows = _of_texts(rows, name).drop(columns="layer")
            rows = rows.merge(pd.DataFrame({"layer": list(layers)}, dtype="int16"), how="cross")
        found.append(rows.assign(model=model, control=name))
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=["metric", "model", "control", "layer"])


def _each(workspaces: Sequence[Path], sources: Sources) -> Iterator[tuple[str, str, list[Path], str]]:
    """Give the model, the name, the files and the fingerprint of each control."""
    for model, of_model in sources.items():
        for name, (shard, fingerprint) in of_model.items():
            yield model, name, list(files_of(workspaces, FAMILY if name == RANDOM else OF_TEXTS, [shard])), fingerprint


def _of_texts(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the rows of one control of texts, their metrics called as the model's own."""
    own = rows[rows["metric"].str.endswith(f"_{name}")]
    return own.assign(metric=own["metric"].str.removesuffix(f"_{name}"))


@in_recipes
def as_columns(
    frame: pd.DataFrame,
    workspaces: Sequence[Path],
    sources: Sources,
    languages: Sequence[str],
    layers: Sequence[int],
    pairs: queries.Pairs = None,
) -> pd.DataFrame:
    """Add `scores` below the rows of a heatmap, each control in place of a checkpoint; `control` is "" for the model's own."""
    more = scores(workspaces, sources, languages, layers, pairs)
    more = more[more["metric"].isin(set(frame["metric"]))]
    named = more.assign(checkpoint=more["control"], label=more["control"].map(AGAINST)) if len(more) else more
    return pd.concat([frame.assign(control=""), named.reindex(columns=[*frame.columns, "control"])], ignore_index=True)


@in_recipes
def as_columns_of_languages(
    frame: pd.DataFrame,
    workspaces: Sequence[Path],
    sources: Sources,
    languages: Sequence[str],
    layers: Sequence[int],
    pairs: queries.Pairs = None,
    *,
    column: str,
) -> pd.DataFrame:
    """Add each language's mean over its pairs, and over `layers`, below the rows of a heatmap of languages by `column`.

    Each control stands in place of a checkpoint or a layer; `control` is "" for the model's own.
    """
    found = [frame.assign(control="", **{column: frame[column].astype(object)})]
    for model, name, files, fingerprint in _each(workspaces, sources):
        among = layers if name == RANDOM else [NO_LAYER]
        rows = queries.by_language(files, languages, [fingerprint], among, pairs=pairs)
        rows = rows if name == RANDOM else _of_texts(rows, name)
        rows = rows[rows["metric"].isin(set(frame["metric"]))].assign(model=model, control=name, label=AGAINST[name])
        found.append(rows.assign(**{column: name}).reindex(columns=found[0].columns))
    return pd.concat(found, ignore_index=True)


@in_recipes
def as_lines(
    frame: pd.DataFrame,
    workspaces: Sequence[Path],
    sources: Sources,
    languages: Sequence[str],
    layers: Sequence[int],
    pairs: queries.Pairs = None,
    *,
    over_layers: bool,
) -> pd.DataFrame:
    """Add `scores` below the rows of a figure of lines of one metric, with `control` called as in `AGAINST`.

    Over layers at each layer; over checkpoints the mean over `layers` at every step that the model itself has.
    """
    own = frame if "control" in frame else frame.assign(control="")
    more = scores(workspaces, sources, languages, layers, pairs)
    more = more[more["metric"].isin(set(own["metric"]))]
    if more.empty:
        return own
    if not over_layers:
        by = ["metric", "model", "control"]
        means = more.groupby(by, as_index=False, sort=False).agg(dict.fromkeys(NUMBERS, "mean") | {"n": "min"})
        more = means.merge(own.loc[own["control"] == "", ["model", "step"]].drop_duplicates(), on="model")
    named = more.assign(control=more["control"].map(AGAINST)).reindex(columns=own.columns)
    return pd.concat([own, named], ignore_index=True)
