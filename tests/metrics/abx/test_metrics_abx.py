"""Exact ABX against a plain triple loop in whole numbers, and what must hold whatever the vectors."""

from __future__ import annotations

import dataclasses
import itertools
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.metrics.abx import counting as abx_counting
from isogloss.backend.metrics.abx.exact import Discrimination, discrimination
from isogloss.backend.metrics.blocks import Stopped

SQUARES = [field.name for field in dataclasses.fields(Discrimination) if field.name not in ("sentences", "mutual_each")]


def cosine_order(x: list[int], a: list[int], b: list[int]) -> int:
    """The sign of cos(x, a) - cos(x, b), in whole numbers: nothing is rounded. A zero vector has cosine 0."""

    def signed_square(v: list[int]) -> Fraction:
        dot, norm = sum(s * t for s, t in zip(x, v, strict=True)), sum(t * t for t in v)
        return Fraction(dot * abs(dot), norm) if norm else Fraction(0)

    left, right = signed_square(a), signed_square(b)
    return (left > right) - (left < right)


def triple_loop(vectors: list[list[list[int]]], without: int | None = None) -> dict[str, list[list[Fraction | None]]]:
    """language and meaning, directed, by definition; optionally with one sentence left out."""
    languages, sentences = range(len(vectors)), [p for p in range(len(vectors[0])) if p != without]
    scores: dict[str, list[list[Fraction | None]]] = {"language": [], "meaning": []}
    for task, table in scores.items():
        for i in languages:
            row: list[Fraction | None] = []
            for j in languages:
                twice = 0
                for p, q in itertools.permutations(sentences, 2):
                    a = vectors[i][q] if task == "language" else vectors[j][p]
                    twice += 1 + cosine_order(vectors[i][p], a, vectors[j][q])
                triplets = len(sentences) * (len(sentences) - 1)
                row.append(Fraction(twice, 2 * triplets) if i != j and triplets else None)
            table.append(row)
    return scores


def retrieval_loop(vectors: list[list[list[int]]], i: int, j: int) -> Fraction:
    n = len(vectors[0])
    found = sum(
        all(cosine_order(vectors[i][p], vectors[j][p], vectors[j][q]) > 0 for q in range(n) if q != p) for p in range(n)
    )
    return Fraction(found, n)


@st.composite
def small_vectors(draw: st.DrawFn) -> list[list[list[int]]]:
    """Few dimensions and few values: many equal vectors, equal directions, orthogonal and zero vectors, hence many ties."""
    languages, sentences, dims = draw(st.integers(2, 3)), draw(st.integers(2, 6)), draw(st.integers(1, 4))
    flat = draw(st.lists(st.integers(-2, 2), min_size=languages * sentences * dims, max_size=languages * sentences * dims))
    return np.array(flat).reshape(languages, sentences, dims).tolist()  # type: ignore[no-any-return]


CUTS = {
    "one piece": (9, 40, 40, 1),
    "a language, a row at a time": (1, 1, 1, 1),
    "pieces that do not fit": (2, 3, 2, 1),
    "languages together": (9, 3, 3, 2),
    "groups of languages together": (2, 40, 3, 2),
}


@pytest.fixture(params=CUTS)
def tiles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same results are asked for however the work is cut, the GPU's way included."""
    monkeypatch.setattr(abx_counting, "_cut", lambda *_: abx_counting._Cut(*CUTS[request.param]))


@settings(max_examples=60)
@given(small_vectors())
def test_equals_a_triple_loop_to_the_last_count(vectors: list[list[list[int]]]) -> None:
    result = discrimination(torch.tensor(vectors, dtype=torch.float32))
    expected = triple_loop(vectors)
    n = len(vectors[0])
    for i, j in itertools.permutations(range(len(vectors)), 2):
        for task in ("language", "meaning"):
            directed, symmetric = expected[task][i][j], getattr(result, task)[i, j].item()
            assert directed is not None
            assert round(getattr(result, f"{task}_directed")[i, j].item() * 2 * n * (n - 1)) == directed * 2 * n * (n - 1)
            assert symmetric == pytest.approx(float((directed + expected[task][j][i]) / 2), abs=1e-15)
        assert result.retrieval_directed is not None
        assert result.retrieval_directed[i, j].item() == pytest.approx(float(retrieval_loop(vectors, i, j)), abs=1e-15)


