"""A bilingual dictionary: words of one language and the words of another that translate them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from isogloss.backend.corpora.languages.words import fold
from isogloss.backend.corpora.parallel.corpus import LeftOut, Skipped
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.corpora.shared.loss import Loss

GAP = "___"
"""What stands for the word that a cloze sentence asks for (Wendler et al. 2024, section 3.2)."""
COLONS = (":", "：")
"""One of these stands before its answer."""


@dataclass(frozen=True)
class DictionaryReport(LeftOut):
    """What a reader recognised, left out and found odd. Every line of a file is a pair or is counted here."""

    format: str = "dictionary"
    blank: int = 0
    """Lines with nothing but white space."""
    duplicates: int = 0
    """Lines that repeat a pair, after folding."""
    skipped: tuple[Skipped, ...] = ()
    """The first lines left out for another reason."""
    more_skipped: int = 0
    """How many were left out beyond those listed."""
    warnings: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = field(default=(), compare=False)
    """What the file lost, where it was read just now."""


@dataclass(frozen=True)
class Dictionary:
    """Translations from `source` to `target` (BCP-47 tags)."""

    source: str
    target: str
    entries: Mapping[str, tuple[str, ...]]
    """Word → its translations, each once, both as `backend.corpora.languages.words.fold` writes them."""
    report: DictionaryReport = field(default_factory=DictionaryReport, compare=False)
    cloze: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """(Word, translation) → a sentence of `target` with `GAP` in the translation's place, then its answer, where the file has
    one: `Ein "___" wird verwendet, um Geschichten zu lesen. Antwort: "Buch".` Not of an inversion."""

    @property
    def pairs(self) -> int:
        """How many pairs of a word and a translation there are."""
        return sum(map(len, self.entries.values()))

    def translations(self, word: str) -> tuple[str, ...]:
        """Return the translations of a word as it stands in a sentence; none where the dictionary lacks it."""
        return self.entries.get(fold(word, self.source), ())

    def invert(self) -> Dictionary:
        """Return the same pairs from `target` to `source`."""
        turned: dict[str, dict[str, None]] = {}
        for word, translations in self.entries.items():
            for translation in translations:
                turned.setdefault(translation, {})[word] = None
        entries = {word: tuple(translations) for word, translations in turned.items()}
        return Dictionary(self.target, self.source, entries, self.report)

    def between(self, source: str, target: str) -> Dictionary:
        """This dictionary or its inversion, whichever leads from `source` to `target`.

        Regions and scripts matter only where both ends are the same language (`pt-BR` and `pt-PT`). Raises `CorpusError` for
        other languages.
        """
        if (self.source, self.target) == (source, target):
            return self
        if (self.target, self.source) == (source, target):
            return self.invert()
        ends, wanted = (_primary(self.source), _primary(self.target)), (_primary(source), _primary(target))
        if ends == wanted and ends[0] != ends[1]:
            return self
        if ends[::-1] == wanted and ends[0] != ends[1]:
            return self.invert()
        raise CorpusError(
            f"The dictionary is of '{self.source}' and '{self.target}', not of '{source}' and '{target}'.",
            remedy="Choose a dictionary of these two languages, or other languages.",
        )


def _primary(tag: str) -> str:
    return tag.split("-")[0]
