"""Probes trained together are the probes that one would train one at a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from isogloss.backend.metrics.probing.controls import control_tags, tag_distribution
from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.probe import reading, train
from isogloss.backend.training.probe.banks import LayerBank
from isogloss.backend.training.probe.features import Labelled, PairFeatures, ProbeError, VectorFeatures
from isogloss.backend.training.probe.options import ProbeOptions
from isogloss.backend.training.probe.probes import MEAN_OF_LAYERS, MIX, predict
from isogloss.backend.training.probe.subset import drawn_sentences
from isogloss.backend.training.probe.train import train_probes
from tests.training.probe.plain_probe import standardised, train_plainly

LAYERS, DIMS, TAGS = 3, 10, 4
QUICK = ProbeOptions(seeds=(0, 7), batch=16, window=64, epochs=8, patience=2, learning_rate=0.02)


def made(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors of which layer 2 tells the tag best, layer 0 not at all; tags; control tags of 40 words."""
    draw = np.random.default_rng(seed)
    labels = draw.choice(TAGS, rows, p=[0.4, 0.3, 0.2, 0.1])
    directions = np.random.default_rng(99).normal(size=(TAGS, DIMS))
    vectors = draw.normal(size=(rows, LAYERS, DIMS)) * [[1.0], [5.0], [0.2]] + [[0.0], [3.0], [0.1]]
    for layer, (strength, size) in enumerate([(0, 1), (0.6, 5), (1.2, 0.2)]):
        vectors[:, layer] += strength * size * directions[labels]
    words = [f"w{number}" for number in draw.integers(0, 40, rows)]
    return vectors.astype(np.float16), labels, control_tags(words, [4, 3, 2, 1])


def part(rows: int, seed: int) -> Labelled:
    vectors, labels, control = made(rows, seed)
    return Labelled(VectorFeatures(vectors), labels, control)


TRAINING, VALIDATION, TEST = part(300, 1), part(120, 2), part(200, 3)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"standardisation": "none", "weight_decay": 0.5},
        {"optimiser": "sgd", "learning_rate": 0.05, "weight_decay": 0.1},
        {"batch": 7, "window": 50, "patience": 1},
    ],
)
def test_each_is_the_probe_that_plain_torch_trains_alone(changed: dict[str, object]) -> None:
    options = QUICK.model_copy(update=changed)
    together = train_probes(TRAINING, VALIDATION, TAGS, options, device="cpu")
    assert together.places == (0, 1, 2, MEAN_OF_LAYERS, MIX)
    vectors, test = TRAINING.features.vectors, TEST.features.vectors
    for head, name in enumerate(("tags", "control") if not changed else ("tags",)):
        said = predict(together, TEST.features, head=name, device="cpu").tags
        for number, place in enumerate(together.places):
            plain, losses = train_plainly(
                *(vectors, TRAINING.control if head else TRAINING.labels),
                *(VALIDATION.features.vectors, VALIDATION.control if head else VALIDATION.labels),
                *(TAGS, options, place, 7, head),
            )
            own = together.losses[:, head, number, 1]
            np.testing.assert_allclose(own[np.isfinite(own)], losses, atol=2e-4)
            assert together.best[head, number, 1] == int(np.argmin(losses))
            np.testing.assert_allclose(
                together.weights[head, number, 1], plain.linear.weight.detach().T, atol=5e-3, err_msg=f"{name} {place}"
            )
            np.testing.assert_allclose(together.bias[head, number, 1], plain.linear.bias.detach(), atol=5e-3)
            if place == MIX:
                np.testing.assert_allclose(together.mix[head, 1], torch.softmax(plain.mix, 0).detach(), atol=2e-3)
            with torch.no_grad():
                alone = plain(standardised(vectors, test, options)).argmax(-1).numpy()
            assert (said[number, 1] == alone).mean() > 0.98


def test_each_seed_learns_its_own_draw_of_control_tags() -> None:
    draw, options = np.random.default_rng(3), QUICK.model_copy(update={"control": "by seed"})
    draws = [
        np.stack([each.control, draw.permutation(each.control)]) for each in (TRAINING, VALIDATION) if each.control is not None
    ]
    parts = [replace(each, control=own) for each, own in zip((TRAINING, VALIDATION), draws, strict=True)]
    together = train_probes(*parts, TAGS, options, device="cpu")
    for number, seed in enumerate(QUICK.seeds):
        own = [replace(each, control=each.control[number]) for each in parts if each.control is not None]
        alone = train_probes(*own, TAGS, options.model_copy(update={"seeds": (seed,)}), device="cpu")
        np.testing.assert_allclose(together.weights[:, :, number], alone.weights[:, :, 0], atol=1e-4)
        np.testing.assert_array_equal(together.best[:, :, number], alone.best[:, :, 0])
    with pytest.raises(ProbeError, match="2 draws of control tags for 3 seeds"):
        train_probes(*parts, TAGS, options.model_copy(update={"seeds": (0, 1, 2)}), device="cpu")


