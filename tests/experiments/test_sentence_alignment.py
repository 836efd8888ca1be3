"""Sentence alignment against a plain implementation: by mean and by first token, translated against random pairs."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from backend.experiments import abx
from backend.experiments import sentence_alignment as sentences
from backend.experiments.spec import Cancelled, Context
from backend.metrics.similarity import random_partners
from backend.models import load as load_module
from backend.models.discover import discover
from backend.settings import Settings
from backend.store import scores
from tests.experiments import alignment_by_hand as by_hand

if TYPE_CHECKING:
    from pathlib import Path

TAGS = ("ar", "de", "en", "zh")
STUDENT = {39: 2.0226909, 19: 2.0930241}
"""The 97.5% quantile of Student's t, by degrees of freedom (of printed tables)."""


class Lab:
    """A workspace with a corpus and a tiny model."""

    def __init__(self, folder: Path, found: by_hand.Sentences, positions: int = 64) -> None:
        self.context = Context(Settings(workspace=folder / "workspace", demo=None, device="cpu"))
        self.sentences, self.positions = found, positions
        self.corpus = by_hand.keep_corpus(found, self.context.workspace)
        texts = [text for texts in found.values() for text in texts.values()]
        self.model = by_hand.model_that_knows_some(folder / "model", "xlm-roberta", positions, texts)
        [self.checkpoint] = discover(str(self.model)).checkpoints

    def spec(self, languages: tuple[str, ...] = TAGS, **options: Any) -> sentences.SentenceAlignmentSpec:
        return sentences.SentenceAlignmentSpec(
            model="tiny", checkpoints=(self.checkpoint,), corpus=self.corpus, languages=languages, **options
        )

    def compute(self, spec: sentences.SentenceAlignmentSpec, **context: Any) -> None:
        [shard] = spec.shards()
        sentences.compute(spec, shard, replace(self.context, **context))

    def files(self) -> list[scores.ShardFile]:
        return scores.shards([self.context.workspace], "alignment")

    def rows(self) -> dict[tuple[Any, ...], Any]:
        return {key: row for file in self.files() for key, row in by_hand.rows_of(file.path).items()}

    def agrees(self, spec: sentences.SentenceAlignmentSpec) -> None:
        """Compute `spec`, and compare every row with the plain implementation's."""
        self.compute(spec)
        rows, plain = self.rows(), by_hand.Plain(self.model, self.positions)
        vectors = {tag: {i: plain.sentence(text) for i, text in self.sentences[tag].items()} for tag in spec.languages}
        expected = 0
        for two in combinations(spec.languages, 2):
            shared = [i for i in self.sentences[two[0]] if i in self.sentences[two[1]]]
            for number, pooling in enumerate(("mean", "first")):
                kind = f"csls{spec.k}" if spec.similarity == "csls" else "cosine"
                variant = "/".join(["sentence", pooling, kind, *(["centred"] if spec.centred else [])])
                for layer in range(3):
                    u, v = ([vectors[tag][i][number][layer] for i in shared] for tag in two)
                    found = _retrieval(spec, two, u, v) | _similarity(spec, two, u, v)
                    for (metric, source, target), numbers in found.items():
                        row = rows[metric, variant, layer, spec.seed, source, target]
                        assert (row["value"], row["low"], row["high"]) == pytest.approx(numbers, abs=2e-4, nan_ok=True)
                        assert row["n"] == len(shared)
                        expected += 1
        assert len(rows) == expected


def _retrieval(
    spec: sentences.SentenceAlignmentSpec, two: tuple[str, str], u: list[by_hand.Vectors], v: list[by_hand.Vectors]
) -> dict[tuple[str, str, str], tuple[float, float, float]]:
    found = {}
    for (source, target), one, other in ((two, u, v), (two[::-1], v, u)):
        for name, value in by_hand.retrieval(one, other, spec.k, spec.similarity, spec.centred).items():
            found[f"sentence_{name}", source, target] = value, *by_hand.wilson(value, len(u))
    return found


def _similarity(
    spec: sentences.SentenceAlignmentSpec, two: tuple[str, str], u: list[by_hand.Vectors], v: list[by_hand.Vectors]
) -> dict[tuple[str, str, str], tuple[float, float, float]]:
    partners = random_partners(len(u), spec.seed).tolist()
    translated = [by_hand.cosine(a, b) for a, b in zip(u, v, strict=True)]
    random = [by_hand.cosine(a, v[j]) for a, j in zip(u, partners, strict=True)]
    found = {}
    for name, cosines in (("cosine_translations", translated), ("cosine_random", random)):
        mean = sum(cosines) / len(cosines)
        deviation = math.sqrt(sum((c - mean) ** 2 for c in cosines) / (len(cosines) - 1))
        half = STUDENT[len(cosines) - 1] * deviation / math.sqrt(len(cosines))
        found[name, *two] = mean, mean - half, mean + half
    errors = [
        sum(c > t for c in random) / len(random) + sum(c <= t for c in translated) / len(translated)
        for t in [-2.0, *translated, *random]
    ]
    found["overlap_random", *two] = min(*errors, *(2 - e for e in errors)), math.nan, math.nan
    return found


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, by_hand.sentences())


