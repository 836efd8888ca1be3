"""The Library: corpora, models, dictionaries, alignments, tasks, tagged text, emergent languages, covariates: listed, added."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from backend import people
from pages.library.corpora import add as add_corpus
from pages.library.corpora import entries as corpus_list
from pages.library.covariates import add as add_covariates
from pages.library.covariates import entries as covariates_list
from pages.library.dictionaries import add as add_dictionary
from pages.library.dictionaries import entries as dictionary_list
from pages.library.emergent import add as add_emergent
from pages.library.emergent import entries as emergent_list
from pages.library.models import add as add_model
from pages.library.models import entries as model_list
from pages.library.shared import kept_list
from pages.library.tagged import add as add_tagged
from pages.library.tagged import entries as tagged_list
from pages.library.tasks import add as add_task
from pages.library.tasks import entries as task_list
from pages.library.word_alignments import add as add_alignment
from pages.library.word_alignments import entries as alignment_list
from pages.widgets.links import address
from pages.widgets.words import plain

SHELVES: dict[str, tuple[str, Callable[[], None], Callable[[], bool]]] = {
    "Corpora": ("Add a corpus", add_corpus.draw, partial(kept_list.draw, corpus_list.SHELF)),
    "Models": ("Add a model", add_model.draw, model_list.draw),
    "Dictionaries": ("Add a dictionary", add_dictionary.draw, partial(kept_list.draw, dictionary_list.SHELF)),
    "Alignments": ("Add an alignment", add_alignment.draw, partial(kept_list.draw, alignment_list.SHELF)),
    "Tasks": ("Add a task", add_task.draw, partial(kept_list.draw, task_list.SHELF)),
    "Tagged text": ("Add tagged text", add_tagged.draw, partial(kept_list.draw, tagged_list.SHELF)),
    "Emergent": ("Add emergent languages", add_emergent.draw, partial(kept_list.draw, emergent_list.SHELF)),
    "Covariates": ("Add covariates of languages", add_covariates.draw, partial(kept_list.draw, covariates_list.SHELF)),
}

st.title("Library", anchor=False)
address.room_for_lacking()
shelf = st.segmented_control(
    "Shelf", list(SHELVES), default="Corpora", required=True, key="shelf", bind="query-params", label_visibility="collapsed"
)
heading, add, kept = SHELVES[shelf or "Corpora"]
above, below = st.container(), st.container()
with below:  # drawn first: a slow look-up above must not keep the list waiting
    own = kept()
asked = shelf == "Corpora" and "corpus-from" in st.query_params  # a link to one of the ways to add some
waits = shelf == "Emergent" and add_emergent.waits()  # an open review stays in sight while others are kept
if why := people.refusal("import"):
    above.caption(plain(why))
else:
    adding = above.expander(
        f"**{heading}**", expanded=not own or asked or waits, icon=":material/add:", key=f"add-{shelf}", on_change="rerun"
    )
    if adding.open:
        with adding:
            add()
