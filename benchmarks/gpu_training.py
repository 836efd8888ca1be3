"""The sections of `benchmarks.gpu` that train, and that show equal seeds to give equal bytes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from benchmarks.measuring import Line, duration, written_model, written_texts
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import load as loading
from isogloss.backend.settings import ROOT, Settings
from isogloss.backend.training.finetune.data import ClassificationData
from isogloss.backend.training.finetune.evaluate import predict
from isogloss.backend.training.finetune.loop import finetune
from isogloss.backend.training.finetune.options import FinetuneOptions
from isogloss.backend.training.finetune.run import begin as begin_finetuning
from isogloss.backend.training.finetune.run import inputs_of, train_step
from isogloss.backend.training.language_model import run as language_model
from isogloss.backend.training.language_model.options import Architecture, LanguageModelOptions, preset
from isogloss.backend.training.language_model.pretrain import pretrain
from isogloss.backend.training.probe.features import Labelled, VectorFeatures
from isogloss.backend.training.probe.options import ProbeOptions
from isogloss.backend.training.probe.train import train_probes
from isogloss.backend.training.resumable.options import Stage
from isogloss.backend.training.resumable.reproducible import deterministically, reproducible, what_varies
from tests.corpora.emergent.utterances import from_utterances

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.measuring import Place

PAPER_TOKENS = 15_000_000 * 5 + 10 * 2_000_000 * 10
"""Trained on in a whole run of XferBench's `paper`: one source, ten targets."""


def language_models(place: Place) -> Iterator[Line]:
    """A step of XferBench's `paper` as trainings take it, stage by stage; the run projected."""
    options = preset("quick" if place.small else "paper")
    shape, stage = options.architecture, options.pretraining
    windows = np.random.default_rng(0).integers(0, 27, (8 * stage.batch, shape.context), np.int32)
    with reproducible(place.device):
        model = language_model.fresh_model(shape, 0)
        run = language_model.begin("pre-training", model, windows, options, place.device)
        first, step = place.seconds(lambda: deterministically(partial(run.take, 1))), 1

        def steps() -> None:
            nonlocal step
            for _ in range(4):
                step += 1
                deterministically(partial(run.take, step))

        seconds = place.median(steps) / 4
        kernels = _kernels(place)
        tokens = stage.batch * shape.context
        flops, source = place.peak_flops(run.precision)
        share = tokens / seconds * shape.training_flop / flops
        what = f"a step of {tokens:,} tokens, {str(run.precision)[6:]}"
        yield Line("language", what, duration(seconds), f"the first {duration(first)}")
        yield Line("language", "tokens a second, share of peak", f"{tokens / seconds:,.0f}, {share:.1%}", source)
        yield from _stages(place, run)
        if place.on_gpu:  # a CPU has none but its own
            torch.use_deterministic_algorithms(False)
            loose = place.median(steps) / 4
            yield Line(
                "language", "the same by any kernels", duration(loose), f"deterministic ones {seconds / loose:.2f} times"
            )
    if not place.small:
        yield Line("language", "the run projected, 275 M tokens", duration(PAPER_TOKENS / tokens * seconds), "goal under 8 min")
    yield Line("language", "kernels", kernels)


def _stages(place: Place, run: language_model.Run) -> Iterator[Line]:
    """The parts of a step, each waited for."""
    ids = run.windows[language_model.batch_rows(run, 1).to(run.device)].long()
    table, bf16 = run.model.wte.weight, run.precision == torch.bfloat16
    held: dict[str, Any] = {}

    def forward() -> None:
        with torch.autocast(run.device.type, dtype=torch.bfloat16, enabled=bf16):
            held["states"] = run.model(ids[:, :-1]).flatten(0, 1)

    def score() -> None:
        held["loss"] = run.loss(held["states"].detach(), table.detach(), ids[:, 1:].flatten(), run.precision)

    def backward() -> None:
        torch.autograd.backward(held["states"], held["loss"][1])

    def update() -> None:
        torch.nn.utils.clip_grad_norm_(run.model.parameters(), run.stage.largest_gradient)
        run.optimizer.step()

    took: dict[str, list[float]] = {}
    for _ in range(4):
        run.optimizer.zero_grad(set_to_none=True)
        for work in (forward, score, backward, update):
            took.setdefault(work.__name__, []).append(place.seconds(work))
    medians = {name: float(np.median(each[1:])) for name, each in took.items()}
    whole = sum(medians.values())
    for name, seconds in medians.items():
        yield Line("language", f"of it: {name}", duration(seconds), f"{seconds / whole:.0%}")


