"""Add a model from the catalogue, the Hub, a folder of the server or several paths; shown before it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import pandas as pd
import streamlit as st

from isogloss.backend.errors import IsoglossError
from isogloss.backend.experiments.words import count
from isogloss.backend.models.files.catalogue import CATALOGUE, Known
from isogloss.backend.models.files.fingerprint import cache_file
from isogloss.backend.models.library import library
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.library.tokeniser_alone import SUFFIX
from isogloss.backend.settings import settings
from isogloss.pages.library.models import watch
from isogloss.pages.library.models.checkpoints import summary, table
from isogloss.pages.widgets import notes
from isogloss.pages.widgets.server import visitor
from isogloss.pages.widgets.words import parameters, verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Model

FOUND = "model-found"
"""Session state: the model that was found and is not kept yet."""
DECODER = "`#decoder` after an mBART's id measures its decoder instead: `facebook/mbart-large-50#decoder`."
ALONE = "`#tokeniser` after a folder or id adds the tokeniser alone: no weights are downloaded."
Revisions = Sequence[str] | Literal["steps"] | None


def draw() -> None:
    """Draw the ways to add a model, or the model that one of them found."""
    if FOUND in st.session_state:
        review(st.session_state[FOUND])
        return
    ways = {"One model": one_or_catalogue, "Several paths": draw_typed_checkpoints, "A training": watch.draw}
    way = st.segmented_control("Add from", list(ways), default="One model", required=True, key="add-from", bind="query-params")
    ways[way or "One model"]()


def one_or_catalogue() -> None:
    """Draw the form for a model that has a path or an id, and the catalogue of those that are well known."""
    draw_one()
    catalogue()


def draw_one() -> None:
    """Draw the form for a folder on the machine that runs Isogloss or a model of the Hub, or the model that it found."""
    if FOUND in st.session_state:
        review(st.session_state[FOUND])
        return
    choices = {
        "default": "Default branch",
        "steps": "Every branch or tag named after a step or tokens",
        "named": "These revisions",
    }
    with st.form("model-form", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            typed = st.text_input(
                "Folder on the server, or Hub id",
                placeholder="/data/models/my-model or FacebookAI/xlm-roberta-base",
                key="model-typed",
            )
            asked = st.form_submit_button("Look up", icon=":material/search:", type="primary")
        st.caption(
            "A folder saved with save_pretrained, a folder of such folders (checkpoint-500, checkpoint-1000 …)"
            + (", or fairseq .pt files. " if settings().allow_pickle else ", or a tokeniser's. ")
            + ALONE
        )
        with st.expander("Checkpoints of a Hub id"):
            st.caption(DECODER)
            which = st.radio("Checkpoints", list(choices), format_func=choices.__getitem__, horizontal=True, key="hub-which")
            named = st.text_input("Revisions, separated by spaces", placeholder="step1000 step2000 main", key="hub-revisions")
    if asked:
        chosen: dict[str, Revisions] = {"default": None, "steps": "steps", "named": named.replace(",", " ").split() or None}
        look_up(typed, chosen[which])


def catalogue() -> None:
    """Draw the catalogue of well-known models, searched by any word of a line."""
    words = st.text_input(
        "Search the catalogue", type="search", live="200ms", key="catalogue-search", label_visibility="collapsed"
    )
    lines = [line for line in CATALOGUE if matches(line, words or "")]
    if not lines:
        st.caption("No model of the catalogue matches. Any other model can be added by its Hub id.")
        return
    frame = pd.DataFrame(
        {
            "Name": [line.name for line in lines],
            "Hub": [line.link for line in lines],
            "Kind": [line.kind for line in lines],
            "Layers": [line.layers for line in lines],
            "Parameters": [parameters(line.parameters) for line in lines],
            "Steps": ["public" if line.checkpoints else "" for line in lines],
            "Licence": [line.licence or "see its page" for line in lines],
            "About": [line.note for line in lines],
            "Checked": [line.checked or "configuration" for line in lines],
        }
    )
    columns = {
        "Hub": st.column_config.LinkColumn("Hub", display_text=r"(?:huggingface\.co/|://)(.*)"),
        "Steps": st.column_config.TextColumn("Steps", help="Checkpoints of its pre-training"),
        "Checked": st.column_config.TextColumn("Checked", help="What the sizes and the licence here rest on"),
    }
    event = st.dataframe(
        frame,
        hide_index=True,
        height=215,
        column_config=columns,
        on_select="rerun",
        selection_mode="single-row",
        key="catalogue",
        alt="Catalogue of multilingual models",
    )
    rows = [row for row in event.selection.rows if row < len(lines)]
    if not rows:
        st.caption("Tick a row.")
        return
    _from_catalogue(lines[rows[0]])


def _from_catalogue(line: Known) -> None:
    if not line.is_on_hub:
        st.caption(
            f"{verbatim(line.name)} is not on the Hub. Its files are at {verbatim(line.hub_id)}: look up their folder above."
        )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(f"Look up {line.name}", icon=":material/search:", type="primary", key="look-up-final"):
            look_up(line.hub_id, None, line.name)
        if st.button("Look up its tokeniser alone", icon=":material/content_cut:", key="look-up-tokeniser"):
            look_up(f"{line.hub_id}{SUFFIX}", None, f"{line.name} tokeniser")
        if line.checkpoints and st.button("Look up its pre-training steps", icon=":material/timeline:", key="look-up-steps"):
            several = len(line.repositories) > 1
            look_up("\n".join(line.repositories), None if several else "steps", f"{line.name} steps")


def matches(line: Known, words: str) -> bool:
    """Return whether every word typed stands somewhere in the line."""
    text = f"{line.name} {line.hub_id} {line.kind} {line.note} {line.licence}".casefold()
    return all(word in text for word in words.casefold().split())


def draw_typed_checkpoints() -> None:
    """Draw the form for checkpoints typed by hand, one a line."""
    with st.form("list-form", border=False):
        typed = st.text_area(
            "One checkpoint a line",
            placeholder="owner/model@step1000\nowner/model@step2000\n/data/runs/checkpoint-3000",
            key="list-lines",
        )
        name = st.text_input("Name", key="list-name", placeholder="Optional")
        asked = st.form_submit_button("Read paths", icon=":material/folder_open:", type="primary")
    if asked:
        look_up(typed, None, name)


def look_up(typed: str, revisions: Revisions, name: str | None = None) -> None:
    """Look up what was typed and show it; say why where it cannot be read, and leave the text in place."""
    now = settings()
    try:
        with st.spinner("Looking it up …"):
            model = discover(
                typed,
                name=name or None,
                revisions=revisions,
                allow_pickle=now.allow_pickle,
                cache=cache_file(now.workspace),
                roots=visitor.model_roots(),
            )
    except IsoglossError as error:
        st.error(verbatim(str(error)), icon=":material/error:")
        return
    except (OSError, ValueError) as error:  # a path that the operating system refuses: too long, forbidden, with a NUL
        st.error(verbatim(f"That cannot be read on the server ({error})."), icon=":material/error:")
        return
    st.session_state[FOUND] = model
    st.rerun()


def review(discovered: Model) -> None:
    """Show the shape and checkpoints of the model that was found, to be named and kept or dropped."""
    st.markdown(f"**Found: {verbatim(discovered.name)}**")
    st.caption(verbatim(summary(discovered)))
    if discovered.tokeniser_alone:
        st.caption(discovered.note)
    rows = table(discovered, key="found-checkpoints", select=True)
    chosen = [discovered.checkpoints[row] for row in sorted(rows)] or list(discovered.checkpoints)
    if len(discovered.checkpoints) > 1:
        st.caption("Tick rows to save only those checkpoints.")
    name = st.text_input("Name", value=discovered.name, max_chars=80, key="found-name").strip()
    taken = {model.name for model in library.entries(workspaces())}
    if name in taken:
        st.caption(":material/warning: A model of this name is there already; saving this one replaces it.")
    with st.container(horizontal=True):
        if st.button(
            f"Save {count(len(chosen), 'tokeniser' if discovered.tokeniser_alone else 'checkpoint')}",
            icon=":material/save:",
            type="primary",
            key="keep-model",
            disabled=not name,
        ):
            with guard():
                library.keep(discovered.model_copy(update={"name": name, "checkpoints": tuple(chosen)}), settings().workspace)
            del st.session_state[FOUND]
            notes.after_rerun(f"{verbatim(name)} is saved.")
            st.rerun()
        if st.button("Discard", key="discard-model"):
            del st.session_state[FOUND]
            st.rerun()
