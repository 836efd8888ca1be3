"""The description length of tags, against a plain online code on the same vectors."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from isogloss.backend.experiments.probing import lengths
from isogloss.backend.experiments.probing.examples import Examples
from isogloss.backend.metrics.probing.codelength import block_ends
from isogloss.backend.training.probe.features import Labelled, VectorFeatures
from isogloss.backend.training.probe.options import ProbeOptions
from isogloss.backend.training.probe.train import train_probes
from tests.experiments.probing.small_probing import Lab, lab

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

OPTIONS = ProbeOptions(epochs=15, patience=3, seeds=(0, 1), learning_rate=0.02)


def made(rows: int, seed: int, *, told: bool) -> Examples:
    """Words whose vectors tell their tags, or nothing."""
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 4, rows)
    vectors = draw.normal(size=(rows, 2, 6)).astype(np.float16)
    if told:
        vectors[np.arange(rows), :, labels] += np.float16(4)
    sentences, none = (np.arange(rows) // 3).astype(np.int32), frozenset[str]()
    places = np.zeros(rows, np.int32)
    return Examples(VectorFeatures(vectors), labels, sentences, places, [""] * rows, 0, none, none, "train")


def measured(training: Examples, validation: Examples) -> lengths.Lengths:
    return lengths.measure(training, validation, 4, OPTIONS, "cpu", lambda _: None, lambda: False)


def plain(training: Examples, validation: Examples, place: int, seed: int) -> float:
    """The online code of one probe in bits, a word at a time."""
    order = lengths._sent(training)
    vectors, labels = training.features.read(np.arange(len(order))).float().numpy()[order], training.labels[order]
    ends = block_ends(len(order))
    bits = ends[0] * 2.0
    for start, end in pairwise(ends):
        sent = Labelled(VectorFeatures(vectors[:start].astype(np.float16)), labels[:start])
        probes = train_probes(sent, validation.part(), 4, OPTIONS.model_copy(update={"control": False}), device="cpu")
        weights, bias = probes.weights[0, place, seed], probes.bias[0, place, seed]
        for row in range(start, end):
            x = (vectors[row, place] - probes.scaling.shift[place].numpy()) * probes.scaling.scale[place].numpy()
            bits -= math.log2(softmax(x @ weights + bias)[labels[row]])
    return bits


def softmax(scores: NDArray[np.float32]) -> NDArray[np.float64]:
    return torch.softmax(torch.from_numpy(scores).double(), 0).numpy()


def test_it_is_the_code_s_length() -> None:
    training, validation = made(200, 0, told=True), made(60, 1, told=True)
    found = measured(training, validation)
    assert found.places == (0, 1, "mean of layers", "learned mix")
    for place in (0, 1):
        for seed in (0, 1):
            assert found.bits[place, seed] == pytest.approx(plain(training, validation, place, seed), rel=2e-3)
    assert np.allclose(found.compression, 400 / found.bits)


def test_vectors_that_tell_are_short_and_those_that_do_not_are_not() -> None:
    told = measured(made(400, 0, told=True), made(100, 1, told=True))
    untold = measured(made(400, 0, told=False), made(100, 1, told=False))
    assert told.compression.min() > 1.8
    assert 0.6 < untold.compression.max() < 1.1


def test_sentences_are_sent_whole_and_each_once() -> None:
    training = made(100, 0, told=True)
    order = lengths._sent(training)
    assert sorted(order.tolist()) == list(range(100))
    assert order.tolist() != list(range(100))
    sentences = training.sentences[order]
    assert (np.diff(sentences) != 0).sum() == len(set(sentences.tolist())) - 1


def test_it_is_of_the_language_that_is_trained_on(tmp_path: Path) -> None:
    there: Lab = lab(tmp_path)
    there.compute(there.spec(targets=("de", "en"), description_length=True))
    rows = there.rows()
    for metric in ("description_length", "compression"):
        own = rows[(rows["metric"] == metric) & rows["seed"].isna()]
        assert len(own) == 5
        assert set(zip(own["source"], own["target"], strict=True)) == {("en", "en")}
        assert (own["value"] > 0).all()
    train = there.files()[0].provenance["counts"]["train"]["rows"]
    assert set(rows.loc[rows["metric"] == "compression", "n"]) == {train}
