"""Word alignment against a plain implementation: extraction, vectors and scores, in four languages and three scripts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.alignment import sentences as sentence_alignment
from isogloss.backend.experiments.alignment.words import shard as words
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.experiments.alignment.words.vectors import WordEncoder, Words
from isogloss.backend.experiments.spec import Cancelled
from isogloss.backend.experiments.vectors import one_pass
from isogloss.backend.models.loading import load as load_module
from isogloss.backend.settings import Settings
from tests.experiments.alignment import alignment_by_hand as by_hand
from tests.experiments.alignment.lab import TAGS, Lab, assert_stopped_nothing_is_published
from tests.experiments.one_pair import covering

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from isogloss.backend.models.entry import Checkpoint

PAIRS = [("ar", "en"), ("de", "en"), ("en", "zh")]


class WordLab(Lab):
    """One that has dictionaries, too."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.dictionaries = {
            pair: by_hand.keep_dictionary("en", next(tag for tag in pair if tag != "en"), self.folder, self.context.workspace)
            for pair in PAIRS
        }

    def spec(self, pairs: Sequence[tuple[str, str]] = tuple(PAIRS), **options: Any) -> WordAlignmentSpec:
        asked = [DictionaryPair(source=two[0], target=two[1], dictionary=self.dictionaries[two[0], two[1]]) for two in pairs]
        common = {"model": "tiny", "checkpoints": (self.checkpoint,), "corpus": self.corpus, "pairs": tuple(asked)}
        return WordAlignmentSpec(**(common | options))

    def values(self) -> dict[tuple[Any, ...], tuple[Any, ...]]:
        """What must not depend on how the vectors were come by."""
        return {key: (row["value"], row["n"], repr(row["low"]), repr(row["high"])) for key, row in self.rows().items()}

    def expected(self, spec: WordAlignmentSpec, *, masked: bool = False) -> dict[tuple[Any, ...], tuple[float, int, Any]]:
        """Metric, layer, run, source, target → value, n, interval; and lost words in `self.lost`."""
        vector = self.plain.mask if masked else self.plain.word
        found: dict[tuple[Any, ...], tuple[float, int, Any]] = {}
        self.lost: dict[str, int] = {}
        for pair in spec.pairs:
            two = (pair.source, pair.target)
            pairs = by_hand.word_pairs(self.sentences, *two, repeated=spec.repeated, unique=spec.unique)
            sides = [
                [vector(self.sentences[tag][i], a, b) for i, a, b in side]
                for tag, side in zip(two, zip(*pairs, strict=True), strict=True)
            ]
            kept = [left is not None and right is not None for left, right in zip(*sides, strict=True)]
            self.lost["-".join(two)] = len(kept) - sum(kept)
            draws = [range(len(pairs))]
            if len(pairs) > spec.n_pairs:
                draws = [
                    np.random.default_rng([spec.seed, run]).choice(len(pairs), spec.n_pairs, replace=False).tolist()
                    for run in range(spec.runs)
                ]
            for run, draw in enumerate(draws):
                chosen = [row for row in draw if kept[row]]
                for layer in range(3):
                    u, v = ([side[row][layer] for row in chosen] for side in sides)
                    for ends, one, other in ((two, u, v), (two[::-1], v, u)):
                        how = spec.k, spec.similarity, spec.centred, spec.self_neighbour
                        accuracies = by_hand.retrieval(one, other, *how)
                        for name, value in accuracies.items():
                            interval = by_hand.wilson(value, len(chosen)) if len(draws) == 1 else None
                            found[f"word_{name}", layer, run, *ends] = value, len(chosen), interval
        return found

    def agrees(self, spec: WordAlignmentSpec, **options: Any) -> None:
        """Compute `spec`, and compare every row with the plain implementation's."""
        self.compute(spec)
        rows = {(metric, *rest): row for (metric, variant, *rest), row in self.rows().items() if variant == spec.variant}
        expected = self.expected(spec, **options)
        assert rows.keys() == expected.keys()
        for key, (value, n, interval) in expected.items():
            row = rows[key]
            assert (row["value"], row["n"]) == (pytest.approx(value, abs=1e-12), n), key
            if interval is None:
                assert np.isnan([row["low"], row["high"]]).all()
            else:
                assert (row["low"], row["high"]) == pytest.approx(interval, abs=1e-9)
        assert len({round(value, 6) for value, _, _ in expected.values()}) > 2  # neither all right nor all wrong


