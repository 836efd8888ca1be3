"""List the kept models: shape, checkpoints, and removal of those in the user's own workspace."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from isogloss.backend import people
from isogloss.backend.atlas import publish
from isogloss.backend.models.library import library
from isogloss.backend.models.library.absent import is_absent
from isogloss.backend.settings import settings
from isogloss.pages.library.models import evaluations, watch
from isogloss.pages.library.models.add import look_up
from isogloss.pages.library.models.checkpoints import sentence_vector, summary, table
from isogloss.pages.library.shared import measure
from isogloss.pages.widgets import publishing, removal
from isogloss.pages.widgets.links.references import model_id
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import attempt, guard, workspaces

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Model


def draw() -> bool:
    """List every kept model, and name those that cannot be read. Returns whether any is the user's own."""
    with guard():
        kept = library.entries(workspaces())
        own_names = {model.name for model in library.entries([settings().workspace])}
        problems = library.problems(workspaces())
    for problem in problems:
        st.warning(verbatim(problem), icon=":material/report:")
    if not kept:
        with st.container(border=True):
            st.markdown("**No model is saved yet.**")
            st.caption("Add one above: from the catalogue, by its Hub id, or from a folder of the server.")
    names = {model_id(model): model.name for model in kept if model.name in own_names}
    if new := measure.just_kept("model", names):
        with st.container(border=True, horizontal=True, vertical_alignment="center", key="just-kept-model"):
            measure.label([names[each] for each in new])
            measure.links("model", names[new[0]])
        measure.offer_pair("model", names[new[0]])
    for model in sorted(kept, key=lambda each: each.name not in own_names):
        entry(model, removable=model.name in own_names)
    return bool(own_names)


def entry(model: Model, *, removable: bool) -> None:
    """Draw one model; its details when they are opened."""
    opened_at = opened_key(model.name)
    key = opened_at.removeprefix("model-")
    demo = "" if removable else " :gray-badge[demo]"
    demo += f" :gray-badge[{'tokeniser' if model.tokeniser_alone else 'scores only'}]" if is_absent(model) else ""
    label = f"**{verbatim(model.name)}**{demo} · {verbatim(summary(model))}"
    with st.expander(label, key=opened_at, on_change="rerun") as opened:
        if not opened.open:
            return
        if is_absent(model):
            absent_note(model, key)
        table(model, key=f"checkpoints-{key}")
        if not model.tokeniser_alone:
            st.caption(sentence_vector(model))
        if model.by:
            st.caption(f"Added by {verbatim(model.by)}")
        with st.container(horizontal=True, vertical_alignment="center"):
            measure.links("model", model.name)
            if st.button("Scores as evaluations", icon=":material/output:", key=f"evaluations-{key}"):
                st.dialog("Scores as evaluations")(evaluations.draw)(model)
        with st.popover("Publish", icon=":material/public:", key=f"publish-{key}", on_change="rerun") as publish_opened:
            if publish_opened.open:
                what = "the model's scores, to walk through"
                content = partial(publish.of_models, workspaces(), model.name)
                publishing.offer(f"atlas-{key}", model.name, what, model.name, content)
        if not removable:
            st.caption("Part of the demo workspace, which is read-only.")
            return
        with st.container(horizontal=True):
            folders = {str(Path(each.location).parent) for each in model.checkpoints if each.source == "folder"}
            if (
                len(folders) == 1
                and not people.refusal("run")
                and st.button("Watch this folder", icon=":material/visibility:", key=f"watch-model-{key}")
            ):
                st.dialog("Watch this folder")(watch.draw)(folders.pop(), model.name)
            if not people.refusal("rename") and st.button("Rename", icon=":material/edit:", key=f"rename-model-{key}"):
                st.dialog("Rename this model")(rename)(model.name)
            if not people.refusal("remove") and st.button("Remove", icon=":material/delete:", key=f"remove-model-{key}"):
                ask(model.name)


def rename(name: str) -> None:
    """Draw the box of another name; its entry is open again once it is kept."""
    new = st.text_input("Name", value=name, max_chars=library.MAX_NAME, key="rename-model-name")
    if st.button("Rename", type="primary", key="rename-model-yes", disabled=not new.strip()):
        renamed = attempt(lambda: library.rename(name, new, workspaces()))
        if renamed is None:
            return
        st.session_state[opened_key(renamed.name)] = True
        st.rerun()


def opened_key(name: str) -> str:
    """Return the key of the expander of the model called so."""
    return f"model-{library.entry_path(name, settings().workspace).stem[:12]}"


def absent_note(model: Model, key: str) -> None:
    """Say what the weights are that are not here, and offer to look up the published model."""
    st.markdown(model.note)
    if (
        model.published
        and not people.refusal("import")
        and st.button(f"Look up {model.published}", icon=":material/search:", key=f"look-up-{key}")
    ):
        look_up(model.published, None)


def ask(name: str) -> None:
    """Ask whether the model is to leave the library, and what stays when it does."""

    def remove() -> str:
        library.remove(name, settings().workspace)
        return f"{verbatim(name)} is removed."

    what = f"**{verbatim(name)}** leaves the library. Its weights and the scores computed from them stay where they are."
    removal.ask("Remove this model?", what, remove, "remove-model")
