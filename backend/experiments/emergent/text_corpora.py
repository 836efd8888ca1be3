"""Human-language text as a corpus of sub-words, kept like any other: its statistics stand beside an emergent language's.

The sub-words are those of a byte-level BPE trained on the very text, as XferBench's human sources have them. Imports no torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.emergent.reference import VOCABULARY
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.shared import kept
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.sources import text as xferbench_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.corpora.emergent.corpus import EmergentCorpus
    from isogloss.backend.corpora.emergent.library import EmergentEntry

LEAST_VOCABULARY, MOST_VOCABULARY = 256, 250_000
"""Entries of the BPE: every byte is one."""


@dataclass(frozen=True)
class TextRecipe:
    """Which text, in how many sub-words."""

    corpus: str
    """The content id of a saved parallel corpus."""
    language: str
    """BCP-47."""
    vocabulary: int = VOCABULARY
    """Sub-words, at most."""
    characters: int | None = None
    """The text that reaches them is the last; None takes all."""


def make(recipe: TextRecipe, workspaces: Sequence[Path]) -> EmergentCorpus:
    """Return the corpus of a recipe: an utterance a text. The same recipe makes the same corpus.

    Raises `CorpusError` where the corpus or its language is not kept, there is no text, or a number is out of range, and
    `StoreError` where its files are damaged.
    """
    if not LEAST_VOCABULARY <= recipe.vocabulary <= MOST_VOCABULARY:
        raise CorpusError(
            f"A BPE has {LEAST_VOCABULARY} to {MOST_VOCABULARY:,} sub-words, not {recipe.vocabulary:,}.",
            remedy="Choose another number of sub-words.",
        )
    if recipe.characters is not None and recipe.characters < 1:
        raise CorpusError("A corpus of text has at least one character.", remedy="Choose more characters.")
    texts = xferbench_text.texts_of(recipe.corpus, recipe.language, workspaces)
    if recipe.characters is not None:
        before = accumulate((len(text) for text in texts), initial=0)
        texts = [text for text, read in zip(texts, before, strict=False) if read < recipe.characters]
    return xferbench_text.text_corpus(texts, recipe.vocabulary, language=recipe.language, kept_name=_name(recipe, workspaces))


def make_and_keep(recipe: TextRecipe, name: str, workspaces: Sequence[Path]) -> EmergentEntry:
    """Make a corpus and keep it under a name, in the first workspace. What is saved already stays under the name it has.

    Raises as `make` does, and `CorpusError` for a name that is empty, too long or taken.
    """
    name = kept.checked_name(name, "emergent corpus")
    licence = next((entry.licence for entry in library.entries(workspaces) if entry.id == recipe.corpus), None)
    return emergent_library.keep(make(recipe, workspaces), name, workspaces[0], licence=licence)


def suggested_name(recipe: TextRecipe, source_name: str) -> str:
    """Return what to call it: `News, fi`, and what is unusual about it, where `source_name` is the name of the corpus."""
    end = f", {recipe.language}"
    end += f", {recipe.vocabulary} sub-words" if recipe.vocabulary != VOCABULARY else ""
    end += f", {recipe.characters} characters" if recipe.characters is not None else ""
    return source_name[: kept.MAX_NAME - len(end)] + end


def _name(recipe: TextRecipe, workspaces: Sequence[Path]) -> str:
    return next((entry.name for entry in library.entries(workspaces) if entry.id == recipe.corpus), "")