def test_a_probe_is_the_same_whatever_is_trained_beside_it() -> None:
    together = train_probes(TRAINING, VALIDATION, TAGS, QUICK, device="cpu")
    for place, seed in ((1, 0), (MEAN_OF_LAYERS, 7), (MIX, 7)):
        alone = train_probes(
            TRAINING,
            VALIDATION,
            TAGS,
            QUICK.model_copy(update={"seeds": (seed,), "control": False}),
            places=[place],
            device="cpu",
        )
        number, which = together.places.index(place), QUICK.seeds.index(seed)
        np.testing.assert_allclose(alone.weights[0, 0, 0], together.weights[0, number, which], atol=1e-4)
        assert alone.best[0, 0, 0] == together.best[0, number, which]
    again = train_probes(TRAINING, VALIDATION, TAGS, QUICK, device="cpu")
    np.testing.assert_array_equal(again.weights, together.weights)
    assert not np.allclose(together.weights[:, :, 0], together.weights[:, :, 1], atol=1e-3)  # seeds differ


def test_layers_of_one_bank_are_trained_as_each_by_itself() -> None:
    """As on a GPU, where all layers share a bank; also once some seeds, layers and heads have stopped."""
    draw = np.random.default_rng(5)
    window = torch.from_numpy(draw.normal(size=(50, LAYERS, DIMS)).astype(np.float16))
    labels = torch.from_numpy(draw.integers(0, TAGS, (2, 3, 50)))
    start = torch.from_numpy(draw.normal(size=(2, LAYERS, 3, DIMS + 1, TAGS)).astype(np.float32))
    orders = reading.seed_orders(50, (0, 7, 9), 0, 0)
    scaling = reading.Scaling(torch.zeros(LAYERS, DIMS), torch.ones(LAYERS, DIMS))
    options = QUICK.model_copy(update={"seeds": (0, 7, 9), "weight_decay": 0.1})
    one = LayerBank([0, 1, 2], [0, 1, 2], start, scaling, options)
    each = [LayerBank([layer], [0, 1, 2], start[:, [layer]], scaling, options) for layer in range(LAYERS)]
    for keep in (None, ([1], [0, 2], [0, 2])):
        if keep is not None:
            heads, layers, seeds = keep
            one.select(heads, layers, seeds)
            each = [each[layer] for layer in layers]
            for bank in each:
                bank.select(heads, [0], seeds)
        for bank in (one, *each):
            bank.train(window, labels, orders)
        together = torch.cat([bank.parameters() for bank in each], 1)
        torch.testing.assert_close(one.parameters(), together, atol=1e-5, rtol=1e-5)
        losses = torch.cat([bank.losses(window, labels) for bank in each], 1)
        torch.testing.assert_close(one.losses(window, labels), losses, atol=1e-3, rtol=1e-5)
        assert one.parameters().shape == (len(one.heads), len(each), len(one.seeds), DIMS + 1, TAGS)


def test_how_much_is_read_at_a_time_and_how_many_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = train_probes(TRAINING, VALIDATION, TAGS, QUICK, device="cpu")
    monkeypatch.setattr(train, "READ", 37)
    threads = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        after = train_probes(TRAINING, VALIDATION, TAGS, QUICK, device="cpu")
    finally:
        torch.set_num_threads(threads)
    np.testing.assert_allclose(after.weights, before.weights, atol=1e-4)
    np.testing.assert_array_equal(after.best, before.best)


def test_features_on_disk_give_the_probes_of_those_in_memory(tmp_path: Path) -> None:
    np.save(tmp_path / "training.npy", TRAINING.features.vectors)
    mapped = VectorFeatures(np.load(tmp_path / "training.npy", mmap_mode="r"))
    one = train_probes(TRAINING, VALIDATION, TAGS, QUICK, places=[2], device="cpu")
    other = train_probes(Labelled(mapped, TRAINING.labels, TRAINING.control), VALIDATION, TAGS, QUICK, places=[2], device="cpu")
    np.testing.assert_array_equal(one.weights, other.weights)


