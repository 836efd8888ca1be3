"""What the error table says is what the scores count, and every word stands where it is said to."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import categories, registry
from isogloss.backend.experiments.alignment.rows import MEASURES
from isogloss.backend.experiments.alignment.words import errors as word_errors
from isogloss.backend.experiments.alignment.words import shard as word_alignment
from isogloss.backend.experiments.alignment.words.errors import WordErrorsSpec
from isogloss.backend.experiments.alignment.words.spec import WordAlignmentSpec
from isogloss.backend.store import details, scores
from tests.experiments.alignment.alignment_by_hand import cosine
from tests.experiments.alignment.small_words import WORDS, Small, vectors_of

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def errors(there: Small, *, turned: bool = False, **options: Any) -> tuple[WordErrorsSpec, pd.DataFrame]:
    """Computed as the worker does, from the spec's JSON."""
    pair = there.pair
    if turned:
        pair = pair.model_copy(update={"source": pair.target, "target": pair.source})
    asked = {"checkpoint": there.checkpoint, "corpus": there.corpus, "pair": pair, "layer": 1, "repeated": True} | options
    spec = registry.parse(WordErrorsSpec(**asked).model_dump(mode="json"))
    assert isinstance(spec, WordErrorsSpec)
    registry.compute(spec, next(iter(spec.shards())), there.context)
    found = word_errors.load(spec, there.context.workspaces)
    assert found is not None
    return spec, found


