"""ABX outcomes: count those of all triplets, one Gram block for both directions of both tasks.

With `S[p, q] = e[i, p] · e[j, q]`, a triplet's outcome is the sign of a difference (+1 right, -1 wrong, 0 a tie), for p ≠ q:

    0  language i→j   S_ii[p, q] - S_ij[p, q]      2  meaning  i→j   S_ij[p, p] - S_ij[p, q]
    1  language j→i   S_jj[p, q] - S_ij[p, q]      3  meaning  j→i   S_ij[q, q] - S_ij[p, q]

Which sentences are X, A and B, and why each core takes tiles of its own: `docs/definitions.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from isogloss.backend.device_memory import in_halves
from isogloss.backend.metrics.blocks import Stopped, workers
from isogloss.backend.metrics.cosines import tie_tolerance, unit_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from isogloss.backend.metrics.abx.held import HeldCounts
    from isogloss.backend.metrics.blocks import ShouldStop

TILE_ROWS = 256
"""Rows p of a tile: enough for a fast matrix product, few enough for little memory."""
CPU_TILE = 1 << 18
"""Similarities in a tile: with their four differences 10 MB a core in float64."""
CUDA_TILE = 1 << 24
"""A GPU wants few large steps instead: the rows of as many languages as fit."""


@dataclass(frozen=True)
class Outcomes:
    """What all triplets gave, by pair i < j of languages, in the order of the pairs asked for; on the CPU, int64.

    `language` and `meaning` are `[directions, pairs, sentences]`, direction 0 with X from i, 1 with X from j: the sum of the
    outcomes (+1 right, 0 tie, -1 wrong) of the triplets that a sentence takes part in, as p or as q. The sum over sentences is
    thus twice that over triplets. `found` is `[directions, pairs]`: the sentences p whose translation is nearer than all
    others.
    """

    language: Tensor
    meaning: Tensor
    found: Tensor
    mutual: Tensor
    """`[pairs]`: the sentences that are found in both directions at once."""
    translations: Tensor
    """S_ij[p, p]: float64 `[languages, languages, sentences]`, where the vectors are."""


def pair_indices(languages: int) -> tuple[Tensor, Tensor]:
    """Return all pairs i < j: `(0, 1), (0, 2) … (1, 2) …` as two index tensors."""
    first, second = torch.triu_indices(languages, languages, offset=1)
    return first, second


def unit_vectors_by_language(embeddings: Tensor) -> Tensor:
    """`[languages, sentences, dims]` in float64, each vector of length 1; zero vectors stay zero.

    Raises ValueError naming language and sentence (from 0) where a vector is not finite.
    """
    units = torch.empty(embeddings.shape, dtype=torch.float64, device=embeddings.device)
    for language, vectors in enumerate(embeddings):  # one language at a time: no second copy of everything
        units[language] = unit_vectors(vectors, f"language {language}", "The embedding of sentence {} in {} (both from 0)")
    return units


@dataclass(frozen=True)
class _Sums:
    """Sums of outcomes, filled by several threads, each its own pairs. Whole numbers below 2²⁴ in size: exact in float32."""

    involved: Tensor  # [4 kinds, pairs, sentences]: over the triplets that the sentence takes part in
    as_x: Tensor  # [2 directions, pairs, sentences]: meaning alone, over the triplets whose X the sentence is


def count_outcomes(
    units: Tensor,
    *,
    pairs: tuple[Tensor, Tensor] | None = None,
    held: HeldCounts | None = None,
    own: Tensor | None = None,
    should_stop: ShouldStop = None,
) -> Outcomes:
    """Compare every triplet of the `pairs` of languages, i < j in the order of `pair_indices`; of every pair where None.

    `units` is `[languages, sentences, dims]` from `unit_vectors_by_language`. Beside it there are in memory the rows in hand of
    every language's own block, a tile for each core, and 6 numbers for each pair and sentence. `held` counts the paper's
    control from the same rows. `own` `[languages, sentences, sentences]` are those blocks, where the caller has them.
    `should_stop` is called in the caller's thread. Raises `Stopped`, and ValueError for two million sentences.
    """
    languages, n, _ = units.shape
    if n >= 1 << 21:
        raise ValueError(f"Fewer than two million sentences can be counted exactly, not {n}.")
    wanted = pair_indices(languages) if pairs is None else pairs
    count = len(wanted[0])
    sums = _Sums(torch.zeros(4, count, n, device=units.device), torch.zeros(2, count, n, device=units.device))
    translations = _translation_similarities(units)
    rows, width = _tile(n, languages, units.device)
    blocks = [list(of_row) for _, of_row in groupby(_blocks(wanted, width), key=lambda block: block.i)]
    with workers(units.device) as for_each:

        def count_rows(tile: slice) -> None:
            own_scores = units.new_empty(languages, tile.stop - tile.start, n)
            for_each(partial(_own_rows, units, tile, own_scores, held, own), range(languages))
            for several in blocks:
                if should_stop is not None and should_stop():
                    raise Stopped
                for_each(partial(_compare, units, translations, own_scores, sums, tile, several), range(len(several)))

        for top in range(0, n, rows):
            in_halves(count_rows, range(top, min(top + rows, n)))
    counts = sums.involved.cpu().to(torch.int64)
    # X's translation is nearer than all n - 1 others.
    nearest = sums.as_x == n - 1
    found, mutual = nearest.sum(-1).cpu(), nearest.all(0).sum(-1).cpu()
    return Outcomes(language=counts[:2], meaning=counts[2:], found=found, mutual=mutual, translations=translations)


@dataclass(frozen=True)
class _Block:
    """Language i with some others; `here` are their pairs among those asked for."""

    i: int
    others: slice | list[int]  # a slice where they lie side by side: a view, no copy
    here: slice


def _blocks(pairs: tuple[Tensor, Tensor], width: int) -> Iterator[_Block]:
    """Cut the pairs, in their order, into blocks of one language with at most `width` others."""
    first = 0
    for i, of_row in groupby(zip(*(side.tolist() for side in pairs), strict=True), key=lambda pair: pair[0]):
        others = [j for _, j in of_row]
        for start in range(0, len(others), width):
            some = others[start : start + width]
            side_by_side = some[-1] - some[0] == len(some) - 1
            here = slice(first + start, first + start + len(some))
            yield _Block(i, slice(some[0], some[-1] + 1) if side_by_side else some, here)
        first += len(others)


def _own_rows(units: Tensor, tile: slice, own: Tensor, held: HeldCounts | None, known: Tensor | None, i: int) -> None:
    """Write the rows `tile` of S_ii into `own[i]`; `known` has them already where it is not None."""

    def write(rows: slice) -> None:
        here = own[i, rows.start - tile.start : rows.stop - tile.start]
        if known is None:
            torch.matmul(units[i, rows], units[i].mT, out=here)
        else:
            here.copy_(known[i, rows])
        if held is not None:
            held.add_rows(here, i, rows.start, partial(signs, tolerance=tie_tolerance(units.shape[-1])))

    in_halves(write, range(tile.start, tile.stop))


def _compare(
    units: Tensor, translations: Tensor, own_scores: Tensor, sums: _Sums, tile: slice, blocks: Sequence[_Block], number: int
) -> None:
    """Compare all triplets of the rows `tile` of a block's language i with its others, and add up their outcomes."""
    block, dims = blocks[number], units.shape[-1]
    i, others, here = block.i, block.others, block.here

    def add(rows: slice) -> None:
        similarities = units[i, rows] @ units[others].mT
        mine = own_scores[:, rows.start - tile.start : rows.stop - tile.start]
        differences = _differences(similarities, mine[i], mine[others], translations[i, others], rows.start)
        outcomes = signs(differences, tie_tolerance(dims))
        of_rows, of_columns = outcomes.sum(-1), outcomes.sum(-2)
        # From here on in place: nothing that can lack memory, so that no triplet is counted twice.
        sums.involved[:, here, rows] += of_rows
        sums.involved[:, here] += of_columns
        sums.as_x[0, here, rows] += of_rows[2]
        sums.as_x[1, here] += of_columns[3]

    in_halves(add, range(tile.start, tile.stop))


