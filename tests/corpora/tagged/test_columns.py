"""Two columns, a word and its tag: XTREME's and WikiAnn's files, and what may be wrong with them."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.corpora.tagged import tsv
from isogloss.backend.errors import CorpusError
from isogloss.backend.settings import ROOT
from tests.corpora.tagged.tagged_reading import Drop, columns

DATA = Path(os.environ.get("ISOGLOSS_TEST_DATA", ROOT.parent / "shared" / "data"))
ENGLISH = columns([("The", "DET"), ("dog", "NOUN")], [("It", "PRON"), ("barks", "VERB"), (".", "PUNCT")])


def test_words_tags_and_parts(drop: Drop) -> None:
    german = columns([("Der", "DET"), ("Hund", "NOUN")])
    corpus = drop({"train-en.tsv": ENGLISH, "dev-en.tsv": ENGLISH.replace("dog", "cat"), "test/de.tsv": german})
    assert (corpus.languages, corpus.kind, corpus.parallel) == (("de", "en"), "pos", False)
    assert corpus.parts == {"de": ("test",), "en": ("train", "validation")}
    first, second = corpus.own("en", "train")
    assert (first.text, first.words, first.tags, first.id) == ("The dog", ("The", "dog"), ("DET", "NOUN"), "1")
    assert (second.text, second.id) == ("It barks .", "2")
    assert corpus.sizes == {("en", "train"): (2, 5), ("en", "validation"): (2, 5), ("de", "test"): (1, 2)}
    assert corpus.tag_counts["en"] == {"DET": 2, "NOUN": 2, "PRON": 2, "PUNCT": 2, "VERB": 2}
    assert corpus.report.format == "two columns"


@pytest.mark.parametrize("end", ["", "\n", "\n\n \n\t\n"])
def test_line_ends(drop: Drop, end: str) -> None:
    expected = drop({"train-en.tsv": ENGLISH}).id
    plain = ENGLISH.rstrip("\n") + end
    assert drop({"train-en.tsv": plain}).id == expected
    assert drop({"train-en.tsv": b"\xef\xbb\xbf" + plain.replace("\n", "\r\n").encode()}).id == expected
    assert drop({"train-en.tsv": plain.replace("\tNOUN", " \t NOUN\t")}).id == expected


def test_odd_words(drop: Drop) -> None:
    """A word may be a hash or hold line separators; one without a character is left out of its sentence and counted."""
    text = "# id = 7\n#\tSYM\na\u2028b\tNOUN\n\u200f\tX\n\tX\n\u00a0\tX\nend\tNOUN\n-DOCSTART-\tO\n\n"
    corpus = drop({"train-en.tsv": text})
    (sentence,) = corpus.own("en", "train")
    assert sentence.words == ("#", "a\u2028b", "end")
    assert sentence.tags == ("SYM", "NOUN", "NOUN")
    assert [(s.line, s.reason) for s in corpus.report.skipped] == [
        (2, "a word without characters: left out of its sentence")
    ] * 3


def test_prefixes(drop: Drop) -> None:
    """WikiAnn marks every word with its language, and its archives' files have no ending."""
    marked = columns([("en:Ada", "B-PER"), ("en:Lovelace", "I-PER"), ("en:wrote", "O")], [("en::", "O"), ("en:EU:s", "B-ORG")])
    corpus = drop({"en/train": marked})
    assert [each.words for each in corpus.own("en", "train")] == [("Ada", "Lovelace", "wrote"), (":", "EU:s")]
    assert corpus.kind == "ner"
    assert drop({"train.txt": marked}).languages == ("en",)  # where the name does not say it, the words do
    # A word such as the Finnish genitive "EU:n" is no mark: it is there in some words only.
    other = columns([("fi:n", "NOUN"), ("EU:n", "PROPN")])
    assert drop({"train-fi.tsv": other}).own("fi", "train")[0].words == ("fi:n", "EU:n")
    late = marked * 4 + columns([("without", "O"), ("en:mark", "O")])
    assert drop({"dev-en.tsv": late}).own("en", "validation")[8].words == ("without", "mark")


def test_entities_without_a_beginning_are_counted(drop: Drop) -> None:
    text = columns(
        [("a", "I-PER"), ("b", "I-PER"), ("c", "O"), ("d", "I-LOC"), ("e", "I-PER")],
        [("f", "I-PER"), ("g", "B-LOC"), ("h", "I-LOC"), ("i", "B-LOC"), ("j", "I-ORG")],
        [("k", "O"), ("l", "B-PER")],
    )
    corpus = drop({"train-en.tsv": text, "train-de.tsv": text.replace("I-", "B-")})
    expected = "5 entities begin with I- where B- is due (5 in en): each counts as the beginning of one."
    assert expected in corpus.report.warnings
    assert (
        "Tags that not every language has: B-ORG (not in en), I-LOC (not in de), I-ORG (not in de), I-PER (not in de)."
        in corpus.report.warnings
    )


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (ENGLISH + "one\ttwo\tthree\n", 8, "The row has 3 columns, not 2"),
        ("a\tNOUN\n\nb\n\nc\tVERB\n", 3, "1 of 3 sentences have a word without a tag"),
        ("a\tNOUN\n\nb\t\n\nc\tVERB\n", 3, "1 of 3 sentences have a word without a tag"),
        ("a\tX\nb\tX\n", 1, "Every word has the tag 'X'"),
        ("a\tNOUN\nb\t" + "V" * 101 + "\n", 1, "A tag has 101 characters"),
        ("\n".join(f"w\tT{i}" for i in range(501)), 1, "There are more than 500 different tags, here 'T500'"),
        ("w\tX\n" * 20_001, 20_001, "The sentence has more than 20,000 words"),
        ("", None, "There is no sentence with tags"),
        ("just one sentence a line\n" * 9, None, "There is no sentence with tags"),
        (b"a\tNOUN\n\xe9\tX\n", 2, "The line is broken .not UTF-8"),
        ("a\tNOUN\n".encode("utf-16"), 1, "The file is UTF-16, not UTF-8"),
        (b"PK\x03\x04 not text", None, "This is a zip archive"),
    ],
)
def test_broken_files_are_one_sentence(drop: Drop, text: str | bytes, line: int | None, says: str) -> None:
    with pytest.raises(CorpusError, match=says) as error:
        drop({"train-en.tsv": text})
    assert error.value.line == line
    assert "\n" not in str(error.value)


