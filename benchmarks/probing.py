"""How fast probes train together, beside the same probes one at a time and scikit-learn's regression; all sides from one run.

    python -m benchmarks.probing [--words 100000] [--dims 768] [--epochs 50] [--alone 3] [--sklearn 1] [--threads 2]

Made features in half precision lie on disk, as words' vectors would. Every side learns the same tags from them and is tested on
the same words. One at a time, a probe is what one would first write: its layer read into float32 once, shuffled batches, a
linear layer, cross-entropy and AdamW of torch, the same early stopping. That side is timed on `--alone` probes, spread over
the layers, and scaled to all; scikit-learn on `--sklearn` layers, without a penalty, as the probes have no weight decay, and
with its default of C = 1: neither stops early, as probes do. The probes together run in a process of their own, whose
peak memory is printed. Seconds of the processor are printed too: on a busy machine they say more. The goal is 10 times.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from isogloss.backend.training.probe.features import Labelled, VectorFeatures
from isogloss.backend.training.probe.options import ProbeOptions
from isogloss.backend.training.probe.probes import predict
from isogloss.backend.training.probe.train import train_probes

TAGS = 17
FACTORS = 32
"""What all dimensions of the made features share."""


@dataclass(frozen=True)
class Taken:
    """What a side took, and how often it was right, in percent of the test words."""

    seconds: float
    processor: float
    accuracy: dict[int, list[float]]
    """By layer, a number a probe."""
    epochs: float
    """The mean of all probes."""


def make(folder: Path, words: int, layers: int, dims: int) -> None:
    """Features on disk: correlated noise and, more strongly in later layers, a direction a tag; tags of uneven frequency."""
    draw = np.random.default_rng(0)
    shares = 1 / np.arange(1, TAGS + 1)
    directions = draw.normal(size=(layers, TAGS, dims)).astype(np.float32)
    shared = draw.normal(size=(FACTORS, dims)).astype(np.float32) / np.sqrt(FACTORS)
    for part, rows in (("training", words), ("validation", max(words // 10, 100)), ("test", max(words // 10, 100))):
        labels = draw.choice(TAGS, rows, p=shares / shares.sum())
        kept = np.lib.format.open_memmap(folder / f"{part}.npy", "w+", np.float16, (rows, layers, dims))
        for at in range(0, rows, 1024):
            here = labels[at : at + 1024]
            for layer in range(layers):
                noise = draw.standard_normal((len(here), dims), np.float32)
                noise += draw.standard_normal((len(here), FACTORS), np.float32) @ shared
                strength = (0.04 + 0.04 * layer / layers) * (768 / dims) ** 0.5
                kept[at : at + 1024, layer] = noise / 2 + strength * directions[layer, here]
        kept.flush()
        np.save(folder / f"{part}-tags.npy", labels)


def load(folder: Path, part: str) -> Labelled:
    vectors = np.load(folder / f"{part}.npy", mmap_mode="r")
    return Labelled(VectorFeatures(vectors), np.load(folder / f"{part}-tags.npy"))


def together(folder: Path, options: ProbeOptions) -> Taken:
    training, validation, test = (load(folder, part) for part in ("training", "validation", "test"))
    started, processor = time.perf_counter(), time.process_time()
    layers = list(range(training.features.layers))
    probes = train_probes(training, validation, TAGS, options, places=layers, device="cpu")
    taken = time.perf_counter() - started, time.process_time() - processor
    said = predict(probes, test.features, device="cpu").tags
    right = (said == test.labels).mean(-1) * 100
    epochs = float(np.isfinite(probes.losses).sum(0).mean())
    return Taken(*taken, {layer: right[layer].tolist() for layer in layers}, epochs)


def layer_of(folder: Path, part: str, layer: int) -> tuple[torch.Tensor, torch.Tensor]:
    vectors = np.load(folder / f"{part}.npy", mmap_mode="r")[:, layer].astype(np.float32)
    return torch.from_numpy(vectors), torch.from_numpy(np.load(folder / f"{part}-tags.npy"))


def alone(folder: Path, options: ProbeOptions, layer: int, seed: int) -> tuple[float, int]:
    """One probe by itself: its accuracy and epochs."""
    torch.manual_seed(seed)
    (x, y), (held, held_y), (test, test_y) = (layer_of(folder, part, layer) for part in ("training", "validation", "test"))
    mean, deviation = x.mean(0), x.std(0, correction=0)
    x, held, test = ((each - mean) / deviation for each in (x, held, test))
    probe = torch.nn.Linear(x.shape[1], TAGS)
    optimiser = torch.optim.AdamW(probe.parameters(), lr=options.learning_rate, weight_decay=options.weight_decay)
    best, since, kept, epochs = float("inf"), 0, probe.state_dict(), 0
    while epochs < options.epochs and since < options.patience:
        for rows in torch.randperm(len(x)).split(options.batch):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(probe(x[rows]), y[rows]).backward()
            optimiser.step()
        with torch.no_grad():
            loss = torch.nn.functional.cross_entropy(probe(held), held_y).item()
        since, epochs = since + 1, epochs + 1
        if loss < best:
            best, since, kept = loss, 0, {name: value.clone() for name, value in probe.state_dict().items()}
    probe.load_state_dict(kept)
    with torch.no_grad():
        return (probe(test).argmax(-1) == test_y).float().mean().item() * 100, epochs


def one_at_a_time(folder: Path, options: ProbeOptions, layers: int, probes: int) -> Taken:
    started, processor = time.perf_counter(), time.process_time()
    chosen = [int(layer) for layer in np.linspace(0, layers - 1, probes).round()]
    found = [(layer, *alone(folder, options, layer, seed)) for seed, layer in enumerate(chosen)]
    scale = layers * len(options.seeds) / probes
    right = {layer: [accuracy for each, accuracy, _ in found if each == layer] for layer in chosen}
    taken = (time.perf_counter() - started) * scale, (time.process_time() - processor) * scale
    return Taken(*taken, right, float(np.mean([epochs for _, _, epochs in found])))


def by_sklearn(folder: Path, layers: int, count: int, strength: float) -> Taken:
    """A regression a layer; `strength` is C, the inverse of the penalty, infinite for none."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    started, processor = time.perf_counter(), time.process_time()
    chosen = [int(layer) for layer in np.linspace(0, layers - 1, count + 1).round()][1:]
    right, passes = {}, []
    for layer in chosen:
        (x, y), (test, test_y) = (layer_of(folder, part, layer) for part in ("training", "test"))
        model = make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=200)).fit(x.numpy(), y.numpy())
        right[layer] = [model.score(test.numpy(), test_y.numpy()) * 100]
        passes.append(int(model[-1].n_iter_.max()))
    scale = layers / count
    taken = (time.perf_counter() - started) * scale, (time.process_time() - processor) * scale
    return Taken(*taken, right, float(np.mean(passes)))


