"""A corpus made on the spot: random, nested, one of those kept shuffled, human text in sub-words, or grown in a game."""

from __future__ import annotations

import streamlit as st

from isogloss.backend import people
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent import recipes
from isogloss.backend.corpora.emergent.library import EmergentEntry
from isogloss.backend.corpora.emergent.recipes import KINDS, MOST, MOST_SYMBOLS, OF_A_CORPUS, Kind, Recipe
from isogloss.backend.corpora.emergent.reference import Protocol
from isogloss.backend.corpora.shared.kept import MAX_NAME
from isogloss.pages.emergent.making import growing
from isogloss.pages.emergent.making import keep as keep_made
from isogloss.pages.emergent.making import text as making_text
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.workspace import workspaces

GAME = "Signalling game"
TEXT = "Human text"
PROTOCOLS: dict[Protocol, str] = {"correct": "0.4, as published", "released": "0.5, as the released code"}


def draw(selection: Selection | None) -> None:
    """Games that are under way, and the form, which is open where no corpus is kept."""
    growing.watch(selection)
    with st.expander("Make a corpus", icon=":material/add_circle:", expanded=selection is None):
        names = {title: kind for kind, (title, _) in KINDS.items()}
        options = [*names, TEXT, GAME]
        chosen = st.segmented_control(
            "What",
            options,
            default=KINDS["random"][0],
            key="make",
            bind="query-params",
            required=True,
            label_visibility="collapsed",
        )
        if chosen == GAME:
            growing.form(selection)
            return
        if chosen == TEXT:
            making_text.form(selection)
            return
        kind = names[chosen or KINDS["random"][0]]
        st.caption(KINDS[kind][1])
        _form(kind, selection)


def _form(kind: Kind, selection: Selection | None) -> None:
    known = unique_names(emergent_library.readable(workspaces()))
    if kind in OF_A_CORPUS and not known:
        st.info("This is made from a saved corpus, and none is saved yet.", icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        recipe, of = _recipe(kind, known)
    suggested = recipes.suggested_name(recipe, of)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", key="make_name", max_chars=MAX_NAME, placeholder=suggested, width=420)
        why = people.refusal("import")
        pressed = st.button("Make and save", type="primary", icon=":material/add:", key="make-it", disabled=bool(why), help=why)
    if pressed:
        _make(recipe, name.strip() or suggested, selection)


def _recipe(kind: Kind, known: dict[str, EmergentEntry]) -> tuple[Recipe, str]:
    """Return what the form says, and the name of the corpus it is made from."""
    fields: dict[str, object] = {}
    source_name = ""
    if kind in OF_A_CORPUS:
        source_name = select("Of", list(known), "make_of", width=260)
        fields["of"] = known[source_name].id
    if not kind.startswith("shuffled"):
        fields["tokens"] = _whole("Tokens", "make_tokens", 2_000_000, MOST, 150)
    if kind in ("random", "paren-synth"):
        fields["vocabulary"] = _whole("Symbols", "make_vocabulary", Recipe.vocabulary, MOST_SYMBOLS, 130)
    if not kind.startswith("shuffled"):
        fields["length"] = _whole("Tokens per utterance", "make_length", Recipe.length, MOST, 150)
    if kind.startswith("paren"):
        with more.settings("make", _untouched(kind)), st.container(horizontal=True, vertical_alignment="bottom"):
            _rarely(kind, fields)
    else:
        fields["seed"] = _seed()
    return Recipe(kind, **fields), source_name  # type: ignore[arg-type]


def _untouched(kind: Kind) -> dict[str, object]:
    """Return what the settings that few change stand at."""
    law = {"make_alpha": Recipe.alpha, "make_beta": Recipe.beta} if kind == "paren-synth" else {}
    return {"make_seed": 0, "make_protocol": next(iter(PROTOCOLS)), **law}


def _rarely(kind: Kind, fields: dict[str, object]) -> None:
    """Draw the settings of a language of parentheses that few change, into `fields`."""
    if kind == "paren-synth":
        fields["alpha"] = st.number_input(
            "Zipf α", 0.0, 10.0, Recipe.alpha, 0.1, key="make_alpha", bind="query-params", width=110
        )
        fields["beta"] = st.number_input("Zipf β", 0.0, 1e6, Recipe.beta, 0.1, key="make_beta", bind="query-params", width=110)
    fields["protocol"] = st.selectbox(
        "A pair opens with probability",
        list(PROTOCOLS),
        format_func=PROTOCOLS.__getitem__,
        key="make_protocol",
        bind="query-params",
        width=220,
    )
    fields["seed"] = _seed()


def _seed() -> int:
    return _whole("Seed", "make_seed", 0, 2**31 - 1, 110, least=0)


def _whole(label: str, key: str, value: int, most: int, width: int, *, least: int = 1) -> int:
    return int(st.number_input(label, least, most, value, key=key, bind="query-params", width=width))


def _make(recipe: Recipe, name: str, selection: Selection | None) -> None:
    """Make it and look at it, among those looked at already."""
    keep_made.keep(lambda: recipes.make_and_keep(recipe, name, workspaces()), name, selection)