def test_names_say_language_and_part(drop: Drop) -> None:
    for name, language, part in (
        ("train-en.tsv", "en", "train"),
        ("udpos/dev-zh-Hant.tsv", "zh-Hant", "validation"),
        ("fin/test.txt", "fi", "test"),
        ("xx.zip/deu/valid", "de", "validation"),
        ("../../../etc/passwd/train-en.tsv", "en", "train"),
        ("C:\\data\\test-tr.tsv", "tr", "test"),
    ):
        corpus = drop({name: ENGLISH})
        assert (corpus.languages, corpus.parts[language]) == ((language,), (part,))
    unnamed = drop({"en.tsv": ENGLISH})
    assert unnamed.parts == {"en": ("train",)}
    assert "Taken for training, since the name says no part: en.tsv." in unnamed.report.warnings
    joined = drop({"train-en.tsv": ENGLISH, "b/train-eng.tsv": ENGLISH})
    assert joined.sizes == {("en", "train"): (4, 10)}
    assert "2 files make up the train part of en: b/train-eng.tsv, train-en.tsv." in joined.report.warnings
    regions = drop({"train-bn-IN.tsv": ENGLISH, "train-pt-BR.tsv": ENGLISH, "train-pt-PT.tsv": ENGLISH})
    assert regions.languages == ("bn", "pt", "pt-PT")
    assert regions.report.source_names == {"bn": "bn-IN", "pt": "pt-BR", "pt-PT": "pt-PT"}
    with pytest.raises(CorpusError, match="The name does not say which language this is"):
        drop({"train.tsv": ENGLISH})
    with pytest.raises(CorpusError, match="This is no tagged text"):
        drop({"notes.pdf": ENGLISH})
    with pytest.raises(CorpusError, match="No file was dropped"):
        drop({})


def test_a_wrong_script_is_refused(drop: Drop) -> None:
    russian = columns(*[[("Слово", "NOUN"), ("идёт", "VERB")]] * 4)
    with pytest.raises(CorpusError, match="Most of en is not in the script of English") as error:
        drop({"train-en.tsv": russian})
    assert (error.value.file, error.value.line) == ("train-en.tsv", 1)


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp", "Cf"]), min_size=1, max_size=6).filter(
                    lambda word: word != "-DOCSTART-"
                ),
                st.text("ABC-", min_size=1, max_size=3),
            ),
            min_size=1,
            max_size=8,
        ),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, sentences: list[list[tuple[str, str]]]) -> None:
    path = tmp_path_factory.mktemp("columns") / "file"
    path.write_text(columns(*sentences), encoding="utf-8", newline="")
    found = list(tsv.sentences(InputFile("x", path)))
    assert [list(zip(each.words, each.tags, strict=True)) for each in found] == sentences


@pytest.mark.parametrize("folder", ["udpos", "panx"])
def test_real_files(drop: Drop, folder: str) -> None:
    """Every word and tag as ten lines of Python read them; the tests, which have no tags, are said not to be read."""
    if not (DATA / folder).is_dir():
        pytest.skip(f"no {folder} in the test data")
    files = sorted((DATA / folder).glob("*-[a-z]*.tsv"))
    small = [path for path in files if path.stat().st_size < 400_000]
    corpus = drop({path.name: path.read_bytes() for path in small})
    assert corpus.kind == ("pos" if folder == "udpos" else "ner")
    words, tags, sentences = Counter[str](), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for path in small:
        part, language = path.stem.split("-")
        if part == "test":
            continue
        for block in path.read_bytes().decode().strip("\n").split("\n\n"):
            sentences[language, {"dev": "validation"}.get(part, part)] += 1
            for line in block.split("\n"):
                word, tag = line.split("\t")
                if word.strip("\u200e\u200f\u200b\xad\u200c\u200d\u202a\u202c\u202b\u2060\ufeff\x94\x96"):
                    words[language] += 1
                    tags[language, tag] += 1
    assert {key: size for key, (size, _) in corpus.sizes.items()} == dict(sentences)
    assert {language: sum(own.values()) for language, own in corpus.tag_counts.items()} == dict(words)
    assert {(language, tag): n for language, own in corpus.tag_counts.items() for tag, n in own.items()} == dict(tags)
    assert corpus.report.warnings[0].startswith("Not read, since the words have no tags: test-")
