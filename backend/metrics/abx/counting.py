"""ABX outcomes: count those of all triplets, one Gram block for both directions of both tasks.

With `S[p, q] = e[i, p] · e[j, q]`, a triplet's outcome is the sign of a difference (+1 right, -1 wrong, 0 a tie), for p ≠ q:

    0  language i→j   S_ii[p, q] - S_ij[p, q]      2  meaning  i→j   S_ij[p, p] - S_ij[p, q]
    1  language j→i   S_jj[p, q] - S_ij[p, q]      3  meaning  j→i   S_ij[q, q] - S_ij[p, q]

Which sentences are X, A and B, and how the work is cut: `docs/definitions.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from isogloss.backend.device_memory import in_halves
from isogloss.backend.metrics.abx.comparing import count_signs, signs
from isogloss.backend.metrics.blocks import Stopped, workers
from isogloss.backend.metrics.cosines import tie_tolerance, unit_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from isogloss.backend.metrics.abx.held import HeldCounts
    from isogloss.backend.metrics.blocks import ShouldStop

    ForEach = Callable[[Callable[[int], object], Iterable[int]], None]
    Pairs = tuple[Tensor, Tensor]

ROWS = 1024
"""The most rows p of a language's own block that are held: the taller a product, the faster."""
CPU_HELD = 1 << 29
"""Bytes of unit vectors and own blocks that are held; the other languages go past them, one a core."""
CUDA_HELD = 1 << 33
CPU_TILE = 1 << 18
"""Similarities that a core compares at once: enough for the calls not to count, few enough for its cache."""
CUDA_TILE = 1 << 24
"""A GPU wants few large steps instead: so many similarities, of several languages at once."""


@dataclass(frozen=True)
class Outcomes:
    """What all triplets gave, by pair i < j of languages, ordered by j, then i; on the CPU, whole numbers.

    `language` and `meaning` are int32 `[directions, pairs, sentences]`, direction 0 with X from i, 1 with X from j: the sum of
    the outcomes (+1 right, 0 tie, -1 wrong) of the triplets that a sentence takes part in, as p or as q. The sum over sentences
    is thus twice that over triplets. `found` is `[directions, pairs]`: the sentences p whose translation is nearer than all
    others.
    """

    language: Tensor
    meaning: Tensor
    found: Tensor
    mutual: Tensor
    """bool `[pairs, sentences]`: which are found in both directions at once."""
    pairs: Pairs
    """i and j of each pair, `[pairs]`."""


@dataclass(frozen=True)
class _Counted:
    """What is counted so far, filled by several threads, each its own pairs."""

    involved: Tensor
    """int32 `[4 kinds, pairs, sentences]`: over the triplets that the sentence takes part in."""
    nearest: Tensor
    """bool `[2 directions, pairs, sentences]`: so far no other sentence was as near as the translation."""


@dataclass(frozen=True)
class _Cut:
    """How the work is cut: `docs/definitions.md`."""

    group: int
    """Languages i that are held."""
    rows: int
    """Rows p of their own blocks that are held."""
    part: int
    """Rows that are compared at once."""
    width: int
    """Languages i that are compared at once."""


@dataclass(frozen=True)
class _Work:
    """What is asked for, and what is counted of it."""

    embeddings: Tensor
    own: Tensor | None
    held: HeldCounts | None
    cut: _Cut
    counted: _Counted
    for_each: ForEach
    should_stop: ShouldStop


@dataclass(frozen=True)
class _Group:
    """Languages i that are held: unit vectors `[languages, n, dims]`, and of their own blocks the rows `tile`, `own`.

    `own` is `[languages, rows, n]`.
    """

    first: int
    units: Tensor
    tile: slice
    own: Tensor

    def place(self, language: int) -> int | None:
        """Return where a language lies in the group, if it does."""
        return language - self.first if self.first <= language < self.first + len(self.units) else None


@dataclass(frozen=True)
class _Job:
    """Language j against some of a group, `others` by their place in it; `here` are their pairs among those counted."""

    j: int
    others: slice | list[int]
    """A slice where they lie side by side: a view, no copy."""
    here: slice


def pair_indices(languages: int) -> tuple[Tensor, Tensor]:
    """Return all pairs i < j: `(0, 1), (0, 2) … (1, 2) …` as two index tensors."""
    first, second = torch.triu_indices(languages, languages, offset=1)
    return first, second


