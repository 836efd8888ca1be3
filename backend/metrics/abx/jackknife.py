"""Accuracy and its delete-one jackknife from the outcomes that each sentence takes part in.

An ABX score over all triplets p ≠ q is a U-statistic of degree two in the sentences: leaving sentence k out leaves out exactly
the triplets with p = k or q = k. So the n leave-one-out scores follow from n sums, and nothing is compared again.
Source: Efron & Stein 1981, "The jackknife estimate of variance"; Arvesen 1969 for U-statistics.
"""

from __future__ import annotations

import torch
from torch import Tensor


def accuracy(involved: Tensor, directions: int = 1) -> Tensor:
    """The share of right triplets, ties one half.

    `involved` is int64 `[…, sentences]`: for each sentence the sum of the outcomes (+1 right, 0 tie, -1 wrong) of the triplets
    it takes part in, over one direction of a pair or summed over two (`directions`). Returns float64 `[…]`, nan for one
    sentence.
    """
    n = involved.shape[-1]
    triplets = directions * n * (n - 1)
    # Each triplet is counted with its p and with its q. right + ties / 2 = (triplets + right - wrong) / 2, exact up to the
    # division.
    twice_right = triplets + involved.sum(-1) // 2
    return twice_right.double() / (2 * triplets) if triplets else torch.full(twice_right.shape, torch.nan, dtype=torch.float64)


def leave_one_out(involved: Tensor, directions: int = 1) -> Tensor:
    """The accuracy without each sentence: float64 `[…, sentences]`, nan for fewer than three sentences."""
    n = involved.shape[-1]
    triplets = directions * (n - 1) * (n - 2)
    if triplets <= 0:
        return torch.full(involved.shape, torch.nan, dtype=torch.float64)
    twice_right = triplets + involved.sum(-1, keepdim=True) // 2 - involved
    return twice_right.double() / (2 * triplets)


def standard_error(involved: Tensor, directions: int = 1) -> Tensor:
    """The jackknife standard error of `accuracy` over sentences: float64 `[…]`, nan for fewer than three sentences."""
    n = involved.shape[-1]
    without = leave_one_out(involved, directions)
    return ((n - 1) / n * (without - without.mean(-1, keepdim=True)).square().sum(-1)).sqrt()
