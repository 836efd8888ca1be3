"""What is missing of a run that trains models on sources, at its price: the benchmark's and the translation check's alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from isogloss.backend.experiments.sources.compute import missing
from isogloss.backend.experiments.translation.spec import TranslationSpec
from isogloss.backend.experiments.words import count
from isogloss.backend.experiments.xferbench.printed import tables as printed
from isogloss.backend.experiments.xferbench.spec import XferBenchSpec
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.workspace import guard, workspaces

Training = TypeVar("Training", XferBenchSpec, TranslationSpec)


def offer(spec: Training, under_way: set[str], before: Callable[[], object] | None = None) -> None:
    """Draw what is missing of `spec`, the form's, and the button that computes it; `under_way` are shards of runs not over.

    `before` makes at the press what the run needs.
    """
    match spec:
        case XferBenchSpec():
            name, across = "XferBench", count(len(spec.targets), "target")
        case TranslationSpec():
            name, across = spec.text.label, count(len(spec.settings), "setting")
    with guard():
        lacking = missing(spec, workspaces())  # asked once, of files without number
    asked = f"{count(len(spec.sources), 'source')} × {across} × {count(len(spec.seeds), 'seed')}"
    if not compute.offer_runs(spec, name, asked, lacking, under_way, before) or spec.preset != "paper":
        return
    st.caption(printed.price(spec.experiment))
    quick = spec.model_copy(update={"preset": "quick"})
    if cost := compute.cost(quick, missing(quick, workspaces())):
        st.caption(f"With “Quick”: {cost.text}.")
