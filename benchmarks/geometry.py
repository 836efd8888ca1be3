"""What geometry adds to exact ABX, both from one run; and how often its intervals hold what a large sample gives.

    python -m benchmarks.geometry [--languages 36] [--sentences 998] [--dims 768] [--threads 2] [--trials 200]

Times are of one layer, ABX alone and ABX with every measure of geometry in turns, the least of `--repeats`: CPU seconds of the
process beside those of the clock, which other work on the machine makes longer. Coverage is of translations drawn anew: a
shared meaning, noise, a shift a language, over dimensions of falling variance. The truth is the mean of larger samples for
measures that do not change with n; for the others that of many samples of the same n.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import numpy as np
import torch

from isogloss.backend.experiments.geometry.measures import KINDS
from isogloss.backend.metrics.abx.exact import discrimination
from isogloss.backend.metrics.geometry.intervals import ends
from isogloss.backend.metrics.geometry.layer import geometry

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def drawn(draw: np.random.Generator, languages: int, n: int, dims: int, meaning: float = 1.0) -> torch.Tensor:
    """Vectors of translated sentences, `[languages, n, dims]`."""
    scale = np.arange(1, dims + 1) ** -0.5
    shared = meaning * draw.standard_normal((1, n, dims))
    shift = np.random.default_rng(0).standard_normal((languages, 1, dims))  # of the languages, not of the sample
    vectors = (shared + draw.standard_normal((languages, n, dims)) + 0.5 * shift) * scale
    return torch.from_numpy(vectors.astype(np.float32))


def took(work: Callable[[], object]) -> tuple[float, float]:
    """CPU seconds of the process, and seconds."""
    cpu, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - clock


def values_of(vectors: torch.Tensor) -> dict[str, tuple[float, float, float]]:
    """Value, low and high of the first pair, or the first language, by measure."""
    found = geometry(vectors)
    measured = found.of_pairs | found.of_languages
    n, numbers = vectors.shape[1], {}
    for metric, each in measured.items():
        value = each.value[:1].numpy()
        low, high = ends(KINDS[metric].scale, value, each.error[:1].numpy(), n)
        numbers[metric] = (float(value[0]), float(low[0]), float(high[0]))
    return numbers


def coverage(n: int, trials: int, meaning: float) -> None:
    """Print how often each measure's interval holds the mean over all samples of this size."""
    draw = np.random.default_rng(1)
    samples = [values_of(drawn(draw, 2, n, 32, meaning)) for _ in range(trials)]
    print(f"{n} sentences, meaning {meaning:g}, {trials} samples: value, standard deviation, width of intervals, coverage")
    for metric in samples[0]:  # not those that need the tokens
        rows: NDArray[np.float64] = np.array([each[metric] for each in samples])
        truth = rows[:, 0].mean()
        held = np.mean((rows[:, 1] <= truth) & (truth <= rows[:, 2]))
        width = np.mean(rows[:, 2] - rows[:, 1])
        print(f"  {metric:17} {truth:8.3f} {rows[:, 0].std():8.4f} {width:8.4f} {held:6.1%}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--languages", type=int, default=36)
    options.add_argument("--sentences", type=int, default=998)
    options.add_argument("--dims", type=int, default=768)
    options.add_argument("--threads", type=int, default=torch.get_num_threads())
    options.add_argument("--repeats", type=int, default=2)
    options.add_argument("--trials", type=int, default=200)
    asked = options.parse_args()
    torch.set_num_threads(asked.threads)
    vectors = drawn(np.random.default_rng(0), asked.languages, asked.sentences, asked.dims)
    alone, beside = [], []
    for _ in range(asked.repeats):
        alone.append(took(lambda: discrimination(vectors)))
        beside.append(took(lambda: geometry(vectors)))
    (cpu, clock), (more_cpu, more_clock) = min(alone), min(beside)
    print(f"{asked.languages} languages × {asked.sentences} sentences × {asked.dims}, {asked.threads} threads, one layer")
    print(f"  ABX alone     {cpu:7.2f} CPU s {clock:7.2f} s")
    print(f"  with geometry {more_cpu:7.2f} CPU s {more_clock:7.2f} s: {more_cpu / cpu:.2f} and {more_clock / clock:.2f} times")
    for n in (100, 300):
        for meaning in (0.5, 2.0):
            coverage(n, asked.trials, meaning)


if __name__ == "__main__":
    main()
