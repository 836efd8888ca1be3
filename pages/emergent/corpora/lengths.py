"""How long the utterances of the chosen corpora are."""

from __future__ import annotations

import streamlit as st

from backend.charts.overlaid import Axis, overlaid
from backend.experiments.emergent import frames as emergent_frames
from pages.emergent.corpora import frames
from pages.emergent.shared.explain import LENGTHS
from pages.emergent.shared.selection import Selection
from pages.emergent.shared.snippets import snippet
from pages.widgets import figure
from pages.widgets.words import count, plain


def draw(selection: Selection) -> None:
    found = frames.of(selection)
    data = emergent_frames.lengths(found)
    width = int(data["high"].iloc[0] - data["low"].iloc[0]) + 1
    drawn = overlaid(
        data,
        Axis("middle", f"Tokens of an utterance{f' (bins of {width:,})' if width > 1 else ''}", form=",.6g", whole=True),
        Axis("share", "Share of the utterances"),
        name="corpus", look="steps", notes={"utterances": ("Utterances", ",.0f")}, colours=selection.colours,
        title="Utterance lengths",
    )  # fmt: skip
    figure.show(
        drawn, name="Utterance lengths", data=data, card=LENGTHS, snippet=snippet(selection, "lengths(found)"),
        alt="Share of utterances by length",
    )  # fmt: skip
    one = [
        f"{plain(name)} ({count(int(each.corpus.lengths.longest), 'token')})"
        for name, each in found.items()
        if each.corpus.lengths.shortest == each.corpus.lengths.longest
    ]
    if one:
        st.caption(f"All utterances are of one length in {', '.join(one)}.")
