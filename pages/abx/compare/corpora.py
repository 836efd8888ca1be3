"""One model on two corpora: layer × checkpoint, over the languages that both have."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import library
from isogloss.backend.experiments.abx import frames as abx_frames
from isogloss.backend.experiments.compared import SIDE
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.words import count, several
from isogloss.backend.figures.checkpoints import checkpoint_axis, named_checkpoints
from isogloss.backend.figures.layers import LAYER
from isogloss.backend.figures.two_sides import Layout
from isogloss.backend.models.entry import Model
from isogloss.pages.abx import missing
from isogloss.pages.abx.compare import measured
from isogloss.pages.abx.compare.evidence import OverSentences
from isogloss.pages.shared.abx import recipes
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.shared.compare import side_by_side
from isogloss.pages.widgets.choosing import swap
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.figures import cooked
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

LISTED = 13
"""As many languages are named; of more the last ones are counted."""


def draw(selection: Selection, metric: str) -> None:
    """Compare a model's `metric` on the chosen corpus and on another, over the languages in both."""
    with guard():
        kept = unique_names(library.entries(workspaces()))
    others = {name: entry for name, entry in kept.items() if entry.id != selection.corpus.id}
    if not others:
        st.info("There is no second corpus yet. Add one in the Library, then come back.", icon=":material/library_add:")
        st.page_link("pages/library/page.py", label="Open the Library", icon=":material/library_books:")
        return
    name, model = _choose(selection, list(others))
    other = others[name]
    common = tuple(tag for tag in selection.languages if tag in other.tags)
    st.markdown(about_languages(selection.languages, other.tags, name))
    if len(common) < 2:
        return
    first = replace(selection.among(common), models=(model,))
    if first.pairs == ():
        st.caption("None of the pairs chosen lies in both corpora. Choose other pairs of languages.")
        return
    second = replace(first, corpus=other)
    with guard():
        if common != selection.languages:  # what the whole selection lacks is offered above the views
            missing.offer(first, model)
        missing.offer(second, model)
    lacking = [side.corpus.name for side in (first, second) if not side.served]
    if lacking:
        st.caption(f"Nothing of this is computed on {verbatim(' and '.join(lacking))} yet: there is nothing to compare with.")
        return
    titles = {entry.id: title for title, entry in kept.items()}
    _draw(first, second, model, (titles[selection.corpus.id], name), metric)


def _choose(selection: Selection, others: list[str]) -> tuple[str, Model]:
    models = {model.name: model for model in selection.models}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = select("B: the corpus", others, "other_corpus", width=330)
        swap.button("corpus", "other_corpus")
        model = select("Model", list(models), "compare_model", width=330)
    return name, models[model]


def about_languages(chosen: tuple[str, ...], tags: list[str], other: str) -> str:
    """Return which of the languages chosen both corpora have, and which are left out, in words (Markdown)."""
    both = [tag for tag in chosen if tag in tags]
    without = [tag for tag in chosen if tag not in tags]
    left_out = f" Left out, since {verbatim(other)} lacks {'it' if len(without) == 1 else 'them'}: {_named(without)}."
    if len(both) < 2:
        have = f"Only {_named(both)} is" if both else "None of the languages chosen is"
        return f"{have} in {verbatim(other)} too, and ABX needs two languages. Choose more languages or another corpus."
    return f"Over the {count(len(both), 'language')} in both: {_named(both)}." + (left_out if without else "")


def _named(tags: list[str]) -> str:
    return verbatim(several([language(tag).name for tag in tags], LISTED))


def _draw(first: Selection, second: Selection, model: Model, titles: tuple[str, str], metric: str) -> None:
    layers = first.layers_of(model)
    named = list(zip((first, second), titles, strict=True))
    known = {title: recipes.coverage(side) for side, title in named}
    of = {title: (recipes.shards(side, known[title]), known[title]) for side, title in named}
    read = partial(
        abx_frames.sides_by_corpus,
        workspaces=workspaces(),
        sides=of,
        languages=list(first.languages),
        **recipes.pairs_chosen(first),
    )
    recipe = Recipe((read, partial(rows_with, metric=[metric], layer=layers)))
    data = cooked.rows(recipe)
    sentences = [int(data.loc[data[SIDE] == title, "n"].min()) for title in titles]
    if sentences[0] != sentences[1]:
        harder = " Retrieval is harder among more sentences, whatever the model." if metric == "retrieval_top1" else ""
        st.caption(f"{sentences[0]:,} sentences against {sentences[1]:,}.{harder}")
    checkpoints = first.checkpoints(model)
    named_steps = named_checkpoints(checkpoints, first.by)
    layout = Layout(
        row="layer",
        column="label",
        rows={layer: str(layer) for layer in layers},
        columns={each.label: named_steps[each.fingerprint] for each in checkpoints},
        row_title=LAYER,
        column_title=checkpoint_axis(checkpoints, first.by),
    )
    evidence = OverSentences(first, (), apart=True)
    side_by_side.draw(recipe, titles, layout, measured.compared(metric), evidence, measured.fit(metric))
