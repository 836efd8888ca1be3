"""Pooling against plain loops, with padding on either side."""

from __future__ import annotations

from typing import get_args

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.models.encoding.pooling import pooler, weights
from isogloss.backend.models.entry import Pooling

POOLINGS = get_args(Pooling)


def reference(hidden: torch.Tensor, mask: list[bool], special: list[bool], pooling: str) -> torch.Tensor:
    real = [i for i, kept in enumerate(mask) if kept]
    ordinary = [i for i in real if not special[i]]
    total, counted = torch.zeros(hidden.shape[-1]), 0
    if pooling == "weighted":
        for place, i in enumerate(real):
            total += (place + 1) * hidden[i].float()
            counted += place + 1
    else:
        rest = [i for i in ordinary if i != real[0]] or ordinary or real
        chosen = {"mean": ordinary or real, "mean_special": real, "first": real[:1], "last": real[-1:], "without_first": rest}
        for i in chosen[pooling]:
            total += hidden[i].float()
            counted += 1
    return total / counted if counted else total


@st.composite
def batch(draw: st.DrawFn) -> tuple[torch.Tensor, list[list[bool]], list[list[bool]]]:
    rows, tokens = draw(st.integers(1, 4)), draw(st.integers(1, 7))
    masks, specials = [], []
    for _ in range(rows):
        length, left = draw(st.integers(0, tokens)), draw(st.booleans())
        kept = [True] * length + [False] * (tokens - length)
        masks.append(kept[::-1] if left else kept)
        specials.append(draw(st.lists(st.booleans(), min_size=tokens, max_size=tokens)))
    hidden = torch.randn(rows, tokens, 5, generator=torch.Generator().manual_seed(draw(st.integers(0, 99))))
    return hidden, masks, specials


@given(batch(), st.sampled_from(POOLINGS))
def test_equals_plain_loops_whatever_stands_at_padding(
    given_batch: tuple[torch.Tensor, list[list[bool]], list[list[bool]]], pooling: str
) -> None:
    hidden, masks, specials = given_batch
    mask = torch.tensor(masks)
    hidden[~mask] = float("nan")  # some architectures leave it there
    found = pooler(mask.long(), torch.tensor(specials).long(), pooling)(hidden)
    expected = torch.stack([reference(*row, pooling) for row in zip(hidden, masks, specials, strict=True)])
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_half_precision_is_summed_in_float32(pooling: str) -> None:
    hidden = torch.full((1, 4096, 2), 1.001, dtype=torch.bfloat16)
    found = pooler(torch.ones(1, 4096), torch.zeros(1, 4096), pooling)(hidden)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, hidden[:, 0].float())


def test_weights_sum_to_one() -> None:
    mask = torch.tensor([[0, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]])
    special = torch.tensor([[0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 0, 0]])
    for pooling in POOLINGS:
        assert weights(mask, special, pooling).sum(1).tolist() == [1.0, 1.0, 0.0]
    assert weights(mask, special, "mean")[0].tolist() == [0, 0, 1, 0]


def test_the_first_token_is_left_out_special_or_not_unless_it_is_alone() -> None:
    mask = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]])
    special = torch.tensor([[0, 0, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
    found = weights(mask, special, "without_first").tolist()
    assert found == [[0, 0, 0, 0.5, 0.5], [0, 0.5, 0.5, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]


def test_positions_count_from_the_texts_first_token_whatever_side_is_padded() -> None:
    mask = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 0, 0]])
    torch.testing.assert_close(
        weights(mask, torch.zeros_like(mask), "weighted") * 6, torch.tensor([[0.0, 0, 1, 2, 3], [1, 2, 3, 0, 0]])
    )
