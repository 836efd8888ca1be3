"""Several states of one figure, which a slider below it chooses and a button plays, in the browser alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss.backend.charts.parts.text import safe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import plotly.graph_objects as go

PAUSE = 900
"""Milliseconds that a state is shown while they play."""
ROOM = 74
"""Pixels below the figure."""


def add_play(figure: go.Figure, states: Mapping[str, Sequence[Mapping[str, Any]]], first: str, *, title: str = "") -> None:
    """Add a slider and a button to a figure whose last traces are those of the state `first`: each state has as many.

    `title` says what the states' names are.
    """
    amount = len(next(iter(states.values())))
    places = list(range(len(figure.data) - amount, len(figure.data)))
    # As plain dictionaries: plotly would check and copy each of them twice.
    figure.frames = [{"name": name, "data": list(traces), "traces": places} for name, traces in states.items()]
    at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    in_turn = {"fromcurrent": True, "frame": {"duration": PAUSE, "redraw": True}, "transition": {"duration": 0}}
    bottom = figure.layout.margin.b
    figure.layout.height += ROOM
    figure.layout.margin.b += ROOM
    figure.layout.sliders = [
        {
            "active": list(states).index(first),
            "steps": [
                {"label": safe(name, 24), "method": "animate", "args": [[name], at_once], "value": name} for name in states
            ],
            "currentvalue": {"prefix": f"{safe(title)}: " if title else "", "font": {"size": 14}},
            "x": 0.15,
            "len": 0.85,
            "y": 0,
            "pad": {"t": 8 + bottom, "b": 4},
        }
    ]
    figure.layout.updatemenus = [
        {
            "type": "buttons",
            "direction": "left",
            "showactive": False,
            "x": 0,
            "xanchor": "left",
            "y": 0,
            "yanchor": "top",
            "pad": {"t": 24 + bottom, "r": 8},
            "buttons": [
                {"label": "▶", "method": "animate", "args": [None, in_turn]},
                {"label": "❚❚", "method": "animate", "args": [[None], at_once]},
            ],
        }
    ]
