"""Other tasks beside the one that is chosen, as de Seyssel et al. 2025 draws several (figures 10 and 14)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import streamlit as st

from isogloss.backend.store.scores import ShardFile
from isogloss.pages.probing import data as data_of
from isogloss.pages.probing import options as probe_options
from isogloss.pages.probing.data import Data
from isogloss.pages.probing.selection import Selection

MOST = 2
HELP = "Other data that probes of these models are computed for, with the options that most of them have."


def choose(selection: Selection) -> list[Selection]:
    """Draw the box of data to look at beside; nothing where there is none. Returns what was chosen with each of them."""
    others = {each.data.name: each for each in _others(selection)}
    if not others:
        return []
    chosen = st.multiselect(
        "Beside it", list(others), key="beside_data", bind="query-params", max_selections=MOST, placeholder="None", help=HELP
    )
    return [others[name] for name in chosen]


def heading(selection: Selection, beside: list[Selection]) -> str:
    """Return what a title begins with: the data, where there are several."""
    return f"{selection.data.name}: " if beside else ""


def _others(selection: Selection) -> list[Selection]:
    """Return the same models and checkpoints with other data, of which something is computed for as many languages."""
    every = data_of.everything(selection.have)
    fingerprints = {checkpoint.fingerprint for model in selection.models for checkpoint in selection.checkpoints(model)}
    files = [file for file in selection.have if file.provenance["fingerprint"] in fingerprints]
    found = [_with(selection, data, every, files) for data in every.values() if data.id != selection.data.id]
    return [each for each in found if each is not None]


def _with(selection: Selection, data: Data, every: dict[str, Data], files: list[ShardFile]) -> Selection | None:
    """Return the selection with other data: of its files those of most, tested in other languages too where these are."""
    others = bool(selection.targets)
    data_files = [file for file in files if file.provenance["corpus"] == data.id]
    data_files = [file for file in data_files if not others or set(file.provenance["targets"]) != {file.provenance["source"]}]
    if not data_files:
        return None
    [(most, _)] = Counter(file.provenance["tested"] for file in data_files).most_common(1)
    tested = next((each for each in every.values() if each.id == most), None) if most else data
    if tested is None:
        return None
    served = [file for file in data_files if file.provenance["tested"] == most]
    known = probe_options.computed(served, {})
    if not known:
        return None
    targets = {tag for file in served for tag in file.provenance["targets"]} if others else set()
    return replace(
        selection,
        data=data,
        tested=tested,
        sources=tuple(sorted({file.provenance["source"] for file in served})),
        targets=tuple(sorted(targets)),
        options=known[0],
    )
