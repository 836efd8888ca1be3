"""The map of languages: any measure of pairs or languages, at the places where these are spoken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.charts.parts.colourbar import of_several
from isogloss.backend.charts.world.world import world
from isogloss.backend.corpora.languages.coastline import coastline
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


@in_recipes
def world_map(
    rows: pd.DataFrame,
    *,
    value_title: str,
    title: str,
    scale: tuple[float, float] | None = None,
    fitted: bool | None = None,
    chance: float | None = None,
    each: str | None = None,
    first: int | str | None = None,
    each_title: str = "",
    form: str = ".3f",
) -> go.Figure:
    """Draw what `on_a_map` gives: each language at its place in the colour of its score.

    `scale` are the measure's own least and greatest score, None where it has none; `fitted`: the colours go from the least to
    the greatest score shown, of all maps; None: where these span less than half of the scale. `each`, `first` and `each_title`:
    the column by which several maps are played, which is shown first, and what it is called.
    `form` is that of a score.
    """
    own = rows[rows["mark"] == "language"]
    values = own["value"].to_numpy(np.float64)
    known = values[np.isfinite(values)].tolist()
    ends, is_fitted = of_several(known, (min(known, default=0.0), max(known, default=1.0)), scale, fitted)
    if ends[1] - ends[0] < 1e-6:
        ends = ends[0] - 0.005, ends[1] + 0.005
    return world(
        rows,
        names={tag: name_of(tag) for tag in own["source"].unique()},
        land=coastline(),
        value_title=value_title,
        ends=ends,
        fitted=is_fitted,
        chance=None if is_fitted else chance,
        each=each,
        first=first,
        each_title=each_title,
        title=title,
        form=form,
    )
