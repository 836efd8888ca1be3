"""Word pairs from a dictionary: exactly one candidate, at the right characters, once each."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.corpora.dictionaries.readers import read
from isogloss.backend.corpora.dictionaries.word_pairs import Unique, WordPairs, extract, sample
from isogloss.backend.corpora.languages.words import fold, segment
from isogloss.backend.corpora.parallel import readers
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

DICTIONARY = Dictionary(
    "en", "de", {"the": ("der", "die", "den"), "dog": ("hund",), "cat": ("katze",), "big": ("groß", "dick")}
)


def corpus(*sentences: tuple[str, str], source: str = "en", target: str = "de") -> ParallelCorpus:
    rows = [(str(i), tag, pair[side], None) for side, tag in enumerate((source, target)) for i, pair in enumerate(sentences)]
    return ParallelCorpus(pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA))


def words(pairs: WordPairs) -> list[tuple[str, str]]:
    return list(zip(pairs.table["source_word"].to_pylist(), pairs.table["target_word"].to_pylist(), strict=True))


def test_one_candidate_is_a_pair_at_its_characters() -> None:
    pairs = extract(corpus(("😀 The DOG!", "„Der“ Hu\u0308nd, Hund.")), DICTIONARY, "en", "de")
    assert pairs.table.to_pylist() == [
        dict(zip(pairs.table.schema.names, ("0", 2, 5, "The", 1, 4, "Der"), strict=True)),
        dict(zip(pairs.table.schema.names, ("0", 6, 9, "DOG", 13, 17, "Hund"), strict=True)),
    ]
    assert (pairs.sentences, pairs.source_words, pairs.ambiguous, pairs.repeated) == (1, 2, 0, 0)


@pytest.mark.parametrize(
    ("source", "target", "both", "one"),
    [
        ("dog", "Hund Hund", [], []),  # one translation, twice
        ("big", "groß und dick", [], []),  # two translations
        ("the the", "der", [], [("the", "der"), ("the", "der")]),  # two words for one
        ("dog the the", "der Hund", [("dog", "Hund")], [("dog", "Hund"), ("the", "der"), ("the", "der")]),
        ("the the", "der die", [], []),
        ("cats", "Katze", [], []),
        ("", "", [], []),
    ],
)
def test_competing_words(source: str, target: str, both: list[tuple[str, str]], one: list[tuple[str, str]]) -> None:
    given_corpus = corpus((source or "…", target or "…"))
    assert words(extract(given_corpus, DICTIONARY, "en", "de", repeated=True)) == both
    assert words(extract(given_corpus, DICTIONARY, "en", "de", repeated=True, unique="source")) == one


def test_a_pair_is_kept_once_where_it_first_occurs() -> None:
    sentences = corpus(("a dog", "ein Hund"), ("Dog", "hund"), ("the DOG", "den HUND"))
    once = extract(sentences, DICTIONARY, "en", "de")
    assert [(row["sentence_id"], row["source_word"]) for row in once.table.to_pylist()] == [("0", "dog"), ("2", "the")]
    assert once.repeated == 2
    always = extract(sentences, DICTIONARY, "en", "de", repeated=True)
    assert (always.table.num_rows, always.repeated) == (4, 0)


def test_each_word_once_keeps_the_first_pair_of_either_word() -> None:
    """A pair is left out for either of its words, even where the two were never paired with each other."""
    dictionary = Dictionary("en", "de", {"big": ("groß", "dick"), "fat": ("dick",), "dog": ("hund",)})
    sentences = corpus(("big", "groß"), ("big", "dick"), ("fat", "dick"), ("dog fat", "Hund dick"), ("dog", "Hund"))
    found = extract(sentences, dictionary, "en", "de", unique="once")
    assert words(found) == [("big", "groß"), ("fat", "dick"), ("dog", "Hund")]
    assert found.repeated == 3
    assert words(extract(sentences, dictionary, "en", "de")) == [
        ("big", "groß"),
        ("big", "dick"),
        ("fat", "dick"),
        ("dog", "Hund"),
    ]
    with pytest.raises(ValueError, match="exclude each other"):
        extract(sentences, dictionary, "en", "de", unique="once", repeated=True)


def test_the_dictionary_serves_both_directions() -> None:
    there = extract(corpus(("the big dog", "der große dicke Hund")), DICTIONARY, "en", "de", repeated=True)
    back = extract(corpus(("the big dog", "der große dicke Hund")), DICTIONARY, "de", "en", repeated=True)
    assert sorted(words(there)) == sorted((source, target) for target, source in words(back))
    with pytest.raises(CorpusError, match="dictionary is of 'en' and 'de'"):
        extract(corpus(("a", "b"), target="fr"), DICTIONARY, "en", "fr")
    with pytest.raises(CorpusError, match="no language 'de'"):
        extract(corpus(("a", "b"), target="fr"), DICTIONARY, "en", "de")


def test_no_pair_at_all() -> None:
    pairs = extract(corpus(("nothing", "nichts")), DICTIONARY, "en", "de")
    assert pairs.table.num_rows == 0
    with pytest.raises(CorpusError, match="gives no pair"):
        sample(pairs, seed=0)


def plainly(given_corpus: ParallelCorpus, dictionary: Dictionary, repeated: bool, unique: Unique) -> list[dict[str, Any]]:
    """Every word against every word."""
    rows: list[dict[str, Any]] = []
    ids, texts = given_corpus.align([dictionary.source, dictionary.target])
    for sentence_id, left, right in zip(ids, texts[dictionary.source], texts[dictionary.target], strict=True):
        own, other = segment(left, dictionary.source), segment(right, dictionary.target)

        def linked(a: tuple[int, int], b: tuple[int, int], left: str = left, right: str = right) -> bool:
            return fold(right[slice(*b)], dictionary.target) in dictionary.translations(left[slice(*a)])

        for a in own:
            of_a = [b for b in other if linked(a, b)]
            if len(of_a) != 1 or (unique != "source" and sum(linked(each, of_a[0]) for each in own) != 1):
                continue
            row = (sentence_id, *a, left[slice(*a)], *of_a[0], right[slice(*of_a[0])])
            keys = {(fold(r["source_word"], dictionary.source), fold(r["target_word"], dictionary.target)) for r in rows}
            new = fold(row[3], dictionary.source), fold(row[6], dictionary.target)
            if unique == "once" and any(new[0] == one or new[1] == other for one, other in keys):
                continue
            if repeated or new not in keys:
                names = ["sentence_id", "source_start", "source_end", "source_word"]
                rows.append(dict(zip([*names, "target_start", "target_end", "target_word"], row, strict=True)))
    return rows


SENTENCES = st.lists(st.sampled_from(["a", "A", "b", "c", "Ç", "é", "e\u0301", ",", "😀"]), max_size=6).map(" ".join)
ENTRIES = st.dictionaries(
    st.sampled_from("abcé"), st.lists(st.sampled_from(["a", "b", "c", "ç", "é"]), min_size=1, unique=True).map(tuple)
)


@settings(max_examples=200)
@given(
    st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=4),
    ENTRIES,
    st.booleans(),
    st.sampled_from(["both", "source", "once"]),
)
def test_against_every_word_with_every_word(
    sentences: list[tuple[str, str]], entries: dict[str, tuple[str, ...]], repeated: bool, unique: Unique
) -> None:
    repeated = repeated and unique != "once"
    given_corpus, dictionary = corpus(*sentences), Dictionary("en", "de", entries)
    found = extract(given_corpus, dictionary, "en", "de", repeated=repeated, unique=unique)
    assert found.table.to_pylist() == plainly(given_corpus, dictionary, repeated, unique)


def many(count: int) -> WordPairs:
    dictionary = Dictionary("en", "de", {f"w{i}": (f"v{i}",) for i in range(count)})
    return extract(corpus(*((f"w{i}", f"v{i}") for i in range(count))), dictionary, "en", "de")


def test_samples() -> None:
    pairs = many(50)
    drawn = sample(pairs, 20, seed=7, runs=4)
    assert [len(run) for run in drawn.runs] == [20] * 4
    assert all(len(set(run.tolist())) == 20 and run.min() >= 0 and run.max() < 50 for run in drawn.runs)
    assert len({tuple(run) for run in drawn.runs}) == 4
    assert drawn.note is None
    again = sample(pairs, 20, seed=7, runs=2)
    assert all(np.array_equal(a, b) for a, b in zip(again.runs, drawn.runs[:2], strict=True))
    assert not np.array_equal(sample(pairs, 20, seed=8, runs=1).runs[0], drawn.runs[0])
    counts = np.bincount(np.concatenate(sample(pairs, 20, seed=1, runs=500).runs), minlength=50)
    assert counts.min() > 150
    assert counts.max() < 250


def test_fewer_pairs_than_asked_for() -> None:
    drawn = sample(many(3), seed=0)
    assert [run.tolist() for run in drawn.runs] == [[0, 1, 2]] * 10
    assert drawn.note is not None
    assert "There are 3 word pairs, fewer than the 5,000 asked for" in drawn.note
    exact = sample(many(3), 3, seed=0, runs=1)
    assert exact.note is not None
    assert "exactly the 3" in exact.note
    with pytest.raises(ValueError, match="at least 1"):
        sample(many(3), 0, seed=0)


@pytest.mark.parametrize(("target", "ntrex", "least"), [("de", "deu", 4_700), ("zh", "zho-CN", 1_100), ("ar", "arb", 2_600)])
def test_ntrex_with_muse(real_data: Path, target: str, ntrex: str, least: int) -> None:
    path = real_data / "muse" / f"en-{target}.txt"
    folder = real_data / "ntrex-128" / "NTREX-128"
    if not path.is_file() or not folder.is_dir():
        pytest.skip("no MUSE dictionary or no NTREX-128 there")
    files = [folder / "newstest2019-src.eng.txt", folder / f"newstest2019-ref.{ntrex}.txt"]
    parallel = readers.read([InputFile(file.name, file) for file in files])
    dictionary = read(InputFile(path.name, path), "en", target)
    pairs = extract(parallel, dictionary, "en", target)
    assert pairs.sentences == 1997
    assert least < pairs.table.num_rows < 1.1 * least
    ids, texts = parallel.align(["en", target])
    by_id = {i: pair for i, *pair in zip(ids, texts["en"], texts[target], strict=True)}
    keys = set()
    for row in random.Random(0).sample(pairs.table.to_pylist(), 500):
        left, right = by_id[row["sentence_id"]]
        assert left[row["source_start"] : row["source_end"]] == row["source_word"]
        assert right[row["target_start"] : row["target_end"]] == row["target_word"]
        assert fold(row["target_word"], target) in dictionary.translations(row["source_word"])
        keys.add((fold(row["source_word"], "en"), fold(row["target_word"], target)))
    assert len(keys) == 500
