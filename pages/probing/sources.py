"""Source × target at a checkpoint, the best source of every target framed (de Seyssel et al. 2025, figure 14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from isogloss.backend.charts.parts.click import clickable
from isogloss.backend.experiments.probing import frames as probing_frames
from isogloss.backend.experiments.probing import queries
from isogloss.backend.experiments.probing.queries import At
from isogloss.backend.experiments.registry import bounds_of
from isogloss.backend.figures import probing as figures
from isogloss.backend.figures.collapsed_directions import lines_of
from isogloss.backend.figures.ordering import axes
from isogloss.backend.figures.probing import ACCURACY, F1, MAJORITY
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.probing import beside, frames
from isogloss.pages.probing.cards import CARDS
from isogloss.pages.probing.frames import ProbedPart
from isogloss.pages.probing.selection import SETTINGS, Selection
from isogloss.pages.widgets.choosing import more, opened, ordering, seeds
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.checkpoint_box import checkpoint_of
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.choosing.seeds import Group
from isogloss.pages.widgets.figures import cooked, figure

ITSELF = "A target's own language counts among its sources, as in the paper's figure 14."


@dataclass(frozen=True)
class Looks:
    """Of what matrices are, and how they look."""

    at: At
    metric: str
    order: str
    opened: list[str] | None
    """Which groups are open; None where nothing is collapsed."""
    pinned: tuple[str, ...]
    itself: bool
    """A target's own language counts among its sources."""
    fitted: bool | None


def draw(selection: Selection) -> None:
    """Draw the matrix of one checkpoint."""
    if not selection.targets:
        chosen = f"Choose “{SETTINGS['others']}” under “Setting” in the side bar"
        st.info(f"{chosen} to see which language's probes do best in another.", icon=":material/left_panel_open:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        model, checkpoint = checkpoint_of(selection, "at")
        at = frames.choose_at(selection, [model])
        metric = _measure(selection)
        options = more.view_options()
    with options:
        order = ordering.choose(max(map(len, (selection.sources, selection.targets))))
        open_groups = opened.choose_open(max(selection.sources, selection.targets, key=len), order)
        pinned = ordering.choose_pinned(list(dict.fromkeys([*selection.sources, *selection.targets])))
        itself = st.toggle("Include source = target", value=True, key="own_counts", bind="query-params", help=ITSELF)
        fitted = frames.fitted(metric)
        others = beside.choose(selection)
        groups = seeds.choose(selection.models)
    group = seeds.group_of(model, groups)
    looks = Looks(at, metric, order, open_groups, pinned, itself, fitted)
    drawn = False
    for place, each in zip(st.columns(1 + len(others)), [selection, *others], strict=True):
        with place:
            drawn |= _matrix(each, group, checkpoint, looks, beside.heading(each, others))
    if not drawn:
        frames.say_empty()
    seeds.tell([group])


def _matrix(selection: Selection, group: Group, checkpoint: Checkpoint, looks: Looks, heading: str) -> bool:
    """Draw one matrix, its title beginning with what it is `heading`; whether there was anything to draw."""
    at, metric = looks.at, looks.metric if looks.metric in frames.measures(selection) else ACCURACY
    wanted = _part(selection, group.at(checkpoint, selection.checkpoints))
    means = group.steps([checkpoint], wanted.of, bounds_of(metric))
    steps = (*means, partial(probing_frames.beside_level, metric=metric))
    recipe = frames.recipe(wanted, queries.by_pair, [metric, MAJORITY], *steps, at=at)
    data = cooked.rows(recipe)
    if data.empty:
        return False
    drawn = partial(
        figures.sources,
        metric=metric,
        unit=selection.data.rows,
        trained=wanted.sources,
        tested=wanted.targets,
        order=looks.order,
        opened=looks.opened,
        pinned=list(looks.pinned),
        own=looks.itself,
        fitted=looks.fitted,
        title=f"{heading}{group.titled(checkpoint)}: {frames.at_words(at)}",
    )
    ends = axes(looks.order, data, wanted.sources, wanted.targets, looks.pinned, highest_first=True)
    down, across = (lines_of(list(own), looks.order, looks.opened, ends.pinned) for own in (ends.rows, ends.columns))
    custom = [[_cell(row, column) for column in across] for row in down]
    picked = figure.draw(
        recipe.with_chart(drawn),
        name=f"{heading}{figures.MEASURES[metric]} {group.name} {checkpoint.label} source by target",
        card=CARDS[metric],
        one_seed="" if group.is_several else wanted.one_seed,
        alt=f"{figures.MEASURES[metric]} of {group.name} from every language trained on to every language tested in",
        clicks=lambda drawn: clickable(drawn, custom),
    )
    match picked:
        case ["pair", source, target]:
            _open(group.first, checkpoint, at, source, target)
        case ["groups", *groups]:
            opened.follow(groups, "Sources", looks.opened)
    return True


def _cell(row: tuple[str, str | None], column: tuple[str, str | None]) -> list[str]:
    """Return what a click on a cell asks for: what a pair of languages told wrongly, or its groups to be opened."""
    if row[1] and column[1]:
        return ["pair", row[1], column[1]]
    return ["groups", *(group for group, tag in (row, column) if tag is None)]


def _measure(selection: Selection) -> str:
    """Accuracy, or entity F1: controls are of the language trained on alone."""
    if not selection.data.entities:
        return ACCURACY
    names = {figures.MEASURES[metric]: metric for metric in (ACCURACY, F1)}
    return names[segments("Measure", list(names), "of_pairs", "Accuracy")]


def _part(selection: Selection, of: Sequence[tuple[Model, Checkpoint]]) -> ProbedPart:
    """Return the languages trained on and tested in that have something at this checkpoint, or at those of its seeds."""
    of_checkpoints = [selection.there.get(each.fingerprint, frozenset()) for _, each in of]
    there = [pair for pair in selection.pairs if any(pair in some for some in of_checkpoints)]
    ends = selection.computed_sources, selection.computed_targets
    return ProbedPart(selection, tuple(of), *ends, tuple(there))


def _open(model: Model, checkpoint: Checkpoint, at: At, source: str, target: str) -> None:
    """What the probes told wrongly in a cell."""
    place = {"at_model": model.name, "at_checkpoint": checkpoint.label, "pair_source": source, "pair_target": target}
    open_cell("Errors", **place, **frames.probe_at(at))
