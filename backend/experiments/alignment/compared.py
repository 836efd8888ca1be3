"""The paired intervals of differences in sentence alignment, where it is kept of both sides which sentences are found."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.experiments.alignment import found
from isogloss.backend.experiments.alignment.parts import AT_ONCE, Chosen, pairs_of, parts_of
from isogloss.backend.experiments.compared import with_paired
from isogloss.backend.metrics.retrieval.paired import difference_of_found
from isogloss.backend.recipe_mark import depends_on, in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from isogloss.backend.experiments.alignment.parts import FoundByPair
    from isogloss.backend.experiments.alignment.queries import Ways
    from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
    from isogloss.backend.experiments.checkpoint_scores import Pair
    from isogloss.backend.models.entry import Checkpoint


def key_of(
    spec: SentenceAlignmentSpec, checkpoint: Checkpoint, variant: str, tags: Sequence[str], workspaces: Sequence[Path]
) -> str | None:
    """Return the key of a file that keeps which sentences are found for one checkpoint of `spec`, or None.

    One of more pairs serves as well, up to those of all languages of the corpus, which are `tags`.
    """
    asked = spec.model_copy(update={"per_sentence": True, "checkpoints": (checkpoint,)})
    every = asked.model_copy(update={"languages": tuple(sorted(tags)), "listed": None})
    for each in (asked, asked.model_copy(update={"listed": None}), every):
        (shard,) = each.shards()
        key = found.key_of(shard, variant)
        if details.published([key], workspaces):
            return key
    return None


@in_recipes
@depends_on(lambda kept, workspaces, **_: details.published(kept.values(), workspaces))
def paired(
    frame: pd.DataFrame,
    *,
    workspaces: Sequence[Path],
    kept: Mapping[str, str],
    measure: str,
    languages: Sequence[str],
    pairs: Sequence[Pair] | None = None,
    ways: Ways = "both",
) -> pd.DataFrame:
    """Put the paired interval into each row of `difference` of whose both checkpoints it is kept which sentences are found.

    `kept` is the key of that file by fingerprint (`key_of`). Rows are of a `language` (its mean over the directed `pairs` that
    it is in, by `ways`) and `layer`; None are all pairs of `languages`. `measure` is that of the metric: `weak`, `strong`.
    """
    wanted = combinations(sorted(languages), 2) if pairs is None else sorted((min(pair), max(pair)) for pair in pairs)
    chosen: Chosen = tuple(wanted), ways
    read = {fingerprint: parts_of(key, workspaces, measure, chosen) for fingerprint, key in kept.items()}
    ends, freedom = np.full((2, len(frame)), np.nan), np.full(len(frame), np.nan)
    less, tags = frame["difference"].to_numpy(np.float64), frame["language"].to_numpy()
    for key, of in frame.groupby(["checkpoint_first", "checkpoint_second", "layer"]).indices.items():
        first, second, number = map(str, key)  # type: ignore[call-overload]
        one, other, layer = read.get(first), read.get(second), int(number)
        if one is None or other is None or not (layer in one.layers and layer in other.layers):
            continue
        rows = np.array([row for row in of if tags[row] in one.languages and tags[row] in other.languages], np.intp)
        at = [(side.layers[layer], np.array([side.languages[tag] for tag in tags[rows]], np.intp)) for side in (one, other)]
        n = one.n[at[0][1]]
        if one.each.shape[-1] == other.each.shape[-1] and (n == other.n[at[1][1]]).all():
            value, each = (one.value[at[0]], other.value[at[1]]), (one.each[at[0]], other.each[at[1]])
            ends[:, rows] = difference_of_found(less[rows], value, each, n)
            freedom[rows] = n - 1
    return with_paired(frame, ends[0], ends[1], freedom)


@in_recipes
@depends_on(lambda kept, workspaces, **_: details.published(kept.values(), workspaces))
def paired_by_pair(
    frame: pd.DataFrame, *, workspaces: Sequence[Path], kept: Mapping[str, str], measure: str, layer: int
) -> pd.DataFrame:
    """Put the paired interval into each row of `difference` as `paired` does: rows are directed pairs at one `layer`."""
    kept_pairs = {fingerprint: pairs_of(key, workspaces, measure) for fingerprint, key in kept.items()}
    read = {fingerprint: of for fingerprint, of in kept_pairs.items() if of is not None and layer in of.layers}
    ends, freedom = np.full((2, len(frame)), np.nan), np.full(len(frame), np.nan)
    less, pairs = frame["difference"].to_numpy(np.float64), list(zip(frame["source"], frame["target"], strict=True))
    for key, of in frame.groupby(["checkpoint_first", "checkpoint_second"]).indices.items():
        first, second = map(str, key)  # type: ignore[call-overload]
        if first not in read or second not in read or read[first].sentences != read[second].sentences:
            continue
        sides = [(read[name], {pair: row for row, pair in enumerate(read[name].ends)}) for name in (first, second)]
        both = [row for row in of if all(pairs[row] in places for _, places in sides)]
        for start in range(0, len(both), AT_ONCE):
            rows = both[start : start + AT_ONCE]
            at = [(side, [places[pairs[row]] for row in rows]) for side, places in sides]
            asked, its = (side.asked(places) for side, places in at)
            n = np.where((asked == its).all(axis=1), asked.sum(axis=1), 0)
            (value, each), (other, its_each) = (_parts_of(side, layer, places, asked, n) for side, places in at)
            ends[:, rows] = difference_of_found(less[rows], (value, other), (each, its_each), n)
            freedom[rows] = n - 1
    return with_paired(frame, ends[0], ends[1], freedom)


def _parts_of(
    side: FoundByPair, layer: int, rows: Sequence[int], asked: NDArray[np.bool_], n: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the share that some directed pairs find at a layer, and what each sentence adds to it, less the mean."""
    hits = side.hits(side.layers.index(layer), rows)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = hits.sum(axis=1) / n
        return share, (hits - share[:, None]) * asked / n[:, None]
