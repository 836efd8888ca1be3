"""Where directions have no IGap in the window: the least E′ at which all have one, and more epochs, each a press away."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from isogloss.backend.experiments.transfer.spec import SWEPT, TransferSpec
from isogloss.backend.experiments.transfer.summary import STEP, least_window
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.transfer.asked import Asked, in_percent
from isogloss.backend.store.records import RecordFile
from isogloss.backend.training.finetune.options import FinetuneOptions
from isogloss.pages.transfer.shared import directions, frames
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.figures import cooked
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim

LONGER = 4
"""Times the epochs of runs that still err at their end."""
WIDEST = 0.025
"""Windows that are offered are no wider than those of the paper's figures, unless the one looked at is."""


def offer(selection: Selection, at: float, epsilon: float) -> None:
    """Say which window all directions have an IGap in, where some lack one in this, with a press that looks there."""
    errors = frames.errors(selection)
    igaps = directions.directions_of_selection(selection, Asked("igap", False, at, epsilon))
    missing = igaps["value"].isna()
    if not missing.any():
        return
    text = f"{missing.sum():,} of {count(len(missing), 'direction')} have no IGap at "
    text += f"E′ = {in_percent(at)}, ε = {in_percent(epsilon)}."
    ends = errors.groupby("run")["train_error"].min()
    if bool((igaps["measured"] < igaps["models"]).any()):
        text += f" {frames.advise_unmeasured(selection)}"
    else:
        text += f" The least training error of the runs is {in_percent(round(ends.min(), 3))}"
        text += "." if ends.max() - ends.min() < STEP else f" to {in_percent(round(ends.max(), 3))}."
    widths = [each for each in frames.EPSILONS if each <= max(epsilon, WIDEST)]
    window = cooked.value(*frames.recipe(selection).calls, partial(least_window, by=BY, epsilons=widths))
    if window is not None:
        said = f"E′ = {in_percent(window[0])}, ε = {in_percent(window[1])}"
        text += f" The least that all have is {said}."
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/info: {verbatim(text)}")
        if window is not None:
            st.button(f"Use E′ = {in_percent(window[0])}", key="use-window", on_click=_use, args=window, type="primary")
        if (ends >= at + epsilon).any():
            _train_on(selection, at + epsilon)


def _use(at: float, epsilon: float) -> None:
    st.session_state["at_percent"] = round(100 * at, 9)
    st.session_state["epsilon"] = epsilon


def _train_on(selection: Selection, end: float) -> None:
    """Offer the runs that end above the window again, with more epochs; what that costs is looked up when it is opened."""
    with st.popover("Train on", icon=":material/model_training:", key="train-on", on_change="rerun") as opened:
        if not opened.open:
            return
        st.caption(f"From the beginning, with {LONGER} times the epochs: runs keep predictions, not weights.")
        for spec in longer(selection, end):
            sentence = f"**{verbatim(spec.model)}**: {count(len(spec.shards()), 'run')}, up to {spec.training.epochs} epochs."
            compute.offer(spec, sentence, verb="Train on")


def longer(selection: Selection, end: float) -> list[TransferSpec]:
    """Return what trains the runs whose training error never gets below `end` for longer, one spec a model and checkpoint."""
    least = frames.errors(selection).groupby("run")["train_error"].min()
    short = selection.runs[selection.runs["run"].isin(least.index[least >= end])]
    files = {file.run: file for file in selection.have}
    return [
        _spec(selection, str(model), {str(name): runs[name].tolist() for name in runs}, files[runs["run"].iloc[0]])
        for (model, _, _), runs in short.groupby(["model", "checkpoint", "setting"])
    ]


def _spec(selection: Selection, model: str, runs: dict[str, list[Any]], file: RecordFile) -> TransferSpec:
    given = file.provenance
    options = {name: value for name, value in given["options"].items() if name not in SWEPT}
    training = FinetuneOptions.model_validate(options | {"epochs": LONGER * options["epochs"]})
    (known,) = (each for each in selection.everything if each.name == model)
    fields = {
        "model": model,
        "checkpoints": [each for each in known.checkpoints if each.fingerprint in runs["checkpoint"]],
        "languages": given["languages"],
        "sources": set(runs["source"]),
        "algorithms": set(runs["algorithm"]),
        "learning_rates": set(runs["learning_rate"]),
        "seeds": set(runs["seed"]),
        "corruptions": set(runs["corruption"]),
        "training": training,
        **{name: given.get(name) for name in ("data", "corpus", "extra", "sentences", "draw", "rows")},
    }
    share = given["validation_share"]
    return TransferSpec.model_validate(fields | ({} if share is None else {"validation_share": share}))
