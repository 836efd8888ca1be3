"""The paper's control of ABX against plain loops in whole numbers, and a choice of pairs against all of them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.metrics.abx import counting, held
from isogloss.backend.metrics.abx import sampled as abx_sampled
from isogloss.backend.metrics.abx.exact import Discrimination, chosen_pairs, discrimination, with_control
from isogloss.backend.metrics.abx.sampled import sampled_control
from tests.metrics.abx.test_metrics_abx import SQUARES, cosine_order, small_vectors

Vectors = list[list[list[int]]]


def language_loop(vectors: Vectors, steps: list[list[int]], i: int) -> Fraction | None:
    """X, A and B three sentences of language i: B stands `steps` after A."""
    n, twice, triplets = len(vectors[0]), 0, 0
    for p, q in itertools.permutations(range(n), 2):
        r = (q + steps[i][p]) % n
        if r != p:
            twice += 1 + cosine_order(vectors[i][p], vectors[i][q], vectors[i][r])
            triplets += 1
    return Fraction(twice, 2 * triplets) if triplets else None


def meaning_loop(vectors: Vectors, coins: list[list[int]], i: int, j: int) -> Fraction | None:
    """X, A and B one sentence in three languages; the coin says which language of the pair is A's."""
    twice, triplets = 0, 0
    for k, p in itertools.product(range(len(vectors)), range(len(vectors[0]))):
        if k not in (i, j):
            a, b = (i, j) if coins[k][p] else (j, i)
            twice += 1 + cosine_order(vectors[k][p], vectors[a][p], vectors[b][p])
            triplets += 1
    return Fraction(twice, 2 * triplets) if triplets else None


def expected(vectors: Vectors, pairs: list[tuple[int, int]], seed: int) -> dict[tuple[int, int], tuple[float, float]]:
    """Each pair's two scores by definition; only the draws are the product's."""
    languages, n = len(vectors), len(vectors[0])
    drawn = held.begin(languages, n, torch.device("cpu"), seed)
    steps = drawn.steps.tolist()
    assert {step for row in steps for step in row} <= set(range(1, max(2, n)))
    found = {}
    for i, j in sorted(pairs):
        coins = torch.randint(0, 2, (languages, n), generator=drawn.generator, dtype=torch.int8).tolist()
        each = [language_loop(vectors, steps, k) for k in (i, j)]
        language = float(sum(each) / 2) if None not in each else np.nan  # type: ignore[arg-type]
        meaning = meaning_loop(vectors, coins, i, j)
        found[i, j] = language, np.nan if meaning is None else float(meaning)
    return found


def assert_is(control: held.Held, wanted: dict[tuple[int, int], tuple[float, float]]) -> None:
    for i, j in itertools.combinations(range(len(control.language)), 2):
        language, meaning = wanted.get((i, j), (np.nan, np.nan))
        for table, value in ((control.language, language), (control.meaning, meaning)):
            assert table[i, j].item() == pytest.approx(value, abs=1e-14, nan_ok=True)
            assert table[j, i].item() == pytest.approx(value, abs=1e-14, nan_ok=True)
    assert control.language.diagonal().isnan().all()
    assert control.meaning.diagonal().isnan().all()


@settings(max_examples=60)
@given(small_vectors(), st.integers(0, 5))
def test_the_control_equals_loops_to_the_last_count(vectors: Vectors, seed: int) -> None:
    _, control = with_control(torch.tensor(vectors, dtype=torch.float32), seed=seed)
    assert_is(control, expected(vectors, list(itertools.combinations(range(len(vectors)), 2)), seed))


@pytest.mark.parametrize("cut", [(9, 40, 40, 1), (9, 1, 1, 1), (1, 3, 2, 1), (3, 2, 2, 2)])
def test_tiles_make_no_difference_to_the_control(monkeypatch: pytest.MonkeyPatch, cut: tuple[int, int, int, int]) -> None:
    vectors = torch.randint(-2, 3, (4, 7, 3), generator=torch.Generator().manual_seed(3))
    monkeypatch.setattr(counting, "_cut", lambda *_: counting._Cut(*cut))
    assert_is(with_control(vectors.double())[1], expected(vectors.tolist(), list(itertools.combinations(range(4), 2)), 0))


