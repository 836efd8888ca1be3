"""The paper's printed correlations of ABX measures, each beside a button that draws one's own of the same combination."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from isogloss.backend.charts.parts.text import number
from isogloss.backend.experiments.abx.printed import tables as published
from isogloss.backend.experiments.abx.printed.tables import Quantity
from isogloss.backend.figures.relations import UNITS
from isogloss.pages.relations.selection import ALONG, CHECKPOINTS, LAYERS, Selection
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.words import verbatim

LD, MD, RETRIEVAL = "abx_language", "abx_meaning", "retrieval_top1"
ALL, LAST = LAYERS["mean"], LAYERS["last"]


@dataclass(frozen=True)
class Combination:
    """What a printed correlation is of, and how the page's boxes are set to draw it."""

    said: str
    x: str
    y: str
    x_layer: str = ALL
    y_layer: str = ALL
    pooled: str = ALONG[None]


COMBINATIONS: dict[Quantity, Combination] = {
    "retrieval": Combination(
        "MD and retrieval, both over all layers? The text suggests retrieval at the last, for which note 6 has 0.53",
        MD,
        RETRIEVAL,
    ),
    "retrieval, last against all layers": Combination("MD over all layers, retrieval at the last", MD, RETRIEVAL, y_layer=LAST),
    "retrieval, last layer": Combination("MD and retrieval, both at the last layer", MD, RETRIEVAL, LAST, LAST),
    "final checkpoint": Combination("LD and MD over pairs, last checkpoint", LD, MD),
    "all checkpoints": Combination("LD and MD over pairs × checkpoints", LD, MD, pooled=ALONG["checkpoint"]),
    "all layers": Combination("LD and MD “across layers”: pairs × layers, last checkpoint", LD, MD, pooled=ALONG["layer"]),
}


def draw(selection: Selection) -> None:
    """List the printed correlations of measures that are here, in an expander."""
    labels = {
        printed_value.name: printed_value.label for printed_value in selection.workshop.choices if printed_value.at("pair")
    }
    here = {
        quantity: printed_value
        for quantity, printed_value in COMBINATIONS.items()
        if printed_value.x in labels and printed_value.y in labels
    }
    if not here:
        return
    with st.expander(f"Printed in {published.PAPER}, sections 4.1 and 4.2", icon=":material/menu_book:"):
        st.caption(f"{published.SETTING}. LD, MD: language and meaning discrimination.")
        for quantity, printed_value in here.items():
            values = published.printed_correlations(quantity)
            said = ", ".join(f"{own.statistic} {number(own.value, '.2f')}" for own in values)
            text, button = st.columns([5, 1], vertical_alignment="center")
            text.markdown(f"**{said}** · {verbatim(printed_value.said)} ({values[0].where})")
            if button.button("Draw", key=f"printed-{quantity}", type="tertiary", icon=":material/scatter_plot:"):
                _open(printed_value, labels)


def _open(each: Combination, labels: dict[str, str]) -> None:
    boxes = {"x": labels[each.x], "y": labels[each.y], "x_layer": each.x_layer, "y_layer": each.y_layer}
    boxes |= {f"{axis}_checkpoint": CHECKPOINTS["last"] for axis in "xy"}
    boxes |= {f"{axis}_each_{along}": "Each" for axis in "xy" for along in ("checkpoint", "layer")}
    open_cell("Scatter", unit=UNITS["pair"], pooled=each.pooled, **boxes)
