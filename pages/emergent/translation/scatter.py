"""Figure 3 as it is drawn for one's own scores and for the printed ones: a panel a setting, its correlation over it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from backend.charts.parts.text import number
from backend.charts.sources_scatter import sources_scatter
from backend.experiments.sources.groups import GROUPS
from backend.experiments.xferbench import correlations as source_correlations
from backend.experiments.xferbench.correlations import LEAST
from backend.metrics.correlation import Correlation
from backend.training.translation.options import SETTINGS

X = "XferBench score (nats a token; lower = better)"


def draw(
    data: pd.DataFrame, metric: str, *, title: str, highlighted: Sequence[str] = (), told: Mapping[str, float] | None = None
) -> go.Figure:
    """Of `source_correlations.translated`; `told` are correlations that are printed, by setting."""
    found = source_correlations.by_setting(data)
    panels: dict[str, str] = {each: heading(each, found[each], (told or {}).get(each)) for each in SETTINGS if each in found}
    return sources_scatter(
        data.assign(x=data["score"], y=data["value"], panel=data["setting"]),
        x_title=X,
        y_title=f"{metric} (percent; higher = better)",
        groups=GROUPS,
        panels=panels,
        highlighted=highlighted,
        title=title,
    )


def heading(setting: str, found: Correlation, told: float | None = None) -> str:
    """Write what stands over a panel: `Full: r = −0.75, n = 17`, the printed r in brackets."""
    if found.n < LEAST:
        return f"{setting.capitalize()}: r needs {LEAST} sources"
    value = number(found.value, ".2f") or "undefined"
    beside = "" if told is None else f" ({number(told, '.2f')})"
    return f"{setting.capitalize()}: r = {value}{beside}, n = {found.n}"