def test_with_the_control_the_scores_are_the_same() -> None:
    vectors = torch.randn(4, 30, 8, generator=torch.Generator().manual_seed(1))
    assert_same(with_control(vectors)[0], discrimination(vectors))


def test_the_control_is_at_chance_whatever_the_vectors() -> None:
    """Languages apart, hubs that are near to everything, one language near to all: expected 0.5, not only on average."""
    generator = torch.Generator().manual_seed(2)
    vectors = torch.randn(5, 120, 16, generator=generator) + 2 * torch.randn(5, 1, 16, generator=generator)
    vectors[:, ::7] += 3.0
    vectors[0] = vectors.mean(0)
    scores = discrimination(vectors)
    assert scores.language.nan_to_num(0).max() > 0.9
    controls = [with_control(vectors, seed=seed)[1] for seed in range(30)]
    triplets = {"language": 120 * 118, "meaning": 120 * 3}
    for task in ("language", "meaning"):
        values = torch.stack([getattr(control, task)[0, 1:] for control in controls])
        assert ((values.mean(0) - 0.5).abs() < 4 * values.std(0) / len(controls) ** 0.5).all()
        assert (values - 0.5).abs().max() < 6 * 0.5 / triplets[task] ** 0.5


def test_equal_sentences_and_equal_languages_tie() -> None:
    one_language = torch.randn(6, 5, generator=torch.Generator().manual_seed(4))
    _, control = with_control(one_language.expand(3, 6, 5).clone())
    assert (control.meaning[0, 1:] == 0.5).all()  # the same text in every language
    _, control = with_control(torch.randn(3, 1, 5).expand(3, 6, 5).clone())
    assert (control.language[0, 1:] == 0.5).all()  # the same sentence throughout


def test_what_the_control_cannot_say_is_nan() -> None:
    _, two_languages = with_control(torch.randn(2, 9, 4))
    assert two_languages.meaning.isnan().all()
    assert two_languages.language[0, 1].isfinite()
    _, two_sentences = with_control(torch.randn(3, 2, 4))
    assert two_sentences.language.isnan().all()
    assert two_sentences.meaning[0, 1].isfinite()
    _, alone = with_control(torch.randn(1, 1, 4))
    assert alone.language.isnan().all()


def test_every_triplet_of_the_control_is_as_likely_to_be_drawn() -> None:
    draw = np.random.default_rng(0)
    x, a, b = abx_sampled._one_language(4, 2, 24_000, draw)
    assert {2} == {*x[0].tolist(), *a[0].tolist(), *b[0].tolist()}
    assert_uniform(zip(x[1].tolist(), a[1].tolist(), b[1].tolist(), strict=True), set(itertools.permutations(range(4), 3)))
    x, a, b = abx_sampled._one_meaning(4, 3, (2, 0), 12_000, draw)
    assert torch.equal(x[1], a[1])
    assert torch.equal(x[1], b[1])
    drawn = zip(x[0].tolist(), a[0].tolist(), b[0].tolist(), x[1].tolist(), strict=True)
    assert_uniform(drawn, {(k, *sides, p) for k in (1, 3) for sides in ((0, 2), (2, 0)) for p in range(3)})


def assert_uniform(drawn: Iterable[tuple[int, ...]], possible: set[tuple[int, ...]]) -> None:
    counts = Counter(drawn)
    assert set(counts) == possible
    assert max(counts.values()) < 1.2 * min(counts.values())  # 1,000 each, give or take 32


