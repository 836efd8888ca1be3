"""The menu: the workspace's pages, and a page for each family of measurements that has one (`backend.experiments.registry`)."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from isogloss.backend.experiments.registry import FAMILIES, LEFT_OUT
from isogloss.backend.experiments.words import listed
from isogloss.pages.widgets.words import verbatim


def sections(first: str = "home") -> dict[str, list[st.Page]]:
    """Return the pages by section, made for each run: a page object belongs to the run that made it.

    `first` is the one that is drawn where the address names none.
    """
    return {
        "Workspace": [
            st.Page("pages/home/page.py", title="Home", icon=":material/home:", url_path="home", default=first == "home"),
            st.Page("pages/library/page.py", title="Library", icon=":material/library_books:", url_path="library"),
            st.Page("pages/boards/page.py", title="Boards", icon=":material/dashboard:", url_path="boards"),
            st.Page("pages/jobs/page.py", title="Jobs", icon=":material/pending_actions:", url_path="jobs"),
        ],
        "Measurements": [
            st.Page(
                page_of(family.name),
                title=family.menu.title,
                icon=family.menu.icon,
                url_path=family.name,
                default=first == family.name,
            )
            for family in FAMILIES
            if family.menu
        ],
    }


def page_of(family: str) -> str:
    """Return the file of a family's page, as `st.page_link` takes it: the product's, or where another package has it."""
    elsewhere = next((known.menu.page for known in FAMILIES if known.name == family and known.menu), None)
    return f"pages/{family}/page.py" if elsewhere is None else str(elsewhere)


def tell_left_out() -> None:
    """Say which families of other packages are installed and cannot be used."""
    for sentence in LEFT_OUT:
        st.warning(verbatim(sentence), icon=":material/extension_off:")


def to_library(label: str, shelf: str, *, icon: str = ":material/library_books:", **more: str) -> None:
    """A link to a shelf of the Library; `more` goes into the URL too."""
    st.page_link("pages/library/page.py", label=label, icon=icon, query_params={"shelf": shelf, **more})


def say_needs(measure: str, data: Mapping[str, Mapping[str, str]], *, has_model: bool) -> None:
    """Say what a measurement needs and nobody added, with the ways to it.

    `data` is what it needs and lacks besides a model, in words → what a link adds → its shelf; empty where it lacks none.
    """
    needs = {**data, **({} if has_model else {"a model": {"a model": "Models"}})}
    them = "it" if len(needs) == 1 else "both"
    sentence = f"{measure} needs {listed(list(needs))}. Add {them} in the Library, then come back."
    st.info(sentence, icon=":material/library_add:")
    for ways in needs.values():
        for what, shelf in ways.items():
            to_library(f"Add {what}", shelf)


def links() -> None:
    """Draw a link to every family's page, called as in the menu."""
    for family in FAMILIES:
        if menu := family.menu:
            st.page_link(page_of(family.name), label=menu.title, icon=menu.icon)
