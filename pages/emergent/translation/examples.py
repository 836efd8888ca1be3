"""What the models of one source and setting wrote, how each beam scored, and how they learned."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from backend.charts.parts.theme import colours_of
from backend.experiments.translation import frames as translation_frames
from backend.experiments.translation import queries as translation_queries
from backend.experiments.xferbench import curves as xferbench_curves
from backend.experiments.xferbench.curves import Stage
from backend.figures.emergent import benchmark as figures
from backend.training.translation.options import SETTINGS
from pages.emergent.benchmark.cards import TRAINING
from pages.emergent.shared.controls import box
from pages.emergent.translation.cards import EXAMPLES
from pages.emergent.translation.correlating import Translations
from pages.widgets import figure, notebook
from pages.widgets.words import plain
from pages.widgets.workspace import workspaces

COLUMNS = {
    "source": "Sentence",
    "reference": "Translation in the corpus",
    "hypothesis": "What the model wrote (narrowest beam)",
}
COLUMN, ROW = 265, 112
"""Pixels: the three stand side by side on a 1280-pixel screen, a row has five lines of text."""


def draw(found: Translations) -> None:
    """One source in one setting, chosen by the reader."""
    runs = translation_queries.runs(workspaces(), found.options, found.corpus, found.pair)
    st.subheader("Translations", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = _source(found.names)
        there = runs[runs["source"] == source]
        settings = [setting for setting in SETTINGS if setting in set(there["setting"])]
        setting = box("Setting", settings, "mt_setting", 160, names=str.capitalize)
    own = there[there["setting"] == setting].reset_index(drop=True)
    _written(own, f"{found.names[source]}, {setting}")
    with st.expander("Training curves", icon=":material/show_chart:", key="mt-curves", on_change="rerun") as curves:
        if curves.open:
            _curves(own, found.names[source], str(setting))


def _source(names: Mapping[str, str]) -> str:
    options = list(names.values())
    chosen = box("Source", options, "mt_source", 330)
    return next(key for key, name in names.items() if name == chosen)


def _written(own: pd.DataFrame, what: str) -> None:
    """Draw the translations of the first seed."""
    read = partial(translation_frames.examples, run=str(own["run"].iloc[0]), workspaces=workspaces())
    data = read()
    if data.empty:
        st.info("No translation of these models is kept any more: it was removed or damaged.", icon=":material/info:")
        return
    wide = {name: st.column_config.TextColumn(title, width=COLUMN) for name, title in COLUMNS.items()}
    st.dataframe(data, hide_index=True, key="mt-examples", alt=f"Translations of {what}", column_config=wide, row_height=ROW)
    beams = translation_frames.beams(own, workspaces())
    each = beams.groupby("beam")[["chrf", "bleu"]].mean()
    said = ", ".join(f"{row.chrf:.1f} and {row.bleu:.2f} with {beam}" for beam, row in each.iterrows())
    st.caption(
        plain(f"chrF and BLEU by width of the beam search: {said}. Training seed {int(own['seed'].iloc[0])} wrote this.")
    )
    figure.beside(name=f"Translations of {what}", data=data, card=EXAMPLES, recipe=notebook.python(read))


def _curves(own: pd.DataFrame, source: str, setting: str) -> None:
    stages: dict[Stage, str] = {
        "pre-training": f"Pre-training a BART on {source}",
        "tuning": f"Tuning to translate, from {source}, {setting}",
    }
    for stage, title in stages.items():
        kept = xferbench_curves.keys(own, stage)
        if not kept:
            continue  # nothing is pre-trained
        read = partial(xferbench_curves.curves, kept=kept, workspaces=workspaces())
        data = read()
        if data.empty:
            st.info(f"No curve is kept of this: {plain(title)}. It was removed or damaged.", icon=":material/info:")
            continue
        colours = colours_of([figures.seed_name(seed) for seed in own["seed"]])
        figure.show(
            partial(figures.losses, title=title, colours=colours),
            name=title,
            data=data,
            card=TRAINING,
            recipe=notebook.python(read),
            alt=f"{title}: loss over steps",
        )
