"""What is missing of a run that trains models on sources, at its price: the benchmark's and the translation check's alike."""

from __future__ import annotations

from typing import TypeVar

import streamlit as st

from backend.experiments.sources.compute import missing
from backend.experiments.translation.spec import TranslationSpec
from backend.experiments.words import count
from backend.experiments.xferbench.printed import tables as printed
from backend.experiments.xferbench.spec import XferBenchSpec
from pages.widgets.runs import compute
from pages.widgets.workspace import guard, workspaces

Training = TypeVar("Training", XferBenchSpec, TranslationSpec)


def offer(spec: Training, under_way: set[str]) -> None:
    """Draw what is missing of `spec`, the form's, and the button that computes it; `under_way` are shards of runs not over."""
    match spec:
        case XferBenchSpec():
            of, name, across = "score", "XferBench", count(len(spec.targets), "target")
            key = f"bench-{spec.id}"
        case TranslationSpec():
            of, name, across = "tuning", spec.text.label, count(len(spec.settings), "setting")
            key = f"mt-{spec.id}"
    with guard():
        lacking = missing(spec, workspaces())  # asked once, of files without number
    if not lacking:
        st.caption(f":material/check_circle: All {count(len(spec.cells()), of)} of this computed.")
        return
    if not under_way.isdisjoint(lacking):
        st.caption(":material/hourglass_top: These runs are under way.")
        return
    asked = f"{count(len(spec.sources), 'source')} × {across} × {count(len(spec.seeds), 'seed')}"
    sentence = f"**{name}**: {len(lacking)} of {count(len(spec.shards()), 'run')} to train ({asked})."
    compute.offer(spec, sentence, key, shards=lacking, verb="Train")
    if spec.preset != "paper":
        return
    st.caption(printed.price(spec.experiment))
    quick = spec.model_copy(update={"preset": "quick"})
    if cost := compute.cost(quick, missing(quick, workspaces())):
        st.caption(f"With “Quick”: {cost.text}.")