@pytest.mark.usefixtures("tiles")
def test_tiles_make_no_difference() -> None:
    vectors = torch.randint(-2, 3, (4, 7, 3), generator=torch.Generator().manual_seed(3))
    expected, result = triple_loop(vectors.tolist()), discrimination(vectors.double())
    for i, j in itertools.permutations(range(4), 2):
        assert result.language_directed[i, j].item() == pytest.approx(float(expected["language"][i][j]), abs=1e-15)
        assert result.meaning_directed[i, j].item() == pytest.approx(float(expected["meaning"][i][j]), abs=1e-15)
        assert result.retrieval_directed[i, j].item() == pytest.approx(float(retrieval_loop(vectors.tolist(), i, j)))


@pytest.mark.parametrize("task", ["language", "meaning"])
def test_the_jackknife_is_that_of_leaving_each_sentence_out(task: str) -> None:
    vectors = torch.randint(-2, 3, (3, 6, 4), generator=torch.Generator().manual_seed(1))
    result, n = discrimination(vectors.float()), 6
    left_out = [triple_loop(vectors.tolist(), without=k)[task] for k in range(n)]
    for i, j in itertools.permutations(range(3), 2):
        directed = np.array([float(table[i][j]) for table in left_out])
        both = np.array([float(table[i][j] + table[j][i]) / 2 for table in left_out])
        for name, values in ((f"{task}_directed_se", directed), (f"{task}_se", both)):
            expected = np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum())
            assert getattr(result, name)[i, j].item() == pytest.approx(expected, abs=1e-14)


def test_real_looking_vectors_equal_a_loop_in_double_precision() -> None:
    """A narrow cone, as layers have: cosines of 0.9999, which float32 would partly confuse."""
    generator = torch.Generator().manual_seed(5)
    centre = torch.randn(64, generator=generator)
    vectors = (centre + 0.01 * torch.randn(3, 40, 64, generator=generator)).half().numpy()
    unit = vectors.astype(np.longdouble)
    unit /= np.sqrt((unit**2).sum(-1, keepdims=True))
    result = discrimination(torch.from_numpy(vectors))
    away = ~np.eye(40, dtype=bool)
    for i, j in itertools.permutations(range(3), 2):
        own, across = unit[i] @ unit[i].T, unit[i] @ unit[j].T
        assert result.language_directed[i, j].item() == pytest.approx((own > across)[away].mean(), abs=1e-15)
        assert result.meaning_directed[i, j].item() == pytest.approx(
            (np.diag(across)[:, None] > across)[away].mean(), abs=1e-15
        )


@pytest.mark.parametrize("shape", [(2, 33, 768), (3, 131, 17), (2, 257, 100)])
def test_equal_vectors_tie_wherever_they_stand(shape: tuple[int, int, int]) -> None:
    one_language = torch.randn(shape[1:], generator=torch.Generator().manual_seed(2))
    result = discrimination(one_language.expand(shape).clone())
    assert (result.language[0, 1:] == 0.5).all()  # the same text in every language
    assert (result.language_se[0, 1:] == 0).all()
    doubled = torch.cat((one_language, 3 * one_language)).expand(2, -1, -1).clone()  # every sentence twice, at another length
    n = 2 * shape[1]
    result = discrimination(doubled)
    assert result.language[0, 1] == 0.5
    assert result.meaning[0, 1].item() == pytest.approx(1 - 0.5 / (n - 1), abs=1e-15)  # each ties with its double alone
    assert result.retrieval is not None
    assert result.retrieval[0, 1] == 0  # a tie is not found


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_constant_vectors_are_at_chance(dtype: torch.dtype) -> None:
    result = discrimination((torch.randn(96).to(dtype)).expand(3, 150, 96))
    off = ~torch.eye(3, dtype=torch.bool)
    assert (result.language[off] == 0.5).all()
    assert (result.meaning[off] == 0.5).all()
    assert (result.meaning_se[off] == 0).all()


def test_perfect_scores() -> None:
    n = 12
    same_meaning = torch.eye(n).expand(2, n, n)
    assert discrimination(same_meaning).meaning[0, 1] == 1
    found = discrimination(same_meaning).retrieval
    assert found is not None
    assert found[0, 1] == 1
    apart = torch.stack((torch.eye(2)[[0] * n], torch.eye(2)[[1] * n]))
    assert discrimination(apart).language[0, 1] == 1


