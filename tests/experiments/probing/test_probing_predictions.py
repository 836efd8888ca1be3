"""What is kept of every test word: it comes back as it was, small, and its confusion matrix is a count."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.experiments.probing import predictions
from isogloss.backend.experiments.probing.predictions import Predictions
from isogloss.backend.experiments.probing.spec import LEARNED, MEAN

ABOUT = {"experiment": "probing", "source": "en", "targets": ["de", "en"], "extras": ["controls"], "variant": "words"}
PROBES = ("0", "1", "10", MEAN, LEARNED)


def made(words: int, tags: int, seed: int = 0, wrong: float = 0.3) -> Predictions:
    draw = np.random.default_rng(seed)
    right = draw.integers(0, tags, words).astype(np.int16)
    told = {}
    for probe in PROBES:
        missed = draw.random(words) < wrong
        told[probe] = np.where(missed, draw.integers(0, tags, words), right).astype(np.int16)
    sentences = np.sort(draw.integers(0, max(1, words // 8), words)).astype(np.int32)
    places = draw.integers(0, 9, words).astype(np.int32)
    return Predictions(tuple(f"T{i}" for i in range(tags)), 3, sentences, places, right, told)


@settings(max_examples=20)
@given(st.integers(0, 60), st.integers(1, 400), st.integers(0, 5))
def test_what_is_kept_comes_back(tmp_path_factory: pytest.TempPathFactory, words: int, tags: int, seed: int) -> None:
    workspace = tmp_path_factory.mktemp("workspace")
    found = made(words, tags, seed)
    predictions.save(workspace, ABOUT, "de", found)
    again = predictions.load(ABOUT, "de", [workspace])
    assert again is not None
    assert (again.tags, again.seed, list(again.told)) == (found.tags, 3, list(PROBES))
    for name in ("sentences", "words", "right"):
        assert getattr(again, name).tolist() == getattr(found, name).tolist()
    assert all((again.told[probe] == found.told[probe]).all() for probe in PROBES)


def test_a_confusion_matrix_counts(tmp_path: Path) -> None:
    found = made(500, 5)
    for probe in PROBES:
        counted = Counter(zip(found.right.tolist(), found.told[probe].tolist(), strict=True))
        matrix = found.confusion(probe)
        assert {(i, j): int(matrix[i, j]) for i in range(5) for j in range(5) if matrix[i, j]} == counted
        frame = predictions.confusion(found, probe)
        assert len(frame) == 25
        cell = frame[(frame["right"] == "T2") & (frame["told"] == "T4")].iloc[0]
        assert cell["count"] == counted[2, 4]
        assert cell["share"] == pytest.approx(counted[2, 4] / (found.right == 2).sum())
    with pytest.raises(KeyError):
        found.confusion("7")


def test_wrong_words_are_those_of_a_cell(tmp_path: Path) -> None:
    found = made(500, 4)
    every = predictions.wrong(found, "1")
    assert len(every) == (found.told["1"] != found.right).sum()
    assert (every["right"] != every["told"]).all()
    cell = predictions.wrong(found, "1", right="T0", told="T3")
    assert len(cell) == found.confusion("1")[0, 3] > 0
    assert set(zip(cell["right"], cell["told"], strict=True)) == {("T0", "T3")}
    rows = (found.right == 0) & (found.told["1"] == 3)
    assert cell["sentence"].tolist() == found.sentences[rows].tolist()
    assert cell["word"].tolist() == found.words[rows].tolist()


def test_a_tag_without_words_has_no_share() -> None:
    none = Predictions(("A", "B"), 0, *[np.zeros(0, np.int32)] * 2, np.zeros(0, np.int16), {"0": np.zeros(0, np.int16)})
    assert predictions.confusion(none, "0")["share"].isna().all()


def test_other_targets_asked_for_with_it_do_not_hide_a_target(tmp_path: Path) -> None:
    predictions.save(tmp_path, ABOUT, "de", made(9, 2))
    assert predictions.load(ABOUT | {"targets": ["de"], "extras": []}, "de", [tmp_path]) is not None
    assert predictions.load(ABOUT, "en", [tmp_path]) is None
    assert predictions.load(ABOUT | {"source": "fr"}, "de", [tmp_path]) is None


def test_many_words_take_little_space(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    right = draw.integers(0, 17, 20_000).astype(np.int16)
    told = {
        str(i): np.where(draw.random(20_000) < 0.1, draw.integers(0, 17, 20_000), right).astype(np.int16) for i in range(15)
    }
    sentences, places = np.arange(20_000, dtype=np.int32) // 20, np.arange(20_000, dtype=np.int32) % 20
    found = Predictions(tuple(map(str, range(17))), 0, sentences, places, right, told)
    path = predictions.save(tmp_path, ABOUT, "de", found)
    assert path.stat().st_size < 250_000