def compiled(place: Place) -> Iterator[Line]:
    """A step of the same model as it is, and by `torch.compile`: whether launches of kernels are what it waits for."""
    plain = preset("quick" if place.small else "paper")
    windows = np.random.default_rng(0).integers(0, 27, (8 * plain.pretraining.batch, plain.architecture.context), np.int32)
    took: dict[bool, float] = {}
    for wanted in (False, True):
        options = plain.model_copy(update={"compile": wanted})
        with reproducible(place.device):
            model = language_model.fresh_model(options.architecture, 0)
            run = language_model.begin("pre-training", model, windows, options, place.device)
            steps = iter(range(1, 100))
            first = place.seconds(lambda run=run, steps=steps: deterministically(partial(run.take, next(steps))))
            took[wanted] = place.median(lambda run=run, steps=steps: deterministically(partial(run.take, next(steps))), times=8)
        what = "a step by torch.compile" if wanted else "a step as it is"
        yield Line("compiled", what, duration(took[wanted]), f"the first {duration(first)}")
    yield Line("compiled", "faster", f"{took[False] / took[True]:.2f} times")


def fine_tuning(place: Place) -> Iterator[Line]:
    """Steps and evaluated examples of a classifier on XLM-R base's shape."""
    with tempfile.TemporaryDirectory() as name:
        written_model(place, Path(name))
        settings = Settings(workspace=Path(name) / "workspace", demo=None, device=str(place.device))
        loaded = loading.load(discover(str(Path(name) / "model")).checkpoints[0], settings, full_precision=True)
        data, options = _task(place), FinetuneOptions(seed=1)
        with reproducible(place.device):
            run = begin_finetuning(loaded, inputs_of(loaded, data, options), options, data.classes)
            first = place.seconds(lambda: deterministically(partial(train_step, run, 1)))
            step = 1

            def steps() -> None:
                nonlocal step
                for _ in range(4):
                    step += 1
                    deterministically(partial(train_step, run, step))

            seconds = place.median(steps) / 4
            yield Line("fine-tuning", f"a step of {options.batch} examples", duration(seconds), f"the first {duration(first)}")
            each = place.median(lambda: predict(run.classifier, run.source, run.precision)) / len(data.labels)
            yield Line("fine-tuning", "examples evaluated a second", f"{1 / each:,.0f}", _kernels(place))


