"""Sources and targets of XferBench as tokens: text in sub-words, and more symbols than a model has embeddings."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders

from isogloss.backend.corpora.emergent import reference
from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.sources.text import fold_ranks, text_corpus
from isogloss.backend.training.language_model.tokenizer import train_bpe
from tests.corpora.emergent.utterances import from_utterances

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["one two three", "", "two three four", "drei – naïve 日本", "one two"]


def test_text_is_an_utterance_a_sentence_and_reads_back() -> None:
    corpus = text_corpus(TEXTS, 280)
    tokenizer = train_bpe(TEXTS, 280)
    bytes_of = decoders.ByteLevel()
    said = [
        bytes_of.decode([tokenizer.id_to_token(symbol) for symbol in row.tolist()])
        for row in np.split(corpus.ids, corpus.starts[1:-1])
    ]
    assert said == [text for text in TEXTS if text]
    assert corpus.vocabulary is not None
    assert len(corpus.vocabulary) == tokenizer.get_vocab_size() <= 280
    assert corpus.utterance(0) == ["one", "▁two", "▁three"]
    assert corpus.utterance(2)[-6:] == ["<e6>", "<97>", "<a5>", "<e6>", "<9c>", "<ac>"]  # 日本, which is too rare for an entry
    assert len(set(corpus.vocabulary)) == len(corpus.vocabulary)
    with pytest.raises(CorpusError, match="no text"):
        text_corpus([""], 280)


def test_a_source_stops_at_its_budget_and_keeps_its_tokeniser(tmp_path: Path) -> None:
    many = [f"word {place % 7} again" for place in range(2500)]
    whole, cut = text_corpus(many, 260), text_corpus(many, 260, tmp_path, enough=100)
    assert (whole.utterances, cut.utterances) == (2500, 1000)
    assert np.array_equal(cut.ids, whole.ids[: len(cut.ids)])
    assert len(list(tmp_path.iterdir())) == 1


@given(st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=9), min_size=1, max_size=9), st.integers(1, 12))
def test_folding_merges_ranks_that_are_equal_modulo_the_embeddings(rows: list[list[int]], most: int) -> None:
    corpus = from_utterances(rows)
    found = fold_ranks(corpus, most)
    counts = Counter(symbol for row in rows for symbol in row)
    if len(counts) <= most:
        assert found is corpus
        return
    ranked = sorted(counts, key=lambda symbol: (-counts[symbol], symbol))
    assert found.ids.tolist() == [ranked.index(symbol) % most for row in rows for symbol in row]
    assert found.starts is corpus.starts
    assert found.vocabulary_size == most


def test_folded_random_is_random_and_folded_pairs_are_nested_pairs() -> None:
    drawn = reference.uniform(200_000, 0, 3_000)
    counts = np.bincount(fold_ranks(EmergentCorpus(drawn.ids, drawn.starts), 100).ids)
    # 30 symbols share each embedding; ranked by count, none gets the rare ones alone.
    assert counts.max() / counts.min() < 1.2
    law = reference.zipf_mandelbrot(3_000)
    nested = reference.paren(20_000, law, 0)
    stack: list[int] = []
    for symbol in fold_ranks(EmergentCorpus(nested.ids, nested.starts), 100).ids.tolist():
        if stack and stack[-1] == symbol:
            stack.pop()
        else:
            stack.append(symbol)
    assert len(stack) < 2000  # nearly all close: by chance a merged symbol opens on itself
