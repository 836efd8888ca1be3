"""IGap along the training error, by model or by direction or a panel a direction, with the record points behind (figure 1b)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.experiments.transfer import curves as transfer_curves
from isogloss.backend.experiments.transfer import frames as transfer_frames
from isogloss.backend.experiments.transfer.curves import Direction, Points
from isogloss.backend.experiments.words import count
from isogloss.backend.figures.transfer import gaps as figures
from isogloss.backend.figures.transfer import naming
from isogloss.backend.figures.transfer.asked import in_percent
from isogloss.pages.transfer.shared import frames, guesses, points, together
from isogloss.pages.transfer.shared.cards import CURVES
from isogloss.pages.transfer.shared.selection import BY, Selection
from isogloss.pages.transfer.shared.together import Together
from isogloss.pages.widgets.choosing import more, panels
from isogloss.pages.widgets.choosing.cell import open_cell
from isogloss.pages.widgets.choosing.choices import segments
from isogloss.pages.widgets.figures import cooked, figure

CHOSEN = (
    "Models: what the mean is over, where each has a model in the window. Directions, a line each, and Panels, one each "
    "with a line a model, as in figure 1b: which are drawn, the first six where none is chosen."
)
POINTS = "Every fine-tuned model: its training error and interlingual gap (for Models, the mean over the targets)."


@dataclass(frozen=True)
class CurveOptions:
    """What is drawn: by model or by direction, the width of the windows, with or without the points behind."""

    of: Together
    lines: str
    panels: bool
    """Each model in its own."""
    epsilon: float
    points: bool
    chosen: tuple[Direction, ...]

    @property
    def by_direction(self) -> bool:
        """Whether a line is of one direction, not a mean over all."""
        return self.lines != "Models"


def draw(selection: Selection) -> None:
    """Draw IGap against E′, every record point behind it where wanted."""
    asked = _controls(selection)
    selection = asked.of.selection
    if selection.runs.empty:
        frames.say_empty()
        return
    everything = points.points_of_runs(selection)
    wanted = _directions(selection, everything, asked)
    if not wanted:
        st.info("No direction has runs of all these models. Choose fewer models, or directions.", icon=":material/info:")
        return
    windows = frames.windows(selection)
    step = transfer_frames.igap_curves_and_points if asked.points else transfer_frames.igap_curves
    gaps = partial(step, by=BY, epsilon=asked.epsilon, windows=windows, each=asked.by_direction)
    gaps = partial(gaps, seeds=asked.of.names) if asked.of.names else gaps
    recipe = points.recipe(selection, gaps, wanted=wanted)
    data = cooked.rows(recipe)
    unknown = _say_unknown(data[~data["point"]] if asked.points else data, asked, windows)
    drawn = partial(
        figures.curves,
        by=BY,
        differing=selection.differing(data),
        lines=asked.lines,
        epsilon=asked.epsilon,
        colours=selection.colours,
        panels=asked.panels,
        levels=None if (guess := guesses.guess_for(selection)) is None else guess.errors(),
        nothing="No window has a value for every direction: "
        + ("see above." if unknown else "widen ε or choose fewer directions."),
    )
    figure.draw(
        recipe.with_chart(drawn),
        name=f"IGap over training error, {asked.lines.lower()}",
        card=CURVES,
        alt="IGap over the training error",
    )
    asked.of.tell()


def open_direction(source: str, target: str) -> None:
    """Go from a cell of the matrix to the curve of its direction."""
    open_cell("Curves", lines="Directions", directions=[source + naming.ARROW + target])


def _controls(selection: Selection) -> CurveOptions:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lines = segments("Lines", ("Models", "Directions", "Panels"), "lines")
        of = together.choose(selection)
        apart = lines != "Panels" and panels.choose(of.groups)
        options = more.view_options()
    with options:
        epsilon = frames.choose_epsilon("curve_epsilon", _evaluated(selection))
        chosen = points.directions(selection, CHOSEN)
        behind = st.toggle("Points", key="points", bind="query-params", help=POINTS)
    return CurveOptions(of, lines, apart, epsilon, behind, tuple(chosen))


def _evaluated(selection: Selection) -> float:
    """Return the width of the windows at first: the paper's, or what the runs evaluated where that is narrower."""
    widths = [max(width for _, width in own) for own in frames.windows(selection) if own != "all"]
    able = [each for each in frames.EPSILONS if each <= min([0.025, *widths])]
    return able[-1] if able else frames.EPSILONS[0]


def _directions(selection: Selection, everything: list[Points], asked: CurveOptions) -> list[Direction]:
    """Return those drawn; a sentence where they are not all that were asked for."""
    if asked.by_direction:
        return points.few(transfer_curves.directions(everything), asked.chosen)
    whole = asked.chosen or [(a, b) for a in selection.sources for b in selection.targets if a != b]
    found = [each for each in transfer_curves.shared_directions(everything) if each in set(whole)]
    if found:
        fewer = f" of {len(whole):,}: those of which every model has runs" if len(found) < len(whole) else ""
        st.caption(f"Mean of {count(len(found), 'direction')}{fewer}. Where one has no value, the mean has none.")
    return found


def _say_unknown(data: pd.DataFrame, asked: CurveOptions, windows: list[Any]) -> bool:
    """Return where there are models but no value, because not all of them were evaluated; whether there are such places."""
    lacking = data["measured"] < data["models"] if asked.by_direction else data["unmeasured"] > 0
    if not lacking.any():
        return False
    places, whole = data.loc[lacking, "at"].nunique(), data["at"].nunique()
    widest = max((width for own in windows if own != "all" for _, width in own), default=0.0)
    st.warning(
        f"At {places} of {count(whole, 'training error')} E′, IGap is not known: some models in these windows were not "
        f"evaluated in the targets. The runs evaluated windows of {in_percent(widest)} at most: choose a narrower ε, or train "
        "with “Targets evaluated: At every record point”.",
        icon=":material/visibility_off:",
    )
    return True
