"""How fast exact ABX is, beside the bare matrix products and beside the sampled protocol; all sides from one run.

    python -m benchmarks.abx [--full] [--pairs 6] [--repeats 3] [--device cuda] [--threads 4]
    python -m benchmarks.abx --languages 204 --sentences 997 --repeats 1 --pairs 0 --every 12

Random float16 vectors serve: neither side's time depends on the values. The bare products are those of every pair of languages
and of each with itself, once, by the same library; with `--every 10` of a tenth of the languages with all later ones, scaled.
The sampled side is timed on a few pairs (`--pairs`) and scaled to all of them, since every pair does the same work; `--full`
times all pairs.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity, normalize

from isogloss.backend.metrics.abx.exact import discrimination
from isogloss.backend.metrics.abx.sampled import sampled
from isogloss.backend.metrics.blocks import workers

if TYPE_CHECKING:
    from collections.abc import Callable


class Took(NamedTuple):
    """Seconds by the clock, and of the processor: all threads together."""

    clock: float
    processor: float


def seconds(work: Callable[[], object], device: str) -> Took:
    if device != "cpu":
        torch.cuda.synchronize()
    started = time.perf_counter(), time.process_time()
    work()
    if device != "cpu":
        torch.cuda.synchronize()
    return Took(time.perf_counter() - started[0], time.process_time() - started[1])


def middle(runs: list[Took]) -> Took:
    return Took(*(statistics.median(each) for each in zip(*runs, strict=True)))


def peak_memory(device: str) -> float:
    """The most memory in use so far, in GB: of the process, or of the GPU."""
    if device != "cpu":
        return torch.cuda.max_memory_allocated() / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def bare_products(embeddings: Tensor, dtype: torch.dtype, every: int, device: str) -> Took:
    """Time the products of unit vectors, of every so manieth language with itself and all later ones, scaled to all pairs.

    Each core takes products of its own, as exact ABX does: cores that wait for one another would count as the products' time.
    """
    languages, took, done = len(embeddings), Took(0, 0), 0
    with workers(embeddings.device) as for_each:
        for i in range(every // 2, languages, every):
            row = normalize(embeddings[i].to(dtype), dim=-1)
            for some in embeddings[i:].split(16):
                others = normalize(some.to(dtype), dim=-1)

                def multiply(place: int, row: Tensor = row, others: Tensor = others) -> Tensor:
                    return row @ others[place].mT

                more = seconds(partial(for_each, multiply, range(len(others))), device)
                took, done = Took(took.clock + more.clock, took.processor + more.processor), done + len(some)
    scale = languages * (languages + 1) / 2 / done
    return Took(took.clock * scale, took.processor * scale)


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
    parser.add_argument(
        "--pairs", type=int, default=6, help="pairs to time the sampled protocol on, scaled to all; 0: not timed"
    )
    parser.add_argument("--every", type=int, default=1, help="bare products of every so manieth language, scaled to all")
    parser.add_argument("--full", action="store_true", help="time the sampled protocol on all pairs")
    parser.add_argument("--repeats", type=int, default=3, help="runs of the exact side and of the products; the median counts")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    device = options.device
    languages, sentences = options.languages, options.sentences
    embeddings = torch.randn(languages, sentences, options.dims, device=device).half()
    pairs = [(i, j) for i in range(languages) for j in range(i + 1, languages)]
    some = pairs if options.full else pairs[:: max(1, len(pairs) // max(1, options.pairs))][: options.pairs]
    where = f"{options.threads} threads" if device == "cpu" else torch.cuda.get_device_name()
    print(f"{languages} languages × {sentences} sentences × {options.dims} dims, one layer, {len(pairs)} pairs; {where}")
    print(
        f"torch {torch.__version__}; {2 * 2 * len(pairs) * sentences * (sentences - 1):,} triplets, both tasks and directions\n"
    )

    memory = [peak_memory(device)]
    exact: list[Took] = []
    products: dict[torch.dtype, list[Took]] = {torch.float64: [], torch.float32: []}
    for _ in range(options.repeats):  # by turns, so that all meet the same machine
        for dtype, took in products.items():
            took.append(bare_products(embeddings, dtype, options.every, device))
        exact.append(seconds(lambda: discrimination(embeddings), device))
    memory.append(peak_memory(device))
    ours = middle(exact)
    print(f"exact, every triplet, both tasks     {ours.clock:9.2f} s, {ours.processor:9.2f} s of the processor")
    for dtype, took in products.items():
        bare = middle(took)
        name = f"bare products, {str(dtype).removeprefix('torch.')}"
        print(f"{name:36} {bare.clock:9.2f} s, {bare.processor:9.2f} s of the processor; ", end="")
        print(f"exact {ours.clock / bare.clock:.2f} and {ours.processor / bare.processor:.2f} times as long")
    print(f"peak memory {memory[1]:.2f} GB, of which {memory[0]:.2f} GB before the first score (goal: under 2)")
    if some:
        beside_sampled(embeddings, some, len(pairs), options.triplets, ours.clock, device)


def beside_sampled(
    embeddings: Tensor, some: list[tuple[int, int]], pairs: int, triplets: int, exact: float, device: str
) -> None:
    """Print what the sampled protocol takes, scaled from some pairs to all."""
    vectors = embeddings.float()
    first_way = seconds(lambda: [straightforward(vectors, i, j, triplets) for i, j in some], device).clock
    our_way = seconds(lambda: [sampled(vectors[[i, j]], triplets) for i, j in some], device).clock
    scale = pairs / len(some)
    print(f"\nsampled: {triplets:,} triplets a pair and task, half in each direction")
    how = f"{len(some)} of {pairs} pairs timed, × {scale:.1f}"
    print(f"sampled, straightforward torch       {first_way * scale:9.2f} s   ({how})")
    print(f"sampled, isogloss.backend.metrics.abx.sampled {our_way * scale:9.2f} s   ({how})\n")
    print(f"exact against straightforward sampled {first_way * scale / exact:8.1f} times faster   (goal: at least 50)")


if __name__ == "__main__":
    main()
