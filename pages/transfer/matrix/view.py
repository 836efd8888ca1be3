"""Source × target matrices of IGap, test accuracy, transfer gap and their asymmetry (figures 2 and 4 to 6)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.charts.parts.colourbar import is_narrow
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.experiments.transfer.curves import Direction
from isogloss.backend.experiments.transfer.directions import Measure
from isogloss.backend.experiments.transfer.guessing import CHANCE
from isogloss.backend.experiments.words import several
from isogloss.backend.figures.collapsed_directions import lines_of
from isogloss.backend.figures.ordering import Axes, grid
from isogloss.backend.figures.ordering import axes as ordered_axes
from isogloss.backend.figures.transfer import matrices as figures
from isogloss.pages.transfer.matrix import difference, fine_tuned, printed_matrix
from isogloss.pages.transfer.shared import directions, frames, guesses, lacking, together
from isogloss.pages.transfer.shared.directions import Asked
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.transfer.shared.together import Together
from isogloss.pages.transfer.views import examples
from isogloss.pages.widgets.choosing import more, opened, ordering, swap
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.choices import select, start_index
from isogloss.pages.widgets.figures import colours, figure
from isogloss.pages.widgets.words import verbatim

ASYMMETRY = "Asymmetry"
PRINTED = "Printed: the transfer gap of XLM-R on XNLI, 15 × 15."


def draw(selection: Selection) -> None:
    """Draw a matrix a model, their difference where two are compared, and the paper's where wanted."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shown = st.container(horizontal=True, vertical_alignment="bottom", width="content")
        options = more.view_options()
        with shown:
            asked = _asked(selection, options)
            of = together.choose(selection)
    known = of.models_by_name
    with options:
        most = _most(selection)
        order = ordering.choose(len(most))
        open_groups = opened.choose_open(most, order)
        pinned = ordering.choose_pinned(list(dict.fromkeys([*selection.sources, *selection.targets])))
        shared = len(known) > 1 and st.toggle("One colour scale", value=True, key="shared_scale", bind="query-params")
        fitted = colours.fitted("from nothing lost to chance, or from chance to all right, where chance is known")
        pair = _compared(list(known))
        # It is a transfer gap: never unasked under another measure.
        alike = selection.runs.empty and asked.measure == "gap" and not asked.asymmetric
        paper = st.toggle("The paper's figure 6", value=alike, key="figure6", bind="query-params", help=PRINTED)
    _own(of, asked, order, open_groups, pinned, shared=shared, fitted=fitted, pair=pair)
    fine_tuned.draw(selection)
    if paper:
        printed_matrix.draw(order)


def _asked(selection: Selection, options: DeltaGenerator) -> Asked:
    """Return the measure, what it is the asymmetry of, and the window of IGap, which needs translated training examples.

    The window stands in `options`; the words above the figure say which it is.
    """
    there = selection.data.translated
    names: dict[str, Measure] = {name: each for each, name in directions.NAMES.items() if there or each != "igap"}
    key = "transfer" if there else "transfer_tested"  # a default of its own
    offered = [*names, *([ASYMMETRY] if there else [])]  # one language trained on has no way back
    usual = directions.NAMES["gap"] if selection.runs.empty else next(iter(names))  # without runs, what the paper printed
    chosen = select("Measure", offered, key, width=200, index=offered.index(usual))
    if asymmetric := chosen == ASYMMETRY:
        chosen = st.selectbox("of", list(names), key="asymmetry", bind="query-params", width=150)
    measure = names[chosen]
    if measure != "igap":
        return Asked(measure, asymmetric)
    return Asked(measure, asymmetric, *frames.window(options))


def _compared(names: list[str]) -> tuple[str, str] | None:
    """Two models, the first of which less the second is drawn; None without."""
    if len(names) < 2:
        return None
    kept = [None, *names]
    index = start_index("compared", kept) or None
    none, what = "No two models", "Draws the difference of two models, A − B."
    first = st.selectbox(
        "Compare models", names, index, key="compared", help=what, placeholder=none, bind="query-params", width=240
    )
    if first is None:
        return None
    others = [name for name in names if name != first]
    second = select("with", others, "compared_with", width=240)
    swap.button("compared", "compared_with")
    return first, second


def _own(
    of: Together,
    asked: Asked,
    order: str,
    open_groups: list[str] | None,
    pinned: tuple[str, ...],
    *,
    shared: bool,
    fitted: bool | None,
    pair: tuple[str, str] | None,
) -> None:
    selection = of.selection
    if selection.runs.empty:
        frames.say_empty()
        return
    gaps = directions.directions_of_selection(selection, asked, of.names)
    if gaps.empty:
        st.info(_nothing(selection, asked), icon=":material/info:")
        return
    if asked.measure == "igap":
        lacking.offer(selection, asked.at, asked.epsilon)
    runs_of = set(selection.runs["source"])
    trained = [tag for tag in selection.sources if tag in runs_of]
    axes = ordered_axes(order, gaps, trained, selection.targets, pinned, highest_first=asked.higher_is_better)
    known = of.models_by_name
    of_models = {name: transfer_frames.rows_of_model(gaps, BY, model) for name, model in known.items()}
    st.caption(_caption(selection, asked))
    if untrained := [name_of(tag) for tag in selection.sources if tag not in runs_of]:
        st.caption(f"No run is trained on {verbatim(several(untrained))}: no row.")
    if pair:
        difference.draw(of, asked, axes, gaps, pair, order, open_groups)
    scale = _range(selection, asked)
    if fitted is None:
        percents = 100 * gaps["value"]
        fitted = scale is not None and is_narrow((percents.min(), percents.max()), scale)
    least = None if fitted else scale
    if shared:
        least = figures.ends(asked, [grid(rows, axes, name) for name, rows in of_models.items()], least)
    for name, rows in of_models.items():
        _model(of, asked, axes, rows, name, least, fitted, order, open_groups)
    of.tell()


