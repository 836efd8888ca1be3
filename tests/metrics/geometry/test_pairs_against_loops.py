"""Measures of pairs of languages against plain loops: values, and their jackknife against leaving each sentence out in turn."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from isogloss.backend.metrics.abx.exact import chosen_pairs
from isogloss.backend.metrics.geometry import layer
from isogloss.backend.metrics.geometry.intervals import ends
from isogloss.backend.metrics.geometry.layer import geometry
from isogloss.backend.metrics.geometry.neighbours import mutual, nearest
from isogloss.backend.metrics.geometry.similarity import ordered

K = 3


def vectors_of(seed: int, languages: int = 3, n: int = 14, dims: int = 6) -> np.ndarray:
    """Translations: a shared meaning, noise, a shift and a scale a language; of sizes that differ."""
    draw = np.random.default_rng(seed)
    meaning = draw.standard_normal((1, n, dims)) * draw.uniform(0.5, 4, (1, n, 1))
    return meaning + 0.6 * draw.standard_normal((languages, n, dims)) + draw.standard_normal((languages, 1, dims))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def rsa_loop(u: np.ndarray, v: np.ndarray) -> float:
    pairs = list(combinations(range(len(u)), 2))
    return float(stats.spearmanr([cosine(u[p], u[q]) for p, q in pairs], [cosine(v[p], v[q]) for p, q in pairs]).statistic)


def hsic_loop(k: np.ndarray, other: np.ndarray) -> float:
    """The mean over ordered quadruples of different sentences: what the unbiased estimator is a short form of."""
    n, total, count = len(k), 0.0, 0
    for a in range(n):
        for b in range(n):
            for c in range(n):
                for d in range(n):
                    if len({a, b, c, d}) == 4:
                        total += k[a, b] * (other[a, b] + other[c, d] - 2 * other[a, c])
                        count += 1
    return total / count


def hsic_short(k: np.ndarray, other: np.ndarray) -> float:
    n = len(k)
    k, other = k - np.diag(np.diag(k)), other - np.diag(np.diag(other))
    one = np.ones(n)
    whole = (
        np.trace(k @ other) + one @ k @ one * (one @ other @ one) / ((n - 1) * (n - 2)) - 2 / (n - 2) * (one @ k @ other @ one)
    )
    return float(whole / (n * (n - 3)))


def cka_loop(u: np.ndarray, v: np.ndarray) -> float:
    k, other = u @ u.T, v @ v.T
    return hsic_short(k, other) / math.sqrt(hsic_short(k, k) * hsic_short(other, other))


def nearest_loop(u: np.ndarray, k: int) -> list[list[int]]:
    lists = []
    for p in range(len(u)):
        others = [q for q in range(len(u)) if q != p]
        lists.append(sorted(others, key=lambda q, p=p: (-round(cosine(u[p], u[q]) * 2**36), q))[:k])
    return lists


def mutual_loop(u: np.ndarray, v: np.ndarray, k: int = K) -> float:
    return float(np.mean([len(set(a) & set(b)) / k for a, b in zip(nearest_loop(u, k), nearest_loop(v, k), strict=True)]))


def anc_loop(u: np.ndarray, v: np.ndarray) -> float:
    return float(np.mean([stats.pearsonr(u[:, d], v[:, d]).statistic for d in range(u.shape[1])]))


def mexa_loop(u: np.ndarray, v: np.ndarray) -> float:
    """The share as MEXA's released script counts it: above all others of its row, and of its column."""
    matrix = np.array([[cosine(a, b) for b in v] for a in u])
    found = 0
    for i in range(len(u)):
        above_row = matrix[i, i] > max(np.delete(matrix[i], i))
        found += above_row and matrix[i, i] > max(np.delete(matrix[:, i], i))
    return found / len(u)


LOOPS = {"rsa": rsa_loop, "cka": cka_loop, "mutual_knn": mutual_loop, "anc": anc_loop, "mexa": mexa_loop}


def jackknife(of: object, u: np.ndarray, v: np.ndarray) -> float:
    n = len(u)
    without = [of(np.delete(u, k, 0), np.delete(v, k, 0)) for k in range(n)]  # type: ignore[operator]
    return float(np.sqrt((n - 1) / n * np.square(np.array(without) - np.mean(without)).sum()))


@pytest.mark.parametrize("seed", range(4))
def test_every_value_is_that_of_a_loop(seed: int) -> None:
    vectors = vectors_of(seed)
    found = geometry(torch.from_numpy(vectors), k=K).of_pairs
    for name, loop in LOOPS.items():
        wanted = [loop(vectors[i], vectors[j]) for i, j in combinations(range(3), 2)]
        assert found[name].value.tolist() == pytest.approx(wanted, abs=1e-6), name


def test_hsic_without_bias_is_the_mean_over_quadruples() -> None:
    u, v = vectors_of(5, 2, 7)
    assert hsic_short(u @ u.T, v @ v.T) == pytest.approx(hsic_loop(u @ u.T, v @ v.T), rel=1e-9)


