"""One pair of languages at one layer: its numbers over the layers, and the sentences it confuses most."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.cards import BOTH
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.abx import confusions
from isogloss.backend.experiments.abx.confusions import ConfusionsSpec, Task
from isogloss.backend.experiments.gloss import with_gloss
from isogloss.backend.experiments.sentence_notes import sentence, with_notes
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.abx import against
from isogloss.pages.abx.against import Against
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.choosing import prefixes, seeds
from isogloss.pages.widgets.choosing.choices import segments, select
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.lists import category, gloss, lines, paging, sentence_notes
from isogloss.pages.widgets.lists.lines import line
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.workspace import guard, workspaces

TASKS: dict[Task, tuple[str, str, str]] = {
    "meaning": ("Meaning", "its translation", "another sentence"),
    "language": ("Language", "a sentence of its own language", "a sentence in the other language"),
}
GLOSSES = {"anchor_id": "anchor_gloss", "other_id": "other_gloss"}
SEEDS = {"language": "Language discrimination", "meaning": "Meaning discrimination", "retrieval": "Retrieval, top-1"}
"""Scores of a pair, and what each is called where those of several seeds stand below each other."""
NOTED = {"anchor_id": "", "other_id": "other_"}
"""What the columns of notes begin with."""
PAGE = 12
"""Triplets at once."""
KEPT = {f"{most} worst triplets": most for most in (20, 100, 500)}
"""Of each task and direction."""


def choose(selection: Selection) -> tuple[str, str]:
    """Return the two select boxes: the pair's languages, in the order chosen."""
    st.header("One pair", anchor="pair")
    tags = list(selection.languages)
    first, second = (selection.pairs or (tags[:2],))[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for key in ("pair_source", "pair_target"):
            if st.session_state.get(key) not in [None, *tags]:
                del st.session_state[key]
        source = st.selectbox(
            "Language",
            tags,
            index=tags.index(first),
            format_func=language_name,
            key="pair_source",
            bind="query-params",
            width=220,
        )
        target = st.selectbox(
            "and", tags, index=tags.index(second), format_func=language_name, key="pair_target", bind="query-params", width=220
        )
    return source, target


def draw(
    selection: Selection,
    at: tuple[Model, Checkpoint],
    layer: int,
    data: pd.DataFrame,
    pair: tuple[str, str],
    held: Against | None,
    by_seed: pd.DataFrame | None,
) -> None:
    """Draw the pair's ABX scores at this layer, and the sentences that a model's checkpoint (`at`) confuses most.

    `held` is what the model's scores are held against, said below those of the pair. Where `data` are means over seeds,
    `by_seed` are the rows of each.
    """
    (model, checkpoint), (source, target) = at, pair
    if source == target:
        st.caption("Choose two different languages.")
        return
    first, second = sorted((source, target))
    row = _of_pair(data, first, second)
    if row.empty:
        st.caption("This pair is not among those chosen.")
        return
    _numbers(row.iloc[0])
    if by_seed is not None:
        _each_seed(_of_pair(by_seed, first, second))
        seeds.tell_one(model, selection.models)
    if held is not None:
        against.tell_pair(held, (first, second), layer)
    _confusions(selection, checkpoint, layer, source, target, f"{model.name} {checkpoint.label} layer {layer}")


def _of_pair(data: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    return data[(data["source"] == first) & (data["target"] == second)]


def _each_seed(rows: pd.DataFrame) -> None:
    """Draw the pair's scores of each seed, a row a seed."""
    shown = rows[["model", *SEEDS]].rename(columns={"model": "Seed", **SEEDS})
    columns = {name: st.column_config.NumberColumn(format="%.3f") for name in SEEDS.values()}
    st.dataframe(shown, hide_index=True, column_config=columns, key="pair-seeds", alt="The pair's scores by each seed")


def _numbers(row: pd.Series) -> None:
    with st.container(horizontal=True):
        for name in ("language", "meaning"):
            interval = (
                f"{row[f'{name}_low']:.3f} to {row[f'{name}_high']:.3f}" if pd.notna(row[f"{name}_low"]) else "no interval"
            )
            st.metric(f"{name.capitalize()} discrimination", f"{row[name]:.3f}", interval, delta_color="off", delta_arrow="off")
        if pd.notna(row["retrieval"]):
            st.metric(
                "Retrieval, top-1",
                f"{row['retrieval']:.3f}",
                f"{int(row['n'])} sentences",
                delta_color="off",
                delta_arrow="off",
            )


def _confusions(selection: Selection, checkpoint: Checkpoint, layer: int, source: str, target: str, title: str) -> None:
    spec = ConfusionsSpec(
        checkpoint=checkpoint,
        corpus=selection.corpus.id,
        languages=selection.languages,
        sentences=selection.options["sentences"],
        pooling=selection.pooling([checkpoint]),
        layer=layer,
        source=source,
        target=target,
        k=KEPT[select("Show", list(KEPT), "kept", width=230)],
        prefix=prefixes.at(selection.prefixes, [checkpoint]),
        removed=selection.options["removed"],
        rank=selection.options["rank"],
    )
    sentence = "Most confused sentences of this pair: not computed yet."
    load = partial(confusions.load_either_way, spec=spec, workspaces=workspaces())
    if compute.loaded(load, spec, sentence) is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        task = segments("Confused in", {name: words for name, (words, *_) in TASKS.items()}, "task", "meaning")
        third = gloss.choose(selection.corpus.tags, (source, target), parallel=not selection.corpus.names_only)
        noted = sentence_notes.known(spec.corpus)
        tag = sentence_notes.choose(noted)
    steps = [
        partial(confusions.of_task, task=task, source=source),
        partial(confusions.with_categories, corpus=spec.corpus, workspaces=workspaces()),
        *([partial(with_gloss, corpus=spec.corpus, language=third, of=GLOSSES, workspaces=workspaces())] if third else []),
        partial(with_notes, corpus=spec.corpus, of=NOTED, tag=tag, workspaces=workspaces()),
    ]
    recipe = Recipe((load, *steps))
    with guard():
        rows = cooked.rows(recipe)
    _sentences(spec, rows, task, third, noted, filtered=tag is not None)
    figure.beside(name=f"Confused sentences {title} {source} {target} {task}", data=rows, card=BOTH, recipe=recipe)


def _lies(margin: float) -> str:
    """Say how near the sentence of a triplet lies that should be farther: the most confused ones are not all errors."""
    return "is nearer" if margin < 0 else "is farther" if margin > 0 else "is as near"


def _sentences(
    spec: ConfusionsSpec, rows: pd.DataFrame, task: Task, third: str | None, noted: sentence_notes.Known, *, filtered: bool
) -> None:
    """Draw the triplets page by page, each with its category and, in the language `third`, with its glosses."""
    _, right, wrong = TASKS[task]
    st.caption(
        f"Each sentence, {right}, and {wrong}. Margin: similarity to the first − similarity to the second; below 0 is an error."
    )
    if filtered and rows.empty:
        st.info("No triplet here has this tag.", icon=":material/filter_alt_off:")
    elif not filtered and (rows["margin"] >= 0).all():
        st.success("No triplet of this pair is wrong at this layer.", icon=":material/check_circle:")
    names = set(rows["category"]) - {""}
    keys = confusions.keys(spec.corpus, rows)
    right_language = spec.target if task == "meaning" else spec.source
    where, on_page = paging.paged(len(rows), PAGE)
    for place, triplet in list(enumerate(rows.to_dict("records")))[on_page]:
        with where, st.container(border=True):
            line(triplet["anchor"], spec.source)
            lines.gloss(triplet["anchor_gloss"] if third else "", third or spec.source)
            line(triplet["right"], right_language, f"should be nearer · {triplet['similarity_right']:.3f}")
            line(
                triplet["wrong"],
                spec.target,
                f"{_lies(triplet['margin'])} · {triplet['similarity_wrong']:.3f} · margin {triplet['margin']:+.3f}",
            )
            lines.gloss(triplet["other_gloss"] if third else "", third or spec.source)
            on = {
                "Sentence": sentence(spec.corpus, triplet["anchor_id"]),
                "Other one": sentence(spec.corpus, triplet["other_id"]),
            }
            box = partial(category.box, keys[place], triplet["category"], names) if triplet["margin"] < 0 else None
            sentence_notes.below(on, noted, place, box)
