"""Curves over layers: a line a language, and how undecided each layer is; from a point to the words."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.latent import queries
from isogloss.backend.figures import latent as figures
from isogloss.pages.latent import cards
from isogloss.pages.latent.selection import Selection
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of
from isogloss.pages.widgets.figures import figure


def draw(selection: Selection) -> None:
    """Draw the probability of each language's words, and the entropy where asked for."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        target = selection.target()
        model, checkpoint = checkpoint_of(selection, "lens")
        entropy = st.toggle("Entropy too", key="entropy", bind="query-params")
    roles = selection.roles(target)
    title = f"{model.titled(checkpoint)}: answers in {name_of(target)}"
    picked = figure.draw(
        selection.recipe(queries.told, model, [checkpoint], target=target).with_chart(
            partial(figures.over, x="layer", title=title, **roles)
        ),
        name=f"Latent language {model.name} {checkpoint.label} answers in {target}",
        card=cards.MASS,
        alt=f"Probability of each language's words by layer, answers in {target}",
        clicks=True,
    )
    if picked:
        name, _, layer = picked
        tags = {shown: tag for tag, shown in figures.named(**roles).items()}
        open_cell(
            "Words",
            answer=target,
            word_model=model.name,
            word_checkpoint=checkpoint.label,
            word_layer=int(layer),
            word_language=tags.get(name, target),
        )
    if entropy:
        figure.draw(
            selection.recipe(queries.told, model, [checkpoint], target=target, metric="latent_entropy").with_chart(
                partial(figures.entropy, title="Entropy of what each layer tells", colours=selection.colours)
            ),
            name=f"Entropy {model.name} {checkpoint.label} answers in {target}",
            card=cards.ENTROPY,
            alt="Entropy of what each layer tells",
        )
