"""The difference of two sides in a measure, cell by cell, with the interval of each difference: what families share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isogloss.backend.experiments.family import SHARE
from isogloss.backend.experiments.frames import with_p
from isogloss.backend.metrics.intervals import bounds_of_difference, difference_ends, within
from isogloss.backend.metrics.many_tests import benjamini_hochberg
from isogloss.backend.metrics.pair_groups import mean_of_group, mean_of_languages
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store.cube import mean_of_known

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from isogloss.backend.metrics.intervals import Bounds

    Floats = NDArray[np.float64]

SIDE = "side"
"""The column that says which of two things compared a row belongs to."""
INTERVAL = ["low", "high", "interval", "freedom"]


@in_recipes
def sides_of(frame: pd.DataFrame, sides: Mapping[str, Sequence[tuple[str, str]]]) -> pd.DataFrame:
    """Select the rows of these `sides`, each the (model, label) of its checkpoints by its name, and add the `side`.

    A side is the `model` of its rows too: one of several seeds has a row a seed in each cell.
    """
    of = {tuple(each): place for place, own in enumerate(sides.values()) for each in own}
    (models, model_names), (labels, label_names) = (pd.factorize(frame[name]) for name in ("model", "label"))
    place = np.array([[of.get((model, label), -1) for label in label_names] for model in model_names], np.intp)
    side = place.reshape(len(model_names), len(label_names))[models, labels]
    names = pd.array(list(sides), dtype="str").take(side[side >= 0])
    named: pd.DataFrame = frame.loc[side >= 0].assign(model=names, **{SIDE: names})
    return named


@in_recipes
def difference(
    frame: pd.DataFrame, *, keys: Sequence[str], names: Sequence[str], apart: bool = False, bounds: Bounds = SHARE
) -> pd.DataFrame:
    """Subtract the second side from the first, a row a cell (`keys`) that both have.

    `frame` has the keys, side, checkpoint, value, low, high. Returns the keys, a column a side, `checkpoint_first` and
    `checkpoint_second`, `difference`, its 95% interval `low` to `high`, which (`interval`): the widest that it can have,
    since how the errors of both move together is not in the scores, or that of sides of different sentences (`apart`):
    `difference_ends`, cut off at what a difference of two values within `bounds` can be; and its degrees of `freedom`, nan of
    these, which are normal.
    """
    sides = [frame[frame[SIDE] == name].astype(dict.fromkeys(("value", "low", "high"), float)) for name in names]
    ends = [
        side[[*keys, "checkpoint", "value", "low", "high"]].rename(columns={"value": name})
        for side, name in zip(sides, names, strict=True)
    ]
    both = ends[0].merge(ends[1], on=list(keys), suffixes=("_first", "_second")).dropna(subset=list(names))
    first, second = (
        [both[column].to_numpy() for column in (name, f"low_{place}", f"high_{place}")]
        for name, place in zip(names, ("first", "second"), strict=True)
    )
    low, high = difference_ends(first, second, apart=apart, bounds=bounds)
    which = np.where(np.isnan(low), "", "apart" if apart else "widest")
    found = both.assign(difference=first[0] - second[0], low=low, high=high, interval=which, freedom=np.nan)
    found = found.sort_values(list(keys), kind="stable", ignore_index=True)
    return found[[*keys, *names, "checkpoint_first", "checkpoint_second", "difference", *INTERVAL]]


def with_paired(frame: pd.DataFrame, low: ArrayLike, high: ArrayLike, freedom: ArrayLike) -> pd.DataFrame:
    """Put the paired interval into each row of `difference` that has one: nan where it has none, or a number for all rows."""
    ends, degrees = np.asarray([low, high], np.float64), np.broadcast_to(np.asarray(freedom, np.float64), len(frame))
    known = np.isfinite(ends).all(axis=0)
    given = {"low": ends[0], "high": ends[1], "freedom": degrees, "interval": np.full(len(frame), "paired")}
    return frame.assign(**{name: np.where(known, values, frame[name]) for name, values in given.items()})


@in_recipes
def corrected(frame: pd.DataFrame) -> pd.DataFrame:
    """Add `p`, of each difference by itself from its interval, and `p_corrected`: Benjamini & Hochberg's over all cells."""
    return with_p(frame, "difference")


def of_groups(
    differences: Sequence[NDArray[np.floating[Any]]],
    p: NDArray[np.floating[Any]],
    members: Sequence[Sequence[int]],
    bounds: Bounds = SHARE,
    *,
    over_pairs: bool = True,
) -> tuple[Floats, Floats, Floats]:
    """Return low, high and p of the mean difference over each group of languages, [groups, columns], p corrected over all.

    `differences`, with their low and high, and their own `p` are [languages, columns], of all languages; `members` are the rows
    of each group. Of one language all are its own. Of several that are means `over_pairs` they are those of `mean_of_group`,
    else Student's over the languages that have a value, and on top the mean of the languages' own distances to their ends:
    what those are over, such as sentences, may be the same for all of them. Cut off at what a difference of two values within
    `bounds` can be.
    """
    value, low, high = (np.asarray(each, np.float64) for each in differences)
    away = np.maximum(value - low, high - value)
    rows = []
    for own in members:
        if len(own) == 1:
            rows.append((low[own[0]], high[own[0]], p[own[0]]))
        else:
            mean = mean_of_group(value, own) if over_pairs else mean_of_languages(value[list(own)])
            mean = mean.on_top(np.nan_to_num(mean_of_known(away[list(own)], 0)[0]))
            rows.append((*within(mean.low, mean.high, bounds_of_difference(bounds)), mean.p))
    ends = np.array(rows, np.float64).swapaxes(0, 1)
    return ends[0], ends[1], benjamini_hochberg(ends[2])
