"""XferBench as it is printed, on figures and scales of its own: it opens where nothing is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.card import Card
from isogloss.backend.boards.recipe import Recipe, argument
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.sources.groups import Group
from isogloss.backend.experiments.xferbench import correlations as source_correlations
from isogloss.backend.experiments.xferbench import frames as xferbench_frames
from isogloss.backend.experiments.xferbench import hypotheses as found_hypotheses
from isogloss.backend.experiments.xferbench.printed import tables as published
from isogloss.backend.figures.emergent import benchmark, cells, translation
from isogloss.pages.emergent.benchmark import hypotheses
from isogloss.pages.emergent.benchmark.cards import CELLS, HYPOTHESES, SCORE, TRANSLATION, WRITING
from isogloss.pages.emergent.translation.cards import AGAINST
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim

TABLES = {
    "Scores": "Table 5, scores (figure 2)",
    "Cells": "Table 5, source × target",
    "Normalised": "Table 5, normalised",
    "figure 3": "Figure 3, translation and scores",
    "table 2": "Table 2, translation: chrF",
    "table 4": "Table 4, translation: BLEU",
    "table 7": "Table 7, writing systems",
    "table 8": "Table 8, types of writing",
    "table 1": "Table 1, emergent languages",
    "section 4.4": "Section 4.4, hypotheses",
    "section 4.3": "Section 4.3, success of the games",
    "table 3": "Table 3, GPU-hours",
    "section 3.3": "Section 3.3, time of a run",
}
OF: dict[str, Group] = {"Random": "random", "No pretrain": "none"}
"""What the paper's baselines are called here."""


def draw() -> None:
    """Draw one printed table, chosen by the reader. No corpus is needed."""
    asked = "figure 3" if st.query_params.get("view") == "Translation" else next(iter(TABLES))  # without a corpus, of any view
    table = st.selectbox(
        "Printed (Boldt & Mortensen 2024)",
        list(TABLES),
        index=list(TABLES).index(asked),
        format_func=TABLES.__getitem__,
        key="printed_table",
        bind="query-params",
        width=320,
    )
    match table:
        case "Scores":
            leaderboard_figure(grouped=True)
        case "Cells" | "Normalised":
            matrix_figure(normalised=table == "Normalised")
        case "figure 3":
            translation_figure("chrF")
        case "table 2" | "table 4":
            _translation(table)
        case "table 7" | "table 8":
            writing_figure(table)
        case "section 4.4":
            _hypotheses()
        case "section 4.3":
            share = st.column_config.NumberColumn(format="%.2g")
            named = dict.fromkeys(["Success", "Chance", "Attributes", "Attribute chance"], share)
            _plain(table, published.successes, "Share of objects found or named; higher = better.", named)
        case "table 3":
            _plain(table, published.compute, "Estimated hours of an NVIDIA RTX 2080 Ti.")
        case "section 3.3":
            _plain(table, published.times, published.price("xferbench"))
        case _:
            _plain("table 1", published.emergent_languages, "Corpus size in tokens, to two digits.")


def leaderboard_figure(*, grouped: bool) -> None:
    """Draw the scores of table 5, with intervals computed from it: the paper prints them as a picture alone."""
    title = "XferBench as printed (table 5)"
    drawn = partial(benchmark.leaderboard, title=title, grouped=grouped, baseline="No pretrain", form=".2f")
    figure.draw(
        _scores(xferbench_frames.leaderboard, method="bca").with_chart(drawn),
        name="XferBench leaderboard as printed",
        card=SCORE,
        alt="The printed XferBench scores with 95% intervals, lower is better",
    )
    _note("table 5", "Intervals (appendix E) are computed here from the table; with ten targets they are too short.")


def matrix_figure(*, normalised: bool) -> None:
    """Draw the cells of table 5, raw (nats) or normalised."""
    recipe = _scores(xferbench_frames.normalise)
    targets = {text: text.partition("/")[2] for text in sorted(cooked.rows(recipe)["text"].unique())}
    title = "XferBench as printed (table 5)"
    figure.draw(
        recipe.with_chart(partial(cells.cells, targets=targets, normalised=normalised, title=title)),
        name=f"XferBench cells as printed, {'normalised' if normalised else 'raw'}",
        card=CELLS,
        alt="The printed cross-entropy from every source to every target",
    )
    _note("table 5", "Normalised here from the table." if normalised else "")


