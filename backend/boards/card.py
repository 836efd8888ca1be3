"""The card of a measure: its question, formula, reading and source, shown beside every figure.

A page's cards are text: `cards.toml` beside its `cards.py`, a table a card. White space is folded, so that long sentences can
be wrapped. `$name` stands for what the file's table `phrases` has under that name, for words that several cards share.
`bibtex` is the key of a citation in `references.bib`, beside this file.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from isogloss.backend.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

REFERENCES = Path(__file__).with_name("references.bib")


@dataclass(frozen=True)
class Card:
    """A measure explained."""

    name: str
    question: str
    formula: str
    """LaTeX."""
    reading: str
    source: str
    bibtex: str
    interval: str = ""
    """What intervals say and how they are found, where there are any."""

    @property
    def text(self) -> str:
        """The card as plain text, for exported pages."""
        return f"{self.name}. {self.question} {self.reading} {self.interval} Source: {self.source}."


def cards(module: str, *names: str) -> tuple[Card, ...]:
    """Read the cards of these names from `cards.toml` beside a module (its `__file__`).

    Raises ValueError, naming the file and the card, where one is not there, lacks a field, or has a field, phrase or citation
    that is not known.
    """
    file = Path(module).with_name("cards.toml")
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file} is not TOML: {error}.") from error
    phrases = {name: _folded(text) for name, text in tables.pop("phrases", {}).items()}
    return tuple(_card(tables[_known(name, tables, str(file), "card")], phrases, f"{file}, [{name}]") for name in names)


def _card(table: Mapping[str, str], phrases: Mapping[str, str], where: str) -> Card:
    known = [field.name for field in fields(Card)]
    texts: dict[str, str] = {}
    for field, text in table.items():
        try:
            texts[_known(field, known, where, "field")] = Template(_folded(text)).substitute(phrases)
        except KeyError as error:
            raise ValueError(f"{where}: no phrase '{error.args[0]}'. {did_you_mean(error.args[0], phrases)}") from error
    if lacking := [field.name for field in fields(Card) if field.default is MISSING and field.name not in texts]:
        raise ValueError(f"{where}: no {', '.join(lacking)}. Write a line for each.")
    references = _references()
    return Card(**texts | {"bibtex": references[_known(texts["bibtex"], references, where, "citation of references.bib")]})


def bibtex_of(key: str) -> str:
    """Return a citation of `references.bib` by its key. Raises KeyError where it has none."""
    return _references()[key]


def _known(name: str, known: Mapping[str, object] | list[str], where: str, what: str) -> str:
    if name not in known:
        raise ValueError(f"{where}: no {what} '{name}'. {did_you_mean(name, known)}")
    return name


def _folded(text: str) -> str:
    return " ".join(text.split())


@cache
def _references() -> dict[str, str]:
    """Return the citations as they are written, by their keys."""
    entries = re.split(r"\n(?=@)", REFERENCES.read_text(encoding="utf-8"))
    return {re.split("[{,]", entry)[1]: entry.strip() for entry in entries}
