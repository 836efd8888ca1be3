"""What a selection lacks: the form of new runs, their price, and a button that trains just those that are not there."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Any

import streamlit as st

from isogloss.backend.experiments.transfer import spec as transfer_spec
from isogloss.backend.experiments.transfer import work
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.experiments.words import count
from isogloss.backend.jobs.job import Job
from isogloss.backend.models.entry import Model
from isogloss.pages.transfer.shared.selection import LabelledData, Selection
from isogloss.pages.transfer.training import form
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import attempt


def offer(selection: Selection) -> None:
    """Runs of these data that are under way, watched; a quick look where nothing is computed yet; the form, closed at first."""
    shards = compute.under_way(lambda job: _concerns(job, selection))
    if selection.data.removed:
        st.caption(f":material/delete: {verbatim(selection.data.name)}: add it again in the Library to train on it or read it.")
        return
    linked = any(key.startswith(form.KEYS) for key in st.query_params)  # a link that says how to train
    opened = st.expander("Train models", linked, key="train-models", icon=":material/model_training:", on_change="rerun")
    if opened.open:
        with opened:
            _offer_all(selection, form.options, shards)
        return
    form.keep()
    if selection.runs.empty and not shards:
        _offer_all(selection, form.quick, shards, "Quick look, ")


def _offer_all(
    selection: Selection, asked: Callable[[LabelledData], dict[str, Any]], under_way: set[str], what: str = ""
) -> None:
    """Offer the runs that the chosen models lack, of what is `asked` for."""
    specs = attempt(lambda: form.specs(selection, asked(selection.data)))
    if specs is None:
        return
    for spec in specs:
        _offer(selection, spec, under_way, what)
    for name in sorted({model.name for model in selection.models} - {spec.model for spec in specs}):
        st.caption(f":material/block: {verbatim(name)}: it has none of the chosen checkpoints.")


def _concerns(job: Job, selection: Selection) -> bool:
    return (
        job.spec.get("experiment") == transfer_spec.EXPERIMENT
        and job.spec.get("corpus") == selection.data.entry.id
        and (job.spec.get("model") in {model.name for model in selection.models} or _is_of(job, selection.models))
    )


def _is_of(job: Job, models: Sequence[Model]) -> bool:
    """Whether a run is of a checkpoint of these models, whatever they were called when it was queued."""
    fingerprints = {each.fingerprint for model in models for each in model.checkpoints}
    return any(each.get("fingerprint") in fingerprints for each in job.spec.get("checkpoints", ()))


def _offer(selection: Selection, spec: TransferSpec, under_way: set[str], what: str) -> None:
    numbers: dict[str, Sized] = {"language": spec.sources, "algorithm": spec.algorithms}
    numbers |= {"learning rate": spec.learning_rates, "seed": spec.seeds}
    if len(spec.corruptions) > 1:
        numbers["corruption"] = spec.corruptions
    asked = what + " × ".join(count(len(values), name) for name, values in numbers.items())
    amount, of = (spec.rows, "row") if spec.data == "task" else (spec.sentences, "sentence")
    asked += f", {count(amount, of)} each" if amount else ""
    compute.offer_runs(spec, spec.model, asked, work.missing_among(spec, selection.have), under_way)
