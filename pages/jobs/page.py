"""Runs in hand and past, the worker that computes them, and the space that their results take."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.experiments import named
from isogloss.backend.jobs import client
from isogloss.backend.settings import settings
from isogloss.backend.store import scores
from isogloss.pages.jobs import storage, watches
from isogloss.pages.shared import run_links
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.runs import job_list, worker
from isogloss.pages.widgets.workspace import guard, workspaces

REFRESH_SECONDS = 1.5  # at rest too: a run may be started from elsewhere, and changing pace could swallow a click
SHOWN = 50


def runs() -> None:
    """Draw the worker and the runs, again and again by themselves."""
    worker.line()
    with guard():
        names = named.corpus_names()
    watches.draw(names)
    with guard():
        jobs = client.jobs(settings(), SHOWN)
    if not jobs:
        empty()
    else:
        job_list.heading()
    for job in jobs:
        with guard():
            job_list.row(
                job, names, run_links.model(job.spec), run_links.link(job.spec, names) if job.state == "done" else None
            )
    if len(jobs) == SHOWN:
        st.caption(f"The newest {SHOWN} runs. Forget some to see older ones.")


def empty() -> None:
    """Say that there is no run yet, and link to the pages that compute."""
    demo = any(scores.shards([place]) for place in workspaces() if place != settings().workspace)
    with st.container(border=True):
        if demo:
            st.markdown("**No run of yours yet.** The demo's results were computed elsewhere.")
        else:
            st.markdown("**Nothing has been computed here yet.**")
        st.caption("Choose a model and a corpus on a measurement's page and press Compute or Train: the run appears here.")
        navigation.links()


st.title("Jobs", anchor=False)
address.room_for_lacking()
navigation.tell_left_out()
view = segments("View", ("Runs", "Storage"), "jobs-view", shows_label=False)
if view == "Storage":
    storage.draw()
else:
    st.fragment(runs, run_every=REFRESH_SECONDS)()
