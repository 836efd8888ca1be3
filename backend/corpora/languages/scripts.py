"""Which script a text is written in, to notice columns that hold another language than their name says."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# The first word of a letter's Unicode name → ISO 15924. (The standard library has no script property.)
BY_NAME = {
    "LATIN": "Latn", "CYRILLIC": "Cyrl", "GREEK": "Grek", "ARABIC": "Arab", "HEBREW": "Hebr", "DEVANAGARI": "Deva",
    "BENGALI": "Beng", "GURMUKHI": "Guru", "GUJARATI": "Gujr", "ORIYA": "Orya", "TAMIL": "Taml", "TELUGU": "Telu",
    "KANNADA": "Knda", "MALAYALAM": "Mlym", "SINHALA": "Sinh", "THAI": "Thai", "LAO": "Laoo", "TIBETAN": "Tibt",
    "MYANMAR": "Mymr", "GEORGIAN": "Geor", "HANGUL": "Hang", "ETHIOPIC": "Ethi", "CHEROKEE": "Cher", "CANADIAN": "Cans",
    "KHMER": "Khmr", "MONGOLIAN": "Mong", "HIRAGANA": "Hira", "KATAKANA": "Kana", "CJK": "Hani", "ARMENIAN": "Armn",
    "THAANA": "Thaa", "SYRIAC": "Syrc", "NKO": "Nkoo", "TIFINAGH": "Tfng", "OL": "Olck", "MEETEI": "Mtei", "ADLAM": "Adlm",
    "BOPOMOFO": "Bopo", "JAVANESE": "Java", "BALINESE": "Bali", "FULLWIDTH": "Latn", "HALFWIDTH": "Kana",
}  # fmt: skip

LETTERS = {
    "Jpan": {"Hira", "Kana", "Hani"},
    "Kore": {"Hang", "Hani"},
    "Hans": {"Hani", "Bopo"},
    "Hant": {"Hani", "Bopo"},
}
"""Scripts of writing systems that combine several."""

ALSO_WRITTEN = {
    "az": {"Cyrl", "Arab"}, "ber": {"Tfng", "Arab"}, "bs": {"Cyrl"}, "crh": {"Cyrl"}, "ha": {"Arab"}, "kab": {"Tfng"},
    "kk": {"Latn", "Arab"}, "ko": {"Latn"}, "kr": {"Arab"}, "ks": {"Deva"}, "ku": {"Arab", "Cyrl"}, "ky": {"Arab", "Latn"},
    "lad": {"Hebr"}, "mey": {"Latn"}, "mn": {"Mong"}, "mni": {"Mtei", "Latn"}, "ms": {"Arab"}, "nan": {"Hani"},
    "pa": {"Arab"}, "pi": {"Beng", "Deva", "Khmr", "Mymr", "Sinh", "Thai"},
    "sa": {"Beng", "Gujr", "Knda", "Mlym", "Orya", "Sinh", "Taml", "Telu", "Tibt"}, "sat": {"Latn", "Deva", "Beng"},
    "sd": {"Deva"}, "shi": {"Latn", "Arab"}, "sr": {"Latn"}, "taq": {"Tfng"}, "tg": {"Latn", "Arab"}, "tk": {"Cyrl", "Arab"},
    "tt": {"Latn", "Arab"}, "tzm": {"Latn", "Arab"}, "ug": {"Latn", "Cyrl"}, "uz": {"Cyrl", "Arab"}, "za": {"Hani"},
}  # fmt: skip
"""Second scripts: text in one of these is kept, with a warning to name it (`sr-Cyrl`). Latin is one of every language."""


@lru_cache(maxsize=1 << 16)
def script_of_letter(letter: str) -> str | None:
    """ISO 15924 code of one character's script; None for digits, punctuation and scripts that we do not tell apart."""
    if not letter.isalpha():
        return None
    return BY_NAME.get(unicodedata.name(letter, "").split(" ", 1)[0].split("-", 1)[0])


def script_of(text: str) -> str | None:
    """Return the script of most letters of a text, or None where it has none that we know."""
    counts = Counter(s for s in map(script_of_letter, text[:400]) if s)
    return counts.most_common(1)[0][0] if counts else None


def fits(script: str, found: str) -> bool:
    """Return whether letters of `found` belong to the writing system `script`; scripts that we cannot tell always do."""
    return found in LETTERS.get(script, {script}) or (script not in LETTERS and script not in BY_NAME.values())


def may_be_written(language: str, script: str, *, surely: bool) -> bool:
    """Return whether text of a language may be in letters of `script`, which are not its own.

    Latin letters may transliterate any language: UD's Vedic and much Hindi and Arabic on the web are. No other script is used
    to transliterate: German in Chinese characters can only be a file with another's name. Unless the language's own script is
    `surely` known: CLDR's likely one of a language with few texts is a guess.
    """
    return not surely or script == "Latn" or script in ALSO_WRITTEN.get(language, ())


def usual(texts: Iterable[str]) -> str | None:
    """Return the script that more than half of the texts (that have one) are written in, or None."""
    counts = Counter(s for s in map(script_of, texts) if s)
    if not counts:
        return None
    script, count = counts.most_common(1)[0]
    return script if count * 2 > counts.total() else None
