"""Behind a score: which tags were taken for which, and the sentences with the words that were misclassified."""

from __future__ import annotations

from functools import partial

import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.probing import predictions
from isogloss.backend.experiments.probing.predictions import Predictions
from isogloss.backend.experiments.probing.spec import LEARNED, MEAN
from isogloss.backend.figures import probing as figures
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.probing import missing, sentences
from isogloss.pages.probing.cards import CONFUSION
from isogloss.pages.probing.selection import Pair, Selection
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import figure
from isogloss.pages.widgets.workspace import guard, workspaces

ANY = "Any"
ALONE = "Leaves the right ones out, so that the colours tell the wrong ones apart."


def draw(selection: Selection) -> None:
    """Draw the confusion matrix of one probe, and below it what it told wrongly."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "at")
        probe = _probe(model)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pair = _pair(selection, checkpoint)
        alone = st.toggle("Errors alone", key="errors_alone", bind="query-params", help=ALONE)
    spec = selection.spec(model, [checkpoint], [pair[0]], [pair[1]])
    [place] = spec.shards().values()
    load = partial(predictions.load, provenance=spec.provenance(place), target=pair[1], workspaces=workspaces())
    with guard():
        found = load()
    told = probe.removeprefix("layer ")
    if found is None or told not in found.told:
        kept = "This probe's predictions were not saved with its score"
        there = selection.data.there and selection.tested.there
        way = "compute it in this workspace" if there else "its text is not here: import the text and compute it"
        st.info(f"{kept}: {way} to see it.", icon=":material/info:")
        if not there:
            missing.link_to_text(selection)
        return
    wrong, total = int((found.told[told] != found.right).sum()), len(found.right)
    share = f"**{wrong:,}** of {total:,} {selection.data.rows} misclassified, accuracy **{1 - wrong / max(1, total):.3f}**"
    st.markdown(f"{share}, by the probe of seed {found.seed}. Scores elsewhere are means over seeds.")
    seeds.tell_one(model, selection.models)
    title = f"{model.titled(checkpoint)}, {probe}: {_ends(pair)}"
    above = st.container()
    chosen = _tags(found)  # drawn first: the matrix marks the cell that the select boxes hold
    with above:
        clicked = _matrix(selection, found, told, title, load, chosen, alone=alone)
    if clicked:
        open_cell("Errors", at_right=clicked[0], at_told=clicked[1])
    wrong_ones = partial(predictions.wrong, probe=told, right=chosen[0], told=chosen[1])
    cell = "" if chosen == (None, None) else f", gold {chosen[0] or ANY}, predicted {chosen[1] or ANY}"
    sentences.draw(selection, spec, pair[1], wrong_ones(found), Recipe((load, wrong_ones)), title + cell)


def _probe(model: Model) -> str:
    """Draw the box of the probe: a layer (the middle by default) or a mix of all of them."""
    layers = [f"layer {layer}" for layer in range(model.layers + 1)]
    names = {MEAN: "mean of layers", LEARNED: "learned mix"}
    index, options = len(layers) // 2, [*layers, *names]
    return select("Layer", options, "at_probe", width=170, index=index, named=lambda each: names.get(each, each))


def _pair(selection: Selection, checkpoint: Checkpoint) -> Pair:
    """Draw the boxes of the languages trained on and tested in, of what is computed at this checkpoint."""
    there = [pair for pair in selection.pairs if pair in selection.there.get(checkpoint.fingerprint, ())]
    sources = list(dict.fromkeys(source for source, _ in there))
    label = "Trained on" if selection.targets else "Language"
    source = select(label, sources, "pair_source", width=190, named=language_name)
    if not selection.targets:
        return source, source
    targets = [target for each, target in there if each == source]
    index = targets.index(source) if source in targets else 0
    return source, select("Tested in", targets, "pair_target", width=190, index=index, named=language_name)


def _tags(kept: Predictions) -> tuple[str | None, str | None]:
    """Draw the boxes of the gold and the predicted tag: the keyboard's way to a cell. None is any."""
    st.header("Misclassified", anchor="wrong")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        right, told = (
            select(label, [ANY, *kept.tags], key, width=200) for label, key in (("Gold", "at_right"), ("Predicted", "at_told"))
        )
    return None if right == ANY else right, None if told == ANY else told


def _matrix(
    selection: Selection,
    kept: Predictions,
    told: str,
    title: str,
    load: partial[Predictions | None],
    chosen: tuple[str | None, str | None],
    *,
    alone: bool,
) -> list[str]:
    """Draw the confusion matrix, the cell `chosen` marked; returns the cell clicked now: right, told."""
    step = partial(predictions.confusion, probe=told)
    data = step(kept)
    tags = figures.tags_told(data)
    custom = [[None if row == column else [row, column] for column in tags] for row in tags]
    right, said = chosen
    marked = (tags.index(right), tags.index(said)) if right in tags and said in tags else None
    of = selection.data
    return figure.show(
        partial(figures.confusion, unit=of.rows, tag=of.tag, alone=alone, title=title),
        name=f"Confusion {title}",
        data=data,
        card=CONFUSION,
        recipe=Recipe((load, step)),
        alt=f"Which tags were taken for which, {title}",
        clicks=lambda drawn: clickable(drawn, custom, selected=marked),
    )


def _ends(pair: Pair) -> str:
    return language_name(pair[0]) if pair[0] == pair[1] else f"{language_name(pair[0])} → {language_name(pair[1])}"
