"""Kept alignments: the links that were read, at their characters, for one corpus; in either direction; one folder a content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments import links
from isogloss.backend.corpora.word_alignments import tokens as pharaoh_pairs
from isogloss.backend.corpora.word_alignments.readers import Alignment, Link
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.alignment.words.pair_sources import judge

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.corpora.word_alignments.links import Links

SENTENCES = [
    ("I don't know 😀 it.", "Ich weiß es nicht 😀."),
    ("Yes.", "Ja."),
    ("It is 10\u00a0000 km!", "Das sind 10\u00a0000 km!"),
]
SOURCE = "I do n't know 😀 it .\nYes .\nIt is 10\u00a0000 km !\n"
TARGET = "Ich weiß es nicht 😀 .\nJa .\nDas sind 10\u00a0000 km !\n"
PHARAOH = "0-0 1p3 2-3 3-1 4-4 5-2 6-5\n\n0-0 1-1 2-2 3-3 4-4\n"
NAACL = "1 1 1 S\n1 2 4 P\n1 3 4 S\n1 4 2\n1 5 5 S\n1 6 3 S\n1 7 6 S\n1 0 3\n3 1 1\n3 2 2\n3 3 3\n3 4 4 S 0.9\n3 5 5\n"


def corpus_of(sentences: list[tuple[str, str]]) -> ParallelCorpus:
    rows = [(f"s{i}", tag, pair[side], None) for side, tag in enumerate(("en", "de")) for i, pair in enumerate(sentences)]
    return ParallelCorpus(pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA))


CORPUS = corpus_of(SENTENCES)


def file(folder: Path, text: str, name: str) -> InputFile:
    (folder / name).write_text(text, encoding="utf-8", newline="")
    return InputFile(name, folder / name)


def read(folder: Path, text: str = PHARAOH) -> Links:
    tokens = file(folder, SOURCE, "tokens.en"), file(folder, TARGET, "tokens.de")
    return links.read(file(folder, text, "links.txt"), CORPUS, "en", "de", tokens=tokens)


def linked(found: Links) -> list[tuple[str, str, bool]]:
    texts = {f"s{i}": pair for i, pair in enumerate(SENTENCES)}
    return [
        (
            texts[r["sentence_id"]][0][r["source_start"] : r["source_end"]],
            texts[r["sentence_id"]][1][r["target_start"] : r["target_end"]],
            r["sure"],
        )
        for r in found.table.to_pylist()
    ]


def test_links_stand_at_their_characters(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert linked(found)[:4] == [("I", "Ich", True), ("do", "nicht", False), ("n't", "nicht", True), ("know", "weiß", True)]
    assert linked(found)[9:10] == [("10\u00a0000", "10\u00a0000", True)]
    assert (found.table.num_rows, found.source_words, found.target_words, found.format) == (12, 10, 9, "Pharaoh")
    assert found.corpus == library.content_id(CORPUS.table)


def test_both_formats_say_the_same(tmp_path: Path) -> None:
    other = read(tmp_path, NAACL)
    assert other == read(tmp_path)
    assert other.format == "NAACL"
    assert other.notes == ("1 links to the empty word were left out.",)


def test_without_tokens_the_corpus_s_own_words_are_meant(tmp_path: Path) -> None:
    found = links.read(file(tmp_path, "0-0 1-3 2-1 3-2\n0-0\n0-0 1-1 2-2 3-3\n", "own"), CORPUS, "eng", "deu")
    assert linked(found)[:4] == [("I", "Ich", True), ("don't", "nicht", True), ("know", "weiß", True), ("it", "es", True)]
    assert (found.source, found.target) == ("en", "de")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0\n", r"links.txt, line 1: The alignment has 1 lines for 3 sentence pairs"),
        ("0-0\n0:1\n\n", r"links.txt, line 2: '0:1' is no link"),
        ("0-0\n0-9\n\n", r"links.txt, line 2: There is no target token 9"),
        ("4 1 1 S\n", r"links.txt, line 1: There is no sentence 4"),
        ("", r"links.txt: The file is empty"),
        ("1 1 0 S\n", r"links.txt: There is no link"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read(tmp_path, text)


def test_languages_are_two_of_the_corpus(tmp_path: Path) -> None:
    for ends, message in ((("en", "fr"), "no language 'fr'"), (("en", "eng"), "needs two languages")):
        with pytest.raises(CorpusError, match=message):
            links.read(file(tmp_path, PHARAOH, "x"), CORPUS, *ends)


TOKENS = st.lists(st.tuples(st.sampled_from(["a", "bb", "c.", "!", "d'"]), st.sampled_from(["", " "])), min_size=1, max_size=5)
PLACES = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4), st.booleans()), max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(st.lists(st.tuples(TOKENS, TOKENS, PLACES), min_size=1, max_size=4))
def test_kept_links_pair_words_as_the_aligned_tokens_do(tmp_path_factory: pytest.TempPathFactory, drawn: list) -> None:
    workspace = tmp_path_factory.mktemp("w")
    texts = [tuple("".join(t + space for t, space in side) for side in pair[:2]) for pair in drawn]
    corpus = corpus_of(texts)
    split = pharaoh_pairs.Tokens(*([_spans(pair[side]) for pair in drawn] for side in (0, 1)))
    alignment = Alignment(
        tuple(
            tuple(
                Link(*key, sure)
                for key, sure in sorted({(i, j): sure for i, j, sure in p if i < len(a) and j < len(b)}.items())
            )
            for a, b, p in drawn
        ),
        0,
    )
    entry = alignments.keep(links.from_tokens(corpus, "en", "de", alignment, split), "x", workspace)
    found = alignments.load(entry.id, [workspace])
    turned = Alignment(
        tuple(
            tuple(sorted((Link(k.target, k.source, k.sure) for k in each), key=lambda k: (k.source, k.target)))
            for each in alignment.links
        ),
        0,
    )
    for which in ("all", "sure"):
        for unique in (None, "both", "source"):
            for repeated in (False, True):
                options = {"repeated": repeated, "unique": unique}
                plain = pharaoh_pairs.aligned_pairs(corpus, "en", "de", alignment, split, which=which, **options)
                assert links.pairs(found, corpus, "en", "de", which=which, **options) == plain
                back = pharaoh_pairs.aligned_pairs(
                    corpus, "de", "en", turned, pharaoh_pairs.Tokens(split.target, split.source), which=which, **options
                )
                assert links.pairs(found, corpus, "de", "en", which=which, **options) == back
    gold = pharaoh_pairs.gold(corpus, "en", "de", alignment, split)
    assert links.gold(found, corpus, "en", "de") == gold
    assert set(links.gold(found, corpus, "de", "en").links) == set(gold.links)


def _spans(tokens: list[tuple[str, str]]) -> list[tuple[int, int]]:
    spans, place = [], 0
    for token, space in tokens:
        spans.append((place, place + len(token)))
        place += len(token) + len(space)
    return spans


def test_another_corpus_or_other_languages_are_refused(tmp_path: Path) -> None:
    found = read(tmp_path)
    with pytest.raises(CorpusError, match="of another corpus"):
        links.pairs(found, corpus_of(SENTENCES[:2]), "en", "de")
    with pytest.raises(CorpusError, match="is of 'en' and 'de', not of 'en' and 'fr'"):
        links.gold(found, CORPUS, "en", "fr")


def test_gold_says_how_precise_others_are(tmp_path: Path) -> None:
    gold = links.gold(read(tmp_path), CORPUS, "en", "de")
    own = links.read(file(tmp_path, "0-0 1-3 2-3\n0-0\n\n", "own"), CORPUS, "en", "de")
    found = judge(links.pairs(own, CORPUS, "en", "de"), gold)
    assert (found.pairs, found.precision) == (4, 0.5)
