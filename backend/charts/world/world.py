"""Languages at their places on a map of the world, coloured by a score, with lines between pairs and between groups.

Places are projected here (Equal Earth) and drawn as any scatter: nothing is fetched, and clicks, exports and pictures work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from isogloss.backend.charts.parts.colourbar import colour_axis
from isogloss.backend.charts.parts.named import LABELLED, LONGEST, free_names
from isogloss.backend.charts.parts.text import name_of, number, safe, wrap_title
from isogloss.backend.charts.parts.theme import QUIET, SYMBOLS, empty, layout
from isogloss.backend.charts.world.equal_earth import equal_earth, on_the_map
from isogloss.backend.charts.world.isogloss import isogloss
from isogloss.backend.charts.world.play import add_play
from isogloss.backend.charts.world.sites import WIDTH, Sites, sites_of, view_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

AROUND = 90
"""Pixels above and below the map."""
LAND = {"color": "rgba(128,128,128,0.45)", "width": 0.8}
SOIL = "rgba(128,128,128,0.14)"
LINE = "#BE2376"
"""Of the isogloss: it shows on the map and beside every colour of the scale."""
DISTINCT = len(SYMBOLS)
"""Most groups, each with a symbol."""


def world(
    marks: pd.DataFrame,
    *,
    names: Mapping[str, str],
    land: Sequence[Floats],
    value_title: str,
    ends: tuple[float, float],
    fitted: bool = False,
    chance: float | None = None,
    each: str | None = None,
    first: object = None,
    each_title: str = "",
    title: str = "",
    form: str = ".3f",
) -> go.Figure:
    """Draw a language of `marks` (as `on_a_map` gives them) where it is spoken, and say below which have no place.

    Args:
        marks: Rows of languages (mark, source, target, value, low, high, pairs, group, latitude, longitude) and of the pairs
            that are joined. A language without a value is an open circle, the target a star; groups have a symbol each, and the
            isogloss between their places, where there are two.
        names: Of the languages, by their tags.
        land: Outlines, (longitude, latitude) `[points, 2]`.
        value_title: The measure with its unit and direction in brackets.
        ends: The scores at the ends of the colours.
        fitted: Whether the colour bar is to say that the colours are fitted to the scores.
        chance: The score of guessing, named on the colour bar.
        each: The column by whose values there are several maps, which a slider chooses and a button plays.
        first: The value of it that is shown first.
        each_title: What these values are.
        title: Over the figure.
        form: Of a score.
    """
    own = marks[marks["mark"] == "language"]
    sites = sites_of(own)
    if not len(sites.tags) or not np.isfinite(own["value"].to_numpy(np.float64)).any():
        return empty("No language with a score has a known place.", title=title)
    maps: dict[Any, pd.DataFrame] = {None: marks} if each is None else dict(list(marks.groupby(each, sort=False)))
    first = first if first in maps else next(iter(maps))
    named = _named(sites, names)
    drawn = {
        value: _traces(rows, sites, names=names, named=named, what=safe(name_of(value_title)), form=form)
        for value, rows in maps.items()
    }
    height = int(view_of(sites).height) + AROUND
    figure = layout(go.Figure(), height=height, title=title)
    figure.add_trace(_coast(land))
    figure.add_traces(drawn[first])
    said = form if fitted else ""
    figure.layout.coloraxis = colour_axis(value_title, ends, "viridis", chance, x=1.01, height=height, fitted=said)
    _frame(figure, sites)
    placed = set(sites.tags)
    _say_unplaced(figure, [names[tag] for tag in own["source"].unique() if tag not in placed])
    if each is not None and len(maps) > 1:
        add_play(figure, {str(value): traces for value, traces in drawn.items()}, str(first), title=each_title)
    return figure


def _coast(land: Sequence[Floats]) -> go.Scatter:
    gap = np.full((1, 2), np.nan)
    points = np.vstack([part for ring in land for part in (ring, gap)][:-1] or [gap])
    x, y = (each.astype(np.float32) for each in equal_earth(*points.T))
    return go.Scatter(x=x, y=y, mode="lines", line=LAND, fill="toself", fillcolor=SOIL, hoverinfo="skip", showlegend=False)


def _traces(
    marks: pd.DataFrame, sites: Sites, *, names: Mapping[str, str], named: list[str], what: str, form: str
) -> list[dict[str, Any]]:
    """Return the traces of one map, always as many: pairs, isogloss, languages without a score, languages."""
    own = marks[marks["mark"] == "language"].set_index("source").reindex(sites.tags)
    values, groups = own["value"].to_numpy(np.float64), own["group"].fillna(0).to_numpy(np.int64)
    hover = [
        _hover(sites, place, row, names=names, what=what, form=form, groups=int(groups.max(initial=0)))
        for place, row in enumerate(own.itertuples())
    ]
    scored = np.flatnonzero(np.isfinite(values))
    others = np.flatnonzero(~np.isfinite(values))
    centre = set(own["target"].dropna())
    marker = {
        "color": values[scored].astype(np.float32),
        "coloraxis": "coloraxis",
        "symbol": _texts(SYMBOLS[(group - 1) % DISTINCT if group else 0] for group in groups[scored].tolist()),
        "size": 10,
        "line": {"color": "rgba(255,255,255,0.9)", "width": 1},
    }
    stars = ["star" if sites.tags[place] in centre else "circle-open" for place in others]
    bare = {
        "color": QUIET,
        "symbol": _texts(stars),
        "size": np.array([16 if each == "star" else 9 for each in stars]),
        "line": {"width": 2},
    }
    return [
        _lines(marks[marks["mark"] == "pair"], sites, names, form),
        _isogloss(sites, groups),
        _points(sites, others, hover, named, bare),
        _points(sites, scored, hover, named, marker),
    ]


def _points(
    sites: Sites, places: NDArray[np.int64], hover: list[str], named: list[str], marker: dict[str, Any]
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": sites.x[places].astype(np.float32),
        "y": sites.y[places].astype(np.float32),
        "mode": "markers+text" if any(named) else "markers",
        "text": _texts(named[place] for place in places),
        "textposition": "top center",
        "textfont": {"size": 12},
        "marker": marker,
        "customdata": _texts(sites.tags[place] for place in places)[:, None],
        "hovertext": _texts(hover[place] for place in places),
        "hovertemplate": "%{hovertext}<extra></extra>",
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 1}},
        "showlegend": False,
    }


def _texts(values: Iterable[str]) -> NDArray[np.str_]:
    """Return texts as an array, which plotly takes and copies whole, where it would look at each of a list, or of objects."""
    return np.array(list(values), dtype=np.str_)


def _hover(sites: Sites, place: int, row: Any, *, names: Mapping[str, str], what: str, form: str, groups: int) -> str:
    to = f" with {safe(names[row.target])}" if row.target in names else ""
    lines = [f"<b>{safe(names[sites.tags[place]])}</b>"]
    if np.isfinite(row.value):
        lines.append(f"{what}{to}: <b>{number(row.value, form)}</b>")
        if np.isfinite(row.low):
            lines.append(f"95% interval: {number(row.low, form)} to {number(row.high, form)}")
        if row.pairs > 1:
            lines.append(f"Mean over {int(row.pairs)} pairs")
    else:
        lines.append(f"{what}{to}: no score")
    if groups > 1 and row.group > 0:
        lines.append(f"Group {int(row.group)} of {groups}")
    return "<br>".join([*lines, *said_of_place(sites, place, names)])


def said_of_place(sites: Sites, place: int, names: Mapping[str, str]) -> list[str]:
    """Return the line of a language's hover that says whose place it shares; no line where it has its own."""
    if not sites.shared[place]:
        return []
    others = ", ".join(safe(names[sites.tags[other]]) for other in sites.shared[place])
    return [f"Drawn beside its place, which {others} share{'s' if len(sites.shared[place]) == 1 else ''}"]