def units_of(embeddings: Tensor, language: int) -> Tensor:
    """`[sentences, dims]` of one language in float64, each vector of length 1; zero vectors stay zero.

    Raises ValueError naming language and sentence (from 0) where a vector is not finite.
    """
    place = "The embedding of sentence {} in {} (both from 0)"
    return unit_vectors(embeddings[language], f"language {language}", place)


def unit_vectors_by_language(embeddings: Tensor) -> Tensor:
    """`units_of` every language: `[languages, sentences, dims]`. Raises as it does."""
    units = torch.empty(embeddings.shape, dtype=torch.float64, device=embeddings.device)
    for language in range(len(embeddings)):  # one language at a time: no second copy of everything
        units[language] = units_of(embeddings, language)
    return units


def count_outcomes(
    embeddings: Tensor,
    *,
    pairs: Pairs | None = None,
    held: HeldCounts | None = None,
    own: Tensor | None = None,
    should_stop: ShouldStop = None,
) -> Outcomes:
    """Compare every triplet of the `pairs` of languages, i < j, ordered by i; of every pair where None.

    `embeddings` is `[languages, sentences, dims]`, of any length. Beside it there are in memory the unit vectors and own blocks
    of as many languages as may be held, a block for each core, and 18 bytes for each pair and sentence. `held` counts the
    paper's control from the same rows. `own` `[languages, sentences, sentences]` are every language's own cosines in float64,
    where the caller has them. `should_stop` is called in the caller's thread. Raises `Stopped`, and as `units_of` does.
    """
    languages, n, dims = embeddings.shape
    first, second = pair_indices(languages) if pairs is None else pairs
    order = second.argsort(stable=True)
    wanted = first[order], second[order]
    count, device = len(order), embeddings.device
    involved = torch.zeros(4, count, n, dtype=torch.int32, device=device)
    counted = _Counted(involved, torch.ones(2, count, n, dtype=torch.bool, device=device))
    cut = _cut(n, languages, dims, device)
    with workers(device) as for_each:
        work = _Work(embeddings, own, held, cut, counted, for_each, should_stop)
        for start in range(0, languages, cut.group):
            _count_group(work, range(start, min(start + cut.group, languages)), wanted)
    counts = involved.cpu()
    found, mutual = counted.nearest.sum(-1).cpu(), counted.nearest.all(0).cpu()
    return Outcomes(language=counts[:2], meaning=counts[2:], found=found, mutual=mutual, pairs=wanted)


def _count_group(work: _Work, several: range, wanted: Pairs) -> None:
    """Count the pairs whose i is among `several` languages side by side, which are held."""
    _, n, dims = work.embeddings.shape
    units = torch.empty(len(several), n, dims, dtype=torch.float64, device=work.embeddings.device)
    work.for_each(lambda i: units[i].copy_(units_of(work.embeddings, several[i])), range(len(several)))
    jobs = _jobs(wanted, several, work.cut.width)

    def count_rows(tile: slice) -> None:
        group = _Group(several.start, units, tile, units.new_empty(len(units), tile.stop - tile.start, n))
        work.for_each(partial(_own_rows, work, group), range(len(units)))
        turn = torch.get_num_threads()
        for start in range(0, len(jobs), turn):
            if work.should_stop is not None and work.should_stop():
                raise Stopped
            work.for_each(lambda number: _compare(work, group, jobs[number]), range(start, min(start + turn, len(jobs))))

    for top in range(0, n, work.cut.rows):
        in_halves(count_rows, range(top, min(top + work.cut.rows, n)))


def _jobs(wanted: Pairs, several: range, width: int) -> list[list[_Job]]:
    """Return for each language j that has pairs with `several` languages i what to compare, at most `width` i at once."""
    first, second = wanted
    mine = ((first >= several.start) & (first < several.stop)).nonzero().flatten().tolist()
    found = []
    for j, of_j in groupby(mine, key=second.tolist().__getitem__):
        here = list(of_j)
        pieces = [here[at : at + width] for at in range(0, len(here), width)]
        found.append([_job(j, [int(first[pair]) - several.start for pair in piece], piece[0]) for piece in pieces])
    return found


