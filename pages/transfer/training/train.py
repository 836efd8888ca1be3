"""What a selection lacks: the form of new runs, their price, and a button that trains just those that are not there."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from backend.experiments.transfer import spec as transfer_spec
from backend.experiments.transfer import work
from backend.experiments.transfer.spec import TransferSpec
from backend.experiments.words import count
from backend.jobs.job import Job
from backend.models.entry import Model
from pages.transfer.shared.selection import Selection
from pages.transfer.training import form
from pages.widgets.runs import compute
from pages.widgets.words import verbatim
from pages.widgets.workspace import attempt


def offer(selection: Selection) -> None:
    """Runs of these data that are under way, watched; then the form, open where nothing is computed yet."""
    shards = compute.under_way(lambda job: _concerns(job, selection))
    with st.expander("Train models", icon=":material/model_training:", expanded=selection.runs.empty and not shards):
        specs = attempt(lambda: form.specs(selection, form.options(selection.data)))
        if specs is None:
            return
        for spec in specs:
            _offer(selection, spec, shards)
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


def _offer(selection: Selection, spec: TransferSpec, under_way: set[str]) -> None:
    runs = work.missing_among(spec, selection.have)
    whole = len(spec.shards())
    if not runs:
        st.caption(f":material/check_circle: {verbatim(spec.model)}: all {count(whole, 'run')} trained.")
        return
    if not under_way.isdisjoint(spec.shards()):
        st.caption(f":material/hourglass_top: {verbatim(spec.model)}: these runs are under way.")
        return
    sentence = (
        f"**{verbatim(spec.model)}**: {len(runs)} of {count(whole, 'run')} to train "
        f"({count(len(spec.sources), 'language')} × {count(len(spec.algorithms), 'algorithm')} × "
        f"{count(len(spec.learning_rates), 'learning rate')} × {count(len(spec.seeds), 'seed')}"
        + (f" × {count(len(spec.corruptions), 'corruption')}" if len(spec.corruptions) > 1 else "")
        + ")."
    )
    compute.offer(spec, sentence, f"train-{spec.id}", shards=runs, verb="Train")
