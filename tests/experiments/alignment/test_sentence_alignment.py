"""Sentence alignment against a plain implementation: by mean and by first token, translated against random pairs."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

from isogloss.backend.experiments.alignment import sentences
from isogloss.backend.metrics.retrieval.similarity import random_partners
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

new_lab = partial(Lab, sentences.SentenceAlignmentSpec, "alignment")


def assert_agrees(lab: Lab, spec: sentences.SentenceAlignmentSpec) -> None:
    """Compute `spec`, and compare every row with the plain implementation's."""
    lab.compute(spec)
    rows = lab.rows()
    vectors = {tag: {i: lab.plain.sentence(text) for i, text in lab.sentences[tag].items()} for tag in spec.languages}
    expected = 0
    for two in combinations(spec.languages, 2):
        shared = [i for i in lab.sentences[two[0]] if i in lab.sentences[two[1]]]
        for number, pooling in enumerate(("mean", "first")):
            kind = f"csls{spec.k}" if spec.similarity == "csls" else spec.similarity
            chosen = {"centred": spec.centred, "self-neighbour": spec.self_neighbour}
            variant = "/".join(["sentence", pooling, kind, *(name for name, on in chosen.items() if on)])
            for layer in range(3):
                u, v = ([vectors[tag][i][number][layer] for i in shared] for tag in two)
                least, most = (_retrieval(spec, two, u, v, margin) for margin in (by_hand.ROUNDING, -by_hand.ROUNDING))
                similar = _similarity(spec, two, u, v)
                for metric, source, target in [*least, *similar]:
                    row = rows[metric, variant, layer, spec.seed, source, target]
                    key = metric, source, target
                    if key in least:  # where two are as near but for rounding, either may be found
                        assert least[key] - 1e-9 <= row["value"] <= most[key] + 1e-9
                        numbers = row["value"], *by_hand.wilson(row["value"], len(u))
                    else:
                        numbers = similar[key]
                    assert (row["value"], row["low"], row["high"]) == pytest.approx(numbers, abs=2e-4, nan_ok=True)
                    assert row["n"] == len(shared)
                    expected += 1
    assert len(rows) == expected


def _retrieval(
    spec: sentences.SentenceAlignmentSpec,
    two: tuple[str, str],
    u: list[by_hand.Vectors],
    v: list[by_hand.Vectors],
    margin: float,
) -> dict[tuple[str, str, str], float]:
    how = spec.k, spec.similarity, spec.centred, spec.self_neighbour, margin
    return {
        (f"sentence_{name}", source, target): value
        for (source, target), one, other in ((two, u, v), (two[::-1], v, u))
        for name, value in by_hand.retrieval(one, other, *how).items()
    }


def _similarity(
    spec: sentences.SentenceAlignmentSpec, two: tuple[str, str], u: list[by_hand.Vectors], v: list[by_hand.Vectors]
) -> dict[tuple[str, str, str], tuple[float, float, float]]:
    partners = random_partners(len(u), spec.seed).tolist()
    translated = [by_hand.cosine(a, b) for a, b in zip(u, v, strict=True)]
    random = [by_hand.cosine(a, v[j]) for a, j in zip(u, partners, strict=True)]
    found = {}
    for name, cosines in (("cosine_translations", translated), ("cosine_random", random)):
        found[name, *two] = mean_with_interval(cosines)
    errors = [
        sum(c > t for c in random) / len(random) + sum(c <= t for c in translated) / len(translated)
        for t in [-2.0, *translated, *random]
    ]
    found["overlap_random", *two] = min(*errors, *(2 - e for e in errors)), math.nan, math.nan
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """In which nothing is computed."""
    return new_lab(tmp_path_factory.mktemp("made"))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"similarity": "cosine", "seed": 3},
        {"centred": True, "k": 4},
        {"self_neighbour": True},
        {"similarity": "l2", "centred": True},
    ],
)
def test_scores_are_those_of_a_plain_implementation(lab: Lab, options: dict[str, Any]) -> None:
    assert_agrees(lab, lab.spec(("de", "en", "zh") if options else TAGS, **options))
    values = {row["value"] for key, row in lab.rows().items() if key[0] == "sentence_weak"}
    assert len(values) > 3  # neither all right nor all wrong


def test_languages_that_lack_sentences_are_compared_on_what_both_have(tmp_path: Path) -> None:
    found = by_hand.sentences(50)
    keep = {"ar": range(50), "de": range(40), "en": range(50), "zh": range(20)}
    found = {tag: {i: text for i, text in texts.items() if int(i[1:]) in keep[tag]} for tag, texts in found.items()}
    lab = new_lab(tmp_path, found)
    assert_agrees(lab, lab.spec(("de", "en", "zh")))
    assert {row["n"] for row in lab.rows().values()} == {20, 40}


