"""A parallel text made ready for tuning: what is held out, what the tokeniser sees, what the budget allows."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from isogloss.backend.errors import CorpusError
from isogloss.backend.training.translation.evaluate import readable
from isogloss.backend.training.translation.options import TuningStage
from isogloss.backend.training.translation.pairs import translation_text
from tests.training.translation.translating import END, PADDING, START, rows_of, tiny_options, tiny_pairs


def test_no_test_sentence_is_tuned_on() -> None:
    """Nor a pair that shares one side with it."""
    sources, targets = tiny_pairs(pairs=200)
    options = tiny_options(tuning=TuningStage(pairs=1000, tokens=10**6, epochs=1), test_pairs=1000)
    plain = translation_text(sources, targets, options)
    held_out = np.random.default_rng(0).permutation(200)[:40]
    assert plain.tested.tolist() == sorted(held_out.tolist())
    assert sorted([*plain.tuned.tolist(), *plain.tested.tolist()]) == list(range(200))
    assert plain.repeated == 0
    one, other, third = plain.tuned[:3].tolist()
    sources[one] = sources[held_out[0]]
    targets[other] = f"  {targets[held_out[1]]}\t"
    sources[third], targets[third] = sources[held_out[2]], targets[held_out[2]]
    found = translation_text(sources, targets, options)
    assert found.repeated == 3
    assert found.tested.tolist() == plain.tested.tolist()
    assert found.tuned.tolist() == [place for place in plain.tuned.tolist() if place not in (one, other, third)]
    tuned_on = {readable(row, found.tokenizer, END) for row in chain(rows_of(found.sources), rows_of(found.targets))}
    assert len(tuned_on) == 2 * len(found.tuned)
    assert not tuned_on & {*found.test_sources, *found.references}
    assert found.references == tuple(targets[place].strip() for place in found.tested)


def test_held_out_pairs_that_are_not_translated_are_not_tuned_on_either() -> None:
    sources, targets = tiny_pairs(pairs=50)
    found = translation_text(sources, targets, tiny_options(test_pairs=4))
    held_out = set(np.random.default_rng(0).permutation(50)[:10].tolist())
    assert len(found.tested) == 4
    assert set(found.tested.tolist()) <= held_out
    assert not held_out & set(found.tuned.tolist())


def test_the_tokeniser_sees_no_test_text_and_no_setting() -> None:
    sources, targets = tiny_pairs(pairs=60)
    held_out = np.random.default_rng(0).permutation(60)[:12]
    for place in held_out:
        sources[place], targets[place] = f"qqqqqqqq {place}", f"xxxxxxxx {place}"
    found = translation_text(sources, targets, tiny_options())
    few = translation_text(sources, targets, tiny_options(tuning=TuningStage(pairs=3, tokens=10**6, epochs=1)))
    assert found.tokenizer.to_str() == few.tokenizer.to_str()
    assert not any("qq" in token or "xx" in token for token in found.tokenizer.get_vocab())
    assert any("trois" in token for token in found.tokenizer.get_vocab())
    assert max(found.tokenizer.get_vocab().values()) < PADDING
    assert len(few.tuned) == len(few.sources) == len(few.targets) == 3


def test_the_budget_is_that_of_the_sources_tokens() -> None:
    sources, targets = tiny_pairs(pairs=60)
    every = translation_text(sources, targets, tiny_options(tuning=TuningStage(tokens=10**6, epochs=1)))
    ends = every.sources.starts[1:]
    for budget in (4, int(ends[7]), int(ends[7]) + 1):
        found = translation_text(sources, targets, tiny_options(tuning=TuningStage(tokens=budget, epochs=1)))
        assert len(found.sources) == int((ends < budget).sum()) + 1
        assert rows_of(found.targets) == rows_of(every.targets)[: len(found.sources)]


def test_sentences_have_their_marks_and_are_cut_to_the_context() -> None:
    sources, targets = tiny_pairs(pairs=30)
    targets[5] = "trois " * 200
    found = translation_text([*sources, "", "ein"], [*targets, "un", "   "], tiny_options())
    assert {30, 31}.isdisjoint([*found.tuned.tolist(), *found.tested.tolist()])
    rows = [*rows_of(found.sources), *rows_of(found.targets), *rows_of(found.test)]
    assert all((row[0], row[-1]) == (START, END) and max(row[1:-1]) < PADDING for row in rows)
    assert max(map(len, rows)) <= 24
    assert [readable(row, found.tokenizer, END) for row in rows_of(found.test)] == list(found.test_sources)


def test_texts_that_cannot_be_split_say_so() -> None:
    with pytest.raises(CorpusError, match="3 sentences to translate and 2 translations"):
        translation_text(["a", "b", "c"], ["a", "b"], tiny_options())
    for pairs in ([], ["a"], ["a", "a"], ["", "a"]):
        with pytest.raises(CorpusError, match="too few"):
            translation_text(pairs, pairs, tiny_options())


def test_what_changes_a_text_changes_its_digest() -> None:
    sources, targets = tiny_pairs()
    options = tiny_options()
    plain = translation_text(sources, targets, options)
    assert plain.digest() == translation_text(sources, targets, options).digest()
    swapped = translation_text(targets, sources, options)
    fewer = translation_text(sources, targets, tiny_options(test_pairs=5))
    assert len({plain.digest(), swapped.digest(), fewer.digest()}) == 3
