"""The map of languages, as every page that has scores of languages or of their pairs draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import streamlit as st

from isogloss.backend.boards.card import Card
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.charts.parts.text import number
from isogloss.backend.charts.world.world import DISTINCT
from isogloss.backend.corpora.languages.facts import credits_of
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.experiments.on_a_map import MOST_LINES, Joined, on_a_map
from isogloss.backend.figures.world import world_map
from isogloss.backend.models.entry import Model
from isogloss.pages.widgets.choosing import more, seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.choices import box, segments
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.choosing.selecting import language_name
from isogloss.pages.widgets.figures import cooked, figure

TO, MEAN = "map_to", "mean"
LINES: dict[str, str] = {"none": "None", "at least": "At least", "at most": "At most"}
JOINED: dict[str, Joined] = {"at least": "at least", "at most": "at most"}
PLAYED = {"off": "Off", "layer": "Layers", "label": "Checkpoints"}
"""The column by whose values maps are played → what the control calls it."""
TITLES = {"layer": "Layer", "label": "Checkpoint"}
HELP = "Of languages, by the scores of their pairs: the isogloss is the line where they change."


Of = Literal["pairs", "directed", "languages"]
"""What a score is of: a pair, a pair in one direction, a language alone."""


@dataclass(frozen=True)
class Wanted:
    """What the controls of a map ask for."""

    of: Of
    to: str | None = None
    """The language whose scores with all others are looked at; None: means over pairs."""
    groups: int = 1
    joined: Joined | None = None
    threshold: float = 0.0
    each: str | None = None
    """The column by whose values maps are played."""
    models: tuple[Group, ...] = ()
    """The chosen ones, seeds as one or apart."""

    def group_of(self, model: Model) -> Group:
        """Return what the map of a model is the mean of: its seeds; itself alone where all layers of all pairs are played."""
        return Group(model.name, (model,)) if self.each == "layer" else seeds.group_of(model, self.models)


@dataclass(frozen=True)
class Measured:
    """What is known of the measure on a map."""

    title: str
    """With unit and direction in brackets."""
    card: Card
    apart: bool = False
    """Whether a higher score means two languages further apart; else the higher, the nearer."""
    scale: tuple[float, float] | None = None
    """Its own least and greatest score."""
    chance: float | None = None
    form: str = ".3f"


def choose(
    models: Sequence[Model], languages: Sequence[str], of: Of = "pairs", *, plays: Sequence[str] = (), groups: bool = True
) -> Wanted:
    """Draw the controls that a measure has, and what is played; `groups`: no pair lacks."""
    wanted = Wanted(of) if of == "languages" else Wanted(of, _with_whom(languages))
    offered = {each: PLAYED[each] for each in ("off", *plays)}
    play = segments("Play", offered, "map_play", "off") if plays else "off"
    with more.view_options() if of == "pairs" or seeds.are_there(models) else nullcontext():
        wanted = replace(wanted, models=tuple(seeds.choose(models)))
        if of == "pairs":
            wanted = _of_pairs(wanted, groups)
    return wanted if play == "off" else replace(wanted, each=play)


def _with_whom(languages: Sequence[str]) -> str | None:
    named = {MEAN: "Mean over its pairs"} | {tag: language_name(tag) for tag in languages}
    if st.session_state.get(TO) not in [None, *named]:
        del st.session_state[TO]
    to = box("Score with", named, TO, MEAN, width=210)
    return None if to == MEAN else to


def _of_pairs(wanted: Wanted, groups: bool) -> Wanted:
    known = {str(amount): str(amount) if amount > 1 else "None" for amount in range(1, DISTINCT + 1)}
    amount = int(box("Groups", known, "map_groups", "4", HELP, width=110)) if groups else 1
    joined = JOINED.get(segments("Lines between pairs", LINES, "map_lines", "none"))
    threshold = 0.0
    if joined is not None:
        threshold = float(st.number_input("Threshold", value=0.9, step=0.01, key="map_at", bind="query-params", width=110))
    return replace(wanted, groups=amount, joined=joined, threshold=threshold)


def draw(
    recipe: Recipe | Callable[..., Recipe],
    wanted: Wanted,
    measured: Measured,
    *,
    languages: Sequence[str],
    title: str,
    name: str,
    first: int | str = "",
) -> None:
    """Draw the map of the pairs that `recipe` reads; a click on a language shows its scores with all others.

    A `recipe` that is a function gives the marks themselves, by the arguments of `on_a_map` but for `each`.
    `first` is the layer, or the checkpoint's label, that is shown first of those that are played.
    """
    with_whom = f", {'to' if wanted.of == 'directed' else 'with'} {name_of(wanted.to)}" if wanted.to else ""
    how: dict[str, Any] = {
        "languages": list(languages),
        "to": wanted.to,
        "groups": wanted.groups,
        "apart": measured.apart,
        "joined": wanted.joined,
        "threshold": wanted.threshold,
        "directed": wanted.of == "directed",
    }
    marks = recipe.then(partial(on_a_map, each=wanted.each, **how)) if isinstance(recipe, Recipe) else recipe(**how)
    played: dict[str, Any] = {}
    if wanted.each is not None:
        played = {"each": wanted.each, "first": first, "each_title": TITLES[wanted.each]}
    drawn = partial(
        world_map,
        value_title=measured.title,
        title=title + with_whom,
        scale=measured.scale,
        chance=measured.chance,
        form=measured.form,
        **played,
    )
    full, clicks = name + with_whom, wanted.of != "languages"
    picked = figure.draw(marks.with_chart(drawn), name=full, card=measured.card, alt=full, clicks=clicks)
    if picked and picked[0] != wanted.to:
        open_cell("Map", **{TO: str(picked[0])})
    _tell(marks, wanted, measured)


def _tell(marks: Recipe, wanted: Wanted, measured: Measured) -> None:
    """Say what lines and points mean, and who says where languages are."""
    rows = cooked.rows(marks)
    said = ["A point is the centre of a language: no area."]
    if wanted.of != "languages":
        said.append("Click one: its scores with all others.")
    groups = int(rows["group"].max()) if rows["group"].notna().any() else 0
    if groups > 1:
        near = "the lower, the nearer" if measured.apart else "the higher, the nearer"
        said.append(
            "Isogloss: the line halfway between neighbours of different groups, no border. "
            f"Groups (symbols): average linkage of the pairs' scores, {near}."
        )
    elif wanted.groups > 1:
        said.append("No isogloss: too many pairs have the same score to part languages into so few groups.")
    if wanted.joined is not None:
        per_map = rows[rows["mark"] == "pair"].groupby(wanted.each or "mark").size()
        least, most = (int(per_map.min()), int(per_map.max())) if len(per_map) else (0, 0)
        limit = f" ({MOST_LINES} at most)" if most == MOST_LINES else ""
        count = f"{least}" if least == most else f"{least} to {most}"
        said.append(f"Lines: {count} pairs{limit} {wanted.joined} {number(wanted.threshold, '.2f')}.")
    st.caption(f"{' '.join(said)} {credits_of(('place', 'coastline'))}")


def plays(several: Mapping[str, int]) -> list[str]:
    """Return what can be played: layers and checkpoints of which there are `several`."""
    return [each for each, amount in several.items() if amount > 1]
