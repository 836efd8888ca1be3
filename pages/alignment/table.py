"""Models × language pairs at the first, best and last layer, and the paper's numbers (tables I, III and IV)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.experiments.alignment import queries as alignment_queries
from isogloss.backend.experiments.alignment.printed import tables as printed
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.experiments.seeds_together import means_of_seeds, named_by_seeds
from isogloss.backend.figures import alignment as figures
from isogloss.backend.metrics.intervals import Bounds
from isogloss.backend.metrics.retrieval.options import TASKS, Task
from isogloss.backend.models.entry import POOLINGS, Checkpoint, Model
from isogloss.backend.models.static.library import StaticSet
from isogloss.backend.option import within_sentence
from isogloss.pages.alignment import baseline, frames
from isogloss.pages.alignment.cards import card
from isogloss.pages.alignment.selection import MOST, Selection
from isogloss.pages.widgets.choosing import seeds
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

TABLE_IV: Task = "strong_self"
"""The protocol of strong alignment that made table IV."""
PAPER = {"word": "Gaschi et al. 2022, tables III and IV", "sentence": "Gaschi et al. 2022, table I"}


def draw(selection: Selection) -> None:
    """Draw the table of each model's last computed checkpoint, the printed rows below where wanted."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = frames.choose_measure()
        paper = st.toggle("The paper's numbers", key="paper", bind="query-params", help=f"{PAPER[selection.unit]}. {SETTING}")
        static = baseline.toggle(selection)
        last = [(model, computed[-1]) for model in selection.models if (computed := selection.computed(model))]
        groups = seeds.choose([model for model, _ in last])
    baseline.offer(selection, static)
    if selection.directions > MOST:
        st.info(
            f"A table of {selection.directions:,} directions cannot be read: choose fewer languages, or *Matrix*.",
            icon=":material/grid_on:",
        )
        return
    variants = vectors_of(selection, last)
    steps = _means(groups, bounds_of(selection.metric(measure)))
    recipe = frames.recipe(
        selection, alignment_queries.pairs, *steps, of=last, measures=[measure], variants=list(variants) or None
    )
    data = cooked.rows(recipe)
    if data.empty:
        frames.say_empty(selection)
    tables = [
        of_model(part, f"{name}{named}")
        for name in (group.name for group in groups)
        for part, named in by_vector(data[data["model"] == name], variants)
    ]
    rows = pd.concat([*(of_static(selection, measure, each) for each in static), *tables], ignore_index=True)
    if paper:
        rows = pd.concat([rows, of_paper(selection, measure)], ignore_index=True)
        if selection.unit == "word" and measure == "strong" and selection.strong != TABLE_IV:
            st.caption(f"Table IV was made with other candidates: choose “{TASKS[TABLE_IV]}” to lay it beside.")
    wide = in_cells(rows)
    st.dataframe(wide, hide_index=True, key="alignment-table", alt=f"{figures.MEASURES[measure]} by model and language pair")
    st.caption(
        f"{figures.MEASURES[measure]}, percent of {selection.unit}s, higher = better aligned; query language → "
        f"candidate language. ± is the standard deviation over {'seeds, or over runs' if seeds.some(groups) else 'runs'}. "
        "Best: each pair's best layer, its number in brackets. "
        f"Checkpoint: {', '.join(verbatim(model.titled(checkpoint)) for model, checkpoint in last)}."
    )
    figure.beside(
        name=f"{figures.MEASURES[measure]} of {selection.unit}s first best last",
        data=data,
        card=card(selection),
        recipe=recipe,
    )


def _means(groups: Sequence[Group], bounds: Bounds) -> list[partial[pd.DataFrame]]:
    """Return what puts the seeds of a model into one; nothing where each model is one by itself."""
    called = {model.name: group.name for group in groups if group.is_several for model in group.models}
    if not called:
        return []
    names, keys = list(dict.fromkeys(called.values())), ["model", "measure", "variant", "layer", "source", "target"]
    return [partial(named_by_seeds, names=called), partial(means_of_seeds, names=names, keys=keys, bounds=bounds)]


SETTING = "WMT19 sentences, MUSE dictionaries, 5,000 pairs per run and 10 runs, other models: compare trends, not digits."


