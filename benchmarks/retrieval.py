"""How fast CSLS retrieval accuracy is, beside a straightforward version; both sides from one run.

    python -m benchmarks.retrieval [--pairs 5000] [--dims 768] [--repeats 5] [--large] [--device cuda] [--threads 4]

The straightforward version holds the whole matrices in float32 and finds the k nearest by k passes of argmax. Both sides take
turns on the same vectors, and what they found is printed. Memory is the peak of a process that runs one side alone, once.
`--large` also times 50,000 pairs, with ours alone.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import normalize

from isogloss.backend.metrics.retrieval.accuracy import accuracies, weak_accuracy
from isogloss.backend.metrics.retrieval.ranks import retrieve

if TYPE_CHECKING:
    from collections.abc import Callable

K = 10


def nearest_mean(similarities: Tensor) -> Tensor:
    """The mean of the k greatest of each row, by k passes."""
    left, rows = similarities.clone(), torch.arange(len(similarities), device=similarities.device)
    total = left.new_zeros(len(left))
    for _ in range(K):
        best = left.argmax(1)
        total += left[rows, best]
        left[rows, best] = -torch.inf
    return total / K


def straightforward_weak(u: Tensor, v: Tensor) -> float:
    cosines = normalize(u) @ normalize(v).T
    scores = 2 * cosines - nearest_mean(cosines)[:, None] - nearest_mean(cosines.T.contiguous())
    return (scores.argmax(1) == torch.arange(len(u), device=u.device)).double().mean().item()


def straightforward_strong(u: Tensor, v: Tensor) -> float:
    """With the query's own term the same beside both languages, see `backend.metrics.retrieval.accuracy`."""
    across, within = normalize(u) @ normalize(v).T, normalize(u) @ normalize(u).T
    within.fill_diagonal_(-torch.inf)
    of_queries = nearest_mean(across)
    right = 2 * across.diagonal() - of_queries - nearest_mean(across.T.contiguous())
    scores = 2 * within - of_queries[:, None] - nearest_mean(within)
    return (right > scores.amax(1)).double().mean().item()


MEASURES: dict[str, Callable[[Tensor, Tensor], object]] = {
    "weak, straightforward": straightforward_weak,
    "strong, straightforward": straightforward_strong,
    "weak, ours": weak_accuracy,
    "both, straightforward": lambda u, v: (straightforward_weak(u, v), straightforward_strong(u, v)),
    "both, ours": lambda u, v: ((found := accuracies(u, v, K)).weak, found.strong),
    "ranks, ours": lambda u, v: (retrieve(u, v, K).rank == 1).double().mean().item(),
}


def peak_memory(device: str) -> float:
    """The most memory in use so far, in GB: of the process, or of the GPU."""
    if device != "cpu":
        return torch.cuda.max_memory_allocated() / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def seconds(work: Callable[[], object], device: str) -> tuple[float, object]:
    if device != "cpu":
        torch.cuda.synchronize()
    started = time.perf_counter()
    result = work()
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter() - started, result


def translations(n: int, dims: int, device: str) -> tuple[Tensor, Tensor]:
    """Vectors of which some, neither all nor none, are nearest to their translation."""
    draw = torch.Generator(device).manual_seed(0)
    u = torch.randn(n, dims, generator=draw, device=device)
    return u, u.mul(0.12).add_(torch.randn(n, dims, generator=draw, device=device))


def alone(name: str, options: argparse.Namespace) -> dict[str, float]:
    """One measure once in this process: seconds, and memory before and at its peak."""
    u, v = translations(options.pairs, options.dims, options.device)
    before = peak_memory(options.device)
    taken, _ = seconds(lambda: MEASURES[name](u, v), options.device)
    return {"seconds": taken, "before": before, "peak": peak_memory(options.device)}


def in_a_process(name: str, options: argparse.Namespace, pairs: int) -> dict[str, float]:
    flags = [f"--{key}={vars(options)[key]}" for key in ("dims", "device", "threads")]
    command = [sys.executable, "-m", "benchmarks.retrieval", f"--pairs={pairs}", *flags, "--alone", name]
    root = Path(__file__).resolve().parents[1]
    return dict(json.loads(subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout))


def compare(options: argparse.Namespace) -> None:
    """All measures by turns, so that all meet the same machine."""
    memory = {name: in_a_process(name, options, options.pairs) for name in MEASURES}
    u, v = translations(options.pairs, options.dims, options.device)
    runs: dict[str, list[float]] = {name: [] for name in MEASURES}
    found: dict[str, object] = {}
    for _ in range(options.repeats):
        for name, work in MEASURES.items():
            taken, found[name] = seconds(lambda work=work: work(u, v), options.device)
            runs[name].append(taken)
    middle = {name: statistics.median(each) for name, each in runs.items()}
    for name in MEASURES:
        peak = f"peak {memory[name]['peak']:5.2f} GB ({memory[name]['before']:.2f} before)"
        each = ", ".join(f"{run:.3f}" for run in runs[name])
        print(f"{name:24} {middle[name]:7.3f} s   {peak}   found {found[name]}   runs {each}")
    print()
    for task in ("weak", "both"):
        faster = middle[f"{task}, straightforward"] / middle[f"{task}, ours"]
        print(f"{task:6} against straightforward {faster:6.1f} times faster   (goal: at least 5)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--dims", type=int, default=768)
    parser.add_argument("--repeats", type=int, default=5, help="the median counts")
    parser.add_argument("--large", action="store_true", help="50,000 pairs too, once")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--alone", choices=MEASURES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.alone:
        print(json.dumps(alone(options.alone, options)))
        return
    where = f"{options.threads} threads" if options.device == "cpu" else torch.cuda.get_device_name()
    print(f"{options.pairs:,} × {options.pairs:,} × {options.dims}, CSLS with k = {K}; {where}; torch {torch.__version__}\n")
    compare(options)
    if options.large:
        found = in_a_process("both, ours", options, 50_000)
        print(f"\n50,000 × 50,000 × {options.dims}, both, ours: {found['seconds']:.1f} s, ", end="")
        print(f"peak {found['peak']:.2f} GB ({found['before']:.2f} before)   (goal: under 4)")


if __name__ == "__main__":
    main()
