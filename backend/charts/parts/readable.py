"""Write numbers into the cells of heatmaps, each in the one of two inks that can be read on its cell.

Plotly's own choice goes by brightness: white on viridis' green has a contrast of 3.3, below the 4.5 that WCAG 2.2 asks for.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.charts.parts.text import MARKUP, number, short_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import plotly.graph_objects as go
    from numpy.typing import ArrayLike, NDArray

INKS = ("#000000", "#FFFFFF")
SMALLEST = 11.0
"""Pixels of a digit below which fewer and larger ones are written, and none where those are below it too: the hover has all."""


def luminance(colours: ArrayLike) -> NDArray[np.float64]:
    """Relative luminance (WCAG 2.2) of colours `[…, 3]` in 0 to 255."""
    share = np.asarray(colours, np.float64) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def inks(values: ArrayLike, ends: tuple[float, float], scale: Sequence[tuple[float, str]]) -> NDArray[np.str_]:
    """Choose the ink for each of `values`, coloured by `scale` between `ends`: black or white, by the higher contrast."""
    places = np.array([place for place, _ in scale])
    rgb = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for _, colour in scale], np.float64)
    share = np.clip((np.nan_to_num(np.asarray(values, np.float64)) - ends[0]) / (ends[1] - ends[0]), 0, 1)
    drawn = luminance(np.stack([np.interp(share, places, channel) for channel in rgb.T], axis=-1))
    # (L + 0.05) / 0.05 against black, 1.05 / (L + 0.05) against white.
    return np.where((drawn + 0.05) ** 2 > 0.05 * 1.05, *INKS)


def write_values(figure: go.Figure, form: str, *, width: float, height: float) -> None:
    """Write each number of the figure's heatmaps that show theirs, in its ink, where it fits; missing ones stay empty.

    `width` and `height` are those of one panel's cells together, in pixels: plotly would take a number's size from the length
    of its markup. Where digits would be small, three decimals lose the zero before the point, and then the last.
    """
    for trace in figure.data:
        if trace.type == "heatmap" and trace.texttemplate:
            axis, values = figure.layout[trace.coloraxis], np.asarray(trace.z, np.float64)
            cell = width / values.shape[1], height / values.shape[0]
            ways = [(number, form), *((short_number, form.replace(".3f", f".{n}f")) for n in (3, 2) if ".3f" in form)]
            written = (_written(values, partial(write, form=way), most_characters(*cell)) for write, way in ways)
            numbers = next((each for each in written if each is not None), None)
            if numbers is None:
                trace.texttemplate = None
                continue
            colours = inks(values, (axis.cmin, axis.cmax), axis.colorscale)
            trace.text = [
                [f"<span style='color:{ink}'>{text}</span>" for text, ink in zip(*row, strict=True)]
                for row in zip(numbers, colours, strict=True)
            ]
            trace.texttemplate = "%{text}"
            trace.textfont = {"size": int(font_size(*cell, _longest(numbers)))}


def _written(values: NDArray[np.float64], write: Callable[[float], str], most: int) -> list[list[str]] | None:
    """Return what is written into each cell; None as soon as a row has more than so many characters, as most large ones do."""
    rows: list[list[str]] = []
    for row in values.tolist():
        rows.append([write(value) for value in row])
        if max(map(len, rows[-1]), default=0) > most:
            return None
    return rows


def can_be_read(figure: go.Figure, width: float) -> bool:
    """Return whether the numbers in the figure's heatmaps fit their cells where these are `width` pixels wide together."""
    for trace in figure.data:
        if trace.type == "heatmap" and trace.texttemplate and trace.text is not None:
            left, right = figure.layout[f"xaxis{(trace.xaxis or 'x')[1:]}"].domain or (0.0, 1.0)
            longest = _longest([[MARKUP.sub("", str(text)) for text in row] for row in trace.text])
            if font_size(width * (right - left) / np.shape(trace.z)[1], np.inf, longest) < SMALLEST:
                return False
    return True


def _longest(numbers: Sequence[Sequence[str]]) -> int:
    return max((len(text) for row in numbers for text in row), default=1)


def most_characters(width: float, height: float) -> int:
    """Return the most characters that a cell of `width` × `height` pixels has room for at the `SMALLEST` size, 0 for none."""
    return int(0.9 * width / (0.56 * SMALLEST) + 1e-9) if font_size(np.inf, height, 1) >= SMALLEST else 0


def font_size(width: float, height: float, characters: int) -> float:
    """Return the size of so many characters in a cell of `width` × `height` pixels, at most 14."""
    return min(14.0, 0.6 * height, 0.9 * width / (0.56 * max(characters, 1)))
