"""What a selection lacks, with its price and a button that computes just that."""

from __future__ import annotations

import streamlit as st

from backend.experiments.words import count
from backend.models.entry import Model
from pages.probing.selection import Selection
from pages.widgets.runs import compute
from pages.widgets.words import verbatim


def offer(selection: Selection, model: Model) -> None:
    """Say what of the chosen checkpoints and languages is not computed; nothing where all is."""
    checkpoints = selection.checkpoints(model)
    lacking = [
        (checkpoint, pair)
        for checkpoint in checkpoints
        for pair in selection.pairs
        if (checkpoint.fingerprint, pair) not in selection.served
    ]
    if not lacking:
        return
    found = {checkpoint.fingerprint: checkpoint for checkpoint, _ in lacking}
    sources = sorted({source for _, (source, _) in lacking})
    names = ", ".join(each.label for each in list(found.values())[:3]) + (" …" if len(found) > 3 else "")
    tested = "" if selection.tested.id == selection.data.id else f", tested on {verbatim(selection.tested.name)}"
    where = f"**{verbatim(model.name)}** on {verbatim(selection.data.name)}{tested}"
    ways = f"probes of {count(len(sources), 'language')} not computed"
    at = f"at {len(found)} of {count(len(checkpoints), 'checkpoint')} ({verbatim(names)})"
    sentence = f"{where}: {ways} {at}."
    if not (selection.data.there and selection.tested.there):
        st.caption(f"{sentence} Their text is not in this workspace: add it in the Library to compute them.")
        return
    spec = selection.spec(model, list(found.values()), sources)
    compute.offer(spec, sentence, f"compute-{spec.id}")
