"""The path of a GPU, on a stand-in that refuses what a GPU refuses: nothing on the host is left among what is on the device.

What comes out is what the CPU computes, but for rounding: also where a GPU takes steps of another size. Run by
`tests/test_on_a_gpu.py`; where there is a GPU, on that as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from isogloss.backend.errors import ModelError
from isogloss.backend.metrics.abx import confusions, exact, sampled
from isogloss.backend.metrics.geometry.language_out import without_language
from isogloss.backend.metrics.geometry.layer import geometry
from isogloss.backend.metrics.retrieval.accuracy import accuracies, centre, weak_accuracy
from isogloss.backend.metrics.retrieval.mutual_links import mutual_links
from isogloss.backend.metrics.retrieval.ranks import retrieve
from isogloss.backend.metrics.retrieval.similarity import pair_cosines, pair_distances, pair_products
from isogloss.backend.models.device import choose_device
from isogloss.backend.models.encoding import reduce
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.entry import Pooling
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import load as loading
from isogloss.backend.settings import Settings
from isogloss.backend.training.encoder import pretrain as encoder
from isogloss.backend.training.encoder.options import PretrainOptions
from isogloss.backend.training.finetune import run as finetuning_run
from isogloss.backend.training.finetune.evaluate import record_stream
from isogloss.backend.training.finetune.run import begin as begin_finetuning
from isogloss.backend.training.finetune.run import inputs_of, train_step
from isogloss.backend.training.language_model import run as language_model
from isogloss.backend.training.language_model.evaluate import cross_entropy
from isogloss.backend.training.language_model.options import Architecture, Protocol
from isogloss.backend.training.language_model.source import source_windows
from isogloss.backend.training.probe import probes, train
from isogloss.backend.training.probe.features import Labelled, PairFeatures, VectorFeatures
from isogloss.backend.training.probe.options import ProbeOptions
from isogloss.backend.training.signalling_game import run as game
from isogloss.backend.training.translation import run as translation
from isogloss.backend.training.translation.evaluate import translate
from isogloss.backend.training.translation.options import TranslationArchitecture
from isogloss.backend.training.translation.pairs import translation_text
from isogloss.backend.training.translation.pretrain import source_windows as translation_windows
from tests.models.tiny import SENTENCES, tiny_model
from tests.stand_in_gpu import MixedDevicesError, OnGpu, stand_in_gpu
from tests.test_device_memory import GROUPS, same, vectors
from tests.training.encoder.test_pretrain_run import SMALL, invented_corpus
from tests.training.finetune import finetuning
from tests.training.language_model import language_modelling
from tests.training.signalling_game.test_game_run import small
from tests.training.translation import translating

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PROTOCOLS: tuple[Protocol, ...] = ("correct", "released")
POOLINGS: tuple[Pooling, ...] = ("mean", "first", "last", "mean_special")
E5, U, V = vectors(5, 40, 16), vectors(120, 16), vectors(120, 16, seed=1)


ON_CUDA = [pytest.mark.cuda, pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")]


@pytest.fixture(params=["a stand-in", pytest.param("cuda", marks=ON_CUDA)])
def gpu(request: pytest.FixtureRequest) -> Iterator[torch.device]:
    if request.param == "cuda":
        yield choose_device("cuda")
        return
    with stand_in_gpu() as device:
        yield device


def test_the_stand_in_refuses_what_a_gpu_refuses(gpu: torch.device) -> None:
    refused = RuntimeError if gpu.type == "cuda" else MixedDevicesError
    here, there = torch.ones(3, 4), torch.ones(3, 4, device=gpu)
    mixtures: list[Callable[[], object]] = [
        lambda: there + here,
        lambda: there @ here.mT,
        lambda: torch.cat([there, here]),
        lambda: torch.where(there > 0, here, 0),
        lambda: there.scatter_(1, torch.zeros(3, 1, dtype=torch.int64), 1.0),
    ]
    for mixed in mixtures:
        with pytest.raises(refused):
            mixed()
    with pytest.raises((RuntimeError, TypeError), match="numpy"):
        there.numpy()
    assert (there * torch.tensor(2.0)).sum().item() == 24
    assert there[torch.tensor([0, 2])].device.type == there[[0, 2]].device.type == gpu.type
    assert not isinstance(there.cpu(), OnGpu)


SCORED: dict[str, Callable[..., Any]] = {
    "exact": lambda e, u, v: exact.discrimination(e),
    "exact, some pairs": lambda e, u, v: exact.discrimination(e, pairs=[(0, 2), (0, 4), (1, 3)]),
    "exact with its control": lambda e, u, v: exact.with_control(e)[1],
    "geometry": lambda e, u, v: geometry(e, k=3).of_pairs["cka"],
    "geometry of languages, some pairs": lambda e, u, v: geometry(e, pairs=[(0, 2), (1, 3)], k=3).of_languages["hubness"],
    "language out": lambda e, u, v: exact.discrimination(without_language(without_language(e, "lsar", 2), "lir", 1)),
    "what sentences contribute": lambda e, u, v: exact.with_sums(e)[1],
    "sampled": lambda e, u, v: sampled.sampled(e, 1000),
    "subsampled": lambda e, u, v: sampled.subsampled(e, 100, subsamples=3)[0],
    "its control": lambda e, u, v: sampled.sampled_control(e, 1000),
    "shuffled controls": lambda e, u, v: sampled.controls(e),
    "retrieval": lambda e, u, v: accuracies(u, v),
    "retrieval, its own neighbour": lambda e, u, v: accuracies(u, v, self_neighbour=True),
    "retrieval by distance": lambda e, u, v: accuracies(u, v, similarity="l2"),
    "what was retrieved": lambda e, u, v: retrieve(u, v, task="strong_released"),
    "what was retrieved by distance": lambda e, u, v: retrieve(u, v, task="weak", similarity="l2"),
    "links": lambda e, u, v: mutual_links(u, v, GROUPS, GROUPS),
}


@pytest.mark.parametrize("name", SCORED)
def test_scores_are_those_of_the_cpu(name: str, gpu: torch.device) -> None:
    expected = SCORED[name](E5, U, V)
    same(SCORED[name](*(each.to(gpu) for each in (E5, U, V))), expected)


def test_similarities_and_the_worst_triplets_are_those_of_the_cpu(gpu: torch.device) -> None:
    for measure in (pair_cosines, pair_distances, pair_products):
        torch.testing.assert_close(measure(U.to(gpu), V.to(gpu)), measure(U, V))
    torch.testing.assert_close(centre(U.to(gpu)).cpu(), centre(U))
    assert weak_accuracy(U.to(gpu), V.to(gpu)) == weak_accuracy(U, V)
    there, here = (confusions.worst_triplets(*(each.to(device) for each in E5[:2])) for device in (gpu, torch.device("cpu")))
    for task in confusions.TASKS:
        assert [(each.p, each.q) for each in there[task]] == [(each.p, each.q) for each in here[task]]


def losses(run: Any, steps: int = 3) -> list[float]:
    return [run.take(step).item() for step in range(1, steps + 1)]


def both(made: Callable[[torch.device], Any], gpu: torch.device, *, drawn: bool = False) -> None:
    """What is made on the device is what is made on the CPU; where it is `drawn` there, a GPU draws other numbers."""
    expected = made(torch.device("cpu"))
    rough = drawn and gpu.type == "cuda"
    np.testing.assert_allclose(made(gpu), expected, rtol=0.3 if rough else 1e-3, atol=5 if rough else 1e-6)


def test_a_language_model_trains_and_is_scored(gpu: torch.device) -> None:
    shape = Architecture(**{**language_modelling.SHAPE, "dropout": 0.0})
    options = language_modelling.tiny_options(architecture=shape, precision="float32")
    windows = source_windows(language_modelling.tiny_source(), options)

    def made(device: torch.device) -> list[float]:
        model = language_model.fresh_model(options.architecture, 0)
        run = language_model.begin("pre-training", model, windows, options, device)
        found = losses(run)
        return [*found, *(cross_entropy(run.model, windows[0], 12, protocol) for protocol in PROTOCOLS)]

    both(made, gpu)


def test_a_translation_model_trains_and_translates(gpu: torch.device) -> None:
    shape = TranslationArchitecture(**{**translating.SHAPE, "dropout": 0.0})
    options = translating.tiny_options(architecture=shape, precision="float32")
    windows = translation_windows(language_modelling.tiny_source(), options)
    text = translation_text(*translating.tiny_pairs(), options)

    def made(device: torch.device) -> list[float]:
        run = translation.begin_pretraining(translation.fresh_model(options.architecture, 0), windows, options, device)
        found = losses(run)
        tuned = translation.begin_tuning(run.model, text, options, device)
        found += losses(tuned)
        written = translate(tuned.model, text, 3, options)
        return [*found, *map(len, written)]

    both(made, gpu)


@pytest.mark.parametrize("algorithm", ["vanilla", "gaussian", "xtune"])
def test_fine_tuning_trains_and_records(
    algorithm: Any, tmp_path: Path, gpu: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    options, data = finetuning.tiny_options(algorithm=algorithm), finetuning.tiny_task()
    loaded = finetuning.tiny_loaded(tmp_path)
    monkeypatch.setattr(finetuning_run, "choose_dtype", lambda _: (torch.float32, "as on a CPU"))

    def made(device: torch.device) -> list[float]:
        here = replace(loaded, device=device)
        run = begin_finetuning(here, inputs_of(here, data, options), options, data.classes)
        for step in range(1, 4):
            train_step(run, step)
        records = record_stream(run.classifier, run.source, precision=run.precision, step=3, epoch=1)
        total = sum(weight.detach().double().abs().sum().item() for weight in run.classifier.parameters())
        return [total, *(each.errors for each in records)]

    both(made, gpu, drawn=True)


def test_an_encoder_pre_trains(tmp_path: Path, gpu: torch.device, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without dropout: attention draws it otherwise where another kernel is taken.
    options = PretrainOptions(**{**SMALL, "steps": 3, "checkpoints": (3,), "dropout": 0.0})  # type: ignore[arg-type]

    def made(device: torch.device) -> list[float]:
        monkeypatch.setattr(encoder, "choose_device", lambda _: device)
        told: list[float] = []
        encoder.pretrain(invented_corpus(), options, tmp_path / device.type, progress=lambda now: told.append(now.loss))
        return told

    both(made, gpu)


def gru_cell(x: Any, state: Any, of_input: Any, of_state: Any, input_bias: Any, state_bias: Any) -> Any:
    """As torch documents it: the stand-in has no kernel of its own for it."""
    given, kept = (x @ of_input.mT + input_bias).chunk(3, -1), (state @ of_state.mT + state_bias).chunk(3, -1)
    reset, update = torch.sigmoid(given[0] + kept[0]), torch.sigmoid(given[1] + kept[1])
    return (1 - update) * torch.tanh(given[2] + reset * kept[2]) + update * state


def gru(x: Any, state: Any, weights: Any, *_: Any) -> Any:
    states = [state[0]]
    for step in range(x.shape[1]):
        states.append(gru_cell(x[:, step], states[-1], *weights))
    return torch.stack(states[1:], 1), states[-1][None]


@pytest.mark.parametrize("changes", [{}, {"game": "reconstruction"}, {"end_of_sequence": True}])
def test_a_game_is_played(changes: dict[str, Any], gpu: torch.device, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, options = game.gumbel_noise, small(**changes)
    monkeypatch.setattr(torch._VF, "gru_cell", gru_cell)
    monkeypatch.setattr(torch._VF, "gru", gru)
    generator = torch.Generator

    def made(device: torch.device) -> list[float]:
        monkeypatch.setattr(torch, "Generator", lambda *_: generator())  # the stand-in has none of its own
        monkeypatch.setattr(game, "gumbel_noise", lambda *asked: drawn(*asked).to(device))
        run = game.begin(options, device)
        for step in range(1, 4):
            game.train_step(run, step)
        found = game.record(run, 3)
        return [found.loss, found.success, found.length]

    both(made, gpu)


@pytest.mark.parametrize("pairs", [False, True])
def test_probes_train_and_tag(pairs: bool, gpu: torch.device, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = np.random.default_rng(0)

    def part(rows: int) -> Labelled:
        exponents = drawn.integers(-2, 2, (rows, 3), np.int16)
        found: Any = VectorFeatures(drawn.normal(size=(rows, 3, 8)).astype(np.float16), exponents)
        found = PairFeatures(found, np.arange(rows), np.arange(rows)[::-1].copy()) if pairs else found
        return Labelled(found, drawn.integers(0, 3, rows), drawn.integers(0, 3, rows))

    training, validation, options = part(200), part(60), ProbeOptions(seeds=(0, 1), epochs=2, patience=2)

    def made(device: torch.device) -> Any:
        for module in (train, probes):
            monkeypatch.setattr(module, "choose_device", lambda _: device)
        found = train.train_probes(training, validation, 3, options)
        told = probes.predict(found, validation.features, labels=validation.labels)
        assert told.nats is not None
        return np.concatenate([found.losses.ravel(), told.nats.ravel()])

    both(made, gpu)


@pytest.mark.parametrize("architecture", ["xlm-roberta", "llama"])
def test_a_model_encodes(architecture: Any, tmp_path: Path, gpu: torch.device, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny_model(tmp_path / architecture, architecture)
    loaded = loading.load(discover(str(folder)).checkpoints[0], Settings(workspace=tmp_path / "w", demo=None, device="cpu"))
    expected = encode(loaded, SENTENCES, POOLINGS)
    monkeypatch.setattr(reduce, "to_host", lambda values: values.cpu())
    found = encode(replace(loaded, device=gpu, module=loaded.module.to(gpu)), SENTENCES, POOLINGS)
    for pooling, vectors_ in expected.vectors.items():
        np.testing.assert_allclose(found.vectors[pooling].astype(float), vectors_.astype(float), atol=2e-3)


def test_the_device_itself_is_still_refused(gpu: torch.device) -> None:
    """It is for tests alone."""
    with pytest.raises(ModelError, match="on a CPU or on CUDA alone"):
        choose_device("gpu")