OPTIONS: list[dict[str, Any]] = [
    {},
    {"similarity": "cosine", "n_pairs": 40, "seed": 3},
    {"k": 2, "centred": True, "n_pairs": 150},
    {"masked": True, "n_pairs": 50},
    {"repeated": False},
    {"similarity": "l2", "n_pairs": 60},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_share_of_rank_1_is_the_score_of_run_0(there: Small, options: dict[str, Any]) -> None:
    asked = {"repeated": True} | options
    spec = WordAlignmentSpec(
        model="tiny", checkpoints=(there.checkpoint,), corpus=there.corpus, pairs=(there.pair,), runs=3, **asked
    )
    word_alignment.compute(spec, next(iter(spec.shards())), there.context)
    frame = scores.sql("SELECT * FROM scores WHERE seed = 0", there.context.workspaces)
    frame = frame[frame["run"] == next(iter(spec.shards()))]
    seen = []
    for layer, (turned, source), task in product((0, 2), ((False, "en"), (True, "de")), MEASURES):
        _, rows = errors(there, turned=turned, layer=layer, task=task, **options)
        score = frame[(frame.layer == layer) & (frame.source == source) & (frame.metric == f"word_{task}")]
        assert score.n.tolist() == [len(rows)]
        assert score.value.tolist() == [(rows["rank"] == 1).mean()]
        seen.append(score.value.item())
    assert len(set(seen)) > 2  # the directions, layers and tasks do differ


def test_a_word_as_its_own_neighbour_has_the_score_of_its_variant(there: Small) -> None:
    asked = {"repeated": True, "self_neighbour": True, "n_pairs": 120}
    spec = WordAlignmentSpec(model="tiny", checkpoints=(there.checkpoint,), corpus=there.corpus, pairs=(there.pair,), **asked)
    [shard] = spec.shards()
    word_alignment.compute(spec, shard, there.context)
    frame = scores.sql("SELECT * FROM scores WHERE seed = 0 AND layer = 2", there.context.workspaces)
    frame = frame[(frame["run"] == shard) & (frame["source"] == "en")]
    assert set(frame["metric"]) == {"word_weak", "word_strong_self"}
    assert set(frame["variant"]) == {"word/csls10/120 pairs/repeated/self-neighbour"}
    for task in ("weak", "strong_self"):
        _, rows = errors(there, layer=2, task=task, n_pairs=120)
        assert frame.loc[frame["metric"] == f"word_{task}", "value"].tolist() == [(rows["rank"] == 1).mean()]
    _, others = errors(there, layer=2, task="strong", n_pairs=120)
    assert others["rank"].tolist() != rows["rank"].tolist()


@pytest.mark.parametrize("turned", [False, True])
def test_every_word_stands_where_it_is_said_to(there: Small, turned: bool) -> None:
    _, rows = errors(there, turned=turned, task="strong_released")
    query, answer = ("de", "en") if turned else ("en", "de")
    translations = (
        {right.lower(): word for word, right in WORDS.items()} if turned else {a: b.lower() for a, b in WORDS.items()}
    )
    for row in rows.itertuples():
        assert row.sentence == there.texts[query][row.sentence_id]
        assert row.right_sentence == there.texts[answer][row.sentence_id]
        assert row.retrieved_sentence == there.texts[query if row.same_language else answer][row.retrieved_sentence_id]
        assert row.sentence[row.start : row.end] == row.word
        assert row.right_sentence[row.right_start : row.right_end] == row.right_word
        assert row.retrieved_sentence[row.retrieved_start : row.retrieved_end] == row.retrieved_word
        assert translations[row.word.lower()] == row.right_word.lower()
        own = (row.right_word, row.sentence_id, row.right_start, False)
        is_right = (row.retrieved_word, row.retrieved_sentence_id, row.retrieved_start, row.same_language) == own
        assert is_right == (row.rank == 1)
    assert rows["same_language"].any()
    assert not rows["same_language"].all()


@pytest.mark.parametrize("task", ["weak", "strong"])
def test_ranks_and_cosines_are_those_of_a_plain_loop(there: Small, task: str) -> None:
    spec, rows = errors(there, task=task, similarity="cosine", n_pairs=60, layer=2)
    vector = {
        (tag, sentence, start): found[spec.layer]
        for tag, of_language in vectors_of(there).items()
        for sentence, words in of_language.items()
        for start, _, found in words
    }
    query = [vector["en", row.sentence_id, row.start] for row in rows.itertuples()]
    right = [vector["de", row.sentence_id, row.right_start] for row in rows.itertuples()]
    pool = right if task == "weak" else query
    for i, row in enumerate(rows.itertuples()):
        own = cosine(query[i], right[i])
        others = {j: cosine(query[i], pool[j]) for j in range(len(pool)) if j != i}
        assert row.rank == 1 + sum(other >= own - 1e-12 for other in others.values())
        best = own if row.rank == 1 else max(others.values())
        taken = vector["en" if row.same_language else "de", row.retrieved_sentence_id, row.retrieved_start]
        assert cosine(query[i], taken) == pytest.approx(best, abs=1e-12)
        for said, is_so in ((row.similarity, best), (row.cosine, best), (row.right_similarity, own), (row.right_cosine, own)):
            assert said == pytest.approx(is_so, abs=1e-12)
        assert row.same_language == (task == "strong" and row.rank > 1)


def test_words_cut_off_are_no_queries_and_no_answers(there: Small) -> None:
    _, rows = errors(there, n_pairs=5000)
    turned = there.pair.model_copy(update={"source": "de", "target": "en"})
    pairs = word_alignment.pairs_of(there.corpus, turned, True, tuple(there.context.workspaces)).table.to_pylist()
    lost = [pair["target_word"] for pair in pairs if pair["sentence_id"] == "s30"]
    assert sorted(lost) == ["Ferry", "storm", "told"]
    assert rows.loc[rows.sentence_id == "s30", "word"].tolist() == ["Ferry"]
    assert len(rows) == len(pairs) - 2


def test_a_key_is_the_three_words_where_they_stand(there: Small) -> None:
    spec, rows = errors(there, turned=True, task="strong_released")
    found = word_errors.keys(spec, rows)
    assert len(set(found)) == len(rows)
    for key, row in zip(found, rows.itertuples(), strict=True):
        assert key.corpus == there.corpus
        words = []
        for place in key[1:]:
            words.append((place.language, there.texts[place.language][place.sentence_id][place.start : place.end]))
        other = "de" if row.same_language else "en"
        assert words == [("de", row.word), ("en", row.right_word), (other, row.retrieved_word)]
    assert rows["same_language"].nunique() == 2


def test_a_category_is_found_again_at_another_layer(there: Small) -> None:
    spec, rows = errors(there, task="weak", n_pairs=60)
    wrong = int(np.flatnonzero(rows["rank"] > 1)[0])
    key = word_errors.keys(spec, rows)[wrong]
    categories.set(there.context.workspace, key, "lexical field")
    known = categories.read(there.context.workspaces, there.corpus)
    again = [known.get(each) for each in word_errors.keys(spec, rows)]
    assert again == [None if i != wrong else "lexical field" for i in range(len(rows))]
    same, every = errors(there, task="weak", n_pairs=5000, layer=2, similarity="cosine")
    place = ["sentence_id", "start", "retrieved_sentence_id", "retrieved_start"]
    expected = (every[place] == rows.loc[wrong, place]).all(axis=1)
    assert [each in known for each in word_errors.keys(same, every)] == expected.tolist()


def test_what_cannot_be_asked_is_said_in_words(there: Small) -> None:
    with pytest.raises(SpecError, match="layers 0 to 2; layer 9 was asked for"):
        errors(there, layer=9)
    with pytest.raises(SpecError, match="two languages"):
        registry.parse(
            {"experiment": "word_errors", "checkpoint": there.checkpoint.model_dump(mode="json"), "corpus": there.corpus}
            | {"pair": {"source": "en", "target": "en", "dictionary": "d" * 24}, "layer": 0}
        )


def test_what_is_computed_is_not_computed_again(there: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    _, first = errors(there)
    monkeypatch.setattr(word_errors, "pairs_of", lambda *_: pytest.fail("computed again"))
    _, second = errors(there)
    assert first.equals(second)


def test_a_damaged_file_is_computed_again(there: Small, tmp_path: Path) -> None:
    spec, first = errors(there, seed=11)
    file = details.path(there.context.workspace, spec.id)
    file.write_bytes(file.read_bytes()[:-9])
    assert word_errors.load(spec, there.context.workspaces) is None
    assert errors(there, seed=11)[1].equals(first)
