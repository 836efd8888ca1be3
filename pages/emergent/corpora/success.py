"""How well the agents of a signalling game understood each other while their language grew."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from backend.charts.overlaid import Axis, overlaid_lines
from backend.experiments.emergent.family import rules
from backend.experiments.emergent.game import finished_games as language_games
from backend.experiments.emergent.game.finished_games import Played
from pages.emergent.shared.cards import GROWTH
from pages.emergent.shared.controls import segments
from pages.emergent.shared.selection import Selection
from pages.widgets import figure, notebook
from pages.widgets.workspace import workspaces

MEASURES = {
    "Success": Axis("value", "Success (share of objects; higher = better)"),
    "Attributes": Axis("value", "Attributes named rightly (share; higher = better)"),
    "Loss": Axis("value", "Loss (nats; lower = better)"),
    "Topographic similarity": Axis("value", "Topographic similarity (−1 to 1; higher = similar objects, similar messages)"),
    "Different messages": Axis("value", "Different messages (for each object; 1 = no two alike)"),
    "Length": Axis("value", "Length (mean symbols of a message)"),
}
COLUMNS = {
    "Success": ("success", "held_out_success"),
    "Attributes": ("attributes", "held_out_attributes"),
    "Loss": ("loss", "held_out_loss"),
    "Topographic similarity": ("topographic_similarity",),
    "Different messages": ("different",),
    "Length": ("length",),
}
STEP = Axis("step", "Training step", form=",.0f")


def draw(selection: Selection) -> None:
    """Draw the agents' success over training, for the chosen corpora that were grown here."""
    newest = {each.corpus: each for each in language_games.finished_games(workspaces())}
    games = {name: newest[entry.id] for name, entry in selection.corpora.items() if entry.id in newest}
    if not games:
        st.info(
            "None of the chosen corpora was grown here. Open “Make a corpus” above and choose “Signalling game”.",
            icon=":material/info:",
        )
        return
    chosen = segments("Over training", list(MEASURES), "Success", "success")
    keys = {name: game.key for name, game in games.items()}
    read = partial(language_games.curves, games=keys, workspaces=workspaces())
    data = read()
    if data.empty:
        st.info("The curves of these games were damaged and are set aside: play them again.", icon=":material/info:")
        return
    columns = COLUMNS[chosen]
    drawn = overlaid_lines(
        versions(data, columns),
        STEP,
        MEASURES[chosen],
        name="corpus",
        version="objects" if len(columns) > 1 else None,
        notes=NOTES,
        colours=selection.colours,
        title=f"{chosen} over training",
        nothing="This is not measured in these games.",
    )
    figure.show(
        drawn,
        name=f"{chosen} over training",
        data=data,
        card=GROWTH,
        snippet=notebook.python(read),
        alt=f"{chosen} over training steps",
    )
    _table(games)


NOTES = {"epoch": ("Epoch", ",.0f")}


def versions(data: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    """Stack the columns as `value`, corpus by corpus; `objects` says which objects: trained on, or held out."""
    parts = [
        own[["corpus", "step", "epoch"]].assign(objects=objects, value=own[column])
        for _, own in data.groupby("corpus", sort=False)
        for column, objects in zip(columns, ("trained on", "held out"), strict=False)
        if own[column].notna().any() or column == columns[0]
    ]
    return pd.concat(parts, ignore_index=True)


def _table(games: dict[str, Played]) -> None:
    """List the signalling games, one row per game."""
    rows = [
        {"Corpus": name, "Game": ", ".join(rules(each.options.model_dump())), "Steps": each.steps, "Chance": each.chance}
        for name, each in games.items()
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key="games",
        alt="The games that were played",
        column_config={
            "Steps": st.column_config.NumberColumn("Steps", format="localized", help="Updates of both agents."),
            "Chance": st.column_config.NumberColumn("Chance", format="%.2g", help="The success of guessing."),
        },
    )
