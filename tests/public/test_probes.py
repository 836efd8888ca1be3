"""`isogloss.probe` trains the product's probes: the plain one's answers, and one sentence for what cannot be learnt."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import isogloss
from isogloss.backend.metrics.probing.controls import control_tags, tag_distribution
from isogloss.backend.training.probe.options import ProbeOptions
from tests.training.probe.plain_probe import standardised, train_plainly

NAMES = np.array(["NOUN", "VERB", "ADJ"])
QUICK: dict[str, Any] = {"seeds": 2, "epochs": 6, "patience": 2, "learning_rate": 0.02, "device": "cpu"}


def part(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Vectors whose second layer tells the tag, tags, and words."""
    draw = np.random.default_rng(seed)
    labels = draw.choice(3, rows, p=[0.5, 0.3, 0.2])
    vectors = draw.normal(size=(rows, 2, 6))
    vectors[:, 1] += 1.5 * np.random.default_rng(99).normal(size=(3, 6))[labels]
    return vectors.astype(np.float32), NAMES[labels], [f"w{each}" for each in draw.integers(0, 30, rows)]


TRAINING, VALIDATION, TEST = part(250, 1), part(80, 2), part(120, 3)


def numbers(labels: np.ndarray) -> np.ndarray:
    return np.searchsorted(np.sort(NAMES), labels)


def by_layer(found: Any, metric: str) -> dict[Any, float]:
    rows = found[found["metric"] == metric]
    return dict(zip(rows["layer"], rows["value"], strict=True))


def test_a_layers_accuracy_is_that_of_the_probe_that_plain_torch_trains() -> None:
    words = (TRAINING[2], VALIDATION[2], TEST[2])
    found = isogloss.probe(TRAINING[:2], VALIDATION[:2], TEST[:2], words=words, **QUICK)
    given = {name: value for name, value in QUICK.items() if name not in ("seeds", "device")}
    options = ProbeOptions(seeds=(0, 1), control="by seed", **given)
    distribution = tag_distribution(numbers(TRAINING[1]), 3)
    for layer in (0, 1):
        accuracy: dict[int, list[float]] = {0: [], 1: []}
        for head in (0, 1):
            for seed in (0, 1):
                learnt = [
                    control_tags(each[2], distribution, seed) if head else numbers(each[1])
                    for each in (TRAINING, VALIDATION, TEST)
                ]
                plain, _ = train_plainly(TRAINING[0], learnt[0], VALIDATION[0], learnt[1], 3, options, layer, seed, head)
                with torch.no_grad():
                    told = plain(standardised(TRAINING[0], TEST[0], options)).argmax(-1).numpy()
                accuracy[head].append(float((told == learnt[2]).mean()))
        right, control = (float(np.mean(accuracy[head])) for head in (0, 1))
        assert by_layer(found, "probe_accuracy")[layer] == pytest.approx(right, abs=0.02)
        assert by_layer(found, "control_accuracy")[layer] == pytest.approx(control, abs=0.02)
        assert by_layer(found, "selectivity")[layer] == pytest.approx(right - control, abs=0.04)
    most = (TEST[1] == "NOUN").mean()
    assert by_layer(found, "majority_accuracy") == {None: pytest.approx(most)}
    assert by_layer(found, "probe_accuracy")[1] > by_layer(found, "probe_accuracy")[0] + 0.1


def test_one_layer_is_probed_as_it_is_among_others_whatever_type_it_has() -> None:
    found = isogloss.probe(TRAINING[:2], VALIDATION[:2], TEST[:2], **QUICK)
    alone = [(torch.from_numpy(each[0][:, 0]).double(), each[1].tolist()) for each in (TRAINING, VALIDATION, TEST)]
    single = isogloss.probe(*alone, **QUICK)
    assert set(by_layer(found, "probe_accuracy")) == {0, 1, "mean of layers", "learned mix"}
    assert by_layer(single, "probe_accuracy") == {0: pytest.approx(by_layer(found, "probe_accuracy")[0], abs=0.01)}


def test_words_of_one_sentence_widen_the_interval() -> None:
    each = isogloss.probe(TRAINING[:2], VALIDATION[:2], TEST[:2], **QUICK)
    together = isogloss.probe(TRAINING[:2], VALIDATION[:2], TEST[:2], sentences=np.arange(120) // 40 * 10, **QUICK)
    assert each["value"].equals(together["value"])
    assert not each["low"].equals(together["low"])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"training": (TRAINING[0][:5], TRAINING[1])}, "Training has 5 rows, 250 labels"),
        ({"training": (TRAINING[0][:0], [])}, "at least one of each"),
        ({"test": (TEST[0][:, :1], TEST[1])}, "same layers"),
        ({"validation": (VALIDATION[0], ["X"] * 80)}, "label 'X'"),
        ({"training": (np.where(TRAINING[0] > 2, np.nan, TRAINING[0]), TRAINING[1])}, "Layer 0 of row"),
        ({"epoch": 3}, "There is no option 'epoch'"),
        ({"learning_rate": 0}, "learning_rate is 0"),
        ({"control": True}, "`words`"),
        ({"words": (TRAINING[2], VALIDATION[2])}, "three lists"),
        ({"sentences": [1, 0]}, "rising"),
    ],
)
def test_what_cannot_be_learnt_is_said(changed: dict[str, Any], said: str) -> None:
    given = {"training": TRAINING[:2], "validation": VALIDATION[:2], "test": TEST[:2]} | QUICK | changed
    with pytest.raises(isogloss.IsoglossError, match=said):
        isogloss.probe(**given)
