"""CoNLL-U: every oddity of the format, and the reader beside an independent one."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path

import conllu as reference
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.tagged import conllu as reader
from isogloss.backend.corpora.tagged.corpus import UPOS
from isogloss.backend.errors import CorpusError
from isogloss.backend.settings import ROOT
from tests.corpora.tagged.tagged_reading import Drop, conllu, row

DATA = Path(os.environ.get("ISOGLOSS_TEST_DATA", ROOT.parent / "shared" / "data")) / "pud"
NAME = "de_some-ud-train.conllu"
OTHER = conllu(("z", [row(1, "Da", "ADV"), row(2, "ist", "AUX")]))
"""A sentence beside, so that a corpus has two tags."""


def one(drop: Drop, text: str | bytes) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The text, words and tags of the first sentence."""
    sentence = drop({NAME: text}).own("de", "train")[0]
    return sentence.text, sentence.words, sentence.tags


def test_words_and_spaces(drop: Drop) -> None:
    text = conllu(
        ("a", [row(1, "Ja", "INTJ", "SpaceAfter=No"), row(2, ",", "PUNCT"), row(3, "du", "PRON", "Lang=de|SpaceAfter=No|X=Y")]),
        ("b", [row(1, "Nein", "INTJ", "NoSpaceAfter=No"), row(2, "!", "PUNCT", "SpaceAfter=No")]),
    )
    corpus = drop({NAME: text})
    first, second = corpus.own("de", "train")
    assert (first.text, first.words, first.tags) == ("Ja, du", ("Ja", ",", "du"), ("INTJ", "PUNCT", "PRON"))
    assert (first.spans, first.id) == (((0, 2), (2, 3), (4, 6)), "a")
    assert (second.text, second.id) == ("Nein !", "b")
    assert (corpus.kind, corpus.tags, corpus.languages) == ("pos", ("INTJ", "PRON", "PUNCT"), ("de",))


@pytest.mark.parametrize(
    ("name", "language", "words", "noted"),
    [
        ("ckt_hse", "ckt", "ӄонпы нэнанрыԓятӄэн", ""),
        ("aii_as", "aii", "ܒܪܬܐ ܡܠܟܐ", ""),
        ("cpg_amgic", "cpg", "ήταν βασιλιάς", ""),
        ("evn_x", "evn", "бэе дюла", ""),
        ("hbo_ptnk", "hbo", "בראשית ברא", ""),
        ("sjo_xdt", "sjo", "ᠪᡳ ᡤᡝᠨᡝᠮᡝ", ""),
        ("xcl_caval", "xcl", "բան աստուած", ""),
        ("qtd_sagt", "qtd", "ja tamam", ""),
        ("qte_tect", "qte", "నేను వచ్చాను", ""),
        ("sa_vedic", "sa", "agnim īḷe", "call the language 'sa-Latn'"),
        ("bej_autogramm", "bej", "barʼuːk tak", "call the language 'bej-Latn'"),
    ],
)
def test_a_treebank_is_read_in_the_script_that_it_has(drop: Drop, name: str, language: str, words: str, noted: str) -> None:
    first, second = words.split()
    own = conllu(*((str(place), [row(1, first), row(2, second, "VERB")]) for place in range(6)))
    corpus = drop({f"{name}-ud-train.conllu": own})
    assert (corpus.languages, corpus.own(language, "train")[0].words) == ((language,), (first, second))
    warned = [each for each in corpus.report.warnings if "script" in each]
    assert len(warned) == bool(noted)
    assert all(noted in each for each in warned)


def test_multi_word_tokens_and_empty_nodes(drop: Drop) -> None:
    rows = [
        row("0.1", "nobody", "PRON"),
        row("1-2", "Zum", "_", "SpaceAfter=No"),
        row(1, "Zu", "ADP"),
        row(2, "dem", "DET"),
        row(3, "Haus", "NOUN"),
        row("4-5", "geht's", "_", "SpaceAfter=No"),
        row(4, "geht", "VERB"),
        row("4.1", "ghost", "VERB"),
        row("4.2", "ghost", "VERB"),
        row(5, "'s", "PRON", "SpaceAfter=Yes"),
        row(6, ".", "PUNCT"),
    ]
    text, words, tags = one(drop, conllu(("a", rows)))
    assert words == ("Zu", "dem", "Haus", "geht", "'s", ".")
    assert tags == ("ADP", "DET", "NOUN", "VERB", "PRON", "PUNCT")
    # "Zu dem" is not how "Zum" is spelt, "geht's" is; the spaces after both are those of the whole token.
    assert text == "Zu demHaus geht's."


