"""The map of languages in an atlas: the dashboard's, without scores, which a browser puts in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from isogloss.backend.charts.parts.colourbar import colour_axis
from isogloss.backend.charts.parts.text import name_of as short_name
from isogloss.backend.charts.parts.text import safe
from isogloss.backend.charts.parts.theme import SYMBOLS
from isogloss.backend.charts.world.sites import TALLEST, Sites, sites_of
from isogloss.backend.charts.world.world import AROUND, said_of_place, world
from isogloss.backend.corpora.languages.coastline import coastline
from isogloss.backend.corpora.languages.facts import credits_of
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.on_a_map import of_languages, on_a_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    import plotly.graph_objects as go

LAND, LINE, BARE, SCORED = 0, 2, 3, 4
"""Which trace of the chart is the land, which the isogloss, which languages without a score and which those that have one."""
OF_EACH, OF_EACH_MARK = ("x", "y", "text", "customdata", "hovertext"), ("symbol", "size")
HEIGHT = TALLEST + AROUND


def land() -> dict[str, Any]:
    """Return the outlines of the land, as plotly.js takes a trace: the same for all maps."""
    made: dict[str, Any] = _drawn(["en"])[0]["data"][LAND]
    return made


def map_of(languages: Sequence[str]) -> dict[str, Any] | None:
    """Return the map of some languages without colours, None where the place of none is known.

    `sites` are the places, in `languages`, of those that are on it, `heads` and `shared` how their hovers begin and end,
    `written` the names beside them; `bare` and `scored` are how a language without and with a score is drawn.
    """
    figure, sites = _drawn(languages)
    if not len(sites.tags):
        return None
    names = {tag: name_of(tag) for tag in languages}
    layout = {name: each for name, each in figure["layout"].items() if name != "coloraxis"}
    line = {name: each for name, each in figure["data"][LINE].items() if name not in ("x", "y")}
    return {
        "layout": layout,
        "sites": [list(languages).index(tag) for tag in sites.tags],
        "heads": [f"<b>{safe(names[tag])}</b>" for tag in sites.tags],
        "shared": ["".join(f"<br>{line}" for line in said_of_place(sites, at, names)) for at in range(len(sites.tags))],
        "names": [safe(names[tag]) for tag in languages],
        "places": [np.float32(each).tolist() for each in (sites.x, sites.y)],
        "degrees": [sites.longitude.tolist(), sites.latitude.tolist()],
        "line": line,
        "symbols": SYMBOLS,
        "written": figure["data"][SCORED]["text"],
        "bare": _template(figure["data"][BARE]),
        "scored": _template(figure["data"][SCORED]),
        "credits": f"A point is the centre of a language: no area. {credits_of(('place', 'coastline'))}",
    }


def colours(value_title: str, ends: tuple[float, float], chance: float | None, fitted: str) -> dict[str, Any]:
    """Return the colour axis of a measure, and its name; `fitted` is the form of its ends where the scores are these."""
    axis = colour_axis(value_title, ends, "viridis", chance, x=1.01, height=HEIGHT, fitted=fitted)
    return {"coloraxis": axis, "what": safe(short_name(value_title))}


def _drawn(languages: Sequence[str]) -> tuple[dict[str, Any], Sites]:
    """Return the chart of languages that all have a score, as plotly.js takes it, and where they stand."""
    rows = on_a_map(of_languages(_ones(languages), "value"), languages=list(languages))
    names = {tag: name_of(tag) for tag in languages}
    figure: go.Figure = world(rows, names=names, land=coastline(), value_title="", ends=(0.0, 1.0))
    return json.loads(figure.to_json()), sites_of(rows[rows["mark"] == "language"])


def _template(trace: dict[str, Any]) -> dict[str, Any]:
    """Return a trace without what is of each language."""
    marker = {name: each for name, each in trace["marker"].items() if name not in OF_EACH_MARK}
    return {name: each for name, each in trace.items() if name not in OF_EACH} | {"marker": marker}


def _ones(languages: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame({"language": list(languages), "value": 1.0})