@settings(max_examples=30)
@given(small_vectors(), st.integers(0, 5))
def test_the_sampled_control_equals_loops_over_what_it_draws(vectors: Vectors, seed: int) -> None:
    asked: dict[str, list[Fraction]] = {"language": [], "meaning": []}

    def share(_units: torch.Tensor, *sides: torch.Tensor) -> float:
        found = [[vectors[k][p] for k, p in side.T.tolist()] for side in sides]
        twice = [1 + cosine_order(x, a, b) for x, a, b in zip(*found, strict=True)]
        same = sides[0][0, 0] == sides[1][0, 0]
        asked["language" if same else "meaning"].append(Fraction(sum(twice), 2 * len(twice)))
        return 0.0

    embeddings = torch.tensor(vectors, dtype=torch.float32)
    found = sampled_control(embeddings, 13, seed, 2, layer=1, pairs=[(0, 1)])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(abx_sampled, "_share", share)
        sampled_control(embeddings, 13, seed, 2, layer=1, pairs=[(0, 1)])
    for task, shares in asked.items():
        expected = float(sum(shares) / len(shares)) if shares else np.nan
        assert getattr(found, task)[0, 1].item() == pytest.approx(expected, abs=1e-12, nan_ok=True)
        assert getattr(found, task)[1, 0].item() == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert len(asked["language"]) == (4 if len(vectors[0]) > 2 else 0)  # two languages, two draws
    assert len(asked["meaning"]) == (2 if len(vectors) > 2 else 0)


def test_the_sampled_control_is_at_chance_whatever_the_vectors() -> None:
    generator = torch.Generator().manual_seed(2)
    vectors = torch.randn(4, 40, 16, generator=generator) + 2 * torch.randn(4, 1, 16, generator=generator)
    vectors[:, ::7] += 3.0
    vectors[0] = vectors.mean(0)
    for layer in range(3):
        control = sampled_control(vectors, 20_000, layer=layer)
        for values in (control.language[0, 1:], control.meaning[0, 1:]):
            assert (values - 0.5).abs().max() < 5 * 0.5 / 20_000**0.5
            assert (values != 0.5).any()


def assert_same(found: Discrimination, wanted: Discrimination) -> None:
    for name in SQUARES:
        torch.testing.assert_close(getattr(found, name), getattr(wanted, name), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("rows", [3, 40])
@pytest.mark.parametrize("group", [1, 4, 6])
def test_chosen_pairs_have_the_scores_they_have_among_all(
    monkeypatch: pytest.MonkeyPatch, width: int, rows: int, group: int
) -> None:
    monkeypatch.setattr(counting, "_cut", lambda *_: counting._Cut(group, rows, max(1, rows // 2), width))
    generator = torch.Generator().manual_seed(6)
    vectors = torch.randint(-2, 3, (6, 11, 4), generator=generator).double()
    every = list(itertools.combinations(range(6), 2))
    everything = discrimination(vectors)
    assert_same(discrimination(vectors, pairs=every), everything)
    sets = [[(2, j) for j in range(6) if j != 2], [(5, 0)], [(0, 2), (0, 3), (0, 5), (1, 4), (4, 1), (3, 5)], []]
    for chosen in [*sets, *([every[k] for k in torch.randperm(15, generator=generator)[:6]] for _ in range(5))]:
        found, control = with_control(vectors, pairs=chosen)
        there = torch.zeros(6, 6, dtype=torch.bool)
        for i, j in chosen:
            there[i, j] = there[j, i] = True
        for name in SQUARES:
            wanted = getattr(everything, name).clone()
            wanted[~there] = torch.nan
            torch.testing.assert_close(getattr(found, name), wanted, rtol=0, atol=0, equal_nan=True)
        assert_is(control, expected(vectors.long().tolist(), sorted({(min(pair), max(pair)) for pair in chosen}), 0))


def test_only_the_chosen_pairs_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    compare = counting._compare
    monkeypatch.setattr(counting, "_compare", lambda *args: (asked.append(args[1:]), compare(*args)))
    discrimination(torch.randn(6, 9, 4), pairs=[(1, 0), (1, 4), (1, 5)])
    found = [(group.first + i, job.j) for group, jobs in asked for job in jobs for i in range(6)[job.others]]
    assert sorted(found) == [(0, 1), (1, 4), (1, 5)]


@pytest.mark.parametrize("wrong", [(1, 1), (0, 3), (-1, 2)])
def test_a_pair_that_is_none_is_refused(wrong: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no pair of two different languages"):
        chosen_pairs([(0, 1), wrong], 3)