def test_languages_without_a_common_sentence_have_no_rows(tmp_path: Path) -> None:
    found = by_hand.sentences(40)
    found["de"] = {i: text for i, text in found["de"].items() if int(i[1:]) < 20}
    found["zh"] = {i: text for i, text in found["zh"].items() if int(i[1:]) >= 20}
    lab = new_lab(tmp_path, found)
    lab.compute(lab.spec(("de", "en", "zh")))
    assert {tuple(sorted(key[-2:])) for key in lab.rows()} == {("de", "en"), ("en", "zh")}


def test_truncated_sentences_are_counted(tmp_path: Path) -> None:
    lab = new_lab(tmp_path, by_hand.sentences(40, length=12), positions=16)
    assert_agrees(lab, lab.spec(("de", "en")))
    cut = sum(lab.plain.states(text)[3] for tag in ("de", "en") for text in lab.sentences[tag].values())
    assert lab.files()[0].provenance["truncated"] == cut > 0


def test_a_file_of_more_languages_serves_some_and_a_new_language_computes_just_its_pairs(lab: Lab, passes: list[str]) -> None:
    assert_a_new_language_computes_just_its_pairs(lab, passes)
    first, second = lab.files()
    assert second == covering(lab.spec().provenance(lab.checkpoint), ("ar", "zh"), lab.files())
    assert second.path.stem == next(iter({row["run"] for row in by_hand.rows_of(second.path).values()}))
    first.path.unlink()
    lab.compute(lab.spec())  # makes again what is gone, and nothing else
    assert sorted(map(tuple, (pair for file in lab.files() for pair in file.provenance["pairs"]))) == sorted(lab.spec().pairs)


def test_a_list_of_pairs_computes_just_these_and_serves_all(lab: Lab, passes: list[str]) -> None:
    everything = lab.spec(("de", "en", "zh"))
    some = lab.spec(listed=[("zh", "en"), ("de", "en")])
    assert everything.listed is lab.spec(listed=list(combinations(TAGS, 2))).listed is None
    assert "listed" not in everything.model_dump()
    assert some.pairs == [("de", "en"), ("en", "zh")]
    lab.compute(some)
    assert sorted(passes) == ["de", "en", "zh"]
    before = {key: row["value"] for key, row in lab.rows().items()}
    assert {key[-2:] for key in before} == {("de", "en"), ("en", "de"), ("en", "zh"), ("zh", "en")}
    lab.compute(everything)
    assert [each.provenance["pairs"] for each in lab.files()] == [[["de", "en"], ["en", "zh"]], [["de", "zh"]]]
    after = {key: row["value"] for key, row in lab.rows().items()}
    assert {key: after[key] for key in before} == before
    assert lab.spec(listed=[("de", "en")]).id != lab.spec(listed=[("de", "zh")]).id != lab.spec().id
    with pytest.raises(ValueError, match="'fr' of the pair de:fr is not among the languages"):
        lab.spec(listed=[("de", "fr")])


def test_another_option_is_another_file(lab: Lab) -> None:
    spec = lab.spec(("de", "en"))
    lab.compute(spec)
    for other in ({"k": 5}, {"seed": 1}, {"similarity": "cosine"}, {"centred": True}):
        assert not covering(lab.spec(("de", "en"), **other).provenance(lab.checkpoint), ("de", "en"), lab.files())


def test_after_abx_of_the_same_corpus_no_model_is_loaded(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    embed_by_abx(lab, monkeypatch)
    assert_agrees(lab, lab.spec(("de", "en")))
    assert lab.files()[0].provenance["tokens"] == lab.files()[0].provenance["texts"] == 0


def test_without_a_budget_nothing_is_kept_and_the_scores_are_the_same(lab: Lab) -> None:
    lab.compute(lab.spec())
    kept = {key: row["value"] for key, row in lab.rows().items()}
    for file in (*lab.files(),):
        file.path.unlink()
    for path in (lab.context.workspace / "embeddings").iterdir():
        path.unlink()
    lab.compute(lab.spec(), settings=replace(lab.context.settings, embeddings_gib=0.0))
    assert {key: row["value"] for key, row in lab.rows().items()} == kept
    assert not list((lab.context.workspace / "embeddings").iterdir())


@pytest.mark.parametrize("word", ["encoding", "scoring"])
def test_stopped_nothing_is_published(lab: Lab, word: str) -> None:
    assert_stopped_nothing_is_published(lab, word)
