"""What every figure shares: colours, scales, layout and the buttons of the chart.

Fonts and grid lines come from Streamlit's theme (`st.plotly_chart(theme="streamlit")`), so nothing here sets a font's colour.
Backgrounds are transparent. The categorical colours keep a contrast of at least 3 to both a white and a near-black page, and
stay apart under the three kinds of colour blindness (`tests/charts/test_theme.py` computes both).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import plotly.graph_objects as go

from isogloss.backend.charts.parts.text import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Scale = Literal["viridis", "cividis", "difference"]

COLOURS = ("#2574B0", "#EE6412", "#28A468", "#BD6CF0", "#BE2376", "#965606", "#908DB5")
"""For things without an order (models), after Okabe and Ito (2008), with the lightness evened out for two themes."""

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")
"""Drawn along with the colour, so that no difference rests on colour alone."""

RAMP = ("#6862B4", "#8361B2", "#9B61AA", "#AF639F", "#C16690", "#CE6C7E", "#D8756C", "#DC815A", "#DC8F4B")
"""For lines with an order (layers, checkpoints): lightness and hue both rise, in equal steps of OKLab."""

_VIRIDIS = ("#440154", "#482878", "#3E4989", "#31688E", "#26828E", "#1F9E89", "#35B779", "#6ECE58", "#B5DE2B", "#FDE725")
_CIVIDIS = ("#00224E", "#123570", "#3B496C", "#575D6D", "#707173", "#8A8678", "#A59C74", "#C3B369", "#E1CC55", "#FEE838")
_DIFFERENCE = (
    *("#00579A", "#2869A6", "#447BB2", "#5E8DBD", "#789FC8", "#92B1D3", "#ADC4DC", "#C9D6E4", "#E8E8E8"),
    *("#E3D0C7", "#DAB9AB", "#CFA38F", "#C38D75", "#B6775B", "#A96241", "#9B4D26", "#8D3700"),
)

QUIET = "rgba(128,128,128,0.55)"
"""Separators, brackets, chance lines: grey that shows on white and on black."""
CLEAR = "rgba(0,0,0,0)"

AXIS: dict[str, Any] = {
    "automargin": True,
    "ticklabeloverflow": "allow",  # margins make room; else plotly measures each label once for every other
    "zeroline": False,
    "gridcolor": "rgba(128,128,128,0.16)",
    "tickfont": {"size": 13},
    "title": {"font": {"size": 14}},
}

CHANCE = 0.5
"""What an ABX score is worth when the choice is a coin's."""


def colour_scale(scale: Scale) -> list[tuple[float, str]]:
    """Return a perceptually uniform scale as plotly takes it. `difference` is blue, light grey at its middle, brown."""
    match scale:
        case "viridis":
            colours: Sequence[str] = _VIRIDIS
        case "cividis":
            colours = _CIVIDIS
        case "difference":
            colours = _DIFFERENCE
    return [(i / (len(colours) - 1), colour) for i, colour in enumerate(colours)]


def colours_of(names: Iterable[str]) -> dict[str, str]:
    """Return one colour for each name, in the names' order, from the start again after the last.

    Pass all models of the workspace, not only those shown, and a model keeps its colour from figure to figure.
    """
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(dict.fromkeys(names))}


def ramp(n: int) -> list[str]:
    """`n` colours in order, spread over `RAMP`."""
    if n == 1:
        return [RAMP[0]]
    return [RAMP[round(i * (len(RAMP) - 1) / (n - 1))] for i in range(n)]


def layout(figure: go.Figure, *, height: int, title: str = "") -> go.Figure:
    """Give `figure` the layout all share, and return it. `title` is shown as written, never as markup."""
    # Assigned at once: each update of a part costs milliseconds. Without a template the figure is the same in the dashboard,
    # in a test and in a file; Streamlit puts its theme under it.
    heading = {"text": safe(title, 100), "x": 0, "y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 6}}
    figure.layout = {
        "template": "none",
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 66 if title else 36, "b": 8},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "hovermode": "closest",
        "dragmode": "zoom",  # a slip of the hand then draws a box, where panning would push the figure out of sight
        "modebar": {"bgcolor": CLEAR, "color": "rgba(128,128,128,0.8)", "activecolor": COLOURS[0]},
        "hoverlabel": {"align": "left", "namelength": -1},
        "legend": {"orientation": "h", "x": 1, "xanchor": "right", "y": 1.01, "yanchor": "bottom", "bgcolor": CLEAR},
        "uirevision": "isogloss",  # zoom and hidden lines survive a redraw
        "xaxis": AXIS,
        "yaxis": AXIS,
        **({"title": heading} if title else {}),
    }
    return figure


def change(figure: go.Figure, **parts: Mapping[str, Any]) -> None:
    """Change parts of a figure's layout, such as `xaxis`, where values that are dictionaries add to what is there.

    As `update_xaxes` and `update` do, which check and copy every level on the way: they take six times as long.
    """
    for name, values in parts.items():
        kept = figure.layout[name].to_plotly_json()
        added = {key: kept.get(key, {}) | value if isinstance(value, dict) else value for key, value in values.items()}
        figure.layout[name] = kept | added


def empty(sentence: str, *, title: str = "") -> go.Figure:
    """Return a figure without data that says why, in place of blank axes."""
    figure = layout(go.Figure(), height=260, title=title)
    hidden = {"visible": False, "range": [0, 1], "fixedrange": True}
    change(figure, xaxis=hidden, yaxis=hidden)
    figure.add_annotation(x=0.5, y=0.5, text=safe(sentence, None), showarrow=False, font={"size": 16})
    return figure


def config(name: str) -> dict[str, Any]:
    """Return the `config` for `st.plotly_chart`: the chart's own button saves `name` as SVG.

    The button that sends a chart to a service on the internet stays off.
    """
    filename = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:80] or "isogloss"
    return {
        "displaylogo": False,
        "showSendToCloud": False,
        "scrollZoom": False,
        "responsive": True,
        "modeBarButtonsToRemove": ["sendChartToCloud", "lasso2d", "select2d", "autoScale2d"],
        "toImageButtonOptions": {"format": "svg", "filename": filename},
    }
