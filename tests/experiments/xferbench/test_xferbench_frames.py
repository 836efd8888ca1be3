"""The leaderboard's rows and the normalised cells, against arithmetic done by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isogloss.backend.corpora.emergent.corpus import HUMAN_TEXT
from isogloss.backend.corpora.emergent.library import EmergentEntry
from isogloss.backend.experiments.sources.groups import group_of
from isogloss.backend.experiments.xferbench import frames as xferbench_frames

A, B = "a" * 24, "b" * 24
VALUES = {
    ("none", "fi"): 6.0,
    ("none", "da"): 7.0,
    (A, "fi"): 5.0,
    (A, "da"): 6.5,
    (B, "fi"): 4.0,
    (B, "da"): 6.0,
}
NAMES = {"none": "No pre-training", A: "Mine", B: "Other"}
GROUPS = {"none": "none", A: "emergent", B: "random"}


def cells(values: dict[tuple[str, str], float] = VALUES, seeds: int = 1) -> pd.DataFrame:
    rows = [{"source": s, "corpus": B, "target": t, "value": v, "seeds": seeds} for (s, t), v in values.items()]
    return pd.DataFrame(rows)


def test_what_a_source_is() -> None:
    formats = {
        A: "JSON Lines",
        B: "Random",
        "c" * 24: "Paren synth",
        "d" * 24: "Shuffled over the corpus",
        "f" * 24: HUMAN_TEXT,
    }
    fields = {"name": "Kept", "symbols": "words", "tokens": 2, "utterances": 1, "vocabulary_size": 1, "longest": 2}
    before = fields | {"created_at": "2024-01-01T00:00:00Z"}  # entries did not say what they are
    entries = [EmergentEntry.model_validate(before | {"id": key, "format": form}) for key, form in formats.items()]
    origins = {entry.id: entry.origin for entry in entries}
    found = [group_of(key, origins) for key in ("none", f"{A}/en", A, B, "c" * 24, "d" * 24, "e" * 24, "f" * 24)]
    assert found == ["none", "human", "emergent", "random", "synthetic", "synthetic", "emergent", "human"]


def test_the_leaderboard_is_of_means_the_lowest_first() -> None:
    found = xferbench_frames.leaderboard(cells(), NAMES, GROUPS)
    assert found["name"].tolist() == ["Other", "Mine", "No pre-training"]
    assert found["group"].tolist() == ["random", "emergent", "none"]
    assert found["score"].tolist() == [5.0, 5.75, 6.5]
    assert (found["targets"] == 2).all()
    assert (found["seeds"] == 1).all()
    assert xferbench_frames.leaderboard(cells().drop(columns="seeds"), NAMES, GROUPS)["seeds"].isna().all()
    assert ((found["low"] <= found["score"]) & (found["score"] <= found["high"])).all()


def test_a_source_that_lacks_a_target_stands_last_without_a_score() -> None:
    lacking = {key: value for key, value in VALUES.items() if key != (B, "da")}
    found = xferbench_frames.leaderboard(cells(lacking), NAMES, GROUPS)
    assert found["name"].tolist() == ["Mine", "No pre-training", "Other"]
    assert np.isnan(found["score"].iloc[2])
    assert found["targets"].tolist() == [2, 2, 1]
    assert xferbench_frames.shared_texts(cells(lacking)) == [f"{B}/fi"]
    only = xferbench_frames.of_texts(cells(lacking), [f"{B}/fi"])
    assert xferbench_frames.leaderboard(only, NAMES, GROUPS)["score"].tolist() == [4.0, 5.0, 6.0]


def test_the_least_repeated_cell_counts() -> None:
    frame = cells(seeds=3)
    frame.loc[0, "seeds"] = 2
    found = xferbench_frames.leaderboard(frame, NAMES, GROUPS).set_index("source")["seeds"]
    assert found.to_dict() == {"none": 2.0, A: 3.0, B: 3.0}


def test_cells_are_normalised_for_each_text() -> None:
    found = xferbench_frames.normalise(cells(), NAMES, GROUPS)
    assert len(found) == 6
    by = found.set_index(["source", "target"])["normalised"]
    # fi: 6, 5, 4 have the mean 5 and the deviation 1; da: 7, 6.5, 6 have 6.5 and 0.5.
    assert by.to_dict() == pytest.approx(
        {("none", "fi"): 1, (A, "fi"): 0, (B, "fi"): -1, ("none", "da"): 1, (A, "da"): 0, (B, "da"): -1}
    )
    assert found["value"].tolist() == list(VALUES.values())
