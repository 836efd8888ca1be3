"""The shelf of atlases: those that others published, imported from a zip or a folder, and the workspace to publish."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from isogloss.backend import people
from isogloss.backend.atlas import imported, publish
from isogloss.backend.atlas.changed import changes
from isogloss.backend.atlas.imported import Imported
from isogloss.backend.atlas.zipped import take_zip
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings
from isogloss.pages.library.shared.upload import read_dropped
from isogloss.pages.widgets import publishing, removal
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import attempt, guard


def add() -> None:
    """Draw what imports an atlas: its zip, or its folder on this machine."""
    st.caption(
        "The scores that others published, to read beside your own: their models and corpora are on all pages, without weights "
        "and texts. Every file is held against its checksum."
    )
    dropped = st.file_uploader("Zip of an atlas", type="zip", key="atlas-zip")
    folder = st.text_input("Or its folder on the server", placeholder="/data/site", key="atlas-folder").strip()
    if not st.button("Import", type="primary", key="atlas-import", disabled=not (dropped or folder)):
        return
    own = settings().workspace
    if dropped is not None:
        kept = read_dropped([dropped], "the zip", lambda files: take_zip(files[0].path, own))
    else:
        kept = attempt(lambda: imported.take(Path(folder).expanduser(), own))
    if kept is not None:
        st.success(verbatim(f"'{kept.title}' is imported: {count(kept.files, 'file')} of scores."), icon=":material/check:")


def draw() -> bool:
    """List the atlases that were imported, and offer the workspace as one. Returns whether there is any."""
    with guard():
        kept = imported.kept(settings().workspace)
    if not kept:
        with st.container(border=True):
            st.markdown("**No atlas is imported yet.**")
            st.caption("Add one above: the zip, or the folder, that others published.")
    for each in kept:
        _entry(each)
    with st.popover("Publish the workspace", icon=":material/public:", key="workspace-publish", on_change="rerun") as opened:
        if opened.open:
            what = "the scores of every model of this workspace, to walk through"
            own = [settings().workspace]
            publishing.offer("workspace-atlas", "workspace", what, "scores", lambda: publish.of_models(own))
    return bool(kept)


def _entry(kept: Imported) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"atlas-{kept.id}"):
        st.markdown(f"**{verbatim(kept.title)}** · {count(kept.files, 'file')} of scores · `{kept.id}`")
        with st.popover(
            "Compare", icon=":material/compare_arrows:", key=f"compare-atlas-{kept.id}", on_change="rerun"
        ) as opened:
            if opened.open:
                _compare(kept)
        if not people.refusal("remove") and st.button("Remove", icon=":material/delete:", key=f"remove-atlas-{kept.id}"):
            what = f"**{verbatim(kept.title)}** leaves this workspace. Where it was published nothing changes."
            removal.ask("Remove this atlas?", what, partial(_remove, kept.id), "remove-atlas")


def _compare(kept: Imported) -> None:
    """Draw what is otherwise in this workspace than in the atlas."""
    with guard():
        found = changes([kept.folder], [settings().workspace], kept.title)
    own = found[found["state"] != "same"]
    same = len(found) - len(own)
    said = f"From the atlas to your workspace, a row a measure: {count(same, 'measure')} the same."
    st.caption(f"{said} Each interval says whether it is paired, or the widest that a difference can have and why.")
    if len(own):
        st.dataframe(own.drop(columns=["corpus", "of"]), hide_index=True)


def _remove(id_: str) -> str:
    return f"{verbatim(imported.remove(id_, settings().workspace).title)} is removed."
