"""How well the agents of a signalling game understood each other while their language grew."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from backend.charts.overlaid import Axis, overlaid_lines
from backend.charts.parts.paper import add_chance, add_reference
from backend.experiments.emergent.family import rules
from backend.experiments.emergent.game import finished_games as language_games
from backend.experiments.emergent.game.finished_games import Played
from backend.experiments.xferbench.printed import tables as printed
from backend.training.signalling_game.options import GameOptions
from backend.training.signalling_game.presets import Preset, preset
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
PRINTED: dict[Preset, str] = {
    "xferbench-disc-small": "Disc, small",
    "xferbench-disc-large": "Disc, large",
    "xferbench-recon-large": "Recon, large",
}
"""The games of XferBench's paper, by their names in its table 1."""


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
    for label, value in chances(chosen, games.values()).items():
        _within(add_chance(drawn, value, label), value)
    for label, value in as_printed(chosen, games.values()).items():
        _within(add_reference(drawn, value, label=label, form=".3%" if value < 0.01 else ".0%"), value)
    figure.show(
        drawn,
        name=f"{chosen} over training",
        data=data,
        card=GROWTH,
        snippet=notebook.python(read),
        alt=f"{chosen} over training steps",
    )
    _table(games, data)


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


def chances(measure: str, games: Iterable[Played]) -> dict[str, float]:
    """Return what guessing comes to in these games, by a label; none for a measure that cannot be guessed."""
    found: list[float | None] = []
    if measure == "Success":
        found = [each.chance for each in games]
    elif measure == "Attributes":
        found = [each.options.attribute_chance for each in games]
    return {f"chance {value:.2g}": value for value in sorted({each for each in found if each is not None})}


def as_printed(measure: str, games: Iterable[Played]) -> dict[str, float]:
    """Return what the paper prints of its own games, where these are among them, by a label."""
    found: dict[str, float] = {}
    for game in (printed_game(each.options) for each in games):
        if game is None:
            continue
        value = {"Success": game.success, "Attributes": game.attributes}.get(measure)
        if value is not None:
            found[f"{game.setting}, printed{', more than' if game.at_least else ''}"] = value
    return found


def printed_game(options: GameOptions) -> printed.GameSuccess | None:
    """Return what is printed of the game with these options, whatever its seed; None for another game."""
    for name, setting in PRINTED.items():
        if options == preset(name, seed=options.seed):
            return printed.games()[setting]
    return None


def _within(drawn: go.Figure, value: float) -> None:
    """Make room for a line at `value`."""
    low, high = drawn.layout.yaxis.range or (0.0, 1.0)
    drawn.layout.yaxis.range = (low, max(high, 1.06 * value))


def _table(games: dict[str, Played], data: pd.DataFrame) -> None:
    """List the signalling games, one row per game: success at the end, by chance, and as printed of the same game."""
    ends = data.groupby("corpus")["success"].last()
    rows = [
        {
            "Corpus": name,
            "Game": ", ".join(rules(each.options.model_dump())),
            "Steps": each.steps,
            "Success": ends.get(name),
            "Chance": each.chance,
            "Printed": _printed_words(each.options),
        }
        for name, each in games.items()
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key="games",
        alt="The games that were played",
        column_config={
            "Steps": st.column_config.NumberColumn("Steps", format="localized", help="Updates of both agents."),
            "Success": st.column_config.NumberColumn(
                "Success", format="percent", help="Share of training objects at the end (higher = better)."
            ),
            "Chance": st.column_config.NumberColumn("Chance", format="%.2g", help="The success of guessing (share)."),
            "Printed": st.column_config.TextColumn(
                "Printed", help=f"Success of the same game in {printed.PAPER}, section 4.3 (higher = better)."
            ),
        },
    )


def _printed_words(options: GameOptions) -> str | None:
    game = printed_game(options)
    if game is None:
        return None
    attributes = f", {game.attributes:.0%} of attributes (chance {game.attribute_chance:.0%})" if game.attributes else ""
    return f"{'above ' if game.at_least else ''}{100 * game.success:g}% (chance {100 * game.chance:g}%){attributes}"