def _model(
    of: Together,
    asked: Asked,
    axes: Axes,
    rows: pd.DataFrame,
    name: str,
    least: tuple[float, float] | None,
    fitted: bool,
    order: str,
    open_groups: list[str] | None,
) -> None:
    selection, of_model = of.selection, set(rows["source"])
    untrained = [name_of(tag) for tag in axes.rows if tag not in of_model]
    axes = axes.with_rows(of_model)
    drawn = partial(
        figures.matrix,
        asked=asked,
        axes=axes,
        title=name,
        framed=_framed(of, asked, name, rows),
        runs=directions.runs_behind(selection, asked, rows),
        reached=directions.reached(selection, asked, rows),
        chance=guesses.percent(directions.guessed(selection, asked)).get(CHANCE),
        at_least=least,
        fitted=fitted,
        order=order,
        opened=open_groups,
    )
    down, across = (lines_of(list(own), order, open_groups, axes.pinned) for own in (axes.rows, axes.columns))
    custom = [[_cell(name, row, column) for column in across] for row in down]
    picked = figure.show(
        drawn,
        name=f"{asked.name} {name} source by target",
        data=rows,
        card=directions.card_of(asked),
        recipe=directions.recipe(
            selection,
            asked,
            partial(transfer_frames.rows_of_model, by=BY, model=list(of.models_by_name[name])),
            seeds=of.names,
        ),
        alt=f"{asked.name} of {name} from every source language to every target language",
        clicks=lambda drawn: clickable(drawn, custom),
    )
    if untrained and not asked.asymmetric:
        st.caption(f"{verbatim(name)} is not trained on {verbatim(several(untrained))}: no row.")
    if why := directions.lacking(selection, asked, rows):
        st.caption("Without a value. " + verbatim(" ".join(why)))
    if picked and len(picked) < 3:
        opened.follow(picked, "Matrix", open_groups)
    elif picked:
        model, source, target = picked
        _open(selection, asked, rows, of.one_of(model, source), source, target)


def _cell(name: str, row: tuple[str, str | None], column: tuple[str, str | None]) -> list[str] | None:
    """Return what a click on a cell asks for: a direction's examples, or its groups to be opened; None of a language itself."""
    if row[1] and column[1]:
        return None if row[1] == column[1] else [name, row[1], column[1]]
    return [group for group, tag in (row, column) if tag is None]


def _most(selection: Selection) -> list[str]:
    """Return the languages of the longer axis."""
    return list(selection.targets if len(selection.targets) >= len(selection.sources) else selection.sources)


def _framed(of: Together, asked: Asked, name: str, rows: pd.DataFrame) -> list[Direction]:
    """Return the directions from the best source of each target, where it is told from the next and from a guess."""
    if asked.asymmetric:
        return []
    if of.is_several(name):
        leading = directions.leading_of(of.selection, asked, rows)
    else:
        leading = transfer_frames.rows_of_model(directions.leading(of.selection, asked), BY, of.models_by_name[name])
    return list(zip(leading["source"].tolist(), leading["target"].tolist(), strict=True))


def _open(selection: Selection, asked: Asked, rows: pd.DataFrame, model: str, source: str, target: str) -> None:
    """The examples behind a cell: of the training part at IGap's record, or of the validation part at the end of a run."""
    direction = {"at_model": model, "pair_source": source, "pair_target": target}
    if asked.measure == "igap":
        open_cell("Examples", **direction, at_part="Training", at_record=examples.AT_IGAP)
    runs = transfer_frames.rows_of_model(selection.runs, BY, selection.models_by_name[model])
    runs = runs[runs["source"] == source]
    if "learning_rate" in rows and (chosen := rows.loc[rows["source"] == source, "learning_rate"]).size:
        runs = runs[runs["learning_rate"] == chosen.iloc[0]]
    if len(runs):
        first = runs.sort_values(["learning_rate", "seed"]).iloc[0]
        direction |= {"at_run": examples.run_name(first["learning_rate"], first["seed"])}
    open_cell("Examples", **direction, at_part="Validation", at_record=examples.LAST)


def _range(selection: Selection, asked: Asked) -> tuple[float, float] | None:
    """Return what the colours reach at least, in percent: from nothing lost to chance, or from chance to all right.

    Else a model at chance would have all colours. A transfer gap at chance is that of a model without errors in the source.
    """
    guess = None if asked.asymmetric else guesses.guess_for(selection)
    if guess is None:
        return None
    if asked.measure == "accuracy":
        return guesses.percent(guess.accuracies())[CHANCE], 100.0
    return 0.0, guesses.percent(guess.errors(asked.at if asked.measure == "igap" else 0.0))[CHANCE]


def _caption(selection: Selection, asked: Asked) -> str:
    window = f" at {asked.window}" if asked.window else ""
    marked = "" if asked.asymmetric else f" Framed: {asked.framed}."
    levels = directions.guessed(selection, asked)
    guessed = f" Baselines: {guesses.guess_text(levels)}." if levels else ""
    blank = "" if asked.measure == "accuracy" else " Blank: a language and itself."
    return f"{verbatim(asked.name)}{window}, {asked.unit}.{guessed}{marked}{blank} Click on a cell: its examples."


def _nothing(selection: Selection, asked: Asked) -> str:
    if asked.asymmetric and not directions.directions_of_selection(selection, replace(asked, asymmetric=False)).empty:
        return "Asymmetry needs two languages that are both trained on and evaluated in, with a value both ways."
    if asked.measure != "igap":
        return directions.why_untested(selection)
    return "The languages trained on are not evaluated in any other. Choose more under “Evaluated in”."
