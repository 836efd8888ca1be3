"""The families' cards: each one's figure (`figures`) under its question, in a link to that very figure."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from isogloss.backend.charts.parts import theme
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.experiments.family import Family
from isogloss.backend.experiments.registry import FAMILIES
from isogloss.backend.files import digest
from isogloss.backend.models.entry import Model
from isogloss.backend.models.library import library as models
from isogloss.backend.store import records, scores
from isogloss.pages.home.figures import FIGURES, Shown, corpus_names
from isogloss.pages.widgets import fitted, navigation
from isogloss.pages.widgets.choosing import results
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

ACROSS = 3


def draw() -> None:
    """Draw the figures in rows, each under its question and in its link; a family without a figure is a link alone, last."""
    entries = models.entries(workspaces())
    names = [(entry.id, entry.name) for entry in emergent_library.entries(workspaces())]
    files = [(str(file.path), file.modified) for file in scores.shards(workspaces())]
    known = digest([files, names, corpus_names(), [model.model_dump() for model in entries]])
    made = [(family, _made(family.name, known, entries)) for family in FAMILIES if family.menu]
    made.sort(key=lambda each: each[1] is None)
    with st.container(key="glances"):  # a name that the style sheet knows
        for start in range(0, len(made), ACROSS):
            for column, (family, shown) in zip(st.columns(ACROSS, gap="medium"), made[start : start + ACROSS], strict=False):
                with column, st.container(gap=None, key=f"card-{family.name}"):
                    _glance(family, shown)


def _glance(family: Family, shown: Shown | None) -> None:
    """Draw one family's link, question and figure; the link's area is the whole card (`fitted`)."""
    assert family.menu is not None
    st.page_link(
        navigation.page_of(family.name),
        label=f"**{family.menu.title}**",
        icon=family.menu.icon,
        query_params=shown.query if shown else None,
    )
    if shown is None:
        st.caption("Nothing is computed yet." if family.name in FIGURES else family.menu.link)
        return
    st.caption(f"{shown.question}  \n{verbatim(shown.of)}")
    config = {**theme.config(family.name), "displayModeBar": False}
    fitted.chart(shown.figure, f"glance-{family.name}", config=config, alt=f"{shown.question} {shown.of}")


@st.cache_resource(show_spinner=False, max_entries=60)
def _made(family: str, known: str, _entries: Sequence[Model]) -> Shown | None:  # noqa: ARG001 — `known` is the key
    """Return a family's figure, drawn once for what is `known`: the scores, the models and the names.

    Where one's own results give none, it is the demo's. None where there is none, or where the family has no figure here.
    """
    if family not in FIGURES:
        return None
    if family == "transfer":
        have = records.files(workspaces())
    else:
        have = scores.shards(workspaces(), "abx" if family == "relations" else family)
    shipped = [file for file in have if results.of_demo(file)]
    return FIGURES[family](have, _entries) or FIGURES[family](shipped, _entries)