new_lab = partial(WordLab, WordAlignmentSpec, "alignment")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> WordLab:
    """In which nothing is computed."""
    return new_lab(tmp_path_factory.mktemp("made"))


@pytest.fixture
def no_loading(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on, loading a model fails."""

    def load(checkpoint: Checkpoint, settings: Settings, **_options: Any) -> Any:
        raise AssertionError("the model was loaded")

    return lambda: monkeypatch.setattr(load_module, "load", load)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"n_pairs": 15, "runs": 3, "seed": 7},
        {"n_pairs": 15, "runs": 1},
        {"repeated": True, "n_pairs": 20, "runs": 2, "centred": True, "similarity": "cosine"},
        {"self_neighbour": True, "k": 4},
        {"self_neighbour": True, "similarity": "cosine"},
        {"similarity": "l2", "n_pairs": 20, "runs": 2},
        {"unique": "source", "repeated": True, "n_pairs": 60, "runs": 2},
        {"unique": "once"},
    ],
)
def test_scores_are_those_of_a_plain_implementation(lab: WordLab, options: dict[str, Any]) -> None:
    lab.agrees(lab.spec(**options))
    assert all(one["lost"] == 0 for one in lab.files()[0].provenance["counts"].values())


def test_pairs_are_counted(lab: WordLab) -> None:
    lab.compute(lab.spec(n_pairs=10, runs=2))
    provenance = lab.files()[0].provenance
    for two in PAIRS:
        found = by_hand.word_pairs(lab.sentences, *two)
        assert len(found) == provenance["counts"]["-".join(two)]["pairs"] > 20
    assert provenance["texts"] == len(TAGS) * 40
    assert provenance["tokens"] > provenance["texts"]


@pytest.mark.parametrize("architecture", ["bert", "gpt2", "deberta-v2"])
def test_other_tokenisers(tmp_path: Path, architecture: str) -> None:
    lab = new_lab(tmp_path, by_hand.sentences(25, seed=3), architecture)
    lab.agrees(lab.spec([("de", "en"), ("en", "zh")]))


def test_words_lost_with_the_end_of_their_sentence_are_left_out_and_counted(tmp_path: Path) -> None:
    """Of draws, and where all pairs are taken once."""
    lab = new_lab(tmp_path, by_hand.sentences(30, length=9), positions=16)
    lab.agrees(lab.spec(n_pairs=18, runs=2))
    [drawn] = lab.files()
    assert all(row["n"] < 18 for row in lab.rows().values())
    assert all(one["lost"] for one in drawn.provenance["counts"].values())
    lab.agrees(lab.spec())
    [every] = [file for file in lab.files() if file.run != drawn.run]
    assert {pair: one["lost"] for pair, one in every.provenance["counts"].items()} == lab.lost


@pytest.mark.parametrize("architecture", ["xlm-roberta", "bert"])
def test_masked_words_have_the_mask_token_s_own_vectors(tmp_path: Path, architecture: str) -> None:
    lab = new_lab(tmp_path, architecture=architecture)
    lab.agrees(lab.spec(masked=True, repeated=True, n_pairs=25, runs=2), masked=True)
    text = words.text_of(words.corpora.load(lab.corpus, [lab.context.workspace]), lab.corpus, lab.checkpoint, "zh")
    wanted = [(i, 2, 4) for i in range(len(text.ids))]
    found = WordEncoder(lab.context, 1).encode_masked(text, wanted, 0.0)
    for i, vectors in enumerate(found.vectors):
        expected = lab.plain.mask(text.texts[i], 2, 4)
        assert expected is not None
        assert np.abs(vectors - expected).max() < 2e-3 * np.abs(expected).max()
    assert not list((lab.context.workspace / "embeddings").glob("*"))


def test_a_corpus_with_gaps(tmp_path: Path) -> None:
    found = by_hand.sentences(45)
    found["de"] = {i: text for i, text in found["de"].items() if int(i[1:]) % 3}
    found["en"] = {i: text for i, text in found["en"].items() if int(i[1:]) % 5}
    found["zh"] = {i: text for i, text in found["zh"].items() if int(i[1:]) > 9}
    lab = new_lab(tmp_path, found)
    lab.agrees(lab.spec(repeated=True, n_pairs=60, runs=2))


def test_a_file_of_more_pairs_serves_some_and_a_new_pair_computes_just_that(lab: WordLab, passes: list[str]) -> None:
    lab.compute(lab.spec([("de", "en"), ("en", "zh")]))
    lab.compute(lab.spec([("de", "en")]))
    assert len(lab.files()) == 1
    assert sorted(passes) == ["de", "en", "zh"]
    lab.compute(lab.spec())
    assert sorted(passes) == ["ar", "de", "en", "zh"]  # the others are kept
    first, second = lab.files()
    assert [pair[:2] for pair in first.provenance["pairs"]] == [["de", "en"], ["en", "zh"]]
    assert [pair[:2] for pair in second.provenance["pairs"]] == [["ar", "en"]]
    assert len(by_hand.rows_of(first.path)) + len(by_hand.rows_of(second.path)) == len(lab.rows())
    [only] = lab.spec([("ar", "en")]).pairs
    assert covering(lab.spec().provenance(lab.checkpoint), only.key, lab.files()) == second
    first.path.unlink()
    lab.compute(lab.spec())  # makes again what is gone, and nothing else
    assert sorted(pair[:2] for file in lab.files() for pair in file.provenance["pairs"]) == [list(two) for two in PAIRS]


def test_another_dictionary_or_option_is_another_file(lab: WordLab) -> None:
    spec = lab.spec([("de", "en")])
    lab.compute(spec)
    have = lab.files()
    [pair] = spec.pairs
    assert covering(spec.provenance(lab.checkpoint), pair.key, have)
    assert not covering(spec.provenance(lab.checkpoint), [*pair.key[:2], "0" * 24], have)
    for other in ({"k": 5}, {"runs": 2}, {"seed": 1}, {"n_pairs": 10}, {"centred": True}, {"masked": True}, {"repeated": True}):
        assert not covering(lab.spec([("de", "en")], **other).provenance(lab.checkpoint), pair.key, have), other


def test_without_a_budget_nothing_is_kept_and_each_language_is_encoded_once(lab: WordLab, passes: list[str]) -> None:
    lab.compute(lab.spec())
    kept = lab.values()
    for file in lab.files():
        file.path.unlink()
    for file in (lab.context.workspace / "embeddings").iterdir():
        file.unlink()
    passes.clear()
    unkept = Settings(workspace=lab.context.workspace, demo=None, device="cpu", embeddings_gib=0.0)
    lab.compute(lab.spec(), settings=unkept)
    assert lab.values() == kept
    assert sorted(passes) == ["ar", "de", "en", "zh"]  # English once, though three pairs have it
    assert not list((lab.context.workspace / "embeddings").iterdir())


def test_where_words_are_too_many_only_the_needed_ones_are_encoded(lab: WordLab, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = lab.spec(n_pairs=6, runs=2)
    lab.compute(spec)
    kept = lab.values()
    for folder in ("scores/alignment", "embeddings"):
        for file in (lab.context.workspace / folder).iterdir():
            file.unlink()
    asked: dict[str, int] = {}
    real = one_pass.run

    def watched(loaded: Any, text: Any, poolings: Any, spans: Any, *rest: Any, **options: Any) -> Any:
        asked[text.language] = sum(map(len, spans))
        return real(loaded, text, poolings, spans, *rest, **options)

    monkeypatch.setattr(one_pass, "run", watched)
    monkeypatch.setattr(one_pass, "WORDS_SHARE", 0.0)
    lab.compute(spec)
    assert lab.values() == kept
    assert all(asked[tag] <= 12 for tag in ("ar", "de", "zh"))
    assert 12 < asked["en"] <= 36
    files = list((lab.context.workspace / "embeddings").iterdir())
    assert len(files) == 2 * len(TAGS)  # sentences, by mean and first token


def test_after_abx_words_need_no_model(lab: WordLab, no_loading: Callable[[], None]) -> None:
    lab.compute(abx.AbxSpec(model="tiny", checkpoints=(lab.checkpoint,), corpus=lab.corpus, languages=TAGS))
    no_loading()
    lab.agrees(lab.spec())


def test_after_words_neither_abx_nor_sentences_need_a_model(lab: WordLab, no_loading: Callable[[], None]) -> None:
    lab.compute(lab.spec())
    no_loading()
    common = {"model": "tiny", "checkpoints": (lab.checkpoint,), "corpus": lab.corpus, "languages": TAGS}
    lab.compute(abx.AbxSpec(**common))
    lab.compute(sentence_alignment.SentenceAlignmentSpec(**common))
    lab.compute(lab.spec(similarity="cosine", centred=True))
    assert len(lab.files()) == 3


def test_stopped_between_languages_nothing_is_published_and_what_is_encoded_stays(lab: WordLab, passes: list[str]) -> None:
    with pytest.raises(Cancelled):
        lab.compute(lab.spec(), should_stop=lambda: len(passes) == 2)
    assert not lab.files()
    before = list(passes)
    lab.compute(lab.spec())
    assert sorted(passes) == ["ar", "de", "en", "zh"] or len(passes) == 5  # the one in hand, if any, is encoded again
    assert passes[0] == before[0]
    assert passes.count(before[0]) == 1
    assert len(lab.files()) == 1


def test_stopped_while_scoring_nothing_is_published(lab: WordLab) -> None:
    assert_stopped_nothing_is_published(lab, "scoring")


def test_a_damaged_file_of_words_is_set_aside_and_made_again(lab: WordLab, passes: list[str]) -> None:
    lab.compute(lab.spec())
    before = lab.values()
    text = words.text_of(words.corpora.load(lab.corpus, [lab.context.workspace]), lab.corpus, lab.checkpoint, "en")
    file = lab.context.workspace / "embeddings" / text.words_key.file
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    for one in lab.files():
        one.path.unlink()
    passes.clear()
    lab.compute(lab.spec())
    assert passes == ["en"]
    assert lab.values() == before
    assert any(file.name in path.name for path in (lab.context.workspace / "quarantine").rglob("*"))


def test_progress_never_goes_back(lab: WordLab) -> None:
    told: list[float] = []
    lab.compute(lab.spec(), progress=lambda what, share: told.append(share))
    assert told == pytest.approx(sorted(told))
    assert 0 <= told[0] <= told[-1] < 1
    assert max(later - earlier for earlier, later in pairwise(told)) < 0.3


def test_a_language_without_any_word_is_encoded_and_kept_too(tmp_path: Path) -> None:
    found = by_hand.sentences()
    found["de"] = dict.fromkeys(found["de"], "… !")
    lab = new_lab(tmp_path, found)
    lab.compute(abx.AbxSpec(model="tiny", checkpoints=(lab.checkpoint,), corpus=lab.corpus, languages=("de", "en")))
    with pytest.raises(CorpusError, match="no pair of words for de and en"):
        lab.compute(lab.spec([("de", "en")]))


def test_distances_are_of_vectors_at_their_true_length(lab: WordLab) -> None:
    """A word kept scaled by a power of two has its length back where distances are asked for, and only there."""
    vectors = np.ones((3, 2, 4), np.float16)
    exponents = np.array([[0, 0], [0, 3], [0, -2]], np.int16)
    places, lost = np.zeros((3, 3), np.int32), np.zeros(3, bool)
    found = Words(places=places, vectors=vectors, lost=lost, device="cpu", precision="float32", exponents=exponents)
    rows = np.array([2, 1])
    assert found.layer(1, rows, lab.context.settings, true_length=True).tolist() == [[0.25] * 4, [8.0] * 4]
    assert found.layer(1, rows, lab.context.settings).tolist() == [[1.0] * 4] * 2


def test_words_kept_without_their_lengths_are_encoded_again(lab: WordLab, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = lab.spec([("de", "en")], similarity="l2")
    lab.compute(spec)
    whole = lab.values()
    for file in lab.files():
        file.path.unlink()
    real = one_pass.kept_words
    monkeypatch.setattr(one_pass, "kept_words", lambda *asked: (found := real(*asked)) and replace(found, exponents=None))
    lab.compute(spec)
    assert lab.values() == whole
    assert lab.files()[0].provenance["texts"] > 0
