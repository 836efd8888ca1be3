"""What takes space in the workspace; check every file, remove caches, see what was set aside."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from isogloss.backend import people
from isogloss.backend.corpora import kinds as brought
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings
from isogloss.backend.store import cache, quarantine
from isogloss.pages.widgets import removal
from isogloss.pages.widgets.words import size, verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

if TYPE_CHECKING:
    from isogloss.backend.store.cache import Kind

MEANING: dict[Kind, str] = {
    "corpora": "Saved corpora",
    "tasks": "Saved labelled tasks",
    "tagged": "Saved tagged text",
    "lexicons": "Saved dictionaries",
    "alignments": "Saved word alignments",
    "covariates": "Saved covariates of languages",
    "emergent": "Saved emergent languages",
    "static_vectors": "Saved static word vectors (their files stay where they are)",
    "models": "Saved models (their weights stay where they are)",
    "embeddings": "Sentence vectors, saved so that new questions need no model",
    "scores": "Results",
    "records": "Errors and predictions of fine-tuned models",
    "weights": "Saved fine-tuned models",
    "bases": "Pre-trained language models, ready for new targets",
    "tokenizers": "Sub-words of human languages, for XferBench",
    "training": "Training that is not finished",
    "scratch": "Hidden states of models that are run layer by layer, scores of layers while others are not done",
    "details": "Confused sentences, what sentences contribute, what rules vectors, curves, statistics of emergent corpora",
    "categories": "Categories of word errors that you gave",
    "notes": "Notes and tags on sentences and words",
    "boards": "Boards of pinned figures",
    "atlases": "Imported atlases: what others published",
    "uploads": "Dropped files while they are read",
    "jobs": "The queue and the workers' log",
    "quarantine": "Damaged files, set aside",
    "other": "Files of other programs",
}
REMOVABLE: dict[Kind, str] = {
    "embeddings": "They are computed again when they are needed.",
    "details": "They are computed again when they are looked at; the curves only when games are played again, what rules "
    "vectors only with their scores.",
    "quarantine": "Nothing reads them any more.",
    "records": "Fine-tuning again takes as long as it took.",
    "weights": "Saving one again fine-tunes it up to its step.",
    "bases": "A new target pre-trains its sources again.",
    "tokenizers": "They are trained again when they are needed.",
    "training": "Those that a worker is at stay. The others begin anew when they are asked for again.",
    "scores": "All results of this workspace are deleted; computing them again takes as long as the first time.",
}
CHECKED = "storage-checked"


def draw() -> None:
    """Draw the table of space used, the buttons that check and remove, and what was set aside."""
    now = settings()
    with guard():
        used = cache.usage(now.workspace)
    total = sum(each.size for each in used)
    why_not = people.refusal("remove")
    where = "" if why_not else f"{now.workspace} · "  # a path of the server is nobody else's business
    st.caption(verbatim(f"{where}{size(total)} · embeddings are saved up to {now.embeddings_gib:g} GiB"))
    table = pd.DataFrame(
        {
            "What": [MEANING[each.kind] for each in used],
            "Files": [each.files for each in used],
            "Size": [size(each.size) for each in used],
            "Share": [100 * each.size / total if total else 0.0 for each in used],
        }
    )
    bar = st.column_config.ProgressColumn("Share", format="%.0f%%", min_value=0, max_value=100)
    st.dataframe(table, hide_index=True, column_config={"Share": bar}, height="content", alt="Space used by kind of file")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Check every file", icon=":material/verified:", key="check-files", disabled=bool(why_not), help=why_not):
            with guard(), st.spinner("Reading every file…"):
                computed, kept = cache.check(now.workspace), brought.check(now.workspace)
                st.session_state[CHECKED] = (computed[0] + kept[0], [*computed[1], *kept[1]])
            st.rerun()
        kinds = [each.kind for each in used if each.kind in REMOVABLE and each.files]
        picked = None
        if kinds and not why_not:  # a menu without entries is an error
            picked = st.menu_button("Remove …", kinds, format_func=str.capitalize, icon=":material/delete:", key="remove")
    if picked in REMOVABLE:
        ask(picked)
    _checked()
    _left_out()
    _set_aside()


def ask(kind: Kind) -> None:
    """Ask whether all files of a kind are to be removed, and say what that costs."""

    def remove() -> str:
        return f"{size(cache.remove(settings().workspace, kind))} freed."

    removal.ask("Remove from disk?", f"**{kind.capitalize()}**: {REMOVABLE[kind]}", remove, "remove")


def _checked() -> None:
    if CHECKED not in st.session_state:
        return
    files, problems = st.session_state[CHECKED]
    if not problems:
        st.success(f"{count(files, 'file')} read, all whole.", icon=":material/check_circle:")
    for problem in problems:
        st.warning(verbatim(problem), icon=":material/report:")


def _left_out() -> None:
    """Name the results that are not read: of a newer version, of another program, or damaged where nothing may be changed."""
    with guard():
        files = cache.left_out(workspaces())
    if not files:
        return
    with st.expander(f"{count(len(files), 'file')} left out", icon=":material/report:", expanded=True):
        table = pd.DataFrame(
            {"File": [f"{path.parent.name}/{path.name}" for path, _ in files], "Why": [why for _, why in files]}
        )
        st.dataframe(table, hide_index=True, alt="Results that are left out")


def _set_aside() -> None:
    with guard():
        notes = quarantine.notes(settings().workspace)
    if not notes:
        return
    with st.expander(f"{count(len(notes), 'damaged file')} set aside", icon=":material/report:"):
        table = pd.DataFrame(
            {
                "When": [datetime.fromisoformat(note["at"]) for note in notes],
                "File": [note["file"] for note in notes],
                "Why": [note["reason"] for note in notes],
            }
        )
        st.dataframe(table, hide_index=True, alt="Damaged files that were set aside")