def probing(place: Place) -> Iterator[Line]:
    """Linear probes of all layers."""
    drawn = np.random.default_rng(0)
    layers, dims, rows = place.size(4, 13), place.size(32, 768), place.size(1000, 20_000)
    parts = [
        Labelled(
            VectorFeatures(drawn.standard_normal((n, layers, dims), np.float32).astype(np.float16)), drawn.integers(0, 17, n)
        )
        for n in (rows, rows // 10)
    ]
    options = ProbeOptions(control=False, epochs=2, patience=3)
    seconds = place.seconds(lambda: train_probes(*parts, 17, options, device=str(place.device)))
    probes = (layers + 2) * len(options.seeds)
    yield Line("probing", f"{probes} probes, {rows:,} words × {layers} × {dims}, 2 epochs", duration(seconds))


def repeated(place: Place) -> Iterator[Line]:
    """Two runs of equal seeds, compared byte for byte; then one with another seed, which must differ."""
    with tempfile.TemporaryDirectory() as name:
        found = [_trained(place, Path(name) / str(i), seed) for i, seed in enumerate((1, 1, 2))]
        yield _equal("language model, two runs", found[0] == found[1])
        yield Line("repeated", "kernels of it", _kernels(place))
        other = found[0] != found[2]
        yield Line("repeated", "another seed", "other bytes" if other else "THE SAME BYTES", failed=not other)
        written_model(replace(place, small=True), Path(name))
        settings = Settings(workspace=Path(name) / "workspace", demo=None, device=str(place.device))
        loaded = loading.load(discover(str(Path(name) / "model")).checkpoints[0], settings, full_precision=True)
        options = FinetuneOptions(seed=1, epochs=1, batch=8, record_every=3, windows="all", learning_rate=2e-3)
        tuned = []
        for run in ("a", "b"):
            finetune(loaded, _task(replace(place, small=True)), options, Path(name) / run, fingerprint="f")
            tuned.append((Path(name) / run / "records.jsonl").read_bytes())
        yield _equal("fine-tuning, the records of two runs", tuned[0] == tuned[1])
        yield Line("repeated", "kernels of it", _kernels(place))


def killed(place: Place) -> Iterator[Line]:
    """A run that is killed by the system in the middle and gone on with, against one that was not."""
    with tempfile.TemporaryDirectory() as name:
        unbroken = _trained(place, Path(name) / "unbroken", 1)
        folder = Path(name) / "killed"
        command = [sys.executable, "-m", "benchmarks.gpu_training", str(folder), str(place.device), str(int(place.small))]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if ran.returncode != -9:
            raise RuntimeError(f"the run was not killed, it ended with {ran.returncode}: {ran.stderr[-300:]}")
        yield _equal("killed and resumed, as if it were not", _trained(place, folder, 1) == unbroken, "killed")


def _kernels(place: Place) -> str:
    """Say whether the training that was last begun had deterministic kernels."""
    return what_varies() or ("all deterministic" if place.on_gpu else "a CPU's own")


def _equal(what: str, equal: bool, section: str = "repeated") -> Line:
    return Line(section, what, "byte for byte" if equal else "NOT EQUAL", failed=not equal)


def _options(place: Place, seed: int) -> LanguageModelOptions:
    shape = Architecture(layers=2, heads=4, dims=place.size(32, 256), context=64, vocabulary=512, dropout=0.1)
    stage = Stage(tokens=64 * 8 * 40, epochs=1, batch=8, learning_rate=1e-3)
    return LanguageModelOptions(architecture=shape, pretraining=stage, tuning=stage, seed=seed)


def _corpus() -> EmergentCorpus:
    drawn = np.random.default_rng(0)
    return from_utterances([drawn.integers(0, 27, drawn.integers(1, 12)).tolist() for _ in range(4000)])


def _trained(place: Place, folder: Path, seed: int, **following: Any) -> str:
    """The digest of the weights that come of a run."""
    found = pretrain(_corpus(), _options(place, seed), folder, device=str(place.device), **following)
    assert found.model is not None
    return sha256((found.model / "model.safetensors").read_bytes()).hexdigest()


def _task(place: Place) -> ClassificationData:
    drawn, n = np.random.default_rng(0), place.size(48, 1024)
    texts = written_texts(place, 2 * n)
    return ClassificationData("en", {"en": list(zip(texts[:n], texts[n:], strict=True))}, drawn.integers(0, 3, n))


def _die(folder: str, device: str, small: str) -> None:
    """Train, and be killed after the twentieth step, whose state is there."""
    from benchmarks.measuring import Place

    def at_twenty(now: Any) -> None:
        if now.step >= 20:
            os.kill(os.getpid(), 9)

    _trained(Place(torch.device(device), bool(int(small)), 0.0), Path(folder), 1, progress=at_twenty, save_every=0.0)


TRAINING: dict[str, Callable[[Place], Iterator[Line]]] = {
    "language": language_models,
    "compiled": compiled,
    "fine-tuning": fine_tuning,
    "probing": probing,
    "repeated": repeated,
    "killed": killed,
}

if __name__ == "__main__" and len(sys.argv) == 4:
    _die(*sys.argv[1:])
