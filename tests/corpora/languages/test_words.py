"""Words: where they begin and end, and the form under which they are looked up."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.backend.corpora.languages.words import JAPANESE_CHUNK, fold, is_word, segment, segmenter_version

LANGUAGES = ["en", "de", "fr", "ar", "hi", "zh", "zh-Hant", "ja", "th", "lo", "km", "my", "ko", "fi"]


def words(text: str, language: str) -> list[str]:
    return [text[start:end] for start, end in segment(text, language)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Don't, he said: don’t!", ["Don't", "he", "said", "don’t"]),
        ("en", "'quoted' dogs' rock 'n' roll", ["quoted", "dogs", "rock", "n", "roll"]),
        ("fr", "L’homme d'ici, aujourd'hui", ["L’homme", "d'ici", "aujourd'hui"]),
        ("en", "well-known e-mail—yes", ["well", "known", "e", "mail", "yes"]),
        ("en", "3.14 1,000 50% €5 10:30", ["3.14", "1,000", "50", "5", "10", "30"]),
        ("en", "cafe\u0301 nai\u0308ve", ["cafe\u0301", "nai\u0308ve"]),
        ("en", "😀 a😀b 👩‍👩‍👧 🇫🇮 c", ["a", "b", "c"]),
        ("en", " … — ! \n\t", []),
        ("en", "", []),
        ("ar", "قَالَ الكِتَابُ، أيضاً ١٢٣", ["قَالَ", "الكِتَابُ", "أيضاً", "١٢٣"]),
        ("hi", "क्षमा की किताबें।", ["क्षमा", "की", "किताबें"]),
        ("ko", "나는 학교에 간다.", ["나는", "학교에", "간다"]),
        ("zh", "我们喜欢音乐。", ["我们", "喜欢", "音乐"]),
        ("zh-Hant", "😀雖然美國的12個", ["雖然", "美國", "的", "12", "個"]),
        ("ja", "😀私は東京に住んでいます。", ["私", "は", "東京", "に", "住ん", "で", "い", "ます"]),
        ("ja", "か\u3099くせい3.14", ["か\u3099く", "せい", "3.14"]),
        ("ja", "葛\U000e0100城市", ["葛\U000e0100", "城市"]),  # a variation selector, which the library takes for a word
        ("th", "ฉันรักประเทศไทย", ["ฉัน", "รัก", "ประเทศไทย"]),
        ("lo", "ຂ້ອຍຮັກປະເທດລາວ", ["ຂ້ອຍ", "ຮັກ", "ປະເທດ", "ລາວ"]),
        ("km", "ខ្ញុំស្រឡាញ់ប្រទេសកម្ពុជា", ["ខ្ញុំ", "ស្រឡាញ់", "ប្រទេស", "កម្ពុជា"]),
        ("my", "မြန်မာနိုင်ငံကို", ["မြန်မာနိုင်ငံ", "ကို"]),
    ],
)
def test_words_of_each_language(language: str, text: str, expected: list[str]) -> None:
    assert words(text, language) == expected


@settings(max_examples=300)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), st.sampled_from(LANGUAGES))
def test_spans_are_ordered_words_and_nothing_written_is_lost(text: str, language: str) -> None:
    spans = segment(text, language)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    covered = {place for start, end in spans for place in range(start, end)}
    assert {i for i, c in enumerate(text) if is_word(c)} <= covered
    assert all(is_word(text[start:end]) for start, end in spans)
    assert segment(text, language) == spans


def test_no_japanese_text_is_too_long() -> None:
    sentence = "私は東京に住んでいます。"
    many = 6 * JAPANESE_CHUNK // len(sentence)
    assert words(sentence * many, "ja") == words(sentence, "ja") * many
    endless = "ー" * (5 * JAPANESE_CHUNK + 5)
    assert segment(endless, "ja")[-1][1] == len(endless)


def test_threads_segment_at_once() -> None:
    text = "私は東京に住んでいます。" * 100
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: segment(text, "ja"), range(200)))
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize(
    ("language", "written", "form"),
    [
        ("en", "Don’t", "don't"),
        ("de", "Maße", "maße"),
        ("de", "MASSE", "masse"),
        ("de", "Straße", "straße"),
        ("tr", "İSTANBUL", "istanbul"),
        ("tr", "IŞIK", "ışık"),
        ("az-Latn", "I", "ı"),
        ("en", "I", "i"),
        ("el", "ΟΔΟΣ", "οδος"),
        ("fr", "E\u0301te\u0301", "été"),
        ("ar", "أيضاً", "أيضا"),
        ("ar", "كـــتابٌ", "كتاب"),
        ("uk", "п\u02bcять", "п'ять"),
        ("de", "Zu\u00adcker", "zucker"),
        ("ja", "が", "が"),
        ("hi", "क़", unicodedata.normalize("NFC", "क़")),
    ],
)
def test_folding(language: str, written: str, form: str) -> None:
    assert fold(written, language) == form


def test_words_that_differ_stay_apart() -> None:
    assert fold("Maße", "de") != fold("Masse", "de")
    assert fold("sık", "tr") != fold("sik", "tr")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), st.sampled_from(["en", "tr", "ar", "el"]))
def test_folding_twice_is_folding_once(word: str, language: str) -> None:
    once = fold(word, language)
    assert fold(once, language) == once


def test_versions_name_what_decides() -> None:
    assert "icu-" in segmenter_version("de")
    assert segmenter_version("de") == segmenter_version("zh")
    assert "sudachi" in segmenter_version("ja")


def conllu(path: Path) -> list[list[str]]:
    sentences: list[list[str]] = [[]]
    for line in path.read_bytes().decode("utf-8").split("\n"):
        if not line:
            sentences.append([])
        elif line.split("\t")[0].isdigit():
            sentences[-1].append(line.split("\t")[1])
    return [sentence for sentence in sentences if sentence]


def tagged(path: Path) -> list[list[str]]:
    blocks = path.read_bytes().decode("utf-8").split("\n\n")
    return [[line.split("\t")[0] for line in block.strip("\n").split("\n")] for block in blocks if block.strip()]


@pytest.mark.parametrize(
    ("language", "file", "least"),
    [("zh", "pud/zh_pud-ud-test.conllu", 0.74), ("zh", "udpos/test-zh.tsv", 0.74), ("ja", "udpos/test-ja.tsv", 0.86)],
)
def test_against_gold_tokens(real_data: Path, language: str, file: str, least: float) -> None:
    path = real_data / file
    if not path.is_file():
        pytest.skip(f"{file} is not there")
    right = predicted = gold = 0
    for tokens in (conllu if path.suffix == ".conllu" else tagged)(path)[:1000]:
        places, start = set(), 0
        for token in tokens:
            if is_word(token):
                places.add((start, start + len(token)))
            start += len(token)
        found = set(segment("".join(tokens), language))
        right, predicted, gold = right + len(found & places), predicted + len(found), gold + len(places)
    assert 2 * right / (predicted + gold) >= least