def _job(j: int, others: list[int], here: int) -> _Job:
    side_by_side = others[-1] - others[0] == len(others) - 1
    chosen = slice(others[0], others[-1] + 1) if side_by_side else others
    return _Job(j, chosen, slice(here, here + len(others)))


def _own_rows(work: _Work, group: _Group, i: int) -> None:
    """Write the rows of S_ii into the group's `own[i]`, and count the control from them."""
    language, tolerance = group.first + i, tie_tolerance(group.units.shape[-1])
    _write_own(work, group.units[i], language, group.tile, group.own[i])
    if (held := work.held) is not None:

        def add(rows: slice) -> None:
            here = group.own[i, rows.start - group.tile.start : rows.stop - group.tile.start]
            held.add_rows(here, language, rows.start, partial(signs, tolerance=tolerance))

        in_halves(add, range(group.tile.start, group.tile.stop))


def _write_own(work: _Work, units: Tensor, language: int, tile: slice, out: Tensor) -> None:
    """Write the rows `tile` of a language's own block."""

    def write(rows: slice) -> None:
        here = out[rows.start - tile.start : rows.stop - tile.start]
        if work.own is None:
            torch.matmul(units[rows], units.mT, out=here)
        else:
            here.copy_(work.own[language, rows])

    in_halves(write, range(tile.start, tile.stop))


def _compare(work: _Work, group: _Group, jobs: Sequence[_Job]) -> None:
    """Compare all triplets of the group's rows of some languages with language j, and add up their outcomes."""
    j = jobs[0].j
    if (place := group.place(j)) is not None:
        units, own = group.units[place], group.own[place]
    else:
        # In one piece or not at all: were the group's rows tried anew in halves, some pairs would be counted twice.
        ((units, own),) = in_halves(lambda _: (units_of(work.embeddings, j), torch.empty_like(group.own[0])), range(1))
        _write_own(work, units, j, group.tile, own)
    for job in jobs:
        in_halves(partial(_add, work, group, job, units, own), range(group.tile.start, group.tile.stop))


def _add(work: _Work, group: _Group, job: _Job, units: Tensor, own: Tensor, rows: slice) -> None:
    """Compare some rows of a job's languages i with language j (`units`, and the tile's rows of its `own` block)."""
    n, dims = units.shape
    mine, here = group.units[job.others], job.here
    similarities = mine[:, rows] @ units.mT
    whole = rows.stop - rows.start == n
    translated = similarities.diagonal(dim1=-2, dim2=-1) if whole else (mine * units).sum(-1)
    of_rows, of_columns = [], torch.zeros(1, dtype=torch.int32, device=units.device)
    for top in range(rows.start, rows.stop, work.cut.part):
        part = slice(top, min(top + work.cut.part, rows.stop))
        held = slice(part.start - group.tile.start, part.stop - group.tile.start)
        lefts = [group.own[job.others, held], own[held], translated[:, part, None], translated[:, None]]
        block = similarities[:, part.start - rows.start : part.stop - rows.start]
        right, below = count_signs(block, lefts, top, tie_tolerance(dims))
        of_rows.append(right)
        of_columns = of_columns + below
    right = torch.cat(of_rows, -1)
    compared = torch.full((n,), rows.stop - rows.start, device=right.device)
    compared[rows] -= 1
    # From here on in place: nothing that can lack memory, so that no triplet is counted twice.
    work.counted.involved[:, here, rows] += right
    work.counted.involved[:, here] += of_columns
    work.counted.nearest[0, here, rows] = right[2] == n - 1
    work.counted.nearest[1, here] &= of_columns[3] == compared


def _cut(n: int, languages: int, dims: int, device: torch.device) -> _Cut:
    """Return how to cut the work: languages and rows evenly, so that no piece is much smaller than the others."""
    cpu = device.type == "cpu"
    rows = _evenly(n, ROWS)
    group = _evenly(languages, (CPU_HELD if cpu else CUDA_HELD) // (8 * n * (dims + rows)))
    if cpu:
        return _Cut(group, rows, _evenly(rows, CPU_TILE // n), 1)
    return _Cut(group, rows, rows, max(1, min(group, CUDA_TILE // (rows * n))))


def _evenly(length: int, most: int) -> int:
    """Return the length of equal pieces of at most `most`, or 1."""
    pieces = -(-length // max(1, most))
    return -(-length // pieces)