def test_an_epoch_reads_every_row_once() -> None:
    seen: list[np.ndarray] = []

    class Counted(VectorFeatures):
        def read(self, rows: np.ndarray) -> torch.Tensor:
            seen.append(rows)
            return super().read(rows)

    counted = Labelled(Counted(TRAINING.features.vectors), TRAINING.labels, TRAINING.control)
    probes = train_probes(counted, VALIDATION, TAGS, QUICK, device="cpu")
    times = np.bincount(np.concatenate(seen))
    assert times.tolist() == [1 + len(probes.losses)] * 300  # once more for the standardisation
    orders = reading.seed_orders(64, (0, 7), 3, 1)
    assert sorted(orders[0].tolist()) == sorted(orders[1].tolist()) == list(range(64))
    assert not torch.equal(orders[0], orders[1])


def test_a_probe_stops_after_its_patience_and_keeps_its_best() -> None:
    told: list[tuple[int, int]] = []
    options = QUICK.model_copy(update={"epochs": 40, "learning_rate": 0.05})
    probes = train_probes(TRAINING, VALIDATION, TAGS, options, device="cpu", progress=lambda *done: told.append(done))
    epochs = np.isfinite(probes.losses).sum(0)
    stopped = ~probes.at_limit
    assert stopped.any()
    assert (epochs[stopped] == probes.best[stopped] + 1 + options.patience).all()
    assert len(set(epochs.ravel().tolist())) > 1  # not all at once
    np.testing.assert_array_equal(probes.best, np.nanargmin(probes.losses, 0))
    for head, labels in (("tags", VALIDATION.labels), ("control", VALIDATION.control)):
        found = predict(probes, VALIDATION.features, head=head, labels=labels, device="cpu")
        lowest = np.nanmin(probes.losses[:, probes.heads.index(head)], 0)
        np.testing.assert_allclose(found.nats / len(labels), lowest, rtol=1e-4)
    assert told[-1] == (stopped.sum(), stopped.size)
    assert [stops for stops, _ in told] == sorted(stops for stops, _ in told)


def test_exponents_are_applied() -> None:
    vectors, labels, control = made(300, 1)
    exponents = np.zeros(vectors.shape[:2], np.int16)
    exponents[::3, 1] = 4
    stored = vectors.copy()
    stored[::3, 1] /= 16
    plain = predict(probes := train_probes(TRAINING, VALIDATION, TAGS, QUICK, device="cpu"), TRAINING.features, device="cpu")
    scaled = predict(probes, VectorFeatures(stored, exponents), device="cpu")
    assert (plain.tags == scaled.tags).mean() > 0.999
    wrong = predict(probes, VectorFeatures(stored), device="cpu")
    assert (plain.tags[1] == wrong.tags[1]).mean() < 0.99
    del labels, control


def test_features_of_pairs_are_those_of_the_formula() -> None:
    vectors = TRAINING.features.vectors
    first, second = np.array([0, 5, 9]), np.array([3, 5, 2])
    pairs = PairFeatures(VectorFeatures(vectors), first, second)
    assert (pairs.rows, pairs.layers, pairs.dims) == (3, LAYERS, 4 * DIMS)
    u, v = vectors[[9, 0]].astype(np.float32), vectors[[2, 3]].astype(np.float32)
    np.testing.assert_array_equal(pairs.read(np.array([2, 0])), np.concatenate([u, v, np.abs(u - v), u * v], axis=-1))


def test_constant_dimensions_and_one_tag_alone_are_learnt_without_harm() -> None:
    vectors = TRAINING.features.vectors.copy()
    vectors[:, :, 0] = 7
    vectors[:, 1] = 0  # a layer that says nothing
    features = VectorFeatures(vectors)
    probes = train_probes(Labelled(features, TRAINING.labels, TRAINING.control), VALIDATION, TAGS, QUICK, device="cpu")
    assert np.isfinite(probes.weights).all()
    assert probes.scaling.scale.isfinite().all()
    alone = Labelled(TRAINING.features, np.zeros(300, np.int64), np.zeros(300, np.int64))
    held = Labelled(VALIDATION.features, np.zeros(120, np.int64), np.zeros(120, np.int64))
    assert (predict(train_probes(alone, held, 1, QUICK, device="cpu"), TEST.features, device="cpu").tags == 0).all()


def test_standardisation_is_exact_far_from_zero() -> None:
    draw = np.random.default_rng(0)
    values = (1000 + draw.normal(size=(500, 1, 3))).astype(np.float16)
    found = reading.moments(VectorFeatures(values), 64, torch.device("cpu"), None, standardise=True)
    np.testing.assert_allclose(found.shift[0], values.astype(np.float64).mean(0)[0], rtol=1e-6)
    np.testing.assert_allclose(1 / found.scale[0], values.astype(np.float64).std(0)[0], rtol=1e-4)


