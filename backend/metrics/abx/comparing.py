"""Which of two similarities is greater, of very many: comparisons are bytes, added up eight to a word."""

from __future__ import annotations

import torch
from torch import Tensor

LANE = 127
"""The most bytes, each 2 at most, that are added up within a byte."""


def count_signs(similarities: Tensor, lefts: list[Tensor], top: int, tolerance: float) -> tuple[Tensor, Tensor]:
    """Return the sums of the signs of left − similarities, of rows `[lefts, w, rows]` and of columns `[lefts, w, n]`.

    `similarities` is float64 `[w, rows, n]`; a left may be anything that broadcasts to it. A difference up to the tolerance
    has sign 0, and so has that of row p and column `top` + p. Sums are int32.
    """
    _, rows, n = similarities.shape
    # A sign is 1 where the left is greater, and 1 where it is not smaller, less 1: two comparisons, nothing subtracted.
    greater = _zeros(len(lefts), similarities)
    not_smaller = torch.zeros_like(greater)
    for compare, bound, found in (
        (torch.gt, similarities + tolerance, greater),
        (torch.ge, similarities - tolerance, not_smaller),
    ):
        for number, left in enumerate(lefts):
            compare(left, bound, out=found[number, :, :rows, :n])
    greater[:, :, :rows, :n].diagonal(top, -2, -1).fill_(value=False)
    not_smaller[:, :, :rows, :n].diagonal(top, -2, -1).fill_(value=True)
    both = greater.view(torch.uint8).add_(not_smaller.view(torch.uint8))
    return _sum(both)[..., :rows] - n, _sum(both, of_columns=True)[..., :n] - rows


def signs(differences: Tensor, tolerance: float) -> Tensor:
    """+1, 0 or -1 in place, 0 up to the tolerance."""
    torch.ops.aten.hardshrink.out(differences, tolerance, out=differences)
    return differences.sign_()


def _zeros(lefts: int, similarities: Tensor) -> Tensor:
    """Return room for comparisons, `[lefts, w, ≥ rows, ≥ n]`: as many whole lanes of rows, and of words of eight columns."""
    w, rows, n = similarities.shape
    return torch.zeros(lefts, w, _whole(rows), 8 * _whole(-(-n // 8)), dtype=torch.bool, device=similarities.device)


def _lane(length: int) -> int:
    """Return the length of a lane where so many are cut into lanes of one length."""
    return -(-length // -(-length // LANE))


def _whole(length: int) -> int:
    return -(-length // _lane(length)) * _lane(length)


def _sum(both: Tensor, *, of_columns: bool = False) -> Tensor:
    """Add up bytes `[lefts, w, rows, columns]` in words of eight: of each row, or of each column."""
    words = both.view(torch.int64)
    *outer, rows, columns = words.shape
    if of_columns:
        lanes = words.view(*outer, -1, _lane(rows), columns).sum(-2)
        return lanes.view(torch.uint8).sum(-2, dtype=torch.int32)
    lanes = words.view(*outer, rows, -1, _lane(columns)).sum(-1)
    return lanes.view(torch.uint8).sum(-1, dtype=torch.int32)
