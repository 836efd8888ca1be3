"""Language and meaning discrimination before and after fine-tuning, of models kept with both."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.boards.cards import BOTH
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.experiments.abx import frames as abx_frames
from isogloss.backend.experiments.abx import queries as abx_queries
from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.figures import abx as figures
from isogloss.backend.models.entry import Model
from isogloss.backend.store import scores
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx import selection as abx_selection
from isogloss.pages.transfer.shared.selection import Selection
from isogloss.pages.widgets.choosing.selecting import Chosen
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces


def draw(selection: Selection) -> None:
    """Draw, for each kept model that begins with a checkpoint fine-tuned here, its ABX scores over layers, a line a checkpoint.

    Nothing where there is none, or where fewer than two of its checkpoints have scores on one corpus.
    """
    trained = set(selection.runs["checkpoint"]) if len(selection.runs) else set()
    with guard():
        tuned = [
            each for each in selection.everything if len(each.checkpoints) > 1 and each.checkpoints[0].fingerprint in trained
        ]
        found = [chosen for model in tuned if (chosen := _scored(selection, model)) is not None]
        if found:
            st.header("Before and after fine-tuning", anchor="fine-tuned")
        for chosen in found:
            _draw(chosen)


def _draw(chosen: abx_selection.Selection) -> None:
    (model,) = chosen.models
    st.caption(
        f"{verbatim(model.name)} on {verbatim(chosen.corpus.name)}, {len(chosen.languages)} languages, ABX of every layer."
    )
    for place, metric in zip(st.columns(2), ("abx_language", "abx_meaning"), strict=True):
        measure = figures.METRICS[metric]
        only, lines = partial(rows_with, metric=[metric]), partial(abx_frames.over_layers, each=True)
        drawn = partial(
            figures.trends,
            metric=metric,
            x="layer",
            scale="linear",
            colours=chosen.colours,
        )
        with place:
            figure.draw(
                recipes.scores(chosen, abx_queries.grid, only, lines).with_chart(drawn),
                name=f"{measure} of {model.name} over layers",
                card=BOTH,
                alt=f"{measure} over layers before and after fine-tuning",
            )


def _scored(selection: Selection, model: Model) -> abx_selection.Selection | None:
    """Return the ABX scores of two or more of a model's checkpoints on one corpus: that of the newest scores; None without."""
    have = scores.shards(workspaces(), abx.FAMILY)
    known = {entry.id: entry for entry in corpora.entries(workspaces())}
    prints = {each.fingerprint for each in model.checkpoints}
    of_it = [file for file in have if file.provenance["fingerprint"] in prints and file.provenance["corpus"] in known]
    for file in reversed(of_it):
        languages = tuple(sorted(file.provenance["languages"]))
        chosen = abx_selection.computed_of(_chosen(selection, model, known[file.provenance["corpus"]], languages))
        if len(chosen.computed(model)) > 1:
            return chosen
    return None


def _chosen(selection: Selection, model: Model, corpus: CorpusEntry, languages: tuple[str, ...]) -> Chosen:
    labels = tuple(each.label for each in model.checkpoints)
    layers = tuple(range(model.layers + 1))
    return Chosen((model,), selection.everything, layers, labels, corpus, languages)
