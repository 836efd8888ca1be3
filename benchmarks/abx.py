"""How fast exact ABX is, beside the bare matrix products and beside the sampled protocol; all sides from one run.

    python -m benchmarks.abx [--full] [--pairs 6] [--repeats 3] [--device cuda] [--threads 4]

Random vectors serve: neither side's time depends on the values. The sampled side is timed on a few pairs and scaled to all
of them, since every pair does the same work; `--full` times all pairs.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity, normalize

from isogloss.backend.metrics.abx.exact import discrimination
from isogloss.backend.metrics.abx.sampled import sampled

if TYPE_CHECKING:
    from collections.abc import Callable


def seconds(work: Callable[[], object], device: str) -> float:
    if device != "cpu":
        torch.cuda.synchronize()
    started = time.perf_counter()
    work()
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter() - started


def peak_memory(device: str) -> float:
    """The most memory in use so far, in GB: of the process, or of the GPU."""
    if device != "cpu":
        return torch.cuda.max_memory_allocated() / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def bare_products(unit: Tensor) -> None:
    """The float32 products of all row languages with all languages, looked at by nobody."""
    everything = unit.flatten(0, 1).T
    for row in unit:
        row @ everything


def straightforward(embeddings: Tensor, i: int, j: int, n_triplets: int) -> tuple[float, float]:
    """The sampled protocol as one would first write it: gather the vectors, compare cosines; half the triplets a direction."""
    n = embeddings.shape[1]
    language, meaning = [], []
    for x_language, other in ((i, j), (j, i)):
        p = torch.randint(n, (n_triplets // 2,), device=embeddings.device)
        q = (p + torch.randint(1, n, p.shape, device=embeddings.device)) % n
        x, b = embeddings[x_language, p], embeddings[other, q]
        right_language, right_meaning = embeddings[x_language, q], embeddings[other, p]
        language.append((cosine_similarity(x, right_language) > cosine_similarity(x, b)).float().mean())
        meaning.append((cosine_similarity(x, right_meaning) > cosine_similarity(x, b)).float().mean())
    return float(sum(language)) / 2, float(sum(meaning)) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", type=int, default=36)
    parser.add_argument("--sentences", type=int, default=998)
    parser.add_argument("--dims", type=int, default=768)
    parser.add_argument("--triplets", type=int, default=100_000, help="sampled triplets a pair and task")
    parser.add_argument("--pairs", type=int, default=6, help="pairs to time the sampled protocol on, scaled to all")
    parser.add_argument("--full", action="store_true", help="time the sampled protocol on all pairs")
    parser.add_argument("--repeats", type=int, default=3, help="runs of the exact side and of the products; the median counts")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    device = options.device
    languages, sentences = options.languages, options.sentences
    embeddings = torch.randn(languages, sentences, options.dims, device=device)
    pairs = [(i, j) for i in range(languages) for j in range(i + 1, languages)]
    some = pairs if options.full else pairs[:: max(1, len(pairs) // options.pairs)][: options.pairs]
    where = f"{options.threads} threads" if device == "cpu" else torch.cuda.get_device_name()
    print(f"{languages} languages × {sentences} sentences × {options.dims} dims, one layer, {len(pairs)} pairs; {where}")
    print(
        f"torch {torch.__version__}; {2 * 2 * len(pairs) * sentences * (sentences - 1):,} triplets, both tasks and directions\n"
    )

    memory = [peak_memory(device)]
    exact, products = [], []
    unit: Tensor | None = None
    for _ in range(options.repeats):  # by turns, so that both meet the same machine
        exact.append(seconds(lambda: discrimination(embeddings), device))
        memory.append(peak_memory(device))
        unit = normalize(embeddings, dim=-1)
        products.append(seconds(lambda unit=unit: bare_products(unit), device))
        del unit
    first_way = seconds(lambda: [straightforward(embeddings, i, j, options.triplets) for i, j in some], device)
    our_way = seconds(lambda: [sampled(embeddings[[i, j]], options.triplets) for i, j in some], device)
    scale = len(pairs) / len(some)
    print(f"sampled: {options.triplets:,} triplets a pair and task, half in each direction")
    how = "all pairs timed" if options.full else f"{len(some)} of {len(pairs)} pairs timed, × {scale:.1f}"

    middle, bare = statistics.median(exact), statistics.median(products)
    print(f"exact, every triplet, both tasks     {middle:9.2f} s   (runs: {', '.join(f'{s:.2f}' for s in exact)})")
    print(f"bare products, float32, {languages:3} rows     {bare:9.2f} s   (runs: {', '.join(f'{s:.2f}' for s in products)})")
    print(f"sampled, straightforward torch       {first_way * scale:9.2f} s   ({how})")
    print(f"sampled, isogloss.backend.metrics.abx.sampled {our_way * scale:9.2f} s   ({how})\n")
    print(f"exact against straightforward sampled {first_way * scale / middle:8.1f} times faster   (goal: at least 50)")
    print(f"exact against bare products           {middle / bare:8.2f} times as long  (goal: at most 2.5)")
    print(f"peak memory {memory[-1]:.2f} GB, of which {memory[0]:.2f} GB before the first score (goal: under 2)")


if __name__ == "__main__":
    main()
