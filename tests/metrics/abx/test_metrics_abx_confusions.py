"""The worst triplets of a pair against a search over all of them."""

from __future__ import annotations

import itertools

import pytest
import torch

from isogloss.backend.metrics.abx.confusions import Triplet, worst_triplets
from isogloss.backend.metrics.abx.exact import discrimination


@pytest.fixture
def pair() -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(1, 25, 6, generator=generator) + torch.randn(2, 25, 6, generator=generator)


def every_triplet(pair: torch.Tensor, task: str) -> list[Triplet]:
    unit = torch.nn.functional.normalize(pair.double(), dim=-1)
    own, across = (unit[0] @ unit[0].T).tolist(), (unit[0] @ unit[1].T).tolist()
    return [
        Triplet(p, q, own[p][q] if task == "language" else across[p][p], across[p][q])
        for p, q in itertools.permutations(range(pair.shape[1]), 2)
    ]


@pytest.mark.parametrize("task", ["language", "meaning"])
@pytest.mark.parametrize("per_sentence", [1, 3, 100])
def test_finds_the_lowest_margins(pair: torch.Tensor, task: str, per_sentence: int) -> None:
    expected: list[Triplet] = []
    for triplet in sorted(every_triplet(pair, task), key=lambda triplet: triplet.margin):
        if sum(other.p == triplet.p for other in expected) < per_sentence:
            expected.append(triplet)
    found = worst_triplets(pair[0], pair[1], k=12, per_sentence=per_sentence)[task]  # type: ignore[index]
    assert [(triplet.p, triplet.q) for triplet in found] == [(triplet.p, triplet.q) for triplet in expected[:12]]
    for triplet, reference in zip(found, expected, strict=False):
        assert triplet.right == pytest.approx(reference.right)
        assert triplet.wrong == pytest.approx(reference.wrong)


@pytest.mark.parametrize("task", ["language", "meaning"])
def test_the_share_of_wrong_triplets_is_what_the_score_lacks(pair: torch.Tensor, task: str) -> None:
    score = getattr(discrimination(pair), f"{task}_directed")[0, 1].item()
    found = worst_triplets(pair[0], pair[1], k=25 * 24, per_sentence=24)[task]  # type: ignore[index]
    assert len(found) == 25 * 24
    assert sum(triplet.margin < 0 for triplet in found) / len(found) == pytest.approx(1 - score)


def test_few_sentences_give_few_triplets() -> None:
    same = torch.ones(4, 3)
    assert len(worst_triplets(same, same, k=20)["meaning"]) == 4
    assert worst_triplets(same[:1], same[:1]) == {"language": [], "meaning": []}


def test_unequal_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="one shape"):
        worst_triplets(torch.randn(4, 3), torch.randn(5, 3))
