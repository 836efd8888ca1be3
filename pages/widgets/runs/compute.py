"""What is not computed yet: said as such, priced, computed at a press, watched while it runs, and explained where it failed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import streamlit as st

from isogloss.backend import people
from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.pricing.estimate import Estimate
from isogloss.backend.experiments.pricing.room import Room
from isogloss.backend.experiments.spec import Spec
from isogloss.backend.experiments.words import count, several
from isogloss.backend.jobs import busy, client, slots
from isogloss.backend.jobs.job import Job
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import absent
from isogloss.backend.settings import settings
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing.selecting import ChosenCheckpoints
from isogloss.pages.widgets.runs import job_list, worker
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

RECENT = 30
"""Runs looked through for one that computes what is missing."""
FEW = 4
"""Checkpoints named in a sentence at most; more are counted."""
REDRAWN_SECONDS = 5.0
"""Results that arrive while a run goes on are drawn no more often than this."""
AGAIN = {"failed": "Try again", "cancelled": "Go on"}
"""What a press does where a run of the same came to no good end."""
UNTIMED = "How long it takes is said once it runs: nothing alike was computed on this machine yet."
"""What stands in place of a price. A run that is cancelled keeps the shards that it has."""
T = TypeVar("T")


def loaded(load: Callable[[], T | None], spec: Spec, sentence: str) -> T | None:
    """What `load` finds of a spec; where it is not computed, None, and `sentence` says so beside the offer to compute it."""
    with guard():
        found = load()
    if found is None:
        offer(spec, sentence)
    return found


def under_way(concerns: Callable[[Job], bool]) -> set[str]:
    """Return the shards of the runs that are not over and that `concerns` picks; each is watched here."""
    with guard():
        active = [job for job in client.jobs(settings(), RECENT) if job_list.is_active(job) and concerns(job)]
    for job in active:
        watch(job.id, job.done, time.time())
    return {shard for job in active for shard in job.shards}


def running() -> set[str]:
    """Return the names of the models that a run is at work on."""
    with guard():
        return {getattr(job.spec, "model", "") for job in client.jobs(settings(), RECENT) if job.state == "running"}


def lacking(chosen: ChosenCheckpoints, model: Model, checkpoints: Sequence[Checkpoint], on: str, what: str) -> str:
    """Say (Markdown) what some of a model's chosen checkpoints lack `on` data of this name."""
    labels = several([checkpoint.label for checkpoint in checkpoints], FEW)
    at = f"{len(checkpoints)} of {count(len(chosen.checkpoints(model)), 'checkpoint')} ({verbatim(labels)})"
    return f"**{verbatim(model.name)}** on {verbatim(on)}: {what} at {at}."


def offer_runs(
    spec: Spec,
    name: str,
    asked: str,
    missing: Sequence[str],
    under_way: set[str],
    before: Callable[[], object] | None = None,
) -> bool:
    """Offer to train the `missing` shards of `spec`, whose runs `asked` tells as a product; returns whether they were offered.

    Where none is missing, or some are `under_way` and watched elsewhere on the page, a caption says so.
    """
    shards = spec.shards()
    if not missing:
        st.caption(f":material/check_circle: {verbatim(name)}: all {count(len(shards), 'run')} trained.")
    elif not under_way.isdisjoint(shards):
        st.caption(f":material/hourglass_top: {verbatim(name)}: these runs are under way.")
    else:
        sentence = f"**{verbatim(name)}**: {len(missing):,} of {count(len(shards), 'run')} to train ({asked})."
        offer(spec, sentence, shards=missing, verb="Train", before=before)
        return True
    return False


def offer(
    spec: Spec,
    sentence: str,
    *,
    shards: Iterable[str] | None = None,
    verb: str = "Compute",
    before: Callable[[], object] | None = None,
) -> bool:
    """Say what is missing and what computing just that will cost; a press submits it. Return whether the weights are not here.

    Where a run computes some of it already, started here or elsewhere, its progress is shown in place of the
    button; where the last one failed, its reason is shown above it. `sentence` is Markdown. `shards` are
    those that are missing, where the page knows them already; `before` makes at the press what the run needs.
    """
    key = f"compute-{spec.id}"
    if (model := absent.of_request(spec, workspaces())) is not None:
        say_absent(model, key)
        return True
    with guard():
        runs = client.jobs(settings(), RECENT, having=spec.shards)
    if active := next((run for run in runs if job_list.is_active(run)), None):
        watch(active.id, active.done, time.time())
        return False
    if runs and runs[0].state == "failed":
        wanted = {checkpoint.label for checkpoint in spec.shards().values()} | {""}
        job_list.failures([failure for failure in runs[0].failures if failure[0] in wanted])
    ended = runs[0].state if runs else "done"
    shards = None if shards is None else list(shards)
    room = registry.room(spec, slots.machine(settings().workspace), workspaces(), shards)
    _ask(spec, sentence, cost(spec, shards), room, key, AGAIN.get(ended, verb), before)
    return False


