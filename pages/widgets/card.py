"""The card of a measure: its question, formula, reading and source, shown beside every figure."""

from __future__ import annotations

from dataclasses import dataclass


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
