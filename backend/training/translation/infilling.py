"""Text infilling (Lewis et al. 2020, section 2.2): hide spans of a window behind one mask each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isogloss.backend.training.translation.options import Infilling


@dataclass(frozen=True, eq=False)
class Spans:
    """Where some windows are hidden. Row `w` belongs to window `w`, from its left to its right."""

    lengths: NDArray[np.int64]
    """`[windows, spans]`: tokens of each span, which may be 0; -1 after a window's last."""
    before: NDArray[np.int64]
    """`[windows, spans]`: how many tokens that stay are left of it, rising along a row; whatever after a window's last."""


@dataclass(frozen=True, eq=False)
class Infilled:
    """Windows with their spans hidden."""

    read: NDArray[np.int64]
    """`[windows, longest]`: the tokens that stay and a mask for each span, then padding. Never longer than a window was."""
    hidden: NDArray[np.bool_]
    """`[windows, context]`: which tokens of the window are behind a mask."""


def draw_spans(random: np.random.Generator, windows: int, context: int, infilling: Infilling) -> Spans:
    """Draw spans for windows of `context` tokens, of which exactly the share `infilling.mask_ratio` is hidden, rounded up.

    Lengths are Poisson, the last cut to fit; spans and visible tokens are then in a uniformly random order, so spans never
    overlap. Against Lewis et al. and the released code: `docs/definitions.md`, "Machine translation".
    """
    hide = math.ceil(infilling.mask_ratio * context - 1e-9)  # 0.3 · 10 is 3, not 3.0000000000000004
    stay = context - hide
    ends = random.poisson(infilling.mean_span, (windows, hide)).cumsum(axis=1).clip(max=hide)
    ends[:, -1:] = hide
    lengths = np.diff(ends, axis=1, prepend=0)
    there = np.ones_like(lengths, bool)
    there[:, 1:] = ends[:, :-1] < hide  # those before were not yet enough
    keys = random.random((windows, stay + hide))
    keys[:, stay:][~there] = 2.0  # behind all that is there
    in_order = np.argsort(keys, axis=1, kind="stable") >= stay  # spans, or tokens that stay
    in_order &= np.arange(stay + hide) < stay + there.sum(axis=1, keepdims=True)
    before = np.full_like(lengths, stay)
    rows, places = np.nonzero(in_order)
    nth = in_order.cumsum(axis=1)[rows, places] - 1
    before[rows, nth] = places - nth
    return Spans(np.where(there, lengths, -1), before)


def infill(ids: NDArray[np.int32], spans: Spans, mask: int, padding: int) -> Infilled:
    """Replace the spans of each window by `mask`.

    Args:
        ids: `[windows, context]`.
        spans: From `draw_spans`, for as many windows and as long a context.
        mask: Id of the mask.
        padding: Id after the end of a row that is shorter than the longest.
    """
    windows, context = ids.shape
    there = spans.lengths >= 0
    rows, columns = np.nonzero(there)
    lengths = np.where(there, spans.lengths, 0)
    begins = spans.before + lengths.cumsum(axis=1) - lengths  # in the window
    edges = np.zeros((windows, context + 1), np.int64)
    np.add.at(edges, (rows, begins[rows, columns]), 1)
    np.add.at(edges, (rows, (begins + lengths)[rows, columns]), -1)
    hidden = edges.cumsum(axis=1)[:, :context] > 0
    staying = ~hidden
    sizes = staying.sum(axis=1) + there.sum(axis=1)
    read = np.full((windows, int(sizes.max(initial=0))), padding, np.int64)
    is_mask = np.zeros_like(read, bool)
    is_mask[rows, (spans.before + np.arange(there.shape[1]))[rows, columns]] = True  # a mask for each span before it
    read[is_mask] = mask
    read[~is_mask & (np.arange(read.shape[1]) < sizes[:, None])] = ids[staying]
    return Infilled(read, hidden)
