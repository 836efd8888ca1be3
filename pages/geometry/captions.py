"""What stands below a figure of geometry: what its numbers are of, in a sentence."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.experiments.geometry.measures import KINDS, SINCE_SINKS
from isogloss.pages.geometry.selection import Selection

BETTER = {"higher": "Higher: closer translations.", "lower": "Lower: vectors fill more of their space.", "neither": ""}

RULED = "Lower: more of a sentence, and more dimensions, count."


def tell(selection: Selection, metric: str, of: str) -> None:
    """Say over what a figure's numbers are, how many sentences, and what they hang on."""
    said = [f"{of}.", RULED if metric in SINCE_SINKS else BETTER[KINDS[metric].measure.better]]
    provenances = [file.provenance for file in selection.served.values()]
    n = sorted({int(each["sentences"]) for each in provenances if each.get("sentences")})
    if n:
        said.insert(1, f"n = {n[0]:,} sentences." if len(n) == 1 else f"n = {n[0]:,} to {n[-1]:,} sentences.")
    if metric in ("mutual_knn", "hubness"):
        said.append(f"k = {selection.options['k']}.")
    if metric == "mutual_knn" and n:
        chance = selection.options["k"] / max(1, n[0] - 1)
        said.append(f"Chance is k/(n − 1) = {chance:.3f}: it falls with n, so compare at one n alone.")
    if metric == "language_probe":
        paired = [{tag for pair in each.get("pairs") or () for tag in pair} for each in provenances]
        among = sorted({len(tags or each["languages"]) for tags, each in zip(paired, provenances, strict=True)})
        said.append(f"One of {' or '.join(map(str, among))} languages, by chance {1 / among[-1]:.3f}.")
    st.caption(" ".join(filter(None, said)))
