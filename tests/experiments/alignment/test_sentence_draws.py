"""Table I as it was made: some sentences a run, several runs, and static vectors averaged over each sentence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.alignment import sentences, static_sentences
from isogloss.backend.experiments.alignment.static_sentences import StaticSentencesSpec
from isogloss.backend.metrics.retrieval.similarity import random_partners
from isogloss.backend.models.static import library as static_library
from isogloss.backend.models.static import vectors as static_vectors
from tests.experiments.alignment import alignment_by_hand as by_hand
from tests.experiments.alignment.lab import Lab
from tests.experiments.one_pair import covering

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.models.static.library import StaticSet

new_lab = partial(Lab, sentences.SentenceAlignmentSpec, "alignment")
UNKNOWN = "haus"
"""A word that the German vectors lack."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Of its 40 sentences one has in German no word but the unknown one. Nothing is computed in it."""
    found = by_hand.sentences(40)
    found["de"]["s7"] = "Haus Haus."
    return new_lab(tmp_path_factory.mktemp("made"), found)


def drawn(available: int, n: int, seed: int, run: int) -> list[int]:
    return sorted(np.random.default_rng([seed, run]).choice(available, n, replace=False).tolist())


def test_every_run_is_that_of_a_plain_implementation(lab: Lab) -> None:
    spec = lab.spec(("de", "en"), n_sentences=25, runs=3, seed=4, k=5)
    lab.compute(spec)
    rows = lab.rows()
    vectors = {tag: [lab.plain.sentence(text) for text in lab.sentences[tag].values()] for tag in ("de", "en")}
    for run in range(3):
        chosen = drawn(40, 25, 4, run)
        for number, pooling in enumerate(("mean", "first")):
            variant = f"sentence/{pooling}/csls5/25 sentences"
            for layer in range(3):
                u, v = ([vectors[tag][i][number][layer] for i in chosen] for tag in ("de", "en"))
                for ends, one, other in ((("de", "en"), u, v), (("en", "de"), v, u)):
                    for name, value in by_hand.retrieval(one, other, 5, "csls", False).items():
                        row = rows.pop((f"sentence_{name}", variant, layer, run, *ends))
                        assert (row["value"], row["n"]) == (pytest.approx(value), 25)
                        assert np.isnan([row["low"], row["high"]]).all()
                partners = random_partners(25, 4 + run).tolist()
                cosines = {
                    "cosine_translations": [by_hand.cosine(a, b) for a, b in zip(u, v, strict=True)],
                    "cosine_random": [by_hand.cosine(a, v[j]) for a, j in zip(u, partners, strict=True)],
                }
                for name, values in cosines.items():
                    row = rows.pop((name, variant, layer, run, "de", "en"))
                    assert row["value"] == pytest.approx(np.mean(values), abs=2e-4)
                    assert np.isnan([row["low"], row["high"]]).all()
                rows.pop(("overlap_random", variant, layer, run, "de", "en"))
    assert not rows


def test_as_many_as_there_are_is_one_run_of_all(lab: Lab) -> None:
    lab.compute(lab.spec(("de", "en")))
    whole = {key: row["value"] for key, row in lab.rows().items()}
    spec = lab.spec(("de", "en"), n_sentences=40, runs=10)
    assert not covering(spec.provenance(lab.checkpoint), ("de", "en"), lab.files())  # runs are part of what was asked for
    lab.compute(spec)
    rows = {key: row["value"] for key, row in lab.rows().items() if key not in whole}
    assert {(key[0], key[1].replace("/40 sentences", ""), *key[2:]): value for key, value in rows.items()} == whole


def words_of(tag: str) -> dict[str, Any]:
    draw = np.random.default_rng(sum(map(ord, tag)))
    meaning = np.random.default_rng(1).normal(size=(30, 6))
    known = [word.lower() for word in by_hand.WORDS[tag]]
    rows = {word: (meaning[i] + 1.5 * draw.normal(size=6)).astype(np.float32) for i, word in enumerate(known)}
    rows.pop(UNKNOWN, None)
    return rows


