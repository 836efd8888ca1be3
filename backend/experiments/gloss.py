"""Glosses: what sentences of a parallel corpus say in a language that the reader knows."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.errors import CorpusError, did_you_mean
from isogloss.backend.recipe_mark import in_recipes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd


@in_recipes
def with_gloss(
    frame: pd.DataFrame, *, corpus: str, language: str | None, of: Mapping[str, str], workspaces: Sequence[Path]
) -> pd.DataFrame:
    """Add each sentence's text in `language`, "" where the corpus lacks it there; `of` names the new column by that of the ids.

    None leaves the frame as it is. Raises `CorpusError` where the corpus is not kept or lacks the language, `StoreError` where
    its files are damaged.
    """
    if language is None:
        return frame
    texts = texts_of(corpus, language, tuple(workspaces))
    return frame.assign(**{name: [texts.get(each, "") for each in frame[ids]] for ids, name in of.items()})


@lru_cache(maxsize=16)
def texts_of(corpus: str, language: str, workspaces: tuple[Path, ...]) -> dict[str, str]:
    """Return the texts of a language by sentence id, read once: a corpus' id is its content.

    Raises `CorpusError` where the corpus is not kept or lacks the language, `StoreError` where its files are damaged.
    """
    kept = corpora.load(corpus, workspaces)
    rows = kept.table.filter(pc.equal(kept.table["language"], language))
    if not len(rows):
        raise CorpusError(f"The corpus has no language '{language}'.", remedy=did_you_mean(language, kept.languages))
    return dict(zip(rows["sentence_id"].to_pylist(), rows["text"].to_pylist(), strict=True))