def _lines(pairs: pd.DataFrame, sites: Sites, names: Mapping[str, str], form: str) -> dict[str, Any]:
    """Return the lines between joined pairs, with a point half-way that says whose they are."""
    place = {tag: number for number, tag in enumerate(sites.tags)}
    points: list[tuple[float, float]] = []
    hover: list[str] = []
    for source, target, value in pairs[["source", "target", "value"]].itertuples(index=False):
        if source in place and target in place:
            (x, y), (far, up) = ((sites.x[place[tag]], sites.y[place[tag]]) for tag in (source, target))
            points += [(x, y), ((x + far) / 2, (y + up) / 2), (far, up), (np.nan, np.nan)]
            hover += [f"{safe(names[source])} – {safe(names[target])}: <b>{number(value, form)}</b>"] * 4
    line_of = np.array(points, np.float32).reshape(-1, 2)
    line = {"color": "rgba(128,128,128,0.6)", "width": 1.2}
    return {
        "type": "scatter",
        "x": np.ascontiguousarray(line_of[:, 0]),
        "y": np.ascontiguousarray(line_of[:, 1]),
        "mode": "lines",
        "line": line,
        "hovertext": _texts(hover),
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def _isogloss(sites: Sites, groups: NDArray[np.int64]) -> dict[str, Any]:
    longitude, latitude = isogloss(sites.longitude, sites.latitude, groups)
    east = on_the_map(longitude)
    x, y = equal_earth(east, latitude)
    x[1:][np.abs(np.diff(east)) > 180] = np.nan  # beyond the edge of the map it goes on at the other one
    stroke = {"color": LINE, "width": 2}
    return {
        "type": "scatter",
        "x": x.astype(np.float32),
        "y": y.astype(np.float32),
        "mode": "lines",
        "line": stroke,
        "hoverinfo": "skip",
        "name": "isogloss",
        "showlegend": False,
    }


def _named(sites: Sites, names: Mapping[str, str]) -> list[str]:
    """Return the names that stand beside the points, empty where there is no room for one."""
    if not 0 < len(sites.tags) <= LABELLED:
        return [""] * len(sites.tags)
    pixels = view_of(sites).pixels
    written = [names[tag] for tag in sites.tags]
    free = free_names(sites.x * pixels, sites.y * pixels, written)
    return [safe(name, LONGEST) if has else "" for name, has in zip(written, free.tolist(), strict=True)]


def _frame(figure: go.Figure, sites: Sites) -> None:
    view = view_of(sites)
    bare = {"visible": False, "showgrid": False, "zeroline": False}
    figure.layout.xaxis = bare | {"range": view.x}
    figure.layout.yaxis = bare | {"range": view.y, "scaleanchor": "x", "scaleratio": 1, "constraintoward": "top"}
    figure.layout.dragmode = "pan"


def _say_unplaced(figure: go.Figure, names: list[str]) -> None:
    """Name below the map the languages whose place is not known."""
    if not names:
        return
    text = wrap_title(f"Not on the map, for their places are not known: {', '.join(names)}", WIDTH)
    lines = 1 + text.count("<br>")
    figure.layout.margin.b += 18 * lines
    figure.layout.height += 18 * lines
    figure.add_annotation(
        {"x": 0, "y": 0, "yshift": -4, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"},
        text=text,
        align="left",
        showarrow=False,
        font={"size": 13},
    )