@pytest.mark.parametrize(("name", "near"), [("cka", 1e-5), ("anc", 0.1), ("rsa", 0.25)])
def test_errors_are_those_of_leaving_each_sentence_out(name: str, near: float) -> None:
    """Exact of CKA; to first order of ANC; of RSA with ranks among all sentences."""
    vectors = vectors_of(9, 2, {"anc": 150, "rsa": 40}.get(name, 14))
    found = geometry(torch.from_numpy(vectors), k=K).of_pairs[name]
    assert float(found.error[0]) == pytest.approx(jackknife(LOOPS[name], *vectors), rel=near)


def mutual_error_loop(u: np.ndarray, v: np.ndarray, k: int) -> float:
    """By each sentence's part in the mutual neighbours: those it has, and those it is, less what the next would be."""
    n = len(u)
    one, other = nearest_loop(u, k + 1), nearest_loop(v, k + 1)
    gained: dict[str, list[float]] = {"one": [], "other": [], "both": []}
    for a, b in zip(one, other, strict=True):
        gained["one"].append(a[k] in b[:k])
        gained["other"].append(b[k] in a[:k])
        gained["both"].append((a[k] in b[:k]) + (b[k] in a[:k]) + (a[k] == b[k]))
    parts = [float(len(set(a[:k]) & set(b[:k]))) for a, b in zip(one, other, strict=True)]
    for a, b in zip(one, other, strict=True):
        for s in {*a[:k], *b[:k]}:
            where = "both" if s in a[:k] and s in b[:k] else "one" if s in a[:k] else "other"
            parts[s] += (where == "both") - float(np.mean(gained[where]))
    share = mutual_loop(u, v, k)
    return float(np.sqrt(max(0.0, np.var(parts, ddof=1) / (n * k**2) - share * (1 - share) / (2 * n * k))))


@pytest.mark.parametrize("k", [1, 3, 7])
@pytest.mark.parametrize("noise", [0.0, 0.3, 3.0])
def test_errors_of_mutual_neighbours_are_those_of_each_sentence_s_part(k: int, noise: float) -> None:
    rng = np.random.default_rng(k)
    meaning = rng.standard_normal((20, 6))
    vectors = np.stack([meaning + noise * rng.standard_normal((20, 6)) for _ in range(3)])
    found = geometry(torch.from_numpy(vectors), k=k).of_pairs["mutual_knn"]
    wanted = [mutual_error_loop(vectors[i], vectors[j], k) for i, j in combinations(range(3), 2)]
    assert found.error.tolist() == pytest.approx(wanted, rel=1e-5, abs=1e-6)
    assert (max(wanted) == 0) == (noise == 0)


@pytest.mark.parametrize(("noise", "clusters"), [(0.1, 0), (0.5, 0), (1.5, 0), (0.7, 12)])
def test_intervals_of_mutual_neighbours_hold_what_many_texts_give(noise: float, clusters: int) -> None:
    """And are not wide for it: their errors are those of a fresh text, up to a third more."""
    rng = np.random.default_rng(5)
    centres = rng.standard_normal((max(1, clusters), 12))
    values, errors = [], []
    for _ in range(150):
        meaning = rng.standard_normal((120, 12))
        if clusters:
            meaning = centres[rng.integers(clusters, size=120)] + 0.4 * meaning
        vectors = np.stack([meaning + noise * rng.standard_normal((120, 12)) for _ in range(2)])
        lists = torch.stack([nearest(torch.from_numpy(unit @ unit.T), 10) for unit in map(units, vectors)])
        found = mutual(lists, (torch.tensor([0]), torch.tensor([1])), 10)
        values.append(float(found.value[0]))
        errors.append(float(found.error[0]))
    assert 0.9 < np.mean(errors) / np.std(values) < 1.45
    low, high = ends("share", values, errors, 120)
    assert np.mean((low <= np.mean(values)) & (np.mean(values) <= high)) >= 0.92


def units(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_neighbours_that_tie_are_taken_in_order() -> None:
    rows = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1], [1, 0]])
    vectors = np.stack([rows, rows[::-1]])
    found = geometry(torch.from_numpy(vectors.copy()), k=2).of_pairs["mutual_knn"]
    assert float(found.value[0]) == pytest.approx(mutual_loop(vectors[0], vectors[1], 2), abs=1e-9)


def test_a_language_that_is_another_turned_and_scaled_is_alike_in_all_but_its_neurons() -> None:
    vectors = torch.from_numpy(vectors_of(2, 1, 30))
    turn = torch.linalg.qr(torch.from_numpy(np.random.default_rng(0).standard_normal((6, 6)))).Q
    found = geometry(torch.cat([vectors, 5 * vectors @ turn]), k=K).of_pairs
    assert [float(found[name].value[0]) for name in ("rsa", "cka", "mutual_knn")] == pytest.approx([1, 1, 1], abs=1e-6)
    assert abs(float(found["anc"].value[0])) < 0.9


