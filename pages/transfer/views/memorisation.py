"""How fast labels are learned by heart when a share of them is replaced at random, and IGap beside it (figure 3)."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from backend.charts.curves import curves
from backend.charts.gap_curves import gap_curves
from backend.charts.parts.theme import colours_of
from backend.experiments.frames import rows_with
from backend.experiments.transfer import curves as transfer_curves
from backend.experiments.transfer import frames as transfer_frames
from backend.experiments.transfer import summary as transfer_summary
from backend.experiments.words import count
from pages.transfer.shared import frames, points
from pages.transfer.shared.cards import IGAP, MEMORISATION
from pages.transfer.shared.selection import BY, Selection
from pages.widgets import figure, notebook
from pages.widgets.choices import select
from pages.widgets.keyed import BY_KEY, Keyed
from pages.widgets.selecting import language_name

OWN = [name for name in BY if name != "corruption"]
"""What tells models apart here: a line is a corruption."""
OVER = "Epochs: the last record point of each."
X = "Labels replaced at random (%)"
HOW = (
    "No run with replaced labels is computed: open “Train models” above and choose shares in “Labels replaced at random”, "
    "such as 0%, 50% and 100%."
)


def draw(selection: Selection) -> None:
    """Draw the training error over training and, beside it, IGap by the share of labels replaced."""
    runs = selection.runs_of_any_corruption
    with st.container(horizontal=True, vertical_alignment="bottom"):
        over = st.segmented_control(
            "Over", ["Epochs", "Steps"], default="Epochs", key="memory_over", bind="query-params", required=True, help=OVER
        )
        picked = _model_and_source(selection, runs) if not runs.empty else None
        at, epsilon = frames.window()
    if picked is None:
        frames.say_empty()
        return
    if not (runs["corruption"] > 0).any():
        st.info(HOW, icon=":material/info:")
    model, source = picked
    left, right = st.columns(2)
    with left:
        _training(selection, model, source, over)
    with right:
        _igap(selection, source, at, epsilon)


def _model_and_source(selection: Selection, runs: pd.DataFrame) -> tuple[pd.Series, str]:
    """Return a model by what tells it apart, `OWN`, and a language that it was trained on."""
    models = runs.drop_duplicates(OWN)[OWN]
    by_name = dict(zip(frames.names_of(selection, models, OWN), models.to_dict("records"), strict=True))
    names = list(by_name)
    name = names[0]
    if len(names) > 1:
        name = select("Model", names, "at_model", width=280)
    model = pd.Series(by_name[name])
    sources = sorted(set(runs[(runs[OWN] == model).all(axis=1)]["source"]))
    return model, select("Trained on", sources, "pair_source", named=language_name, width=200)


def _training(selection: Selection, model: pd.Series, source: str, over: str) -> None:
    """Training error over training, a line a corruption."""
    found = _memorised(frames.keyed_errors(selection, corrupted=True))
    steps = [partial(rows_with, source=[source]), partial(transfer_frames.rows_of_model, by=OWN, model=model.tolist())]
    steps += [partial(transfer_frames.last_of_epochs)] if over == "Epochs" else []
    data = notebook.apply(found, *steps)
    percent = {name: 100 * data[name] for name in ("value", "low", "high")}
    drawn = curves(
        data.assign(line=[f"{share:.0%} replaced" for share in data["corruption"]], n=data["runs"], **percent),
        x="epoch" if over == "Epochs" else "step",
        value_title="Training error (% of training examples; lower = more memorised)",
        title="Training error over training",
        colours=colours_of(each.name for each in selection.everything),
        chance=None,
        n_title="Runs",
        interval="Least to greatest",
        height=480,
    )
    figure.show(
        drawn,
        name=f"Training error over {over.lower()}, labels replaced",
        data=data,
        card=MEMORISATION,
        snippet=frames.python(selection, partial(transfer_summary.memorisation, by=BY), *steps, corrupted=True),
        alt="Training error over training, a line for each share of labels replaced",
    )


@st.cache_resource(show_spinner=False, max_entries=8, hash_funcs=BY_KEY)
def _memorised(errors: Keyed[pd.DataFrame]) -> pd.DataFrame:
    return transfer_summary.memorisation(errors.value, BY)


def _igap(selection: Selection, source: str, at: float, epsilon: float) -> None:
    """Draw the mean IGap of this source's directions at the window by corruption, one line per model."""
    own = [each for each in points.of(selection, corrupted=True) if each.source == source]
    shared = transfer_curves.shared_directions(own)
    gaps = partial(transfer_curves.mean_curves, by=BY, at=[at], epsilon=epsilon)
    data = gaps(transfer_curves.only(own, shared))
    drawn = gap_curves(
        points.with_labels(selection, data, OWN).assign(at=data["corruption"]),
        x_title=X,
        y_title="IGap (percentage points of error; lower = better transfer)",
        title=f"IGap at {100 * at:g}% training error",
        colours=colours_of(model.name for model in selection.everything),
        x_end=100,
        nothing="Not every target has a value in this window.",
        height=480,
    )
    figure.show(
        drawn,
        name="IGap by share of labels replaced",
        data=data,
        card=IGAP,
        snippet=points.python(selection, gaps, wanted=shared, corrupted=True),
        alt="IGap by share of labels replaced",
    )
    st.caption(f"Mean of {count(len(shared), 'direction')} from {language_name(source)}.")
