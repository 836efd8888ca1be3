"""Aligned tokens at their characters, and word pairs against gold links of the same."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.corpora.dictionaries.word_pairs import extract
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.word_alignments.readers import Alignment, Link, read
from isogloss.backend.corpora.word_alignments.tokens import (
    Gold,
    Tokens,
    aligned_pairs,
    gold,
    locate,
    own_tokens,
    tokens_from_files,
)
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.alignment.words.pair_sources import judge

if TYPE_CHECKING:
    from pathlib import Path

SENTENCES = [("I don't know 😀 it.", "Ich weiß es nicht 😀."), ("It is 10\u00a0000 km!", "Das sind 10\u00a0000 km!")]
SOURCE_TOKENS = "I do n't know 😀 it .\nIt is 10\u00a0000 km !\n"
TARGET_TOKENS = "Ich weiß es nicht 😀 .\nDas sind 10\u00a0000 km !\n"
LINKS = "0-0 1p3 2-3 3-1 4-4 5-2 6-5\n0-0 1-1 2-2 3-3 4-4\n"


@pytest.fixture
def corpus() -> ParallelCorpus:
    rows = [(f"s{i}", tag, pair[side], None) for side, tag in enumerate(("en", "de")) for i, pair in enumerate(SENTENCES)]
    return ParallelCorpus(pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA))


def written(folder: Path, text: str, name: str) -> InputFile:
    (folder / name).write_text(text, encoding="utf-8", newline="")
    return InputFile(name, folder / name)


@pytest.fixture
def tokens(tmp_path: Path, corpus: ParallelCorpus) -> Tokens:
    files = written(tmp_path, SOURCE_TOKENS, "tokens.en"), written(tmp_path, TARGET_TOKENS, "tokens.de")
    return tokens_from_files(*files, corpus, "en", "de")


@pytest.fixture
def alignment(tmp_path: Path, tokens: Tokens) -> Alignment:
    return read(written(tmp_path, LINKS, "links"), tokens.lengths)


def test_tokens_stand_where_they_are_written(tokens: Tokens) -> None:
    assert [SENTENCES[0][0][a:b] for a, b in tokens.source[0]] == ["I", "do", "n't", "know", "😀", "it", "."]
    assert [SENTENCES[1][0][a:b] for a, b in tokens.source[1]] == ["It", "is", "10\u00a0000", "km", "!"]
    assert tokens.source[0][:4] == [(0, 1), (2, 4), (4, 7), (8, 12)]
    assert tokens.lengths == [(7, 6), (5, 5)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a b\n", 1, "1 lines of tokens for 2 sentences"),
        ("a b\nc d\ne\n", 3, "3 lines of tokens for 2 sentences"),
        ("a b\nc x\n", 2, "Token 2, 'x', does not stand at character 3 of the sentence, where 'd' does"),
        ("a b\nd c\n", 2, "Token 1, 'd', does not stand at character 1"),
        ("a b\nc d e\n", 2, "Token 3, 'e', does not stand at character 4 of the sentence, which ends before"),
        ("a b\nc\n", 2, "goes on after the last token, with 'd'"),
        ("a b\n\n", 2, "goes on after the last token, with 'c d'"),
        ("a &apos;b\nc d\n", 1, "Token 2, '&apos;b', does not stand"),
    ],
)
def test_tokens_that_are_not_the_sentences(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        locate(written(tmp_path, text, "tokens"), ["a b", "c d"])
    assert (caught.value.file, caught.value.line) == ("tokens", line)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1, max_size=4), min_size=1),
    st.data(),
)
def test_walking_finds_every_token(tmp_path: Path, tokens: list[str], data: st.DataObject) -> None:
    gaps = data.draw(st.lists(st.sampled_from(["", " ", "\u00a0", "  ", "\u3000"]), min_size=len(tokens), max_size=len(tokens)))
    text = "".join(gap + token for gap, token in zip(gaps, tokens, strict=True))
    (spans,) = locate(written(tmp_path, " ".join(tokens) + "\n", "tokens"), [text])
    assert [text[start:end] for start, end in spans] == tokens


def test_linked_words(corpus: ParallelCorpus, tokens: Tokens, alignment: Alignment) -> None:
    pairs = aligned_pairs(corpus, "en", "de", alignment, tokens)
    rows = [(r["sentence_id"], r["source_word"], r["target_word"]) for r in pairs.table.to_pylist()]
    assert rows == [
        ("s0", "I", "Ich"),
        ("s0", "do", "nicht"),
        ("s0", "n't", "nicht"),
        ("s0", "know", "weiß"),
        ("s0", "it", "es"),
        ("s1", "It", "Das"),
        ("s1", "is", "sind"),
        ("s1", "10\u00a0000", "10\u00a0000"),
        ("s1", "km", "km"),
    ]
    for row in pairs.table.to_pylist():
        left, right = SENTENCES[int(row["sentence_id"][1])]
        assert left[row["source_start"] : row["source_end"]] == row["source_word"]
        assert right[row["target_start"] : row["target_end"]] == row["target_word"]
    assert (pairs.sentences, pairs.source_words) == (2, 9)
    sure = aligned_pairs(corpus, "en", "de", alignment, tokens, which="sure")
    assert "do" not in sure.table["source_word"].to_pylist()
    assert sure.table.num_rows == 8
    alone = aligned_pairs(corpus, "en", "de", alignment, tokens, unique="both")
    assert {"do", "n't"}.isdisjoint(alone.table["source_word"].to_pylist())
    assert alone.ambiguous == 2


def test_repetition(corpus: ParallelCorpus, tokens: Tokens) -> None:
    twice = Alignment(((Link(5, 2),), (Link(0, 2), Link(0, 0))), 0)
    pairs = aligned_pairs(corpus, "en", "de", twice, tokens)
    assert pairs.table.num_rows == 3
    again = Alignment(((Link(5, 2), Link(5, 2)), ()), 0)
    assert aligned_pairs(corpus, "en", "de", again, tokens).repeated == 1
    assert aligned_pairs(corpus, "en", "de", again, tokens, repeated=True).table.num_rows == 2


def test_precision(corpus: ParallelCorpus, tokens: Tokens, alignment: Alignment) -> None:
    measure = gold(corpus, "en", "de", alignment, tokens)
    itself = judge(aligned_pairs(corpus, "en", "de", alignment, tokens), measure)
    assert (itself.precision, itself.pairs) == (1, 9)
    # "don't" is one word here and two gold tokens; "it" → "das" is wrong in the first sentence and right in the second.
    entries = {"don't": ("nicht",), "know": ("es",), "is": ("sind",)}
    found = judge(extract(corpus, Dictionary("en", "de", entries), "en", "de"), measure)
    assert (found.precision, found.pairs) == (pytest.approx(2 / 3), 3)


def test_sentences_without_gold_are_not_judged(corpus: ParallelCorpus, tokens: Tokens, alignment: Alignment) -> None:
    pairs = aligned_pairs(corpus, "en", "de", alignment, tokens)
    links = gold(corpus, "en", "de", alignment, tokens).links
    covered = judge(pairs, Gold("en", "de", {"s1": links["s1"]}))
    unlinked = judge(pairs, Gold("en", "de", {"s1": []}))
    nothing = judge(pairs, Gold("en", "de", {}))
    assert [(each.precision, each.pairs) for each in (covered, unlinked)] == [(1, 4), (0, 4)]
    assert nothing.pairs == 0
    assert math.isnan(nothing.precision)


def test_neighbours_do_not_overlap(corpus: ParallelCorpus, tokens: Tokens) -> None:
    pairs = aligned_pairs(corpus, "en", "de", Alignment(((Link(1, 3),), ()), 0), tokens)  # do → nicht
    beside = gold(corpus, "en", "de", Alignment(((Link(2, 3), Link(1, 2)), ()), 0), tokens)  # n't → nicht, do → es
    assert judge(pairs, beside).precision == 0


def test_our_own_words_as_tokens(tmp_path: Path, corpus: ParallelCorpus) -> None:
    own = own_tokens(corpus, "en", "de")
    assert own.lengths == [(4, 4), (5, 5)]
    alignment = read(written(tmp_path, "1-3\n0-0\n", "links"), own.lengths)
    pairs = aligned_pairs(corpus, "en", "de", alignment, own)
    assert pairs.table["source_word"].to_pylist() == ["don't", "It"]


def test_different_numbers_of_sentences(corpus: ParallelCorpus, tokens: Tokens) -> None:
    with pytest.raises(CorpusError, match="corpus has 2 sentences in both languages, the alignment 1"):
        aligned_pairs(corpus, "en", "de", Alignment(((),), 0), tokens)
