"""Maps that are played a layer at a time are those of all layers read together."""

from __future__ import annotations

import datetime as dt
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from isogloss.backend.experiments.alignment.maps import layers_in_turn
from isogloss.backend.experiments.alignment.queries import Among, pairs
from isogloss.backend.experiments.frames import label_checkpoints
from isogloss.backend.experiments.on_a_map import on_a_map
from isogloss.backend.store import scores
from isogloss.backend.store.scores import SCORES

LANGUAGES = ["ar", "de", "en", "fi", "zh"]


@pytest.mark.parametrize("options", [{}, {"to": "de"}, {"groups": 3}, {"joined": "at least", "threshold": 0.5}])
@pytest.mark.parametrize("runs", [1, 3])
def test_a_layer_at_a_time_gives_the_same_maps(tmp_path: Path, runs: int, options: dict[str, Any]) -> None:
    random, rows = np.random.default_rng(0), []
    for layer, ends, run in itertools.product(range(4), itertools.permutations(LANGUAGES, 2), range(runs)):
        value = float(random.random())
        row = {"run": "one", "experiment": "alignment", "metric": "word_weak", "model": "m", "checkpoint": "c", "layer": layer}
        row |= {"source": ends[0], "target": ends[1], "variant": "v", "seed": run, "value": value, "n": 9}
        rows.append(row | {"low": value - 0.1, "high": value + 0.1, "created_at": dt.datetime.now(dt.UTC)})
    scores.write(tmp_path, "alignment", "one", pa.Table.from_pylist(rows, schema=SCORES), {})
    files, wanted = [scores.shard_path(tmp_path, "alignment", "one")], Among(["one"], LANGUAGES)
    known = [("c", "m", "step1", 1, 0)]
    for layers in ([0, 1, 2, 3], [3], [2, 0]):
        found = layers_in_turn(files, wanted, ["word_weak"], ["v"], layers, known, runs=runs, languages=LANGUAGES, **options)
        together = label_checkpoints(pairs(files, wanted, ["word_weak"], ["v"], runs, layers), known)
        expected = on_a_map(together, languages=LANGUAGES, each="layer", **options)
        order = expected["layer"].map(layers.index).sort_values(kind="stable").index
        pd.testing.assert_frame_equal(found, expected.loc[order].reset_index(drop=True), check_dtype=False)