def test_comments_ids_and_blank_lines(drop: Drop) -> None:
    text = (
        "\n\n# newdoc id = d\n# sent_id = s/1\n# parallel_id = pud/n7\n#\n# text = anything = else\n"
        f"{row(1, 'Eins', 'NUM')}# a comment inside\n{row(2, 'zwei', 'NUM')}\n   \n\n"
        f"# sent_id = of nothing\n\n#sent_id=kurz\n# text = a\ttab\n{row(1, '#', 'SYM')}\n{row(1, 'ohne', 'ADP')}\n# the end"
    )
    found = drop({NAME: text}).own("de", "train")
    assert [(each.id, each.text) for each in found] == [("n7", "Eins zwei"), ("kurz", "#"), ("3", "ohne")]


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n\n"])
def test_line_ends(drop: Drop, end: str) -> None:
    """CRLF, a byte order mark and a missing last line change nothing."""
    plain = OTHER + conllu(("y", [row(1, "Ende", "NOUN")])).rstrip("\n")
    expected = drop({NAME: plain + "\n\n"}).id
    assert drop({NAME: plain + end}).id == expected
    assert drop({NAME: b"\xef\xbb\xbf" + (plain + end).replace("\n", "\r\n").encode()}).id == expected


def test_characters_are_kept_as_they_are(drop: Drop) -> None:
    """Composed and decomposed letters stay different, and U+2028, U+0085 and spaces in a word end no line and no word."""
    for form in ("caf\u00e9", "cafe\u0301", "a\u2028b", "a\u0085b", "10 000", "a  b", "\u200fשלום", "𝔘", "a\x0bb"):
        text, words, _ = one(drop, conllu(("a", [row(1, form), row(2, ".", "PUNCT")])))
        assert words == (form, ".")
        assert text == f"{form} ."


@pytest.mark.parametrize(
    ("broken", "line", "says"),
    [
        ("1\tzu\tkurz\n", 5, "The row has 3 columns, not 10"),
        ("1 mit Leerzeichen\n", 5, "The row has 1 column, not 10"),
        (row(1, "Wort", misc="a\tb"), 5, "The row has 11 columns, not 10.*no tab inside"),
        (row(2, "Wort"), 5, "The word has the id 2 where 1 is due"),
        (row(1, "a") + row(1, "b"), 6, "The word has the id 1 where 2 is due.*blank line"),
        (row(1, "a") + row("x", "b"), 6, "'x' is no id that may follow word 1"),
        (row(1, "a") + row("3.1", "b"), 6, "'3.1' is no id that may follow word 1"),
        (row("", "a"), 5, "'' is no id"),
        (row("١", "a"), 5, "'١' is no id"),
        (row("1-3", "abc") + row(1, "a") + "\n", 7, "ends before the last word of its multi-word token 1-3"),
        (row("1-3", "abc") + row(1, "a"), 6, "ends before the last word of its multi-word token 1-3"),
        (row("2-3", "abc"), 5, "The multi-word token 2-3 does not begin at the next word, 1"),
        (row("1-2", "ab") + row(1, "a") + row("2-3", "bc"), 7, "The multi-word token 2-3 does not begin"),
        (row("2-1", "ab"), 5, "The multi-word token 2-1 does not begin"),
        ("1\t\xff\n", 5, "The line is broken .not UTF-8"),
        ("1\tNUL\0\n", 5, "The line is broken .a NUL"),
    ],
)
def test_broken_rows_are_named(drop: Drop, broken: str, line: int, says: str) -> None:
    """One sentence with file and line, and nothing of the file is kept."""
    encoded = OTHER.encode() + broken.encode("utf-8" if "\xff" not in broken else "latin-1")
    with pytest.raises(CorpusError, match=says) as error:
        drop({NAME: encoded})
    assert (error.value.file, error.value.line) == (NAME, line)
    assert "\n" not in str(error.value)