@pytest.fixture
def kept(lab: Lab, tmp_path: Path) -> StaticSet:
    files = {tag: tmp_path / f"{tag}.vec" for tag in ("de", "en")}
    for tag, path in files.items():
        static_vectors.write(path, words_of(tag))
    return static_library.add("Baseline", files, lab.context.workspace)


def spec_of(kept: StaticSet, lab: Lab, **options: Any) -> StaticSentencesSpec:
    asked = {"model": kept.name, "vectors": kept.fingerprint, "corpus": lab.corpus, "languages": ("en", "de")}
    found = registry.parse(StaticSentencesSpec(**(asked | options)).model_dump(mode="json"))
    assert isinstance(found, StaticSentencesSpec)
    return found


def average(lab: Lab, tag: str, sentence: str) -> Any:
    text, known = lab.sentences[tag][sentence], words_of(tag)
    said = [text[start:end].lower() for start, end in by_hand.walk(text, tag)]
    vectors = [known[word].astype(np.float64) for word in said if word in known]
    return sum(vectors) / len(vectors) if vectors else None


OPTIONS: list[dict[str, Any]] = [
    {},
    {"similarity": "cosine", "centred": True},
    {"similarity": "l2"},
    {"self_neighbour": True, "k": 3},
    {"n_sentences": 20, "runs": 2, "seed": 9},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_static_vectors_are_averaged_over_a_sentence(lab: Lab, kept: StaticSet, options: dict[str, Any]) -> None:
    spec = spec_of(kept, lab, **options)
    [shard] = spec.shards()
    registry.compute(spec, shard, lab.context)
    rows = lab.rows()
    ids = list(lab.sentences["de"])
    draws = [drawn(40, 20, 9, run) for run in range(2)] if "runs" in options else [list(range(40))]
    compared = 0
    for run, draw in enumerate(draws):
        pairs = [(average(lab, "de", ids[i]), average(lab, "en", ids[i])) for i in draw]
        u, v = zip(*(pair for pair in pairs if pair[0] is not None), strict=True)
        for ends, one, other in ((("de", "en"), u, v), (("en", "de"), v, u)):
            how = spec.k, spec.similarity, spec.centred, spec.self_neighbour
            for name, value in by_hand.retrieval(one, other, *how).items():
                row = rows[f"sentence_{name}", spec.variant, None, run, *ends]
                assert (row["value"], row["n"]) == (pytest.approx(value), len(u))
                assert (row["model"], row["checkpoint"]) == ("Baseline", kept.fingerprint)
                assert np.isnan(row["low"]) == ("runs" in options)
                compared += 1
    assert 0 < compared == sum(key[0].startswith("sentence_") for key in rows)
    [file] = lab.files()
    assert file.provenance["counts"]["de-en"] == {"sentences": 40, "lost": 1}
    assert file.provenance["words"]["de"] == {"words": 30, "without": 1, "note": None}
    assert covering(spec.provenance(), ("de", "en"), lab.files()) == file


def test_their_variant_is_that_of_the_mean_of_tokens(lab: Lab, kept: StaticSet) -> None:
    for options in OPTIONS:
        assert spec_of(kept, lab, **options).variant == lab.spec(("de", "en"), **options).variant("mean")


def test_a_language_without_vectors_is_named(lab: Lab, kept: StaticSet) -> None:
    spec = spec_of(kept, lab, languages=("de", "en", "zh"))
    [shard] = spec.shards()
    with pytest.raises(SpecError, match="have no file for zh"):
        static_sentences.compute(spec, shard, lab.context)
    assert not lab.files()


def test_what_is_there_is_not_computed_again(lab: Lab, kept: StaticSet, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = spec_of(kept, lab)
    [shard] = spec.shards()
    static_sentences.compute(spec, shard, lab.context)
    monkeypatch.setattr(static_vectors, "read", lambda *_args, **_options: pytest.fail("read again"))
    static_sentences.compute(spec, shard, lab.context)
    assert len(lab.files()) == 1
