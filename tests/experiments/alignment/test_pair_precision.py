"""Each source of word pairs against gold links that are known to be right: by a plain loop, and by numbers known beforehand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from isogloss.backend.corpora.dictionaries import word_pairs
from isogloss.backend.corpora.languages.words import segment
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments import links
from isogloss.backend.errors import CorpusError, SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.alignment.words import pair_precision
from isogloss.backend.experiments.alignment.words.pair_precision import PairPrecisionSpec
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.experiments.vectors import one_pass
from tests.experiments.alignment.small_words import WORDS, Small, model_pairs, small

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

Row = tuple[str, int, int, int, int, bool]
"""Sentence, place of the English word, place of the German one, and whether the link is sure."""
WITHOUT = {"s01", "s02"}
"""Sentences that nobody aligned."""


def true_links(there: Small) -> list[Row]:
    """Every word with its translation, in the sentences that both languages have; `the` and `die` are merely possible."""
    found = []
    for i in sorted(set(there.texts["en"]) & set(there.texts["de"])):
        english, german = there.texts["en"][i], there.texts["de"][i]
        for start, end in segment(english, "en"):
            for other, other_end in segment(german, "de"):
                word = english[start:end].lower()
                if WORDS.get(word, "").lower() == german[other:other_end].lower():
                    found.append((i, start, end, other, other_end, word != "the"))
    return found


def kept(there: Small, rows: list[Row], name: str, *, gold: bool) -> str:
    table = pa.table(dict(zip(links.SCHEMA.names, zip(*rows, strict=True), strict=True)), schema=links.SCHEMA)
    found = links.Links(there.corpus, "en", "de", table, 0, 0)
    return alignments.keep(replace(found, gold=gold), name, there.context.workspace).id


@pytest.fixture(scope="module")
def gold(there: Small) -> str:
    return kept(there, [row for row in true_links(there) if row[0] not in WITHOUT], "gold", gold=True)


@pytest.fixture(scope="module")
def aligner(there: Small) -> str:
    """All right links of even sentences, among them those of one without gold, and one wrong link in each of them."""
    rows = [row for row in true_links(there) if int(row[0][1:]) % 2 == 0]
    wrong = []
    for i in sorted({row[0] for row in rows}):
        own, other = segment(there.texts["en"][i], "en"), segment(there.texts["de"][i], "de")
        known = {(row[1], row[3]) for row in rows if row[0] == i}
        free = [(*a, *b) for a in own for b in other if (a[0], b[0]) not in known]
        wrong.append((i, *free[0], True))
    return kept(there, [*rows, *wrong], "aligner", gold=False)


def computed(there: Small, gold: str, *others: str, context: Context | None = None) -> pd.DataFrame:
    """As the worker does it, from the spec's JSON."""
    asked = PairPrecisionSpec(
        checkpoint=there.checkpoint, corpus=there.corpus, pair=there.pair, gold=gold, others=others
    ).model_dump(mode="json")
    spec = registry.parse(asked)
    assert isinstance(spec, PairPrecisionSpec)
    registry.compute(spec, next(iter(spec.shards())), context or there.context)
    found = pair_precision.load(spec, there.context.workspaces)
    assert found is not None
    return found


def test_known_sources_get_their_known_numbers(there: Small, gold: str, aligner: str) -> None:
    """The dictionary makes no mistake and lacks one word; the aligner looks at every other sentence and errs once in each."""
    frame = computed(there, gold, aligner)
    assert frame["kind"].tolist() == ["dictionary", "alignment", *["model"] * 3]
    assert frame["id"].tolist() == [there.pair.dictionary, aligner, *[there.checkpoint.fingerprint] * 3]
    assert frame["layer"].isna().tolist() == [True, True, False, False, False]
    assert frame["layer"].tolist()[2:] == [0, 1, 2]
    links_of = [row for row in true_links(there) if row[0] not in WITHOUT]
    sure = sum(row[-1] for row in links_of)
    assert set(frame["sure_links"]) == {sure}
    assert set(frame["sentences"]) == {len({row[0] for row in links_of})}
    dictionary, of_aligner = frame.iloc[0], frame.iloc[1]
    unknown = sum(there.texts["en"][row[0]][row[1] : row[2]].lower() == "about" for row in links_of)
    assert unknown > 10
    assert (dictionary.pairs, dictionary.precision) == (len(links_of) - unknown, 1)
    assert dictionary.recall == pytest.approx((sure - unknown) / sure)
    even = [row for row in links_of if int(row[0][1:]) % 2 == 0]
    mistakes = len({row[0] for row in even})
    right, surely = len(even), sum(row[-1] for row in even)
    assert of_aligner.pairs == right + mistakes
    assert of_aligner.precision == pytest.approx(right / (right + mistakes))
    assert of_aligner.recall == pytest.approx(surely / sure)
    assert of_aligner.alignment_error_rate == pytest.approx(1 - (surely + right) / (right + mistakes + sure))