def say_absent(model: Model, key: str) -> None:
    """Say that a model's weights are not here; its name opens a note on what they are and how to get the model."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/cloud_off: {verbatim(absent.sentence(model))}")
        with st.popover(model.name, type="tertiary", key=f"{key}-absent"):
            st.markdown(model.note)
            navigation.to_library("Add a model", "Models")


def _ask(
    spec: Spec,
    sentence: str,
    estimate: Estimate | None,
    room: Room | None,
    key: str,
    verb: str,
    before: Callable[[], object] | None,
) -> None:
    """Draw the sentence, the price and the button. What went wrong at the last press stays until the next one."""
    trouble = f"{key}-trouble"
    why_not = people.refusal("run")
    said = ([f"{estimate.why}."] if estimate else []) + ([verbatim(room.text)] if room else [])
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"{key}-offer"):
        st.markdown(f":material/hourglass_empty: {sentence}")
        pressed = st.button(
            f"{verb} ({estimate.text})" if estimate else verb,
            key=key,
            type="primary",
            icon=":material/play_arrow:",
            help=why_not or " ".join(said) or None,
            disabled=why_not is not None,
        )
        if estimate and estimate.kept:
            st.caption(f"{estimate.kept[0].upper()}{estimate.kept[1:]}.")
        if estimate is None:
            st.caption(UNTIMED)
        if room and not room.fits:
            st.caption(f":material/memory: {verbatim(room.text)}")
    if pressed:
        st.session_state[trouble] = submit(spec, before)
        st.rerun()
    if why := st.session_state.get(trouble):
        st.error(verbatim(why), icon=":material/error:")


def cost(spec: Spec, shards: Iterable[str] | None = None) -> Estimate | None:
    """Return how long the missing `shards` of a spec take, on what a living worker computes on, or the last one did."""
    return busy.adapted(alone(spec, shards), settings())


def alone(spec: Spec, shards: Iterable[str] | None = None) -> Estimate | None:
    """Return the same for a machine that computes nothing else."""
    return registry.price(spec, slots.machine(settings().workspace), workspaces(), shards)


def start_worker() -> str | None:
    """Start a worker where none is alive; what keeps it from starting."""
    try:
        worker.ask()
    except IsoglossError as error:
        return str(error)
    return None


def submit(spec: Spec, before: Callable[[], object] | None = None) -> str | None:
    """Queue the spec, after `before`, starting a worker where none is alive; what keeps it from being queued."""
    if why := start_worker():
        return why
    try:
        with st.spinner("Queueing …"):
            if before is not None:
                before()
            client.submit(spec, settings())
    except IsoglossError as error:
        st.session_state.pop(worker.STARTED, None)  # it is not on its way any more
        return str(error)
    return None


@st.fragment(run_every=1.0)
def watch(run_id: str, drawn: int, drawn_at: float) -> None:
    """Draw the run's progress, refreshed by itself; the page too when it is over, or more is done than `drawn`.

    Where the worker died, this says so and starts another: the run goes on where it was.
    """
    with st.container(border=True), guard():
        job = client.job(run_id, settings())
        if job is None or not job_list.is_active(job):
            st.rerun()
        if job.done > drawn and time.time() - drawn_at > REDRAWN_SECONDS:
            st.rerun()
        st.progress(job.share, text=verbatim(f"{registry.title(job.spec)}: {in_words(job)}{job_list.time_left(job)}"))
        worker.offer_worker(f"start-worker-{run_id}")
        if not people.refusal("cancel", of=job.by) and st.button(
            "Cancel", key=f"cancel-{run_id}", type="tertiary", icon=":material/cancel:"
        ):
            client.cancel(run_id, settings())


def in_words(job: Job) -> str:
    """Return one line on where a run that is not over stands."""
    if job.state == "waiting":
        return job_list.waiting(job)
    if registry.piece(job.spec) is None:
        return job.doing or "started"
    doing = f", now {job.doing}" if job.doing else ""
    return f"{job.done} of {job.total} done{doing}"
