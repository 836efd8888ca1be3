"""The sets of languages that de Seyssel et al. 2025 probe in, by name: for the page and the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.published_languages import languages_of

if TYPE_CHECKING:
    from collections.abc import Collection

PUBLISHED: dict[str, tuple[str, str]] = {
    "paper": ("pos_monolingual", "Own language: POS, NER (table 2)"),
    "paper-cross": ("pos_crosslingual", "Cross-lingual: POS (table 2), NER (section 5.1)"),
    "paper-cross-ner": ("ner_crosslingual", "Cross-lingual: NER (table 2)"),
    "paper-nli": ("nli_crosslingual", "NLI, own and cross-lingual (table 2)"),
}
"""Name → column of `published_languages.languages`, and what the paper probes there. It contradicts itself on cross-lingual
NER: its section 5.1 takes the 18 languages of POS, its table 2 ticks 22. Both are offered."""


def tags_of(name: str) -> list[str]:
    """Return the BCP-47 tags of a set of `PUBLISHED`, in order."""
    return languages_of(PUBLISHED[name][0])


def published(name: str, known: Collection[str]) -> list[str]:
    """Return those languages of a set of `PUBLISHED` that the data have (`known`), in order. Raises `SpecError` for none."""
    found = [tag for tag in tags_of(name) if tag in known]
    if not found:
        raise SpecError(f"The data have none of the {len(tags_of(name))} languages of '{name}'. Name languages they have.")
    return found
