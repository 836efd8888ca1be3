"""Models and algorithms × target languages, one's own and as printed (tables 2 to 4 and 6 to 9)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.frames import rows_with
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.experiments.transfer.printed import tables as printed
from isogloss.backend.experiments.transfer.printed.tables import TABLES
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.transfer.asked import window_said
from isogloss.pages.transfer.shared import frames, lacking
from isogloss.pages.transfer.shared.cards import IGAP
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure

MODELS, HYPERPARAMETERS = "table 2", "table 4"
NAMES = {
    MODELS: "Table 2: models, averages",
    "table 3": "Table 3: algorithms, XNLI",
    HYPERPARAMETERS: "Table 4: hyper-parameters",
    "table 6": "Table 6: models, XNLI",
    "table 7": "Table 7: models, PAWS-X",
    "table 8": "Table 8: algorithms, PAWS-X",
    "table 9": "Table 9: models, XNLI + MNLI",
}
UNITS = "Percentage points of error, lower = better transfer; test accuracy in percent, higher = better."


def draw(selection: Selection) -> None:
    """Draw the workspace's IGap from one source, and a printed table below."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        at, epsilon = frames.window()
        english = selection.sources.index("en") if "en" in selection.sources else 0
        source = st.selectbox(
            "Trained on", selection.sources, english, language_name, "table_from", bind="query-params", width=200
        )
    _own(selection, source, at, epsilon)
    draw_printed()


def draw_printed() -> None:
    """Draw the paper's tables: they need no model and no data."""
    names, label = list(NAMES), "Printed (Chi, Huang & Mao 2023)"
    first = names.index("table 6")
    table = st.selectbox(label, names, first, NAMES.__getitem__, "printed", bind="query-params", width=320)
    _printed(table)


def _own(selection: Selection, source: str, at: float, epsilon: float) -> None:
    if selection.runs.empty:
        frames.say_empty()
        return
    lacking.offer(selection, at, epsilon)
    recipe = frames.recipe(
        selection,
        partial(rows_with, source=[source]),
        partial(transfer_frames.igaps_and_accuracies, by=BY, at=at, epsilon=epsilon),
    )
    of_source = cooked.rows(recipe)
    if of_source.empty:
        st.info(f"No run was trained on {language_name(source)}. Choose another language.", icon=":material/info:")
        return
    shown = wide(of_source, frames.names_of(selection, of_source))
    st.dataframe(
        shown,
        hide_index=True,
        column_config=_formats(shown),
        placeholder="–",
        key="transfer-table",
        alt="IGap by model and target language",
    )
    unknown = int(of_source["value"].isna().sum())
    st.caption(
        f"IGap from {language_name(source)} at {window_said(at, epsilon)}, by target; Mean: over the targets. "
        f"{UNITS}" + (f" –: no model in the window, or not evaluated there ({count(unknown, 'value')})." if unknown else "")
    )
    figure.beside(
        name=f"IGap from {source} by model and target",
        data=of_source,
        card=IGAP,
        recipe=recipe,
    )


def wide(found: pd.DataFrame, names: pd.Series) -> pd.DataFrame:
    """Return one row per model, a column a target, in percent; the mean is over all targets, missing where one is not known."""
    rows = []
    for name, own in found.assign(name=names).groupby("name", sort=False):
        cells = dict(zip(own["target"], 100 * own["value"], strict=True))
        means = {"Mean": 100 * own["value"].mean(skipna=False), "Accuracy": 100 * own["accuracy"].mean()}
        rows.append({"Model": name} | means | cells)  # the means first: fifteen languages are wider than a screen
    return pd.DataFrame(rows)


def _printed(table: str) -> None:
    if table == HYPERPARAMETERS:
        shown = printed.hyperparameters().drop(columns=["table"])
        st.dataframe(shown, hide_index=True, key="printed-table", alt="Hyper-parameters as printed")
        st.caption(f"{printed.source(table)}.")
        figure.beside(
            name="Hyper-parameters as printed",
            data=printed.hyperparameters(),
            card=IGAP,
            recipe=Recipe((partial(printed.hyperparameters),)),
        )
        return
    summary = printed.summaries()
    summary = summary[summary["table"] == table]
    gaps = next((each for each in TABLES if each == table), None)
    if gaps is not None:
        read = partial(printed.gaps, gaps)
        data, setting = read(), TABLES[gaps]
        where = f"{setting.task}, trained on English, {window_said(setting.at, setting.epsilon)}. "
        shown = as_printed(data, summary)
    else:
        read = partial(printed.summaries)
        data, where = summary, "Averages over all targets of XNLI and PAWS-X, trained on English. "
        shown = pd.DataFrame(
            {
                "Model": summary["model"] + ", " + summary["task"],
                "Printed average": 100 * summary["igap"],
                "Accuracy": 100 * summary["test_accuracy"],
            }
        )
    st.dataframe(shown, hide_index=True, column_config=_formats(shown), key="printed-table", alt=f"{NAMES[table]} as printed")
    divided = " The printed averages of tables 6 to 9, but for XLM-R in table 6, are sums divided by one language too few."
    st.caption(f"{printed.source(table)}. {where}{UNITS}{divided if table != 'table 3' else ''}")
    figure.beside(
        name=f"{NAMES[table]} as printed",
        data=data,
        card=IGAP,
        recipe=Recipe((read, partial(rows_with, table=[table]))),
    )


def as_printed(data: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """Return one row per model or algorithm as `wide` has them, and the average as the paper prints it."""
    by = "algorithm" if data["algorithm"].nunique() > 1 else "model"
    rows = []
    for name, own in data.groupby(by, sort=False):
        whole = summary[summary[by] == name].iloc[0]
        cells = dict(zip(own["target"], 100 * own["value"], strict=True))
        means = {"Mean": 100 * whole["mean"], "Printed average": 100 * whole["igap"], "Accuracy": 100 * whole["test_accuracy"]}
        rows.append({"Model": name if by == "model" else f"XLM-R, {name}"} | means | cells)
    return pd.DataFrame(rows)


def _formats(shown: pd.DataFrame) -> dict[str, Any]:
    numbers: dict[str, Any] = {
        name: st.column_config.NumberColumn(name, format="%.1f", help=_help(str(name)))
        for name in shown.columns
        if name != "Model"
    }
    return numbers | {"Model": st.column_config.TextColumn("Model", pinned=True)}


def _help(name: str) -> str:
    match name:
        case "Mean":
            return "IGap, mean over the targets; percentage points, lower = better transfer."
        case "Printed average":
            return "IGap averaged as the paper prints it; percentage points, lower = better transfer."
        case "Accuracy":
            return "Test accuracy, mean over the targets; percent, higher = better."
        case _:
            return f"IGap to {language_name(name)}; percentage points, lower = better transfer."
