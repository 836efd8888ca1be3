"""Words of a sentence, by the rules of its language, as places in the original string.

Unicode word boundaries (UAX #29) from ICU, which also has the dictionaries for what is written without spaces: Chinese, Thai,
Lao, Khmer and Burmese. Japanese goes through Sudachi, whose short units (mode A) are nearer to the words of Japanese corpora.
An apostrophe between letters belongs to the word (`don't`, `l'homme`), a hyphen does not.

The libraries are imported on first use, and read nothing but what was installed with them.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudachipy import Dictionary

Span = tuple[int, int]
"""Start and end of a word in characters (code points): the word is `text[start:end]`."""

JAPANESE_CHUNK = 4_000
"""Characters that Sudachi gets at once; it refuses more than 49,149 bytes."""
MARKS = frozenset({"Mn", "Mc", "Me"})
ARABIC_MARKS = dict.fromkeys([*range(0x064B, 0x0653), 0x0670, 0x0640])
"""Short vowels, doubling and the stretching tatweel: written or not at the writer's pleasure, and never in MUSE."""
ALIKE = {**ARABIC_MARKS, 0x2019: "'", 0x02BC: "'", 0xFF07: "'", 0x00AD: None}
"""Apostrophes as in dictionaries; the soft hyphen is no letter."""
DOTTED = str.maketrans({"İ": "i", "I": "ı"})
"""Capitals of Turkish and Azerbaijani, which Unicode's own lower-casing takes for English ones."""


SPACELESS = frozenset(
    {"Bali", "Bopo", "Cham", "Hani", "Hans", "Hant", "Java", "Jpan", "Khmr", "Lana", "Laoo", "Mymr", "Nshu", "Phag", "Tale"}
    | {"Talu", "Tang", "Tavt", "Thai", "Tibt", "Yiii"}
)
"""Scripts (ISO 15924) in which words stand without spaces between them."""
DICTIONARIES = frozenset({"zh", "ja", "th", "lo", "km", "my"})
"""Languages written in them whose words the segmenters have a dictionary of."""


def has_words(language: str, script: str) -> bool:
    """Whether `segment` finds the words of a language in this script.

    Unicode's boundaries are those of spaces and punctuation; where none stand between words, it takes a dictionary. Without one
    (Tibetan, Shan, Cantonese) what is found is syllables, phrases or another language's words.
    """
    return script not in SPACELESS or _primary(language) in DICTIONARIES


def segment(text: str, language: str) -> list[Span]:
    """Return the words of `text` in order, none overlapping another: the segments that hold a letter or a number.

    `language` is a BCP-47 tag. Deterministic: the same text, language and `segmenter_version` give the same words.
    """
    pieces = _japanese(text) if _primary(language) == "ja" else _unicode(text, language)
    return [(start, end) for start, end in pieces if is_word(text[start:end])]


def is_word(piece: str) -> bool:
    """Whether a piece of text holds a letter or a number (Unicode L* or N*); punctuation, symbols and emoji alone do not."""
    if piece.isspace():
        return False  # every other piece of most texts
    return piece.isalnum() or any(unicodedata.category(character)[0] in "LN" for character in piece)


def segmenter_version(language: str) -> str:
    """Return what decides where the words of `language` end, for keys of caches: it changes when segmentation may."""
    if _primary(language) == "ja":
        return f"words-1 sudachipy-{version('sudachipy')} small-{version('sudachidict-small')} A"
    import icu4py

    return f"words-1 icu4py-{version('icu4py')} icu-{icu4py.icu_version}"


def fold(word: str, language: str) -> str:
    """Return the form under which a word is looked up, the same for dictionaries and sentences.

    Lower case as in MUSE: `str.lower`, not `str.casefold`, which would make one word of German `Maße` (measures) and `Masse`
    (mass); for Turkish and Azerbaijani with their own `İ` → `i` and `I` → `ı`. Canonically composed (NFC), straight
    apostrophes, without soft hyphens and without Arabic vowel marks and tatweel.
    """
    own = _primary(language) in {"tr", "az"}
    if word.isascii() and not own:
        return word.lower()
    composed = unicodedata.normalize("NFC", word)
    if own:
        composed = composed.translate(DOTTED)
    return unicodedata.normalize("NFC", composed.lower().translate(ALIKE))


def _primary(language: str) -> str:
    return language.split("-")[0].lower()


def _unicode(text: str, language: str) -> Iterator[Span]:
    from icu4py.breakers import WordBreaker

    # The breaker's own offsets count UTF-16 units; the lengths of its pieces count characters.
    start = 0
    for piece in WordBreaker(text, language):
        yield start, start + len(piece)
        start += len(piece)


def _japanese(text: str) -> Iterator[Span]:
    from sudachipy import SplitMode

    tokenizer = _sudachi().tokenizer(mode=SplitMode.A)  # one for each call: two threads cannot share one
    for start, end in _chunks(text):
        spans: list[Span] = []
        for morpheme in tokenizer.tokenize(text[start:end]):
            begins, ends = start + morpheme.begin(), start + morpheme.end()
            if spans and unicodedata.category(text[begins]) in MARKS:
                begins = spans.pop()[0]  # a combining mark belongs to the letter before it
            spans.append((begins, ends))
        yield from spans


def _chunks(text: str) -> Iterator[Span]:
    """`text` in pieces of at most `JAPANESE_CHUNK` characters that end at Unicode word boundaries."""
    if len(text) <= JAPANESE_CHUNK:
        yield 0, len(text)
        return
    start = last = 0
    for _, end in _unicode(text, "ja"):
        if end - start > JAPANESE_CHUNK and last > start:
            yield start, last
            start = last
        while end - start > JAPANESE_CHUNK:  # one "word" longer than a chunk
            yield start, start + JAPANESE_CHUNK
            start += JAPANESE_CHUNK
        last = end
    if start < len(text):
        yield start, len(text)


@lru_cache(maxsize=1)
def _sudachi() -> Dictionary:
    from sudachipy import Dictionary

    return Dictionary(dict="small")