def _differences(similarities: Tensor, own_i: Tensor, own_j: Tensor, translations: Tensor, top: int) -> Tensor:
    """Return the four differences at the head of this file, for some rows of some pairs (i, j): `[4, languages j, rows, n]`.

    `similarities` and `own_j` are `[languages j, rows, n]`, `own_i` is `[rows, n]`, `translations` is `[languages j, n]`, and
    `top` is the first row's sentence. Where p = q there is no triplet, and the difference is 0.
    """
    rows = own_i.shape[0]
    differences = similarities.new_empty(4, *similarities.shape)
    torch.sub(own_i, similarities, out=differences[0])
    torch.sub(own_j, similarities, out=differences[1])
    torch.sub(translations[:, top : top + rows, None], similarities, out=differences[2])
    torch.sub(translations[:, None, :], similarities, out=differences[3])
    differences.diagonal(top, dim1=-2, dim2=-1).zero_()
    return differences


def signs(differences: Tensor, tolerance: float) -> Tensor:
    """+1, 0 or -1 in place, 0 up to the tolerance."""
    torch.ops.aten.hardshrink.out(differences, tolerance, out=differences)
    return differences.sign_()


def _translation_similarities(units: Tensor) -> Tensor:
    """S_ij[p, p] for all i, j, p: `[languages, languages, sentences]`."""
    languages, n, _ = units.shape
    similarities = units.new_empty(languages, languages, n)

    def fill(rows: slice) -> None:
        some = units[:, rows].transpose(0, 1).contiguous()
        similarities[:, :, rows] = (some @ some.mT).permute(1, 2, 0)

    for top in range(0, n, 64):  # a few sentences at a time: the product copies its operands
        in_halves(fill, range(top, min(top + 64, n)))
    return similarities


def _tile(n: int, languages: int, device: torch.device) -> tuple[int, int]:
    """Return how many rows, of how many languages j at once, make a tile."""
    size = CPU_TILE if device.type == "cpu" else CUDA_TILE
    rows = max(1, min(n, TILE_ROWS, size // n))
    return rows, 1 if device.type == "cpu" else max(1, min(languages, size // (rows * n)))
