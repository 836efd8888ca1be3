"""Dictionaries from files: every line is a pair, or counted, or an error that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.dictionaries import library
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.corpora.dictionaries.layouts import languages_of_name
from isogloss.backend.corpora.dictionaries.readers import read
from isogloss.backend.corpora.languages.words import fold, is_word
from isogloss.backend.corpora.shared.inputs import InputFile
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [("dog", "hund"), ("dog", "rüde"), ("cat", "katze"), ("the", "der"), ("the", "die")]
ENTRIES = {"dog": ("hund", "rüde"), "cat": ("katze",), "the": ("der", "die")}


def written(folder: Path, text: str | bytes, name: str = "en-de.txt") -> InputFile:
    path = folder / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return InputFile(name, path)


def lines(separator: str, end: str = "\n") -> str:
    return "".join(f"{word}{separator}{translation}{end}" for word, translation in PAIRS)


CLOZE = """lang,word_original,word_translation,blank_prompt_original,blank_prompt_translation_masked,error
de,dog,Hund,"A ""dog"" barks. Answer: ""dog"".","Ein ""___"" bellt.  Antwort: ""Hund"".",no error
de,cat,Katze,"A ""cat"" purrs. Answer: ""cat"".","Eine Katze schnurrt. Antwort: ""Katze"".",no error
de,sun,Sonne,"The ""sun"" shines. Answer: ""sun"".",,no error
"""


@pytest.mark.parametrize(
    "changed", [{}, {"word_original": "en", "word_translation": "de", "blank_prompt_translation_masked": "cloze"}]
)
def test_cloze_sentences_of_a_table_are_kept_with_their_pairs(tmp_path: Path, changed: dict[str, str]) -> None:
    text = CLOZE
    for old, new in changed.items():
        text = text.replace(old, new)
    dictionary = read(written(tmp_path, text, "clean.csv"), "en", "de")
    assert dictionary.entries == {"dog": ("hund",), "cat": ("katze",), "sun": ("sonne",)}
    assert dictionary.cloze == {("dog", "hund"): 'Ein "___" bellt. Antwort: "Hund".'}
    [warning] = [each for each in dictionary.report.warnings if "gap" in each]
    assert warning.startswith("clean.csv, line 3: no gap ___")
    entry = library.keep(dictionary, "Cloze", tmp_path)
    assert (entry.cloze, entry.pairs) == (1, 3)
    assert library.load(entry.id, [tmp_path]) == dictionary
    plain = Dictionary("en", "de", dictionary.entries)
    assert library.keep(plain, "Plain", tmp_path).id != entry.id
    assert not dictionary.invert().cloze


@pytest.mark.parametrize("separator", ["\t", " ", "  ", "\t ", " \t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_muse_with_tabs_or_spaces(tmp_path: Path, separator: str, end: str) -> None:
    dictionary = read(written(tmp_path, "\ufeff" + lines(separator, end)), "eng", "German")
    assert (dictionary.source, dictionary.target) == ("en", "de")
    assert dictionary.entries == ENTRIES
    assert dictionary.report.format.startswith("MUSE")
    assert (dictionary.pairs, dictionary.report.skipped_count, dictionary.report.warnings) == (5, 0, ())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", lines(",")),
        ("a.csv", lines(";")),
        ("a.csv", lines("\t")),
        ("a.CSV", "en,de\n" + lines(",")),
        ("a.csv", "English;Deutsch\n" + lines(";")),
        ("a.csv", "word,translation\n" + lines(",")),
        ("a.tsv", "en\tde\n" + lines("\t")),
        ("a.csv", "".join(f'"{a}","{b}"\r\n' for a, b in PAIRS)),
        ("a.tsv", "".join(f'"{a}"\t"{b}"\n' for a, b in PAIRS)),
        ("a.csv", "n,deu,note,eng\n" + "".join(f'{i},{b},"x, y",{a}\n' for i, (a, b) in enumerate(PAIRS))),
    ],
)
def test_tables(tmp_path: Path, name: str, text: str) -> None:
    assert read(written(tmp_path, text, name), "en", "de").entries == ENTRIES


def test_columns_left_out_are_named(tmp_path: Path) -> None:
    dictionary = read(written(tmp_path, "de,note,en\nhund,x,dog\n", "a.csv"), "en", "de")
    assert dictionary.entries == {"dog": ("hund",)}
    assert dictionary.report.warnings == ("Columns left out: 'note'.",)


def test_every_line_is_accounted_for(tmp_path: Path) -> None:
    text = lines("\t") * 12 + "\n  \n\t\nDOG\tHund\nfish\n\tfisch\nfish\t\n!\t?\na\tb\tc\n" + "x" * 201 + "\ty\nfish\tfisch"
    report = (dictionary := read(written(tmp_path, text), "en", "de")).report
    assert dictionary.entries == {**ENTRIES, "fish": ("fisch",)}
    assert (report.blank, report.duplicates) == (3, 56)
    assert [(s.line, s.reason) for s in report.skipped] == [
        (65, "one column: no tab between two words"),
        (66, "no word in en"),
        (67, "no word in de"),
        (68, "no letter or number in en"),
        (69, "3 columns instead of 2"),
        (70, "more than 200 characters in en"),
    ]
    assert dictionary.pairs + report.blank + report.duplicates + report.skipped_count == text.count("\n") + 1


@pytest.mark.parametrize(
    ("text", "name", "line", "message"),
    [
        ("", "a.txt", None, "The file is empty"),
        ("\n \n", "a.txt", None, "The file is empty"),
        (lines(","), "a.txt", 1, "separator seems to be a comma"),
        (lines(", "), "a.txt", 1, "separator seems to be a comma"),
        (lines(";"), "a.tsv", 1, "separator seems to be a semicolon"),
        (lines("|"), "a.csv", 1, "not two words with a tab"),
        (lines(" "), "a.csv", 1, "not two words with a tab"),
        ("dog\ncat\n", "a.txt", 1, "not two words with a tab"),
        (lines("\t") + "fish\n", "a.txt", 6, "1 of 6 lines are no pair of words; the first: one column"),
        ("!\t?\n", "a.txt", 1, "no letter or number"),
        ("en\tde\n", "a.tsv", None, "There is no pair of words"),
        ("dog\thund\t0.5\ncat\tkatze\t0.7\n", "a.txt", 1, "There are 3 columns"),
        ('dog,hund\ncat,"katze\n', "a.csv", 2, "cannot be parsed"),
        (lines("\t").encode("utf-16"), "a.txt", 1, "UTF-16"),
        (lines("\t").encode("latin-1"), "a.txt", 2, "looks like Latin-1"),
        ("dog\thu\0nd\n", "a.txt", 1, "NUL"),
        ("dog\thund\rcat\tkatze\r", "a.txt", 1, "CR alone"),
        ("собака\tdog\nкошка\tcat\nдом\thouse\n", "a.txt", 1, "Most of en is not in the script"),
    ],
)
def test_errors_name_file_line_and_remedy(tmp_path: Path, text: str | bytes, name: str, line: int | None, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        read(written(tmp_path, text, name), "en", "de")
    assert (caught.value.file, caught.value.line) == (name, line)
    assert caught.value.remedy


def test_swapped_columns_are_seen(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="seem to be swapped"):
        read(written(tmp_path, "собака\tdog\nкошка\tcat\nдом\thouse\n"), "en", "ru")


def test_one_language_twice(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="are one"):
        read(written(tmp_path, lines("\t")), "de", "deu_Latn")


def test_warnings(tmp_path: Path) -> None:
    text = lines("\t") + "ice cream\teis\ngirl\tmã¤dchen\n"
    first, second = read(written(tmp_path, text), "en", "de").report.warnings
    assert "line 7: damaged characters" in first
    assert second.startswith("2 of 7 pairs have a side that is not one word")
    note = read(written(tmp_path, "en\tfr\n" + lines("\t")), "en", "de").report.warnings
    assert "line 1: 'en' and 'fr' may be a header" in note[0]
    assert read(written(tmp_path, "the\tel\n" + lines("\t")), "en", "es").report.warnings == ()


def test_words_are_folded_as_in_muse(tmp_path: Path) -> None:
    dictionary = read(written(tmp_path, "Light\tIŞIK\nIstanbul\tİSTANBUL\n"), "en", "tr")
    assert dictionary.entries == {"light": ("ışık",), "istanbul": ("istanbul",)}
    assert dictionary.invert().translations("IŞIK") == ("light",)
    german = read(written(tmp_path, "measures\tMaße\nmass\tMasse\n"), "en", "de")
    assert german.entries == {"measures": ("maße",), "mass": ("masse",)}
    assert german.translations("MEASURES") == ("maße",)


def test_other_line_separators_are_text(tmp_path: Path) -> None:
    dictionary = read(written(tmp_path, lines("\t") * 9 + "a\u2028b\tc\n"), "en", "de")
    assert dictionary.entries["a\u2028b"] == ("c",)


def test_inversion() -> None:
    dictionary = Dictionary("en", "de", {"a": ("x", "y"), "b": ("x",)})
    assert dictionary.invert() == Dictionary("de", "en", {"x": ("a", "b"), "y": ("a",)})
    assert dictionary.between("en", "de") is dictionary
    assert dictionary.between("de", "en") == dictionary.invert()
    assert dictionary.between("en-GB", "de-AT") is dictionary
    with pytest.raises(CorpusError, match="of 'en' and 'de', not of 'en' and 'fr'"):
        dictionary.between("en", "fr")
    regional = Dictionary("pt", "pt-PT", {"a": ("x",)})
    assert regional.between("pt-PT", "pt") == regional.invert()
    with pytest.raises(CorpusError):
        regional.between("pt-BR", "pt-PT")


WORDS = st.text(st.characters(categories=["Ll", "Lu", "Lo", "Mn", "Nd", "Pd"]), min_size=1, max_size=8)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=2))
def test_whatever_is_written_is_read_or_reported(tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    text = "".join(f"{word}\t{translation}\n" for word, translation in pairs)
    bad = [pair for pair in pairs if not all(is_word(word) and fold(word, "en") for word in pair)]
    if len(bad) * 10 > len(pairs):
        with pytest.raises(CorpusError, match="no letter or number"):
            read(written(tmp_path, text), "en", "de")
        return
    dictionary = read(written(tmp_path, text), "en", "de")
    for word, translation in pairs:
        assert fold(translation, "de") in dictionary.entries[fold(word, "en")] or dictionary.report.format.endswith("header")


@pytest.mark.parametrize(("target", "pairs", "skipped"), [("de", 101_929, 2), ("zh", 39_334, 0), ("ar", 33_663, 0)])
def test_muse_itself(real_data: Path, target: str, pairs: int, skipped: int) -> None:
    path = real_data / "muse" / f"en-{target}.txt"
    if not path.is_file():
        pytest.skip("no MUSE dictionaries there")
    dictionary = read(InputFile(path.name, path), "en", target)
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n")]
    assert dictionary.pairs + dictionary.report.duplicates + dictionary.report.skipped_count == len(rows)
    assert (dictionary.pairs, dictionary.report.skipped_count) == (pairs, skipped)
    left_out = {skipped.line for skipped in dictionary.report.skipped}
    for number, (word, translation) in enumerate(rows, start=1):
        assert number in left_out or translation in dictionary.entries[word]


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("en-de.txt", ("en", "de")),
        ("EN-DE.TXT", ("en", "de")),
        ("zh-en.5000-6500.txt", ("zh", "en")),
        ("muse.eng-arb.dict", ("en", "ar")),
        ("C:\\data\\my_words_en_de.csv", ("en", "de")),
        ("eng_Latn-zho_Hant.tsv", ("en", "zh-Hant")),
        ("en-pt_PT.tsv", ("en", "pt-PT")),
        ("words.txt", None),
        ("en.txt", None),
        ("en-eng.txt", None),
        ("xx-qq.txt", None),
        ("garden-de.txt", None),
        ("", None),
    ],
)
def test_languages_of_a_file_name(name: str, ends: tuple[str, str] | None) -> None:
    assert languages_of_name(name) == ends
