"""The cards of the pages: text files that say what a measure is, each card whole, known to its page, and with its citation."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import pytest

from isogloss.backend.boards import card
from isogloss.backend.boards.card import Card, cards

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = sorted(path for layer in ("backend", "pages") for path in (ROOT / layer).rglob("cards.toml"))
WHOLE = """
[phrases]
both = "higher is better"
[one]
name = "One"
question = "Which?"
formula = '\\frac{1}{n}'
reading = '''
A share,
 $both.
'''
source = "us"
bibtex = "shannon-1951-prediction"
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.parent.relative_to(ROOT)))
def test_every_card_of_a_file_is_known_to_its_page_under_its_own_name(file: Path) -> None:
    module = importlib.import_module(".".join(("isogloss", *file.relative_to(ROOT).with_suffix("").parts)))
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    names = [name for name in tables if name != "phrases"]
    assert names
    for name in names:
        known = getattr(module, name.upper())
        assert known == cards(module.__file__, name)[0]
        assert known.name == tables[name]["name"]
        assert known.question.endswith("?")
        assert known.bibtex.startswith("@")
        assert "$" not in known.formula + known.text


def test_every_citation_is_used_and_stands_whole() -> None:
    used = {table["bibtex"] for file in FILES for name, table in tomllib.loads(file.read_text()).items() if name != "phrases"}
    assert used == set(card._references())
    for key, entry in card._references().items():
        assert entry.startswith("@")
        assert f"{{{key}," in entry
        assert entry.count("{") == entry.count("}")
        assert entry.endswith("\n}")


def test_a_card_is_folded_and_its_phrases_are_put_in(tmp_path: Path) -> None:
    (tmp_path / "cards.toml").write_text(WHOLE)
    (one,) = cards(str(tmp_path / "cards.py"), "one")
    assert one == Card("One", "Which?", r"\frac{1}{n}", "A share, higher is better.", "us", one.bibtex)
    assert "Shannon, Claude E." in one.bibtex


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("[one]", "[on]", r"no card 'one'\. Did you mean 'on'\?"),
        ('source = "us"\n', "", r"\[one\]: no source\. Write a line for each\."),
        ("reading", "raeding", r"\[one\]: no field 'raeding'\. Did you mean 'reading'\?"),
        ("$both", "$bth", r"\[one\]: no phrase 'bth'\. Did you mean 'both'\?"),
        (
            "shannon-1951-prediction",
            "shannon-1951",
            r"no citation of references\.bib 'shannon-1951'\. Did you mean 'shannon-1951-p",
        ),
        ("[one]", "[one", r"is not TOML: .*line 4"),
    ],
)
def test_what_is_wrong_with_a_card_is_said_with_its_place(tmp_path: Path, before: str, after: str, said: str) -> None:
    (tmp_path / "cards.toml").write_text(WHOLE.replace(before, after))
    with pytest.raises(ValueError, match=said) as error:
        cards(str(tmp_path / "cards.py"), "one")
    assert str(tmp_path / "cards.toml") in str(error.value)
