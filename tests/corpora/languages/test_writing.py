"""How languages are written: the types of scripts against the numbers of ISO 15924, and the paper's own groups."""

from __future__ import annotations

import csv

from isogloss.backend.corpora.languages import writing as module
from isogloss.backend.corpora.languages.languages import genera
from isogloss.backend.corpora.languages.writing import Writing, writing
from isogloss.backend.experiments.xferbench.printed.tables import LANGUAGES

BY_HUNDRED = {1: {"Alphabet", "Abjad"}, 2: {"Alphabet"}, 3: {"Abugida"}, 4: {"Syllabary"}, 5: {"Logographic"}}
SAID = {"Jpan", "Lisu", "Sora"}
"""What the module says of others than their numbers do."""


def test_types_are_those_of_the_registry_s_numbers() -> None:
    with open(module.TYPES, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    codes = [row["script"] for row in rows]
    assert codes == sorted(set(codes))
    assert len({row["number"] for row in rows}) == len(rows)
    odd = {row["script"] for row in rows if row["type"] not in BY_HUNDRED[int(row["number"]) // 100]}
    assert odd == SAID


def test_every_language_of_our_table_has_a_type() -> None:
    assert [tag for tag in genera() if writing(tag).type == "Unknown"] == []


def test_the_paper_s_groups_are_ours() -> None:
    """Every type as printed, and every writing system, but that two are called otherwise."""
    renamed = {"Chinese": "Han", "Hangul": "Korean"}
    for name, printed in LANGUAGES.items():
        ours = writing(printed.tag)
        assert ours.type == printed.writing_type, name
        assert ours.name == renamed.get(printed.writing_system, printed.writing_system), name
    assert {printed.writing_system for printed in LANGUAGES.values()} >= set(renamed)


def test_scripts_that_tags_name_and_tags_that_are_none() -> None:
    assert writing("sr-Latn") == Writing("Latn", "Latin", "Alphabet")
    assert writing("sr").name == "Cyrillic"
    assert writing("zh-Hant").name == writing("zh").name == "Han"
    assert writing("am").type == "Syllabary"
    assert writing("th").type == "Abugida"
    assert writing("not a language").type == "Unknown"
    assert writing("").name == "Unknown"
