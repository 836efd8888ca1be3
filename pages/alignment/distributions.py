"""How similar paired and unpaired words are at a layer, and how far the two overlap over the layers (figure 5)."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.experiments.alignment import frames as alignment_frames
from isogloss.backend.experiments.alignment.words import distributions as word_distributions
from isogloss.backend.experiments.alignment.words.distributions import WordDistributionsSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair
from isogloss.backend.figures import alignment as figures
from isogloss.backend.models.entry import Checkpoint
from isogloss.pages.alignment.cards import DISTRIBUTIONS
from isogloss.pages.alignment.selection import Selection, kept_alignments, pair_of
from isogloss.pages.widgets.choosing import prefixes
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of, layer_of
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.workspace import workspaces

NO_ALIGNMENT = "None"
Load = partial[pd.DataFrame | None]


def draw(selection: Selection) -> None:
    """Draw the histogram at one layer and the overlaps at all, or offer to compute them."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "at", last=True)
        layer = layer_of(model, "at")
        ends = pair_of(selection)
        alignment = _alignment(selection, ends)
    spec = _spec(selection, checkpoint, ends, alignment)
    load = partial(word_distributions.load, spec=spec, workspaces=workspaces())
    distribution = compute.loaded(load, spec, _sentence(spec.pair))
    if distribution is None:
        return
    name = f"{model.name} {checkpoint.label} {spec.pair.source} {spec.pair.target}"
    _histogram(load, distribution, layer, f"{name} layer {layer}")
    _overlaps(load, distribution, name)


def _alignment(selection: Selection, ends: tuple[str, str]) -> str | None:
    """Return the imported alignment to be laid beside the dictionary, by a select box where any is kept."""
    source, target = sorted(ends)
    used = selection.dictionaries[source, target].id
    kept = {each.name: each.id for each in kept_alignments(selection, (source, target)) if each.id != used}
    if not kept:
        return None
    help_ = "Its links are a line of their own, as FastAlign's in figure 5."
    return kept.get(select("Beside the dictionary", [NO_ALIGNMENT, *kept], "beside", width=200, help=help_))


def _spec(selection: Selection, checkpoint: Checkpoint, ends: tuple[str, str], alignment: str | None) -> WordDistributionsSpec:
    source, target = sorted(ends)
    dictionary = selection.dictionaries[source, target].id
    options = {name: selection.options[name] for name in ("n_pairs", "seed", "repeated", "unique")}
    options |= {"prefix": prefixes.at(selection.prefixes, [checkpoint])}
    pair = DictionaryPair(source=source, target=target, dictionary=dictionary)
    return WordDistributionsSpec(checkpoint=checkpoint, corpus=selection.corpus.id, pair=pair, alignment=alignment, **options)


def _sentence(pair: DictionaryPair) -> str:
    names = " and ".join(language(tag).name for tag in (pair.source, pair.target))
    return f"How similar words of {names} are at this checkpoint is not computed yet."


def _histogram(load: Load, distribution: pd.DataFrame, layer: int, name: str) -> None:
    only = partial(alignment_frames.histogram, layer=layer)
    figure.show(
        partial(figures.histograms),
        name=f"Similarity of words {name}",
        data=only(distribution),
        card=DISTRIBUTIONS,
        recipe=Recipe((load, only)),
        alt="Distributions of cosine similarity of paired and of random words",
    )


def _overlaps(load: Load, found: pd.DataFrame, name: str) -> None:
    figure.show(
        partial(figures.overlaps),
        name=f"Overlap of words {name}",
        data=alignment_frames.overlaps(found),
        card=DISTRIBUTIONS,
        recipe=Recipe((load, partial(alignment_frames.overlaps))),
        alt="Overlap of paired with random words by layer",
    )
