"""The paired intervals of differences in ABX scores, where what each sentence contributes is kept of both sides."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend import parquet
from isogloss.backend.experiments.abx import sentences
from isogloss.backend.experiments.compared import with_paired
from isogloss.backend.metrics.jackknife import difference_interval, leave_one_out
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from isogloss.backend.experiments.abx.queries import Pairs
    from isogloss.backend.experiments.abx.shard import AbxSpec
    from isogloss.backend.models.entry import Checkpoint

DIRECTIONS = 2
"""A pair's score is the mean of both."""


def key_of(spec: AbxSpec, checkpoint: Checkpoint, tags: Sequence[str], workspaces: Sequence[Path]) -> str | None:
    """Return the key of a file that serves one checkpoint of `spec`, or None; `tags` are all languages of the corpus.

    One of all its languages serves as well, where the corpus has no gaps: with gaps, other languages leave other sentences.
    """
    asked = spec.model_copy(update={"per_sentence": True})
    every = asked.model_copy(update={"languages": tuple(sorted(tags)), "pairs": None})
    for each in (asked, asked.model_copy(update={"pairs": None}), every):
        (key,) = each.model_copy(update={"checkpoints": (checkpoint,)}).shards()
        path = sentences.there(key, workspaces)
        if path is not None and (each.languages == spec.languages or parquet.metadata(path).get("complete")):
            return key
    return None


@in_recipes
def paired(
    frame: pd.DataFrame,
    *,
    workspaces: Sequence[Path],
    kept: Mapping[str, str],
    metric: str,
    languages: Sequence[str],
    pairs: Pairs = None,
) -> pd.DataFrame:
    """Put the paired interval into each row of `difference` whose both checkpoints have what each sentence contributes.

    `kept` is the key of that file by fingerprint (`key_of`). The delete-one values of both are subtracted before the
    standard error is taken. Rows are of a `layer`, and of a `language` or of all `pairs` of `languages`.
    """
    wanted = tuple(combinations(sorted(languages), 2)) if pairs is None else tuple(pairs)
    by_language = "language" in frame.columns
    paths = {fingerprint: sentences.there(key, workspaces) for fingerprint, key in kept.items()}
    read = {
        fingerprint: sentences.contributions(path, metric, wanted, by_language) for fingerprint, path in paths.items() if path
    }
    low, high, freedom = np.full((3, len(frame)), np.nan)
    for place, row in enumerate(frame.to_dict("records")):
        at = int(row["layer"]), str(row["language"]) if by_language else ""
        both = [_without(read.get(row[f"checkpoint_{side}"]), at) for side in ("first", "second")]
        if both[0] is not None and both[1] is not None and both[0].shape == both[1].shape and len(both[0]) > 2:
            low[place], high[place] = difference_interval(row["difference"], both[0], both[1])
            freedom[place] = both[0].shape[-1] - 1
    return with_paired(frame, low, high, freedom)


def between(
    spec: AbxSpec,
    metric: str,
    layers: Sequence[int],
    first: Checkpoint,
    second: Checkpoint,
    difference: float,
    roots: list[Path],
) -> tuple[float, float] | None:
    """Return the paired 95% interval of a `difference`, second − first, of the mean over the pairs of `spec` and over `layers`.

    None where what each sentence contributes is not kept of both, in the workspaces `roots`: `per_sentence`.
    """
    both = []
    for checkpoint in (second, first):
        key = key_of(spec, checkpoint, spec.languages, roots)
        path = None if key is None else sentences.there(key, roots)
        if path is None:
            return None
        _, sums = sentences.contributions(path, metric, spec.scored, by_language=False)
        if any((layer, "") not in sums for layer in layers):
            return None
        # The mean of sums is that of the values without a sentence: `leave_one_out` is linear in them.
        both.append(np.mean([sums[layer, ""] for layer in layers], axis=0))
    return interval_of_sums(difference, *both)


def interval_of_sums(difference: float, second: NDArray[np.float64], first: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the paired 95% interval of a `difference`, second − first, of means over the same number of pairs.

    Both are the mean of what each sentence contributes over these, `[sentences]`; None where they are other ones, or too few.
    """
    if second.shape != first.shape or len(first) < 3:
        return None
    low, high = difference_interval(difference, *(leave_one_out(each, DIRECTIONS) for each in (second, first)))
    return float(low), float(high)


def _without(
    found: tuple[int, dict[tuple[int, str], NDArray[np.float64]]] | None, at: tuple[int, str]
) -> NDArray[np.float64] | None:
    """Return the delete-one values of one cell, `[sentences]`."""
    return None if found is None or at not in found[1] else leave_one_out(found[1][at], DIRECTIONS)
