"""Cosine of translated against random sentence pairs over the layers, by mean of tokens and by first token (figure 4)."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from backend.charts.curves import curves
from backend.charts.parts.theme import colours_of
from backend.experiments.alignment.sentences import POOLINGS, SentenceAlignmentSpec
from pages.alignment import frames
from pages.alignment.at import checkpoint_of
from pages.alignment.explain import SIMILARITY
from pages.alignment.selection import Selection
from pages.alignment.snippets import snippet
from pages.widgets import figure

KINDS = {"cosine_translations": "Translations", "cosine_random": "Random pairs"}
VECTORS = {"mean": "mean of tokens", "first": "first token"}
TITLES = {
    "cosine": "Mean cosine (−1 to 1; the gap between the two lines counts)",
    "overlap_random": "Overlap with random pairs (0 to 1; lower = better told apart)",
}


def draw(selection: Selection) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = checkpoint_of(selection)
    if picked is None:
        return
    model, checkpoint = picked
    spec = selection.spec(model, [checkpoint])
    assert isinstance(spec, SentenceAlignmentSpec)
    variants = {spec.variant(pooling): VECTORS[pooling] for pooling in POOLINGS}
    measures = [*KINDS, "overlap_random"]
    data = frames.grid_of_variants(selection, [checkpoint], list(variants), measures)
    data = data[data["model"] == model.name]
    if data.empty:
        frames.say_empty(selection)
        return
    data = data.assign(vector=data["variant"].map(variants), kind=data["metric"].map(KINDS))
    cosines = data[data["kind"].notna()].assign(model=lambda rows: rows["kind"], line=lambda rows: rows["vector"])
    overlap = data[data["metric"] == "overlap_random"].assign(line=lambda rows: rows["vector"])
    name = f"{model.name} {checkpoint.label}"
    for title, rows, wanted in (("cosine", cosines, list(KINDS)), ("overlap_random", overlap, ["overlap_random"])):
        then = f"frame = frame.assign(vector=frame['variant'].map({variants!r}), kind=frame['metric'].map({KINDS!r}))\n"
        then += "frame = frame.assign(line=frame['vector'])\n"
        then += "frame = frame.assign(model=frame['kind'])\n" if title == "cosine" else ""
        code = snippet(selection, "grid", of=[(model, checkpoint)], measures=wanted, variants=list(variants), then=then)
        _figure(selection, name, title, rows, code)


def _figure(selection: Selection, name: str, title: str, rows: pd.DataFrame, code: str) -> None:
    heading = "Similarity" if title == "cosine" else "Overlap"
    drawn = curves(
        rows,
        x="layer",
        value_title=TITLES[title],
        title=heading,
        colours=colours_of(KINDS.values()) if title == "cosine" else colours_of(each.name for each in selection.everything),
        chance=None,
        height=360,
    )
    figure.show(
        drawn, name=f"{heading} of sentences {name}", data=rows, card=SIMILARITY, snippet=code, alt=f"{heading} by layer"
    )
