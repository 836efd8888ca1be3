"""What is in the workspaces, counted, and the next thing to do."""

from __future__ import annotations

import streamlit as st

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments.words import count
from isogloss.backend.models.library import library as models
from isogloss.backend.store import cache, scores
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.workspace import user_workspaces, workspaces


def draw() -> None:
    """Draw counts as tiles, and links to what comes next."""
    places = workspaces()
    kept = models.entries(places)
    texts = corpora.entries(places)
    computed = scores.shards(places)
    scored = {shard.provenance.get("fingerprint") for shard in computed}  # of static vectors too, which are no checkpoints
    checkpoints = [checkpoint.fingerprint in scored for model in kept for checkpoint in model.checkpoints]
    tiles = {
        "Corpora": f"{len(texts):,}",
        "Labelled tasks": f"{len(tasks.entries(places)):,}",
        "Emergent corpora": f"{len(emergent_library.readable(places)):,}",
        "Models": f"{len(kept):,}",
        "Checkpoints scored": f"{sum(checkpoints):,} of {len(checkpoints):,}" if checkpoints else "0",
    }
    for tile, (label, number) in zip(st.columns(len(tiles)), tiles.items(), strict=True):
        tile.metric(label, number, border=True)
    if unread := cache.left_out(places):
        st.page_link(
            "pages/jobs/page.py",
            label=f"{count(len(unread), 'file')} of results left out: see which, and why",
            icon=":material/report:",
            query_params={"jobs-view": "Storage"},
        )
    if not is_new():
        steps()


def is_new() -> bool:
    """Return whether nothing of one's own is kept: then adding some comes before what the demo shows."""
    own = user_workspaces()
    return not any(shelf.entries(own) for shelf in (corpora, tasks, emergent_library, models))


def steps() -> None:
    """Links in the order of the work; what is lacking is named."""
    with st.container(horizontal=True, vertical_alignment="center"):
        navigation.to_library("Add a corpus", "Corpora", icon=":material/translate:")
        navigation.to_library("Add a task", "Tasks", icon=":material/label:")
        navigation.to_library("Add an emergent corpus", "Emergent", icon=":material/psychology_alt:")
        navigation.to_library("Add a model", "Models", icon=":material/network_node:")
        places = workspaces()
        needed = {"a corpus": corpora.entries(places), "a model": models.entries(places)}
        if lacking := [what for what, there in needed.items() if not there]:
            st.caption(f"Measurements of models need {' and '.join(lacking)} first.")
