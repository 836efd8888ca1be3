"""What stands in for figures of one's own that nobody has trained yet: the demo's, which is said."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from isogloss.backend.experiments.transfer import runs
from isogloss.pages.transfer.shared.selection import MOST, Selection, data_choices, tuned
from isogloss.pages.widgets.choosing import results
from isogloss.pages.widgets.words import verbatim


def or_demo(chosen: Selection) -> Selection:
    """Return what is drawn: what is chosen, or the demo's runs where models of one's own are chosen that have no run yet."""
    files = [file for file in chosen.have if results.of_demo(file)]
    of_demo = tuned(files, chosen.everything)[:MOST]
    if not chosen.runs.empty or not of_demo or any(model in of_demo for model in chosen.models):
        return chosen
    shown = next(iter(data_choices(files).values()))
    of = (shown.kind, shown.entry.id, shown.trained, shown.tags)
    found = runs.runs_of_selection(files, of_demo, [], *of)
    usual = found.groupby("model")["setting"].transform(lambda each: each.value_counts().index[0])
    own = verbatim(", ".join(model.name for model in chosen.models))
    st.info(
        f"{own} is not trained on {verbatim(chosen.data.name)} yet: “Train models” above says what that takes. "
        f"Shown is the demo: {verbatim(', '.join(model.name for model in of_demo))} on {verbatim(shown.name)}.",
        icon=":material/science:",
    )
    one = replace(chosen, models=tuple(of_demo), data=shown, sources=tuple(shown.trained), targets=tuple(shown.tags), labels=())
    return replace(one, all_runs=found[found["setting"] == usual].reset_index(drop=True), kept={}, said=())