def vectors_of(selection: Selection, last: list[tuple[Model, Checkpoint]]) -> dict[str, str]:
    """Return the kinds of sentence vector by their variant, both in one table as in table I; nothing for words."""
    if selection.unit == "word" or not last:
        return {}
    kinds: dict[str, str] = {}
    for model, checkpoint in last:
        spec = selection.spec(model, [checkpoint])
        assert isinstance(spec, SentenceAlignmentSpec)
        kinds |= {spec.variant(pooling): f" · {within_sentence(POOLINGS[pooling])}" for pooling in spec.poolings}
    return kinds


def by_vector(rows: pd.DataFrame, variants: dict[str, str]) -> list[tuple[pd.DataFrame, str]]:
    """Return the rows of each kind of vector with its name, the first token before the mean; all where there is one kind."""
    if not variants:
        return [(rows, "")]
    kinds = list(dict.fromkeys(reversed(variants.values())))
    return [(rows[rows["variant"].map(variants) == named], named) for named in kinds]


def of_static(selection: Selection, measure: str, each: StaticSet) -> pd.DataFrame:
    """Return a set of static vectors as rows of the table: it has no layer."""
    found = baseline.pairs_of(selection, measure, each)
    average = ", average" if selection.unit == "sentence" else ""
    return found.assign(model=f"{each.name}{average}", layer="", at=None)[COLUMNS]


COLUMNS = ["model", "layer", "at", "source", "target", "value", "deviation"]


def of_model(data: pd.DataFrame, model: str) -> pd.DataFrame:
    """Return the first, best and last layer of each directed pair: model, layer, at, source, target, value, deviation."""
    layers = []
    for (source, target), each in data.groupby(["source", "target"]):
        chosen = {
            "first": each.iloc[each["layer"].argmin()],
            "best": each.iloc[each["value"].argmax()],
            "last": each.iloc[each["layer"].argmax()],
        }
        for layer, row in chosen.items():
            shown = {"model": model, "layer": layer, "at": int(row["layer"]), "source": source, "target": target}
            layers.append(shown | {"value": row["value"], "deviation": row["deviation"]})
    return pd.DataFrame(layers, columns=COLUMNS)


def of_paper(selection: Selection, measure: str) -> pd.DataFrame:
    """Return the paper's rows for the pairs that are chosen; sentences have weak alignment alone.

    Table IV (strong) is there only beside one's own by the protocol that made it.
    """
    if selection.unit == "sentence":
        rows = printed.sentences() if measure == "weak" else printed.sentences().head(0)
        rows = rows.assign(model=rows["model"].where(rows["layer"] == "", "mBERT " + rows["model"]))
    else:
        rows = printed.words("strong" if measure == "strong" else "weak")
        rows = rows.head(0) if measure == "strong" and selection.strong != TABLE_IV else rows
    shown = {(row.source, row.target) for row in rows.itertuples()} & {
        ends for pair in selection.pairs for ends in selection.directed(pair)
    }
    rows = rows[[(row.source, row.target) in shown for row in rows.itertuples()]] if len(rows) else rows
    return rows.assign(model=rows["model"] + f" ({printed.PAPER})", at=None)


def in_cells(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per model and layer, a column a directed pair: `83.2 ± 0.5 (8)`."""
    if rows.empty:
        return pd.DataFrame(columns=["Model", "Layer"])
    cells = rows.assign(cell=[_cell(row) for row in rows.itertuples()], pair=rows["source"] + " → " + rows["target"])
    order = {name: place for place, name in enumerate(dict.fromkeys(cells["model"]))}
    layers = {"": 0, "first": 1, "best": 2, "last": 3}
    wide = cells.pivot(index=["model", "layer"], columns="pair", values="cell").fillna("–").reset_index()
    wide = wide.sort_values(
        ["model", "layer"], key=lambda column: column.map(order if column.name == "model" else layers), ignore_index=True
    )
    return wide.rename(columns={"model": "Model", "layer": "Layer"}).rename_axis(columns=None)


def _cell(row: object) -> str:
    value, deviation, at, layer = (getattr(row, name) for name in ("value", "deviation", "at", "layer"))
    text = f"{100 * value:.1f}" if pd.notna(value) else "–"
    text += f" ± {100 * deviation:.1f}" if pd.notna(deviation) else ""
    return text + (f" ({int(at)})" if layer == "best" and pd.notna(at) else "")
