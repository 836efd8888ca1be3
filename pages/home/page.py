"""What Isogloss is, what is in the workspace, what runs, and where to go next."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.experiments import named
from isogloss.backend.jobs import client
from isogloss.backend.settings import settings
from isogloss.pages.home import cards, contents, training
from isogloss.pages.widgets.runs import job_list, worker
from isogloss.pages.widgets.workspace import guard


def running() -> None:
    """Draw the worker, and the runs that are not over."""
    worker.line()
    with guard():
        active = [job for job in client.jobs(settings(), limit=10) if job_list.is_active(job)]
        names = named.corpus_names() if active else {}
    for job in active:
        job_list.row(job, names)
    if not active:
        st.caption("Nothing is being computed.")


st.title("Isogloss", anchor=False)
st.markdown(
    "Isogloss looks inside multilingual language models: what each layer and checkpoint keeps of language and of meaning, "
    "what is lost when a task crosses languages, and how useful an emergent language is as pre-training data.\n"
    "1. Open a figure below, or bring your own: a parallel corpus or a labelled task, and a model.\n"
    "2. Press *Measure* where it is saved. How long it takes is said before, as earlier runs tell, or while it runs.\n"
    "3. Your results take the demo's place here and on every page."
)
with guard():
    if contents.is_new():
        contents.steps()
    training.draw()
    cards.draw()
    contents.draw()
st.fragment(running, run_every=3.0)()