@pytest.mark.parametrize("options", [{}, {"similarity": "cosine", "seed": 3}, {"centred": True, "k": 4}])
def test_scores_are_those_of_a_plain_implementation(lab: Lab, options: dict[str, Any]) -> None:
    lab.agrees(lab.spec(("de", "en", "zh") if options else TAGS, **options))
    values = {row["value"] for key, row in lab.rows().items() if key[0] == "sentence_weak"}
    assert len(values) > 3  # neither all right nor all wrong


def test_languages_that_lack_sentences_are_compared_on_what_both_have(tmp_path: Path) -> None:
    found = by_hand.sentences(50)
    keep = {"ar": range(50), "de": range(40), "en": range(50), "zh": range(20)}
    found = {tag: {i: text for i, text in texts.items() if int(i[1:]) in keep[tag]} for tag, texts in found.items()}
    lab = Lab(tmp_path, found)
    lab.agrees(lab.spec(("de", "en", "zh")))
    assert {row["n"] for row in lab.rows().values()} == {20, 40}


def test_languages_without_a_common_sentence_have_no_rows(tmp_path: Path) -> None:
    found = by_hand.sentences(40)
    found["de"] = {i: text for i, text in found["de"].items() if int(i[1:]) < 20}
    found["zh"] = {i: text for i, text in found["zh"].items() if int(i[1:]) >= 20}
    lab = Lab(tmp_path, found)
    lab.compute(lab.spec(("de", "en", "zh")))
    assert {tuple(sorted(key[-2:])) for key in lab.rows()} == {("de", "en"), ("en", "zh")}


def test_truncated_sentences_are_counted(tmp_path: Path) -> None:
    lab = Lab(tmp_path, by_hand.sentences(40, length=12), positions=16)
    plain = by_hand.Plain(lab.model, 16)
    lab.agrees(lab.spec(("de", "en")))
    cut = sum(plain.states(text)[3] for tag in ("de", "en") for text in lab.sentences[tag].values())
    assert lab.files()[0].about["truncated"] == cut > 0


def test_a_file_of_more_languages_serves_some_and_a_new_language_computes_just_its_pairs(lab: Lab, passes: list[str]) -> None:
    lab.compute(lab.spec(("de", "en", "zh")))
    lab.compute(lab.spec(("de", "zh")))
    assert len(lab.files()) == 1
    before = {key: row["value"] for key, row in lab.rows().items()}
    lab.compute(lab.spec())
    first, second = lab.files()
    assert first.about["pairs"] == [["de", "en"], ["de", "zh"], ["en", "zh"]]
    assert second.about["pairs"] == [["ar", "de"], ["ar", "en"], ["ar", "zh"]]
    assert sorted(passes) == ["ar", "de", "en", "zh"]
    after = {key: row["value"] for key, row in lab.rows().items()}
    assert {key: after[key] for key in before} == before
    assert second == sentences.covering(lab.spec(), lab.checkpoint, ("ar", "zh"), lab.files())
    assert second.path.stem == next(iter({row["run"] for row in by_hand.rows_of(second.path).values()}))
    first.path.unlink()
    lab.compute(lab.spec())  # makes again what is gone, and nothing else
    assert sorted(map(tuple, (pair for file in lab.files() for pair in file.about["pairs"]))) == sorted(lab.spec().pairs)


def test_another_option_is_another_file(lab: Lab) -> None:
    spec = lab.spec(("de", "en"))
    lab.compute(spec)
    for other in ({"k": 5}, {"seed": 1}, {"similarity": "cosine"}, {"centred": True}):
        assert not sentences.covering(lab.spec(("de", "en"), **other), lab.checkpoint, ("de", "en"), lab.files())


def test_after_abx_of_the_same_corpus_no_model_is_loaded(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = abx.AbxSpec(model="tiny", checkpoints=(lab.checkpoint,), corpus=lab.corpus, languages=TAGS)
    abx.compute(spec, next(iter(spec.shards())), lab.context)

    def load(*given: Any) -> Any:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr(load_module, "load", load)
    lab.agrees(lab.spec(("de", "en")))
    assert lab.files()[0].about["tokens"] == lab.files()[0].about["texts"] == 0


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
    told: list[str] = []

    def stop() -> bool:
        return sum(line.startswith(word) for line in told) > 1

    with pytest.raises(Cancelled):
        lab.compute(lab.spec(), should_stop=stop, progress=lambda what, share: told.append(what))
    assert not lab.files()
    lab.compute(lab.spec())
    assert len(lab.files()) == 1


def test_rows_are_finite_where_they_should_be(lab: Lab) -> None:
    lab.compute(lab.spec())
    for (metric, *_), row in lab.rows().items():
        assert np.isfinite(row["value"])
        assert np.isnan(row["low"]) == (metric == "overlap_random")
