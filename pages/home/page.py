"""What Isogloss is, what is in the workspace, what runs, and where to go next."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import streamlit as st

from backend.experiments.registry import FAMILIES
from backend.jobs import client
from backend.settings import settings
from pages.home import contents
from pages.widgets import job_list, worker
from pages.widgets.workspace import guard


def running() -> None:
    """Draw the worker, and the runs that are not over."""
    worker.line()
    with guard():
        active = [job for job in client.jobs(settings(), limit=10) if job_list.is_active(job)]
        names = job_list.corpus_names() if active else {}
    for job in active:
        job_list.card(job, names)
    if not active:
        st.caption("Nothing is being computed.")


def teaser() -> None:
    """Draw one real figure: that of the first family whose page has a `teaser.py` with something to show."""
    for family in FAMILIES:
        name = f"pages.{family.name}.teaser"
        if family.menu and find_spec(name) and import_module(name).draw():
            return


st.title("Isogloss", anchor=False)
st.markdown(
    "Isogloss looks inside multilingual language models. "
    "It measures what each layer, checkpoint and pair of languages keeps of form and of meaning, what is lost when a task "
    "crosses languages, and how good a language to learn from is one that agents invented. Bring a parallel corpus or a "
    "labelled task and a model, or an emergent language; all you compute stays in your workspace."
)
with guard():
    contents.draw()
with guard():
    teaser()
st.fragment(running, run_every=3.0)()
