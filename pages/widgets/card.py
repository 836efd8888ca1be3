"""The card of a measure: its question, formula, reading and source, shown beside every figure."""

from __future__ import annotations

from dataclasses import dataclass

DE_SEYSSEL = r"""@inproceedings{de-seyssel-etal-2025-discriminating,
  title     = {Discriminating Form and Meaning in Multilingual Models with Minimal-Pair {ABX} Tasks},
  author    = {de Seyssel, Maureen and Chi, Jie and Seto, Skyler and ter Hoeve, Maartje and
               Fedzechkina, Masha and Schluter, Natalie},
  booktitle = {Proceedings of the 2025 Conference on Empirical Methods in Natural Language Processing},
  year      = {2025},
  pages     = {23704--23725},
  doi       = {10.18653/v1/2025.emnlp-main.1210}
}"""
"""Source of the ABX, Probing and Relations pages' measures."""


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
