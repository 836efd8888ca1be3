"""Heatmaps of the sizes that are looked at: the time from an array to what the browser is sent, and its size.

python -m benchmarks.heatmaps
"""

from __future__ import annotations

import time

import numpy as np
import plotly.io as pio

from isogloss.backend.charts.grid import grid
from isogloss.backend.charts.heatmap import heatmap_of
from isogloss.backend.charts.parts.click import clickable

TITLES = {"colour_title": "Score", "row_title": "Layer", "column_title": "Step"}


def main() -> None:
    for rows, columns in ((36, 36), (13, 39)):
        values = np.random.default_rng(0).uniform(0.5, 1, (rows, columns))
        low, high, n = values - 0.01, values + 0.01, np.full(values.shape, 998)
        keys = [[[i, j] for j in range(columns)] for i in range(rows)]
        times = []
        for _ in range(5):
            start = time.perf_counter()
            figure = heatmap_of(grid(values, range(rows), range(columns), low=low, high=high, n=n), **TITLES)
            text = pio.to_json(clickable(figure, keys), validate=False)
            times.append(time.perf_counter() - start)
        print(f"{rows} × {columns}: {min(times) * 1000:.1f} ms, {len(text) / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