def test_what_cannot_be_learnt_from_is_said() -> None:
    broken = TRAINING.features.vectors.copy()
    broken[123, 2, 4] = np.nan
    cases: list[tuple[Labelled, Labelled, dict[str, object], str]] = [
        (Labelled(VectorFeatures(broken), TRAINING.labels, TRAINING.control), VALIDATION, {}, "Layer 2 of row 123"),
        (TRAINING, Labelled(VALIDATION.features, VALIDATION.labels + 3, VALIDATION.control), {}, "tags from 3 to 6"),
        (Labelled(TRAINING.features, TRAINING.labels), VALIDATION, {}, "no control tags"),
        (Labelled(TRAINING.features, TRAINING.labels[:5], TRAINING.control), VALIDATION, {}, "300 words and 5 tags"),
        (
            TRAINING,
            Labelled(VectorFeatures(np.empty((0, 3, 10), np.float16)), np.empty(0, int), np.empty(0, int)),
            {},
            "no words",
        ),
        (
            TRAINING,
            Labelled(VectorFeatures(VALIDATION.features.vectors[:, :2]), VALIDATION.labels, VALIDATION.control),
            {},
            "layers",
        ),
        (TRAINING, VALIDATION, {"places": [5]}, "no layer 5"),
        (TRAINING, VALIDATION, {"places": []}, "at least one"),
    ]
    for training, validation, more, message in cases:
        with pytest.raises(ProbeError, match=message):
            train_probes(training, validation, TAGS, QUICK, device="cpu", **more)
    with pytest.raises(ProbeError, match="Lower the learning rate"):
        wild = QUICK.model_copy(update={"optimiser": "sgd", "learning_rate": 1e38})
        train_probes(TRAINING, VALIDATION, TAGS, wild, device="cpu")
    with pytest.raises(StoppedError):
        train_probes(TRAINING, VALIDATION, TAGS, QUICK, device="cpu", should_stop=lambda: True)
    probes = train_probes(TRAINING, VALIDATION, TAGS, QUICK.model_copy(update={"control": False}), places=[0], device="cpu")
    for features, more, message in (
        (TEST.features, {"head": "control"}, "without a control task"),
        (VectorFeatures(broken), {}, "Layer 2 of row 123"),
        (VectorFeatures(broken[:, :2]), {}, "were trained on"),
        (TEST.features, {"labels": TEST.labels + 1}, "tags from 0 to 3"),
    ):
        with pytest.raises(ProbeError, match=message):
            predict(probes, features, device="cpu", **more)


def test_a_random_control_task_is_not_learnt_from_vectors_that_say_nothing_of_words() -> None:
    draw = np.random.default_rng(5)

    def random(rows: int) -> Labelled:
        words = [f"w{number}" for number in draw.integers(0, 3000, rows)]
        labels = draw.choice(TAGS, rows, p=[0.4, 0.3, 0.2, 0.1])
        tags = control_tags(words, tag_distribution(labels, TAGS))
        return Labelled(VectorFeatures(draw.normal(size=(rows, 1, DIMS)).astype(np.float16)), labels, tags)

    probes = train_probes(random(3000), random(1000), TAGS, QUICK, places=[0], device="cpu")
    test = random(4000)
    right = (predict(probes, test.features, device="cpu").tags == test.labels).mean()
    control = (predict(probes, test.features, head="control", device="cpu").tags == test.control).mean()
    assert abs(right - control) < 0.04
    assert abs(right - 0.4) < 0.03


def test_whole_sentences_are_drawn_for_training() -> None:
    sizes = np.random.default_rng(0).integers(0, 30, 500)
    chosen = drawn_sentences(sizes, 1000)
    assert (np.diff(chosen) > 0).all()
    assert 1000 - 30 < sizes[chosen].sum() <= 1000
    assert drawn_sentences(sizes, 1000).tolist() == chosen.tolist()
    assert len(drawn_sentences(sizes, None)) == len(drawn_sentences(sizes, int(sizes.sum()))) == 500
    assert len(drawn_sentences([50, 60], 10)) == 1  # a longer sentence than asked for is taken all the same
    assert set(drawn_sentences(sizes, 500).tolist()) <= set(chosen.tolist())  # more words are those and others
    assert len(drawn_sentences([], 10)) == 0


def test_options_that_cannot_be_are_said() -> None:
    for wrong in ({"seeds": ()}, {"seeds": (1, 1)}, {"seeds": (-1,)}, {"batch": 0}, {"learning_rate": float("nan")}, {"x": 1}):
        with pytest.raises(ValueError, match=r"."):
            ProbeOptions(**wrong)
