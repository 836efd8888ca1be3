"""Writing systems: the script that a language is written in, and its type.

Scripts are CLDR's likely ones, as `languages` has them. Their types are in `script_types.csv`, by the hundreds of their
ISO 15924 numbers: 1 and 2 alphabetic, 3 alphasyllabic, 4 syllabic, 5 ideographic
(https://www.unicode.org/iso15924/), with abjads, `Mixed` (Japanese) and a few scripts put right: `docs/definitions.md`.

Boldt & Mortensen 2024 group their languages in the same way, and call Han "Chinese" and Korean "Hangul".
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.errors import CorpusError

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
