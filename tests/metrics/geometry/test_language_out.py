"""Language taken out: each method against a slow one of its own, and a planted shift told apart from a planted meaning."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from isogloss.backend.metrics.abx.exact import discrimination
from isogloss.backend.metrics.geometry.language_out import language_subspace, top_components, without_language
from isogloss.backend.metrics.geometry.options import Removal

METHODS: list[tuple[Removal, int]] = [("mean", 1), ("lsar", 3), ("lir", 1)]


def planted(meaning: float, shift: float, n: int = 80, dims: int = 24, languages: int = 4) -> torch.Tensor:
    """Translations that share `meaning`, in dimensions apart from those that languages are shifted in."""
    draw = np.random.default_rng(3)
    vectors = draw.standard_normal((languages, n, dims))
    vectors[:, :, :16] += meaning * draw.standard_normal((1, n, 16))
    vectors[:, :, 16:] += shift * draw.standard_normal((languages, 1, 8))
    return torch.from_numpy(vectors)


def scores(vectors: torch.Tensor) -> tuple[float, float, float]:
    found = discrimination(vectors)
    assert found.retrieval is not None
    return tuple(float(torch.nanmean(each)) for each in (found.language, found.meaning, found.retrieval))  # type: ignore[return-value]


@pytest.mark.parametrize(("removal", "rank"), METHODS)
def test_a_planted_shift_is_taken_out_and_a_planted_meaning_stays(removal: Removal, rank: int) -> None:
    vectors = planted(meaning=2.0, shift=8.0)
    before, after = scores(vectors), scores(without_language(vectors, removal, rank))
    assert before[0] > 0.95 > 0.6 > after[0]  # told apart by the shift, and not without it
    assert after[1] > 0.95
    assert after[2] >= before[2]
    none = scores(without_language(planted(meaning=0.0, shift=8.0), removal, rank))
    assert none[1] == pytest.approx(0.5, abs=0.03)  # no meaning comes of it


def released_lsar(means: np.ndarray, rank: int) -> np.ndarray:
    """The paper's algorithm 1 in the steps of its code: fit about the mean, make the middle orthogonal, decompose the rest."""
    ones = np.ones((len(means), 1))
    middle = means.T @ ones / len(means)
    u, s, vh = np.linalg.svd(means.T - middle @ ones.T, full_matrices=False)
    fit = middle @ ones.T + u[:, :rank] @ np.diag(s[:rank]) @ vh[:rank]
    across = np.linalg.pinv(fit).T @ ones
    return np.linalg.svd(fit - across / np.square(across).sum() @ ones.T)[0][:, :rank]


@pytest.mark.parametrize("rank", [1, 2, 4])
def test_lsar_takes_out_what_the_authors_code_does(rank: int) -> None:
    means = np.random.default_rng(5).standard_normal((5, 9)) + 3
    ours, theirs = language_subspace(torch.from_numpy(means), rank).numpy(), released_lsar(means, rank)
    assert ours @ ours.T == pytest.approx(theirs @ theirs.T, abs=1e-9)


def test_all_of_lsars_directions_leave_every_language_the_same_mean() -> None:
    vectors = planted(1.0, 5.0)
    means = without_language(vectors, "lsar", 99).mean(1)
    assert (means - means[0]).abs().max() < 1e-9


def test_lir_takes_the_direction_of_most_length_out_of_each_language() -> None:
    vectors = torch.from_numpy(np.random.default_rng(2).standard_normal((2, 30, 6)) + 4)
    out = without_language(vectors, "lir", 2)
    for own, left in zip(vectors, out, strict=True):
        axes = torch.linalg.svd(own, full_matrices=False).Vh[:2].mT
        torch.testing.assert_close(left, own - own @ axes @ axes.mT)
    few = torch.from_numpy(np.random.default_rng(2).standard_normal((4, 9)))
    assert top_components(few, 20).shape == (9, 4)


def test_vectors_of_nothing_stay_finite() -> None:
    for removal, rank in METHODS:
        assert without_language(torch.zeros(3, 5, 4), removal, rank).abs().max() == 0
    assert without_language(torch.ones(2, 3, 4, dtype=torch.float16), "nothing").dtype == torch.float32
