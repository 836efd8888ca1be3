"""Arrays in, numbers out: the plain loops' numbers, whatever the arrays are, and one sentence for what they cannot be."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from tests.metrics.abx.test_metrics_abx import retrieval_loop, triple_loop
from tests.metrics.retrieval.test_metrics_retrieval import whole_loop, whole_pairs
from tests.metrics.transfer.igap_by_hand import igap_by_hand

WHOLE = st.lists(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=4, max_size=4), min_size=2, max_size=3)
KINDS = {
    "float64": lambda values: np.array(values, np.float64),
    "float32": lambda values: np.array(values, np.float32),
    "float16": lambda values: np.array(values, np.float16),
    "whole numbers": lambda values: np.array(values),
    "lists": lambda values: values,
    "torch half": lambda values: torch.tensor(values, dtype=torch.float16),
    "torch bfloat16 with gradients": lambda values: torch.tensor(values, dtype=torch.bfloat16, requires_grad=True),
}


@pytest.mark.parametrize("kind", KINDS)
@given(vectors=WHOLE)
def test_abx_is_that_of_a_triple_loop(kind: str, vectors: list[list[list[int]]]) -> None:
    found = isogloss.abx(KINDS[kind](vectors)).set_index(["metric", "source", "target"])
    loop = triple_loop(vectors)
    for i, j in combinations(range(len(vectors)), 2):
        for metric, task in (("abx_language", "language"), ("abx_meaning", "meaning")):
            both: Any = loop[task][i][j], loop[task][j][i]
            assert found.loc[(metric, str(i), str(j)), "value"] == float(sum(both) / 2)
        nearest = (retrieval_loop(vectors, i, j) + retrieval_loop(vectors, j, i)) / 2
        assert found.loc[("retrieval_top1", str(i), str(j)), "value"] == float(nearest)
    assert (found["low"] <= found["value"]).all()
    assert (found["value"] <= found["high"]).all()
    assert (found["n"] == 4).all()


def test_a_dictionary_names_the_languages() -> None:
    vectors = np.random.default_rng(1).normal(size=(3, 9, 5))
    named = isogloss.abx(dict(zip(["fi", "de", "en"], vectors, strict=True)))
    listed = isogloss.abx(vectors, ["fi", "de", "en"])
    assert named.equals(listed)
    assert set(zip(named["source"], named["target"], strict=True)) == {("fi", "de"), ("fi", "en"), ("de", "en")}


@pytest.mark.parametrize("similarity", ["csls", "margin", "cosine"])
@given(pair=whole_pairs(), k=st.integers(1, 4))
def test_retrieval_is_that_of_a_double_loop(similarity: Any, pair: tuple[Any, Any], k: int) -> None:
    u, v = (np.array(side, np.float64) for side in pair)
    found = isogloss.retrieval(u, v, similarity=similarity, k=k, languages=("en", "de")).set_index(["metric", "source"])[
        "value"
    ]
    for source, loop in (("en", whole_loop(*pair, k, similarity)), ("de", whole_loop(*pair[::-1], k, similarity))):
        for measure in ("weak", "strong", "strong_released"):
            assert found[measure, source] == loop.accuracy(measure)


@given(
    records=st.lists(
        st.tuples(st.integers(0, 20), st.lists(st.integers(0, 20), min_size=2, max_size=2)), min_size=1, max_size=9
    ),
    at=st.integers(0, 20),
    width=st.integers(1, 8),
)
def test_igap_is_that_of_a_loop_over_records(records: list[tuple[int, list[int]]], at: int, width: int) -> None:
    exact = [(Fraction(train, 20), [Fraction(each, 20) for each in others]) for train, others in records]
    expected = igap_by_hand(exact, Fraction(at, 20), Fraction(width, 20))
    errors = np.array([train / 20 for train, _ in records])
    translated = {tag: np.array([others[i] / 20 for _, others in records]) for i, tag in enumerate(("de", "fi"))}
    found = isogloss.igap(errors, translated, at=[at / 20], epsilon=width / 20)
    assert found["target"].tolist() == ["de", "fi"]
    for value, by_hand in zip(found["value"], expected, strict=True):
        assert np.isnan(value) if by_hand is None else value == pytest.approx(float(by_hand), abs=1e-12)
    inside = sum(0 <= train - Fraction(at, 20) < Fraction(width, 20) for train, _ in exact)
    assert found["n"].tolist() == [inside, inside]


def test_an_unmeasured_record_in_the_window_leaves_igap_open() -> None:
    found = isogloss.igap([0.0, 0.01], {"de": [np.nan, 0.2]}, epsilon=0.1)
    assert np.isnan(found["value"][0])
    assert found[["n", "measured"]].to_numpy().tolist() == [[2, 1]]


E = np.random.default_rng(0).normal(size=(2, 5, 3))
HOLED = np.where(np.arange(5)[None, :, None] == 2, np.nan, E)
WRONG: dict[str, tuple[Any, str]] = {
    "one language": (lambda: isogloss.abx(E[:1]), "at least two languages"),
    "one sentence": (lambda: isogloss.abx(E[:, :1]), "at least two languages and two sentences"),
    "no dictionary entry": (lambda: isogloss.abx({}), "at least two languages"),
    "nan": (lambda: isogloss.abx(HOLED), "sentence 2 in language 0"),
    "infinite": (lambda: isogloss.abx(np.where(np.isnan(HOLED), np.inf, HOLED)), "not finite"),
    "a matrix": (lambda: isogloss.abx(E[0]), r"\[languages, sentences, dims\]"),
    "texts": (lambda: isogloss.abx([[["a"]]]), "must be numbers"),
    "ragged": (lambda: isogloss.abx({"en": E[0], "de": E[1, :3]}), "same sentences"),
    "too few names": (lambda: isogloss.abx(E, ["en"]), "2 languages in the embeddings and 1 names"),
    "names twice": (lambda: isogloss.abx({"en": E[0], "de": E[1]}, ["en", "de"]), "Leave out `languages`"),
    "one pair": (lambda: isogloss.retrieval(E[0, :1], E[1, :1]), "at least 2"),
    "nan in retrieval": (lambda: isogloss.retrieval(HOLED[0], E[1]), "not finite"),
    "no such similarity": (lambda: isogloss.retrieval(*E, similarity="cosin"), "Did you mean 'cosine'"),
    "no neighbour": (lambda: isogloss.retrieval(*E, k=0), "k"),
    "no width": (lambda: isogloss.igap([0.1], {"de": [0.2]}, epsilon=0), "epsilon"),
    "other records": (lambda: isogloss.igap([0.1], {"de": [0.2, 0.3]}, epsilon=0.1), "Errors in 'de'"),
    "no records": (lambda: isogloss.igap(0.1, [0.2], epsilon=0.1), "must be"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_is_said_in_one_sentence(case: str) -> None:
    call, said = WRONG[case]
    with pytest.raises(isogloss.IsoglossError, match=said):
        call()
