"""Tokenisers: into how many pieces is each language cut, and what does it pay for it?"""

from __future__ import annotations

import streamlit as st

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.languages.words import has_words
from isogloss.backend.experiments.words import count, listed
from isogloss.backend.models.entry import Model
from isogloss.pages.tokenisers import selection
from isogloss.pages.tokenisers.all_views import VIEWS
from isogloss.pages.tokenisers.selection import Selection
from isogloss.pages.widgets.choosing.selecting import WHOLE
from isogloss.pages.widgets.choosing.views import draw_computed, start_page
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim

NAMED = 6
"""Languages without words named in a sentence at most; more are counted."""


def offer(chosen: Selection, model: Model) -> None:
    """Offer to cut the corpus by a model's tokeniser; nothing where that is done."""
    if not chosen.computed(model):
        sentence = f"The tokeniser of **{verbatim(model.name)}** on {verbatim(chosen.corpus.name)}: not measured yet."
        compute.offer(chosen.spec(model), sentence)


def tell(chosen: Selection) -> None:
    """Say how many sentences it rests on, and in which languages no words are found."""
    files = [chosen.served[each.fingerprint, WHOLE] for model in chosen.shown for each in chosen.computed(model)]
    sentences = count(int(files[0].provenance["sentences"]), "sentence")
    without = [language(tag).name for tag in chosen.languages if not has_words(tag, language(tag).script)]
    said = f" Words are not found in {listed(without, NAMED)}: fertility has no value there." if without else ""
    st.caption(f"The same {sentences} in every language; no weights are needed.{said}")


if found := start_page("Tokenisers", selection.choose):
    draw_computed(found, VIEWS, offer, tell)