def _scores(step: Callable[..., pd.DataFrame], **more: Any) -> Recipe:
    """Return the recipe of what `step` makes of table 5 and its sources' names and groups."""
    return Recipe((partial(published.cells), _named(step, **more)))


def _named(step: Callable[..., pd.DataFrame], **more: Any) -> partial[pd.DataFrame]:
    """`step` with the names of the sources of table 5, and their groups."""
    table = published.cells()
    groups = dict(zip(table["source"], table["group"], strict=True)) | OF
    return partial(step, names={name: name for name in groups}, groups=groups, **more)


def translation_figure(metric: str) -> None:
    """Draw figure 3 from tables 2 (chrF) or 4 (BLEU) and 5."""
    table = "table 2" if metric == "chrF" else "table 4"
    numbers = published.correlations()
    told = dict(zip(numbers["setting"], numbers["value"], strict=True)) if metric == "chrF" else {}
    title = f"Translation and XferBench as printed ({table} and table 5)"
    joined = _named(source_correlations.join_translation_scores, metric=metric)
    recipe = Recipe((partial(published.translations), partial(joined, cells=argument(partial(published.cells)))))
    figure.draw(
        recipe.with_chart(partial(translation.against_xferbench, metric=metric, title=title, told=told)),
        name=f"Translation against XferBench as printed, {metric}",
        card=AGAINST,
        alt=f"The printed {metric} against the printed XferBench scores, a point a source, a panel a setting",
    )
    of = "the printed correlations are in brackets." if told else "the paper prints no correlation of BLEU."
    _note(table, f"English–French. Correlations are computed here; {of}")


def _translation(table: str) -> None:
    recipe = _rows(published.translation, table)
    data = cooked.rows(recipe)
    metric = str(data["metric"].iloc[0])
    wide = data.pivot(index="source", columns="setting", values="value")[list(published.SETTINGS)]
    shown = wide.loc[list(dict.fromkeys(data["source"]))].rename(columns=str.capitalize).rename_axis("Source").reset_index()
    formats = {
        name: st.column_config.NumberColumn(name, format="%.1f", help=f"{metric}, percent; higher = better.")
        for name in shown.columns[1:]
    }
    _table(table, shown, recipe, TRANSLATION, f"{metric}, percent, higher = better; English–French.", formats)


def writing_figure(table: str) -> None:
    """Draw table 7 or 8 as a heatmap."""
    recipe = _rows(published.writing_systems, table)
    figure.draw(
        recipe.with_chart(partial(cells.printed_writing, title=f"As printed ({table})")),
        name=f"XferBench by {cooked.rows(recipe)['by'].iloc[0]} as printed",
        card=WRITING,
        alt=f"{TABLES[table]} as printed",
    )
    _note(table)


def _hypotheses() -> None:
    """Say what becomes of the hypotheses over the paper's own tables, decided as over one's own sources."""
    translations = argument(partial(published.translations))
    recipe = _scores(found_hypotheses.hypotheses, sizes=published.sizes(), translations=translations)
    hypotheses.tell(cooked.rows(recipe))
    figure.beside(name=f"{TABLES['section 4.4']} over the printed tables", card=HYPOTHESES, recipe=recipe)
    _note("section 4.4", "Decided here from tables 1, 2 and 5; the paper sees H2 and H3 supported in part.")


def _plain(table: str, read: Callable[[], pd.DataFrame], units: str, columns: Mapping[str, Any] | None = None) -> None:
    """Tabulate what is printed as it is."""
    recipe = _rows(read, table)
    shown = cooked.rows(recipe).drop(columns="table")
    _table(table, shown.rename(columns=lambda name: str(name).replace("_", " ").capitalize()), recipe, SCORE, units, columns)


def _table(table: str, shown: pd.DataFrame, recipe: Recipe, card: Card, units: str, columns: Mapping[str, Any] | None) -> None:
    name = f"{TABLES[table]} as printed"
    st.dataframe(shown, hide_index=True, column_config=columns, key="printed-table", alt=name)
    figure.beside(name=name, card=card, recipe=recipe)
    _note(table, units, note=False)


def _note(table: str, more: str = "", *, note: bool = True) -> None:
    """Where it is printed, and the text that it was measured on."""
    said = f"{verbatim(published.source(table))}. {more}"
    st.caption(f"{said} {verbatim(published.NOTE)}" if note else said)


def _rows(read: Callable[[], pd.DataFrame], table: str) -> Recipe:
    """Return the recipe of the rows of one table among those that `read` gives."""
    return Recipe((partial(read), partial(rows_with, table=[table])))
