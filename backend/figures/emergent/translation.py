"""Machine translation against XferBench, drawn (Boldt & Mortensen 2024, figure 3): one's own scores and the printed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.charts.parts.text import number
from isogloss.backend.charts.sources_scatter import sources_scatter
from isogloss.backend.experiments.sources.groups import GROUPS
from isogloss.backend.experiments.xferbench import correlations as source_correlations
from isogloss.backend.experiments.xferbench.correlations import LEAST
from isogloss.backend.figures.emergent.benchmark import SCORE
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import plotly.graph_objects as go

    from isogloss.backend.metrics.correlation import Correlation


@in_recipes
def against_xferbench(
    rows: pd.DataFrame, *, metric: str, title: str, highlighted: Sequence[str] = (), told: Mapping[str, float] | None = None
) -> go.Figure:
    """Draw `metric` (percent) against the XferBench score, a point a source, a panel a setting with its correlation over it.

    `rows` are those of `source_correlations.join_translation_scores`. Sources `highlighted` are larger; `told` are correlations
    that are printed, by setting.
    """
    found = source_correlations.by_setting(rows)
    panels = {setting: heading(setting, each, (told or {}).get(setting)) for setting, each in found.items()}
    return sources_scatter(
        rows.assign(x=rows["score"], y=rows["value"], panel=rows["setting"]),
        x_title=SCORE,
        y_title=f"{metric} (percent; higher = better)",
        groups=GROUPS,
        panels=panels,
        highlighted=highlighted,
        title=title,
    )


def heading(setting: str, correlation: Correlation, told: float | None = None) -> str:
    """Write what stands over a panel: `Full: r = −0.75, n = 17`, the printed r in brackets."""
    if correlation.n < LEAST:
        return f"{setting.capitalize()}: r needs {LEAST} sources"
    value = number(correlation.value, ".2f") or "undefined"
    beside = "" if told is None else f" ({number(told, '.2f')})"
    return f"{setting.capitalize()}: r = {value}{beside}, n = {correlation.n}"
