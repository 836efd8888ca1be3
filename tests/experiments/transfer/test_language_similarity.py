"""Similarity of languages against a plain implementation: one sentence at a time, and loops over vectors."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from isogloss.backend.experiments.transfer import similarity
from tests.experiments.alignment import alignment_by_hand as by_hand
from tests.experiments.alignment.lab import (
    TAGS,
    Lab,
    assert_a_new_language_computes_just_its_pairs,
    assert_stopped_nothing_is_published,
    embed_by_abx,
    mean_with_interval,
)
from tests.experiments.one_pair import covering

if TYPE_CHECKING:
    from pathlib import Path

MEASURES = ("vectors_l2", "vectors_dot", "vectors_cosine", "vectors_top1")
new_lab = partial(Lab, similarity.LanguageSimilaritySpec, similarity.FAMILY)


def assert_agrees(lab: Lab, spec: similarity.LanguageSimilaritySpec) -> None:
    """Compute `spec`, and compare every row with the plain implementation's."""
    lab.compute(spec)
    rows = lab.rows()
    vectors = {tag: {i: lab.plain.sentence(text)[0] for i, text in lab.sentences[tag].items()} for tag in spec.languages}
    expected = 0
    for two in combinations(spec.languages, 2):
        shared = [i for i in lab.sentences[two[0]] if i in lab.sentences[two[1]]][: spec.sentences]
        for layer in range(3):
            u, v = ([vectors[tag][i][layer] for i in shared] for tag in two)
            for metric, numbers in _by_hand(u, v).items():
                row = rows[metric, spec.variant, layer, None, *two]
                assert (row["value"], row["low"], row["high"]) == pytest.approx(numbers, abs=2e-4, rel=2e-4)
                assert row["n"] == len(shared)
                expected += 1
    assert len(rows) == expected


def _by_hand(u: list[by_hand.Vectors], v: list[by_hand.Vectors]) -> dict[str, tuple[float, float, float]]:
    n, pairs = len(u), list(zip(u, v, strict=True))
    values = {
        "vectors_l2": [math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True))) for a, b in pairs],
        "vectors_dot": [sum(x * y for x, y in zip(a, b, strict=True)) for a, b in pairs],
        "vectors_cosine": [by_hand.cosine(a, b) for a, b in pairs],
    }
    found = {}
    for metric, each in values.items():
        found[metric] = mean_with_interval(each)
    right = 0
    for one, other in ((u, v), (v, u)):
        for i in range(n):
            right += all(
                by_hand.cosine(one[i], other[i]) > by_hand.cosine(one[i], other[j]) + 1e-12 for j in range(n) if j != i
            )
    found["vectors_top1"] = right / (2 * n), *by_hand.wilson(right / (2 * n), n)
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """In which nothing is computed."""
    return new_lab(tmp_path_factory.mktemp("made"))


@pytest.mark.parametrize("sentences", [None, 20])
def test_scores_are_those_of_a_plain_implementation(lab: Lab, sentences: int | None) -> None:
    assert_agrees(lab, lab.spec(sentences=sentences))
    for measure in MEASURES:
        assert len({row["value"] for key, row in lab.rows().items() if key[0] == measure}) > 3


def test_languages_that_lack_sentences_are_compared_on_what_both_have(tmp_path: Path) -> None:
    found = by_hand.sentences(40)
    keep = {"ar": range(40), "de": range(28, 40), "en": range(40), "zh": range(20)}
    found = {tag: {i: text for i, text in texts.items() if int(i[1:]) in keep[tag]} for tag, texts in found.items()}
    lab = new_lab(tmp_path, found)
    assert_agrees(lab, lab.spec(("ar", "de", "en")))
    assert {row["n"] for row in lab.rows().values()} == {12, 40}
    lab.compute(lab.spec(("de", "zh")))  # they have none in common
    assert not [key for key in lab.rows() if key[-2:] == ("de", "zh")]
    assert [["de", "zh"]] in [file.provenance["pairs"] for file in lab.files()]


def test_a_limit_takes_the_first_common_sentences_of_each_pair(tmp_path: Path) -> None:
    found = by_hand.sentences(40)
    found["de"] = {i: text for i, text in found["de"].items() if int(i[1:]) % 2}
    lab = new_lab(tmp_path, found)
    assert_agrees(lab, lab.spec(("ar", "de", "en"), sentences=12))
    assert {row["n"] for row in lab.rows().values()} == {12}


def test_distances_have_their_true_length_where_vectors_were_scaled(tmp_path: Path) -> None:
    """Vectors beyond float16's good range are kept divided by a power of two, which only distances and products notice."""
    from safetensors.torch import load_file, save_file

    lab = new_lab(tmp_path)
    weights = load_file(lab.model / "model.safetensors")
    for end in ("weight", "bias"):
        [name] = [name for name in weights if name.endswith(f"embeddings.LayerNorm.{end}")]
        weights[name] = weights[name] * 1e-4
    save_file(weights, lab.model / "model.safetensors", metadata={"format": "pt"})
    lab.checkpoint = lab.found()
    lab.compute(lab.spec(("de", "en")))
    u, v = ([lab.plain.states(text)[0][0, 1:-1].mean(axis=0) for text in lab.sentences[tag].values()] for tag in ("de", "en"))
    wanted = _by_hand(u, v)
    assert wanted["vectors_l2"][0] < 1e-3
    rows = lab.rows()
    for metric in ("vectors_l2", "vectors_dot", "vectors_cosine"):
        row = rows[metric, "mean", 0, None, "de", "en"]
        assert (row["value"], row["low"], row["high"]) == pytest.approx(wanted[metric], rel=3e-3)


def test_a_file_of_more_languages_serves_some_and_a_new_language_computes_just_its_pairs(lab: Lab, passes: list[str]) -> None:
    assert_a_new_language_computes_just_its_pairs(lab, passes)
    first, second = lab.files()
    provenance, other = (spec.provenance(lab.checkpoint) for spec in (lab.spec(), lab.spec(sentences=20)))
    for pair in combinations(TAGS, 2):
        assert covering(provenance, pair, lab.files()) == (second if "ar" in pair else first)
        assert covering(other, pair, lab.files()) is None


def test_after_abx_of_the_same_sentences_no_model_is_loaded(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    embed_by_abx(lab, monkeypatch, sentences=20)
    lab.compute(lab.spec(sentences=20))
    assert lab.files()[0].provenance["tokens"] == lab.files()[0].provenance["texts"] == 0


def test_stopped_nothing_is_published(lab: Lab) -> None:
    assert_stopped_nothing_is_published(lab, "scoring")


@pytest.mark.parametrize("languages", [(), ("de",), ("de", "de")])
def test_one_language_has_nothing_to_be_similar_to(lab: Lab, languages: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="at least two"):
        lab.spec(languages)
