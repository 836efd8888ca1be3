"""Which words of two translated sentences are each other's nearest, for all sentences of a corpus at once.

A link is a pair of words each of which has the highest cosine with the other among the words of its sentence.
Source: Jalili Sabet et al. 2020, "SimAlign", section 3.1 (Argmax).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from isogloss.backend.device_memory import in_halves
from isogloss.backend.metrics.blocks import Stopped
from isogloss.backend.metrics.cosines import unit_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from isogloss.backend.metrics.blocks import ShouldStop

    _Found = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]

BATCH = 1 << 21
"""Numbers of a batch, of its vectors or of its similarities: 16 MB in float64, which is near what caches hold."""
TIES = 1e-9
"""Cosines nearer than this are equal: the same two words twice in a sentence, whatever the order of rounding in a product."""


@dataclass(frozen=True, eq=False)
class Links:
    """Links in the order of the rows of u: int64 rows of u and of v, and their cosine, float64; `[links]` each, no torch."""

    rows: NDArray[np.int64]
    others: NDArray[np.int64]
    cosines: NDArray[np.float64]


@torch.no_grad()
def mutual_links(
    u: Tensor,
    v: Tensor,
    groups_of_u: ArrayLike,
    groups_of_v: ArrayLike,
    should_stop: ShouldStop = None,
) -> Links:
    """Mutual argmax: link the words u with the words v of the same sentence, each the nearest of the other.

    `u` is `[m, dims]` and `v` `[n, dims]`, of any floating types on one device; `groups_of_u` `[m]` and `groups_of_v` `[n]` are
    the numbers of their sentences. Leave out words without a vector: a zero vector has cosine 0 with everything. Of equally
    near words the first counts. Products are in float64, some sentences at a time: 50 MB beside the input.
    Raises ValueError for wrong shapes and for a vector that is not finite; `Stopped` where `should_stop` says yes.
    """
    first, second = np.asarray(groups_of_u, np.int64), np.asarray(groups_of_v, np.int64)
    if u.ndim != 2 or v.ndim != 2 or u.shape[1] != v.shape[1] or len(u) != len(first) or len(v) != len(second):
        raise ValueError(
            f"Links need words [m, dims] and [n, dims] with a sentence each, not {list(u.shape)} and {list(v.shape)} "
            f"with {len(first)} and {len(second)} sentences."
        )
    links: list[_Found] = []
    for rows, others in _batches(first, second, u.shape[1]):
        if should_stop is not None and should_stop():
            raise Stopped

        def link(some: slice, rows: NDArray[np.int64] = rows, others: NDArray[np.int64] = others) -> _Found:
            return _links(u, v, rows[some], others[some])

        links += in_halves(link, range(len(rows)))
    if not links:
        return Links(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    row, other, cosine = (np.concatenate(parts) for parts in zip(*links, strict=True))
    order = np.argsort(row, kind="stable")
    return Links(row[order], other[order], cosine[order])


def _batches(
    first: NDArray[np.int64], second: NDArray[np.int64], dims: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Rows of u and of v `[sentences, most words]`, padded with -1, for some sentences of like length at a time."""
    shared = np.intersect1d(first, second)
    if not len(shared):
        return
    sides = [_grouped(groups, shared) for groups in (first, second)]
    sizes = np.stack([size for _, _, size in sides])
    by_length = np.lexsort(sizes)  # of like length together, or padding would be most of a batch
    start = 0
    while start < len(by_length):
        stop, widths = start, np.zeros(2, np.int64)
        while stop < len(by_length):
            wider = np.maximum(widths, sizes[:, by_length[stop]])
            if stop > start and (stop - start + 1) * max(int(wider.sum()) * dims, int(wider.prod())) > BATCH:
                break
            widths, stop = wider, stop + 1
        chosen = by_length[start:stop]
        yield tuple(_padded(*side, chosen, int(width)) for side, width in zip(sides, widths, strict=True))  # type: ignore[misc]
        start = stop


def _grouped(
    groups: NDArray[np.int64], shared: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """All rows group by group, each group's in order; where the rows of each of `shared` begin there, and how many they are."""
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], shared)
    return order, starts, np.searchsorted(groups[order], shared, side="right") - starts


def _padded(
    order: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64], chosen: NDArray[np.int64], width: int
) -> NDArray[np.int64]:
    place = np.arange(width)
    inside = place < sizes[chosen, None]
    return np.where(inside, order[np.minimum(starts[chosen, None] + place, len(order) - 1)], -1)


def _links(
    u: Tensor, v: Tensor, rows: NDArray[np.int64], others: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the links of one batch of sentences."""
    first, second = (torch.from_numpy(each).to(u.device) for each in (rows, others))
    cosines = _units(u, first, "u") @ _units(v, second, "v").mT
    absent = (first < 0)[:, :, None] | (second < 0)[:, None, :]
    steps = (cosines / TIES).round_().masked_fill_(absent, -torch.inf)
    best_of_rows, best_of_columns = steps.argmax(2), steps.argmax(1)
    own = torch.arange(rows.shape[1], device=u.device)
    mutual = best_of_columns.gather(1, best_of_rows) == own  # never in a row that pads: it picks column 0, which picks a word
    sentence, row = mutual.nonzero(as_tuple=True)
    other = best_of_rows[sentence, row]
    cosine = cosines[sentence, row, other].clamp_(-1, 1)
    return tuple(each.cpu().numpy() for each in (first[sentence, row], second[sentence, other], cosine))  # type: ignore[return-value]


def _units(vectors: Tensor, rows: Tensor, name: str) -> Tensor:
    """`[sentences, most words, dims]` in float64, each of length 1; what pads them is the last word of all, and is masked."""
    sentences, width = rows.shape
    return unit_vectors(vectors[rows.flatten()], name).reshape(sentences, width, -1)