def test_what_is_not_defined_is_nan_and_spoils_nothing_else() -> None:
    vectors = vectors_of(3)
    vectors[1] = vectors[1, :1]  # one sentence over and over
    found = geometry(torch.from_numpy(vectors), k=K).of_pairs
    for name in ("rsa", "cka", "anc"):
        assert found[name].value.isnan().tolist() == [True, False, True], name
        assert np.isfinite(float(found[name].error[1]))
    assert found["mexa"].value.tolist()[0] == 0  # ties are not found


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_sentences_give_nan_where_they_say_nothing(n: int) -> None:
    found = geometry(torch.from_numpy(vectors_of(1, 2, n)), k=K)
    assert found.of_pairs["cka"].value.isnan().all() == (n < 4)
    assert found.of_pairs["rsa"].value.isnan().all() == (n < 3)
    assert found.of_pairs["mutual_knn"].value.isnan().all()
    assert found.of_pairs["mexa"].value.isnan().all() == (n < 2)
    assert all(len(each.value) == 2 for each in found.of_languages.values())


def test_a_vector_that_is_not_finite_is_named() -> None:
    vectors = vectors_of(1)
    vectors[2, 5, 0] = np.nan
    with pytest.raises(ValueError, match="sentence 5 in language 2"):
        geometry(torch.from_numpy(vectors))


def test_some_pairs_are_those_of_all_and_blocks_of_languages_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = torch.from_numpy(vectors_of(4, 7, 12))
    whole, some = geometry(vectors, k=K), geometry(vectors, pairs=[(0, 5), (2, 3)], k=K)
    monkeypatch.setattr(layer, "GRAMS", 8 * 12 * 12 * 3)
    blocks = geometry(vectors, k=K)
    place = [
        list(zip(*(side.tolist() for side in chosen_pairs(None, 7)), strict=True)).index(pair) for pair in ((0, 5), (2, 3))
    ]
    for name, each in whole.of_pairs.items():
        torch.testing.assert_close(some.of_pairs[name].value, each.value[place])
        torch.testing.assert_close(blocks.of_pairs[name].value, each.value, atol=1e-7, rtol=0)
        torch.testing.assert_close(blocks.of_pairs[name].error, each.error, atol=1e-7, rtol=1e-4, equal_nan=True)


NEAR = st.sampled_from([1.0, -1.0, 0.0, 0.25])
"""Numbers that many of others are beside, by less than the first 32 bits tell."""
COSINE = st.floats(-1, 1) | st.builds(lambda at, by: at + by, NEAR, st.floats(-1e-15, 1e-15) | st.floats(-1e-9, 1e-9))


@given(arrays.arrays(np.float64, st.integers(0, 200), elements=COSINE))
def test_cosines_are_sorted_to_the_last_bit(values: np.ndarray) -> None:
    order = ordered(values)
    assert sorted(order.tolist()) == list(range(len(values)))
    np.testing.assert_array_equal(values[order], np.sort(values))


@pytest.mark.parametrize("held", [1 << 30, 1])
def test_what_each_sentence_does_to_a_language_is_the_mean_over_its_pairs(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In blocks of two languages, too, of which every pair is in several; a pair without a value counts for none."""
    monkeypatch.setattr(layer, "GRAMS", held)
    vectors = vectors_of(3, languages=5)
    vectors[4] = vectors[4, :1]  # all alike: no RSA, CKA or neuron correlation
    n, whole = vectors.shape[1], torch.from_numpy(vectors)
    found = geometry(whole, k=K, per_sentence=True)
    pairs = list(zip(*(side.tolist() for side in chosen_pairs(None, 5)), strict=True))
    assert set(found.away) == {*found.of_pairs, *found.of_languages} - {"language_probe"}
    for metric, each in found.of_pairs.items():
        assert each.away is None
        for language in range(5):
            own = [p for p, pair in enumerate(pairs) if language in pair and math.isfinite(each.value[p])]
            assert bool(found.away[metric][language].isfinite().all()) == bool(own), metric
    for language in range(4):
        others = [other for other in range(4) if other != language]
        means = [
            np.mean([cka_loop(*(np.delete(vectors[each], p, axis=0) for each in (language, other))) for other in others])
            for p in range(n)
        ]
        np.testing.assert_allclose(found.away["cka"][language], np.array(means) - np.mean(means), atol=1e-4)
    for alone in (pairs[:1], pairs[1:2]):  # of one pair the jackknife error is that of the score
        of_one = geometry(whole, pairs=alone, k=K, per_sentence=True)
        for metric, each in of_one.of_pairs.items():
            both = [of_one.away[metric][language] for language in alone[0]]
            np.testing.assert_allclose(both[0], both[1])
            error = math.sqrt((n - 1) / n * float(both[0].double().square().sum()))
            if metric in ("rsa", "cka", "anc"):
                assert error == pytest.approx(float(each.error[0]), rel=1e-4)
            elif metric == "mexa":
                assert error == pytest.approx(math.sqrt(float(each.value[0] * (1 - each.value[0])) / (n - 1)), abs=1e-6)
            else:
                assert error >= float(each.error[0]) - 1e-6  # the score's is less what chance adds
    of_languages = found.of_languages["anisotropy"]
    np.testing.assert_allclose(
        np.sqrt((n - 1) / n * found.away["anisotropy"].double().square().sum(1)), of_languages.error, rtol=1e-5
    )
    assert not geometry(whole, k=K).away
