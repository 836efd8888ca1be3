"""How well the agents of a signalling game understood each other while their language grew."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.emergent.game import finished_games as language_games
from isogloss.backend.experiments.emergent.game.finished_games import Played
from isogloss.backend.experiments.emergent.game.shard import left_out
from isogloss.backend.experiments.xferbench.printed import tables as printed
from isogloss.backend.figures.emergent import corpora as figures
from isogloss.backend.option import words_of_run
from isogloss.backend.training.signalling_game.options import GameOptions
from isogloss.backend.training.signalling_game.presets import Preset, preset
from isogloss.pages.emergent.shared.cards import GROWTH
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

VIEW = "Games"
"""What the page calls this view: what was grown leads to it."""
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
    chosen = segments("Over training", list(figures.MEASURES), "success", "Success")
    keys = {name: game.key for name, game in games.items()}
    recipe = Recipe((partial(language_games.curves, games=keys, workspaces=workspaces()),))
    data = cooked.rows(recipe)
    if data.empty:
        st.info("The curves of these games were damaged and are set aside: play them again.", icon=":material/info:")
        return
    drawn = partial(
        figures.success,
        measure=chosen,
        chances=chances(chosen, games.values()),
        printed=as_printed(chosen, games.values()),
        colours=selection.colours,
    )
    name = f"{chosen} over training"
    figure.draw(recipe.with_chart(drawn), name=name, card=GROWTH, alt=f"{name} steps")
    _table(games, data)


def chances(measure: figures.Measure, games: Iterable[Played]) -> dict[str, float]:
    """Return what guessing comes to in these games, by a label; none for a measure that cannot be guessed."""
    values: list[float | None] = []
    if measure == "Success":
        values = [each.chance for each in games]
    elif measure == "Attributes":
        values = [each.options.attribute_chance for each in games]
    return {f"chance {value:.2g}": value for value in sorted({each for each in values if each is not None})}


def as_printed(measure: figures.Measure, games: Iterable[Played]) -> dict[str, float]:
    """Return what the paper prints of its own games, where these are among them, by a label."""
    printed_values: dict[str, float] = {}
    for game in (printed_game(each.options) for each in games):
        if game is None:
            continue
        value = {"Success": game.success, "Attributes": game.attributes}.get(measure)
        if value is not None:
            printed_values[f"{game.setting}, printed{', more than' if game.at_least else ''}"] = value
    return printed_values


def printed_game(options: GameOptions) -> printed.GameSuccess | None:
    """Return what is printed of the game with these options, whatever its seed; None for another game."""
    for name, setting in PRINTED.items():
        if options == preset(name, seed=options.seed, keep_end=options.keep_end):
            return printed.games()[setting]
    return None


def _table(games: dict[str, Played], data: pd.DataFrame) -> None:
    """List the signalling games, one row per game: success at the end, by chance, and as printed of the same game."""
    ends = data.groupby("corpus")["success"].last()
    rows = [
        {
            "Corpus": name,
            "Game": ", ".join(words_of_run(GameOptions, dict(each.options))),
            "Steps": each.steps,
            "Success": ends.get(name),
            "Chance": each.chance,
            "Left out": each.empty,
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
            "Left out": st.column_config.NumberColumn(
                "Left out", format="localized", help="Messages without a symbol, which the corpus lacks."
            ),
            "Printed": st.column_config.TextColumn(
                "Printed", help=f"Success of the same game in {printed.PAPER}, section 4.3 (higher = better)."
            ),
        },
    )
    others = [setting for setting in printed.games() if setting not in PRINTED.values()]
    listed = ", ".join(f"{setting} {_success(printed.games()[setting])}" for setting in others)
    st.caption(f"Printed of games that are not played here, whose corpora come by upload: {listed}.")
    for name, each in games.items():
        if said := left_out(each.empty, each.options.spoken):
            st.caption(f"{verbatim(name)}: {said} “Keep the end symbol” has them.")


def _printed_words(options: GameOptions) -> str | None:
    game = printed_game(options)
    return None if game is None else _success(game)


def _success(game: printed.GameSuccess) -> str:
    attributes = f", {game.attributes:.0%} of attributes (chance {game.attribute_chance:.0%})" if game.attributes else ""
    return f"{'above ' if game.at_least else ''}{100 * game.success:g}% (chance {100 * game.chance:g}%){attributes}"
