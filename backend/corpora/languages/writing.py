"""Writing systems: the script that a language is written in, and what kind of script that is.

Scripts are CLDR's likely ones, as `languages` has them. Their types are in `script_types.csv`, a row a script with its
ISO 15924 code and number. The hundreds of these numbers are the registry's kinds: 1 and 2 alphabetic, 3 alphasyllabic,
4 syllabic, 5 ideographic (https://www.unicode.org/iso15924/). Three facts are added to that:

- Alphabets that write no or few vowels are abjads (Unicode Standard, section 6.1): Arabic, Hebrew, Syriac and their ancestors.
- Japanese (413) stands for Han and kana together and is `Mixed`; Korean (287), Hangul with some Han, is an alphabet as Hangul
  is.
- Lisu (399) and Sora Sompeng (398) are numbered among the alphasyllabic scripts, but are alphabets.

Boldt & Mortensen 2024 group their languages in the same way, and call Han "Chinese" and Korean "Hangul". The Unicode Standard
calls Hangul a featural syllabary, and Ethiopic (here, by its number, a syllabary) is to many an abugida.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from backend.corpora.languages.languages import language
from backend.errors import CorpusError

TYPES = Path(__file__).with_name("script_types.csv")
ScriptType = Literal["Abjad", "Abugida", "Alphabet", "Logographic", "Mixed", "Syllabary", "Unknown"]
SCRIPT_TYPES: tuple[ScriptType, ...] = get_args(ScriptType)
UNKNOWN: ScriptType = "Unknown"
HAN = {"Hans": "Han", "Hant": "Han", "Hani": "Han"}
"""One writing system, in two sets of shapes."""


@dataclass(frozen=True)
class Writing:
    """How a language is written."""

    script: str
    """ISO 15924 code."""
    name: str
    """The script's, in English; simplified and traditional characters are both `Han`."""
    type: ScriptType


@lru_cache(maxsize=4096)
def writing(tag: str) -> Writing:
    """How the language of a BCP-47 tag is written; `Unknown` for a tag that is no language's and a script without a type."""
    try:
        found = language(tag)
    except CorpusError:
        return Writing("Zyyy", UNKNOWN, UNKNOWN)
    return Writing(found.script, HAN.get(found.script, found.script_name), types().get(found.script, UNKNOWN))


@lru_cache(maxsize=1)
def types() -> dict[str, ScriptType]:
    """ISO 15924 code → type."""
    known: dict[str, ScriptType] = {name: name for name in SCRIPT_TYPES}
    with open(TYPES, encoding="utf-8", newline="") as file:
        return {row["script"]: known[row["type"]] for row in csv.DictReader(file)}
