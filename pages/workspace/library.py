"""What measurements are made on (corpora, models, dictionaries, alignments, tasks, emergent languages), and how to add more."""

from __future__ import annotations

import streamlit as st

from pages.widgets import (
    add_alignment,
    add_corpus,
    add_dictionary,
    add_emergent,
    add_model,
    add_task,
    alignment_list,
    corpus_list,
    dictionary_list,
    emergent_list,
    model_list,
    task_list,
)

SHELVES = {
    "Corpora": ("Add a corpus", add_corpus.draw, corpus_list.draw),
    "Models": ("Add a model", add_model.draw, model_list.draw),
    "Dictionaries": ("Add a dictionary", add_dictionary.draw, dictionary_list.draw),
    "Alignments": ("Add an alignment", add_alignment.draw, alignment_list.draw),
    "Tasks": ("Add a task", add_task.draw, task_list.draw),
    "Emergent": ("Add emergent languages", add_emergent.draw, emergent_list.draw),
}

st.title("Library", anchor=False)
shelf = st.segmented_control(
    "Shelf", list(SHELVES), default="Corpora", required=True, key="shelf", bind="query-params", label_visibility="collapsed"
)
heading, add, kept = SHELVES[shelf or "Corpora"]
above, below = st.container(), st.container()
with below:  # drawn first: a slow look-up above must not keep the list waiting
    own = kept()
asked = shelf == "Corpora" and "corpus-from" in st.query_params  # a link to one of the ways to add some
waits = shelf == "Emergent" and add_emergent.waits()  # what is to be decided on stays in sight, whatever is kept meanwhile
adding = above.expander(
    f"**{heading}**", expanded=not own or asked or waits, icon=":material/add:", key=f"add-{shelf}", on_change="rerun"
)
if adding.open:
    with adding:
        add()