def in_a_process(folder: Path, options: ProbeOptions, threads: int) -> tuple[Taken, float]:
    """The probes together, and the peak memory of the process that trains them, in GB."""
    command = [sys.executable, "-m", "benchmarks.probing", f"--threads={threads}", "--inside", str(folder)]
    root = Path(__file__).resolve().parents[1]
    ran = subprocess.run([*command, options.model_dump_json()], cwd=root, check=True, stdout=subprocess.PIPE)
    found = json.loads(ran.stdout)
    accuracy = {int(layer): each for layer, each in found["accuracy"].items()}
    return Taken(found["seconds"], found["processor"], accuracy, found["epochs"]), found["peak"]


def shown(name: str, taken: Taken, ours: Taken, layers: list[int]) -> str:
    right = ", ".join(f"{np.mean(taken.accuracy[layer]):.2f}" for layer in layers if layer in taken.accuracy)
    times = f"{taken.seconds:8.1f} s, of the processor {taken.processor:8.1f} s"
    longer = f"{taken.seconds / ours.seconds:5.1f} times as long, {taken.processor / ours.processor:5.1f} in processor seconds"
    return f"{name:24} {times}  {longer}  epochs {taken.epochs:.1f}  right {right} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--dims", type=int, default=768)
    parser.add_argument("--layers", type=int, default=13)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--batch", type=int, default=ProbeOptions().batch)
    parser.add_argument("--epochs", type=int, default=ProbeOptions().epochs, help="the most of each probe")
    parser.add_argument("--alone", type=int, default=3, help="probes timed one at a time")
    parser.add_argument("--sklearn", type=int, default=1, help="layers given to scikit-learn")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--inside", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    if given.inside:
        taken = together(Path(given.inside[0]), ProbeOptions.model_validate_json(given.inside[1]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
        print(json.dumps({**vars(taken), "peak": peak}))
        return
    options = ProbeOptions(seeds=tuple(range(given.seeds)), epochs=given.epochs, batch=given.batch, control=False)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, given.words, given.layers, given.dims)
        print(f"{given.words:,} words × {given.layers} layers × {given.dims}, {given.seeds} seeds, {TAGS} tags, ", end="")
        print(
            f"batches of {options.batch}, at most {options.epochs} epochs; {given.threads} threads; torch {torch.__version__}"
        )
        ours, peak = in_a_process(folder, options, given.threads)
        sides = {"one at a time": one_at_a_time(folder, options, given.layers, given.alone)}
        layers = list(sides["one at a time"].accuracy)
        for name, strength in (("no penalty", np.inf), ("C = 1", 1.0)) if given.sklearn else ():
            sides[f"scikit-learn, {name}"] = by_sklearn(folder, given.layers, given.sklearn, strength)
        print(f"layers {', '.join(map(str, layers))} are compared; goal: at least 10 times as long one at a time\n")
        print(shown("together", ours, ours, layers), f" peak memory {peak:.2f} GB (goal: under 2)")
        for side, taken in sides.items():
            print(shown(side, taken, ours, layers))


if __name__ == "__main__":
    main()
