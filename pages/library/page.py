"""The Library: corpora, models, dictionaries, alignments, tasks, tagged text, emergent languages, covariates, atlases."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from isogloss.backend import people
from isogloss.pages.library.atlases import shelf as atlases
from isogloss.pages.library.corpora.shelf import SHELF as CORPORA
from isogloss.pages.library.covariates.shelf import SHELF as COVARIATES
from isogloss.pages.library.dictionaries.shelf import SHELF as DICTIONARIES
from isogloss.pages.library.emergent.shelf import SHELF as EMERGENT
from isogloss.pages.library.models import add as add_model
from isogloss.pages.library.models import entries as model_list
from isogloss.pages.library.shared import adding
from isogloss.pages.library.shared.shelf import Shelf, draw
from isogloss.pages.library.tagged.shelf import SHELF as TAGGED
from isogloss.pages.library.tasks.shelf import SHELF as TASKS
from isogloss.pages.library.word_alignments.shelf import SHELF as ALIGNMENTS
from isogloss.pages.widgets.links import address
from isogloss.pages.widgets.words import verbatim

SHELVES: tuple[Shelf[Any, Any, Any], ...] = (CORPORA, DICTIONARIES, ALIGNMENTS, TASKS, TAGGED, EMERGENT, COVARIATES)
SECTIONS: dict[str, tuple[str, Callable[[], None], Callable[[], bool], Callable[[], bool]]] = {
    shelf.title: (shelf.heading, partial(adding.draw, shelf), partial(draw, shelf), shelf.waits) for shelf in SHELVES
}
"""Title → heading over what adds, what draws that and the list, and whether something waits to be decided on."""
SECTIONS["Models"] = ("Add a model", add_model.draw, model_list.draw, bool)
SECTIONS["Atlases"] = ("Import an atlas", atlases.add, atlases.draw, bool)
TITLES = ["Corpora", "Models", *(title for title in SECTIONS if title not in ("Corpora", "Models"))]

st.title("Library", anchor=False)
address.room_for_lacking()
title = st.segmented_control(
    "Shelf", TITLES, default="Corpora", required=True, key="shelf", bind="query-params", label_visibility="collapsed"
)
heading, add, kept, waits = SECTIONS[title or CORPORA.title]
above, below = st.container(), st.container()
with below:  # drawn first: a slow look-up above must not keep the list waiting
    own = kept()
asked = title == CORPORA.title and "corpus-from" in st.query_params  # a link to one of the ways to add some
if why := people.refusal("import"):
    above.caption(verbatim(why))
else:
    place = above.expander(
        f"**{heading}**", expanded=not own or asked or waits(), icon=":material/add:", key=f"add-{title}", on_change="rerun"
    )
    if place.open:
        with place:
            add()