def test_the_order_of_languages_and_of_sentences_changes_nothing() -> None:
    generator = torch.Generator().manual_seed(4)
    vectors = torch.randn(5, 60, 24, generator=generator) + torch.randn(5, 1, 24, generator=generator)
    result = discrimination(vectors)
    sentences, languages = torch.randperm(60, generator=generator), torch.randperm(5, generator=generator)
    for name in SQUARES:
        original = getattr(result, name)
        torch.testing.assert_close(
            getattr(discrimination(vectors[:, sentences]), name), original, rtol=0, atol=1e-14, equal_nan=True
        )
        moved = getattr(discrimination(vectors[languages]), name)
        torch.testing.assert_close(moved, original[languages][:, languages], rtol=0, atol=1e-14, equal_nan=True)


def test_lengths_of_vectors_change_nothing() -> None:
    vectors, scale = torch.randn(3, 20, 8), torch.rand(3, 20, 1) + 0.1
    torch.testing.assert_close(
        discrimination(vectors.double() * scale).meaning, discrimination(vectors).meaning, rtol=0, atol=0, equal_nan=True
    )


def test_what_a_result_looks_like() -> None:
    vectors = torch.randn(4, 9, 5, requires_grad=True)
    result = discrimination(vectors)
    for name in SQUARES:
        table = getattr(result, name)
        assert table.shape == (4, 4)
        assert table.dtype == torch.float64
        assert torch.equal(table.isnan(), torch.eye(4, dtype=torch.bool))
    for name in ("language", "meaning", "language_se", "meaning_se", "retrieval"):
        table = getattr(result, name).nan_to_num()
        assert torch.equal(table, table.T)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.language = result.meaning  # type: ignore[misc]


def test_too_little_to_compare_is_nan_not_a_number() -> None:
    one_language = discrimination(torch.randn(1, 5, 3))
    assert one_language.language.shape == (1, 1)
    one_sentence = discrimination(torch.randn(3, 1, 3))
    two_sentences = discrimination(torch.randn(3, 2, 3))
    for name in SQUARES:
        assert getattr(one_language, name).isnan().all()
        assert getattr(one_sentence, name).isnan().all()
    assert two_sentences.language[0, 1].isfinite()
    assert two_sentences.language_se.isnan().all()  # without either sentence no triplet is left


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_vector_that_is_not_finite_is_named(bad: float) -> None:
    vectors = torch.randn(3, 5, 4)
    vectors[2, 3, 1] = bad
    with pytest.raises(ValueError, match="sentence 3 in language 2"):
        discrimination(vectors)


@pytest.mark.parametrize("wrong", [torch.randn(3, 4), torch.ones(2, 3, 4, dtype=torch.int64), torch.randn(2, 0, 4)])
def test_a_wrong_shape_or_type_is_refused(wrong: torch.Tensor) -> None:
    with pytest.raises(ValueError, match="languages, sentences, dims"):
        discrimination(wrong)


def test_stops_when_asked() -> None:
    with pytest.raises(Stopped):
        discrimination(torch.randn(3, 30, 4), should_stop=lambda: True)


def test_any_mode_and_number_of_threads_will_do() -> None:
    vectors, before = torch.randn(4, 50, 8, requires_grad=True), torch.get_num_threads()
    expected = discrimination(vectors).language
    with torch.inference_mode():
        torch.testing.assert_close(discrimination(vectors).language, expected, rtol=0, atol=0, equal_nan=True)
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            torch.testing.assert_close(discrimination(vectors).language, expected, rtol=0, atol=0, equal_nan=True)
            assert torch.get_num_threads() == threads
            with ThreadPoolExecutor(1) as pool:  # what other threads find afterwards
                assert pool.submit(torch.get_num_threads).result() == threads
    finally:
        torch.set_num_threads(before)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_gpu_gives_the_same_counts() -> None:
    vectors = torch.randn(4, 300, 64)
    on_cpu, on_gpu = discrimination(vectors), discrimination(vectors.cuda())
    for name in SQUARES:
        torch.testing.assert_close(getattr(on_gpu, name), getattr(on_cpu, name), rtol=0, atol=0, equal_nan=True)