def test_words_without_a_tag(drop: Drop) -> None:
    """A sentence with one is left out, counted and shown; a file without any tag is not read; most without are refused."""
    good = [conllu((f"g{i}", [row(1, f"Wort{i}"), row(2, "!", "PUNCT")])) for i in range(12)]
    bad = conllu(("bad", [row(1, "gut", "ADJ"), row(2, "schlecht", "_")]))
    corpus = drop({NAME: "".join([*good[:3], bad, *good[3:]])})
    assert [each.id for each in corpus.own("de", "train")] == [f"g{i}" for i in range(12)]
    assert [(s.file, s.line, s.reason) for s in corpus.report.skipped] == [
        (NAME, 14, "the word 'schlecht' has no tag: sentence left out")
    ]
    assert "ADJ" not in corpus.tags
    with pytest.raises(CorpusError, match="2 of 7 sentences have a word without a tag") as error:
        drop({NAME: "".join([*good[:5], bad, bad])})
    assert error.value.line == 22
    untagged = bad.replace("ADJ", "_")
    corpus = drop({NAME: "".join(good), "de_some-ud-test.conllu": untagged * 3})
    assert corpus.report.warnings[0] == "Not read, since the words have no tags: de_some-ud-test.conllu."
    assert (corpus.parts, corpus.report.skipped_count) == ({"de": ("train",)}, 0)
    with pytest.raises(CorpusError, match="There is no sentence with tags"):
        drop({NAME: untagged})


def test_withheld_text_is_refused(drop: Drop) -> None:
    with pytest.raises(CorpusError, match="Most of its words are '_': their text is withheld"):
        drop({NAME: OTHER + conllu(("a", [row(i, "_") for i in range(1, 9)]))})
    assert one(drop, conllu(("a", [row(1, "_", "SYM"), row(2, "Strich"), row(3, "!", "PUNCT")])))[1] == ("_", "Strich", "!")


def test_tags_of_another_set_are_counted(drop: Drop) -> None:
    rows = [row(i, f"w{i}", "NOUN" if i < 28 else "PUNCT") for i in range(1, 30)]
    rows[4], rows[6], rows[7] = row(5, "a", "NUON"), row(7, "b", "VBZ"), row(8, "c", "NUON")
    corpus = drop({NAME: OTHER + conllu(("a", rows))})
    assert corpus.kind == "pos"
    assert (
        "3 words have tags that are not UPOS, each kept as a tag of its own: NUON (2), VBZ (1). "
        f"The first: {NAME}, line 6. Did you mean 'NOUN'?"
    ) in corpus.report.warnings
    corpus = drop({NAME: conllu(("a", [row(1, "a", "NN"), row(2, "b", "VBZ")]))})
    assert corpus.kind == "other"
    assert "The 2 tags are neither UPOS nor entities' (BIO): NN, VBZ." in corpus.report.warnings


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp", "Cf"]), min_size=1, max_size=6),
                st.sampled_from(sorted(UPOS)),
                st.booleans(),
            ),
            min_size=1,
            max_size=8,
        ),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[tuple[str, str, bool]]]
) -> None:
    text = "".join(
        "".join(row(i, w, t, "SpaceAfter=No" if glued else "_") for i, (w, t, glued) in enumerate(own, start=1)) + "\n"
        for own in sentences
    )
    path = tmp_path_factory.mktemp("conllu") / "file"
    path.write_text(text, encoding="utf-8", newline="")
    found = list(reader.sentences(InputFile("x.conllu", path)))
    assert [list(zip(each.words, each.tags, each.glued, strict=True)) for each in found] == sentences


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no treebanks in {DATA.name} of the test data")
@pytest.mark.parametrize("path", sorted(DATA.glob("*.conllu")), ids=lambda path: path.name[:6])
def test_real_treebanks(drop: Drop, path: Path) -> None:
    """Words and tags as the package `conllu` reads them, and the text as the treebank's own comment has it."""
    corpus = drop({path.name: path.read_bytes()})
    (language,) = corpus.languages
    expected = reference.parse(path.read_text(encoding="utf-8"))
    found = corpus.own(language, "test")
    assert len(found) == len(expected) == 1000
    for sentence, theirs in zip(found, expected, strict=True):
        words = [token for token in theirs if isinstance(token["id"], int)]
        assert sentence.words == tuple(token["form"] for token in words)
        assert sentence.tags == tuple(token["upos"] for token in words)
        assert sentence.id == theirs.metadata["sent_id"]
        assert all(start < end <= following for (start, end), (following, _) in pairwise(sentence.spans))
        spelt = all(
            "".join(t["form"] for t in words[token["id"][0] - 1 : token["id"][2]]) == token["form"]
            for token in theirs
            if isinstance(token["id"], tuple) and token["id"][1] == "-"
        )
        # Words that spell their multi-word token stand in the text as it was published.
        assert not spelt or sentence.text == re.sub(" +", " ", theirs.metadata["text"])