def test_the_model_is_judged_by_a_plain_loop_at_every_layer(there: Small, gold: str, aligner: str) -> None:
    frame = computed(there, gold, aligner)
    right = {(row[0], row[1], row[3]): row[-1] for row in true_links(there) if row[0] not in WITHOUT}
    sure = sum(right.values())
    for layer in range(3):
        row = frame[frame["layer"] == layer].iloc[0]
        pairs = model_pairs(there, layer)
        found = {(each["sentence_id"], each["source_start"], each["target_start"]) for each in pairs.table.to_pylist()}
        found = {each for each in found if each[0] not in WITHOUT}
        hits = [right[each] for each in found if each in right]
        assert row.pairs == len(found)
        assert row.precision == pytest.approx(len(hits) / len(found))
        assert row.recall == pytest.approx(sum(hits) / sure)
        assert row.alignment_error_rate == pytest.approx(1 - (sum(hits) + len(hits)) / (len(found) + sure))
        assert 0 < row.precision < 1


def test_one_pass_serves_all_layers(there: Small, gold: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where there is no room to keep the words: each sentence with gold links is encoded once for each language."""
    whole = computed(there, gold)
    poor = small(tmp_path, gib=0.0)
    again = kept(poor, [row for row in true_links(poor) if row[0] not in WITHOUT], "gold", gold=True)
    real: Any = one_pass.run
    encoded = []

    def watched(loaded: Any, text: Any, *arguments: Any, **options: Any) -> Any:
        encoded.append((text.language, len(text.ids)))
        return real(loaded, text, *arguments, **options)

    monkeypatch.setattr(one_pass, "run", watched)
    found = computed(poor, again)
    assert sorted(encoded) == [("de", whole["sentences"][0]), ("en", whole["sentences"][0])]
    assert found["pairs"].tolist() == pytest.approx(whole["pairs"].tolist(), abs=3)  # batches differ in their padding


def test_a_source_without_a_pair_has_no_precision(there: Small) -> None:
    """Gold links of a sentence in which the aligner is silent."""
    rows = [row for row in true_links(there) if row[0] == "s10"]
    silent = kept(there, [row for row in true_links(there) if row[0] == "s12"], "silent", gold=False)
    row = computed(there, kept(there, rows, "one sentence", gold=True), silent).iloc[1]
    assert (row.pairs, row.recall, row.alignment_error_rate) == (0, 0, 1)
    assert math.isnan(row.precision)


def test_gold_is_what_people_made_of_this_corpus_and_pair(there: Small, gold: str, aligner: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="'aligner' is not marked as gold"):
        computed(there, aligner)
    with pytest.raises(SpecError, match="judged by itself"):
        registry.parse(
            {"experiment": "pair_precision", "checkpoint": there.checkpoint.model_dump(mode="json"), "corpus": there.corpus}
            | {"pair": there.pair.model_dump(mode="json"), "gold": gold, "others": [gold]}
        )
    with pytest.raises(CorpusError, match="There is no alignment"):
        computed(there, "0" * 24)
    elsewhere = replace(alignments.load(gold, there.context.workspaces), corpus="0" * 24)
    other = alignments.keep(replace(elsewhere, gold=True), "elsewhere", there.context.workspace).id
    with pytest.raises(CorpusError, match="of another corpus"):
        computed(there, other)
    with pytest.raises(Cancelled):
        computed(there, gold, aligner, other, context=Context(there.context.settings, should_stop=lambda: True))


def test_the_same_request_from_either_side_and_in_any_order(there: Small, gold: str) -> None:
    turned = there.pair.model_copy(update={"source": "de", "target": "en"})
    common: dict[str, Any] = {"checkpoint": there.checkpoint, "corpus": there.corpus, "gold": gold}
    one = PairPrecisionSpec(pair=there.pair, others=("b" * 24, "a" * 24, "b" * 24), **common)
    assert one.id == PairPrecisionSpec(pair=turned, others=("a" * 24, "b" * 24), **common).id


def test_every_occurrence_counts(there: Small, gold: str) -> None:
    corpus = corpora.load(there.corpus, there.context.workspaces)
    from isogloss.backend.corpora.dictionaries import library as dictionaries

    dictionary = dictionaries.load(there.pair.dictionary, there.context.workspaces)
    once = word_pairs.extract(corpus, dictionary, "de", "en")
    assert once.table.num_rows < computed(there, gold)["pairs"][0]
