"""How long the server takes over the Relations page with six families' scores in the store, beside the goals.

    python -m benchmarks.relations [--repeats 7] [--profile]

A temporary workspace gets invented scores of 36 languages, 13 layers and 39 checkpoints: ABX (three measures of 630 pairs), two
symmetric families more of one measure each, sentence alignment in both directions (two measures), probes (source and target,
every layer) and transfer (source and target, the last checkpoint): 3.6 million rows in 196 files. Timed is the script's run on
the server, as in `benchmarks.dashboard`. What is asked for the first time reads each measure once (`new measures`); a
change of unit, layer, checkpoint or view then finds it in memory, which is what people wait for.
"""

from __future__ import annotations

import datetime as dt
import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from benchmarks.dashboard import CHANGE, LAYERS, PAINT, STEPS, Clock, Spent, Times, encoder, opened, parser, run
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from isogloss.backend.store.scores import SCORES

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

NAMES = "ar bg ca cs da de el en es et fa fi fr he hi hr hu is it ja ko lv nl pl pt ro ru sk sl sr sv tr uk ur vi zh"
LANGUAGES = NAMES.split()
SYMMETRIC = {
    "abx": ("abx_language", "abx_meaning", "retrieval_top1"),
    "similarity": ("vectors_cosine",),
    "other": ("overlap_random",),
}
DIRECTED = {"alignment": ("sentence_weak", "sentence_strong"), "probing": ("probe_accuracy",)}
PAGE = "pages/relations/page.py"
VIEWS = ("Scatter", "Where does it predict?", "All against all", "Regression", "Selection")


def fill(workspace: Path) -> None:
    """Keep the model, and write a file of scores for each family and checkpoint."""
    model = encoder(workspace)
    models.keep(model, workspace)
    half, every = list(itertools.combinations(LANGUAGES, 2)), list(itertools.product(LANGUAGES, LANGUAGES))
    for place, checkpoint in enumerate(model.checkpoints):
        for family, metrics in SYMMETRIC.items():
            _write(workspace, family, metrics, half, place, checkpoint.fingerprint, layers=True)
        for family, metrics in DIRECTED.items():
            _write(workspace, family, metrics, every, place, checkpoint.fingerprint, layers=True)
    last = model.checkpoints[-1].fingerprint
    _write(workspace, "transfer", ("igap", "transfer_accuracy"), every, len(STEPS) - 1, last, layers=False)


def _write(
    workspace: Path, family: str, metrics: tuple[str, ...], pairs: list[tuple[str, str]], place: int, key: str, *, layers: bool
) -> None:
    depth = LAYERS + 1 if layers else 1
    axes = np.meshgrid(range(len(metrics)), range(depth), range(len(pairs)), indexing="ij")
    metric, layer, pair = (axis.ravel() for axis in axes)
    count = len(pair)
    values = 0.5 + 0.1 * np.sin(layer) + 0.002 * place + np.random.default_rng(place).normal(0, 0.05, count)
    columns = {
        "run": [f"{place:024d}"] * count,
        "experiment": [family] * count,
        "metric": np.array(metrics)[metric],
        "model": ["Generated encoder"] * count,
        "checkpoint": [key] * count,
        "step": [1000 * (place + 1)] * count,
        "layer": layer if layers else pa.nulls(count, pa.int16()),
        "source": np.array([source for source, _ in pairs])[pair],
        "target": np.array([target for _, target in pairs])[pair],
        "corpus": ["corpus"] * count,
        "variant": ["variant"] * count,
        "seed": pa.nulls(count, pa.int64()),
        "value": values,
        "low": values - 0.03,
        "high": values + 0.03,
        "n": [100] * count,
        "created_at": [dt.datetime.now(dt.UTC)] * count,
    }
    table = pa.table({name: pa.array(columns[name]) for name in SCORES.names}).cast(SCORES)
    scores.write(workspace, family, f"{place:024d}", table, {})


def measure(clock: Clock, repeats: int) -> dict[str, Times]:
    found: dict[str, Times] = {}
    found["first run of the server: 196 files verified, their measures listed"] = [clock.of(opened(PAGE).run)], None
    for view in VIEWS:
        found[f"new measures: {view}"] = [clock.of(opened(PAGE, view=view).run)], PAINT
    for view in VIEWS:
        found[f"warm first paint: {view}"] = [clock.of(opened(PAGE, view=view).run) for _ in range(repeats)], PAINT
    layers = [str(layer) for layer in range(LAYERS + 1)][:repeats]
    for view in VIEWS:
        app = opened(PAGE, view=view).run()
        found[f"another layer of the predictor: {view}"] = _changes(clock, app, "x_layer", layers), CHANGE
    app = opened(PAGE, view="Where does it predict?").run()
    found["another layer of the outcome: Where does it predict?"] = _changes(clock, app, "y_layer", layers), CHANGE
    app.selectbox(key="outcome_at").set_value("At the same layer and checkpoint")
    found["outcome at the same layer and checkpoint, 507 tests of 99: Where does it predict?"] = [clock.of(app.run)], None
    for view in ("Scatter", "Where does it predict?", "Regression"):
        app = opened(PAGE, view=view, x="Meaning discrimination", y="Language discrimination").run()
        found[f"another checkpoint of the outcome: {view}"] = _changes(clock, app, "y_checkpoint", STEPS[:repeats]), CHANGE
    app = opened(PAGE).run()
    units = ["Language", "Layer", "Checkpoint"]
    found["another unit: Scatter"] = _changes(clock, app, "unit", units), CHANGE
    app = opened(PAGE, x="Meaning discrimination", y="Language discrimination").run()
    found["pooled over 39 checkpoints, 24,570 points: Scatter"] = (
        _changes(clock, app, "pooled", ["Checkpoints", "Layers"]),
        None,
    )
    return found


def _changes(clock: Clock, app: AppTest, key: str, values: list[str]) -> list[Spent]:
    return [clock.of(app.selectbox(key=key).set_value(value).run) for value in values]


def main() -> None:
    options = parser(str(__doc__)).parse_args()
    run(options.profile, fill, lambda clock: measure(clock, options.repeats))


if __name__ == "__main__":
    main()
