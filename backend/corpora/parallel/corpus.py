"""A parallel corpus: the same sentences in several languages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend.errors import CorpusError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.shared.loss import Loss

SCHEMA = pa.schema(
    [
        ("sentence_id", pa.string()),  # the same id is the same sentence in every language
        ("language", pa.string()),  # BCP-47, normalised by backend.corpora.languages.languages
        ("text", pa.string()),
        ("document_id", pa.string()),  # null where the source has no documents
    ]
)

SHOWN = 1000
"""How many skipped rows a report lists; the others are counted."""


@dataclass(frozen=True)
class Skipped:
    """A row that a reader left out, and why. Shown to the user; never silent."""

    file: str
    line: int
    """Counts from 1; in Parquet and Hub data, where there are no lines, the row."""
    reason: str


class LeftOut:
    """What a reader left out, as its report says it."""

    skipped: tuple[Skipped, ...]
    more_skipped: int
    warnings: tuple[str, ...]
    losses: tuple[Loss, ...]

    @property
    def skipped_count(self) -> int:
        """Count all that was left out, listed or not."""
        return len(self.skipped) + self.more_skipped


@dataclass(frozen=True)
class Warnings(LeftOut):
    """What a reader found odd that lists no rows left out."""

    warnings: tuple[str, ...]
    losses: tuple[Loss, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    more_skipped: int = 0


@dataclass(frozen=True)
class ReadReport(LeftOut):
    """What a reader recognised: shown before the user keeps the corpus."""

    format: str
    """The format's name as its users know it, such as `NTREX-128` or `TMX`."""
    source_names: dict[str, str]
    """BCP-47 tag → the name the source used (`deu_Latn`, `zho-CN`)."""
    skipped: tuple[Skipped, ...] = ()
    """The first rows left out (at most `SHOWN`), or sentences and words, in order; `skipped_count` counts all."""
    more_skipped: int = 0
    """How many rows were left out beyond those listed."""
    warnings: tuple[str, ...] = ()
    """Sentences about what is odd but kept (duplicates, a language that is mostly missing)."""
    source: str | None = None
    """Where it came from, as precisely as known: a Hub id with its commit; None for dropped files."""
    losses: tuple[Loss, ...] = field(default=(), compare=False)
    """What each file lost, where it was read just now."""


@dataclass(frozen=True)
class ParallelCorpus:
    """The rows of a corpus (`SCHEMA`), sorted by language and, within one, in the source's order."""

    table: pa.Table
    report: ReadReport = field(default_factory=lambda: ReadReport("table", {}))

    @property
    def languages(self) -> list[str]:
        """List the BCP-47 tags, sorted."""
        return sorted(pc.unique(self.table["language"]).to_pylist())

    @property
    def sentences(self) -> int:
        """How many different sentences there are, counting one for all its translations."""
        return int(pc.count_distinct(self.table["sentence_id"]).as_py())

    @property
    def is_complete(self) -> bool:
        """Whether every language has every sentence."""
        return len(self.table) == len(self.languages) * self.sentences

    def align(self, languages: Sequence[str], limit: int | None = None) -> tuple[list[str], dict[str, list[str]]]:
        """Return the ids present in every one of `languages`, in the source's order, and each language's texts in that order.

        `limit` keeps the first so many. Raises `CorpusError` for a language the corpus lacks, and where no sentence is
        shared by all.
        """
        known = self.languages
        texts: dict[str, dict[str, str]] = {}
        for language in languages:
            if language not in known:
                raise CorpusError(f"The corpus has no language '{language}'.", remedy=did_you_mean(language, known))
            rows = self.table.filter(pc.equal(self.table["language"], language))
            texts[language] = dict(zip(rows["sentence_id"].to_pylist(), rows["text"].to_pylist(), strict=True))
        ids = [i for i in texts[languages[0]] if all(i in texts[language] for language in languages[1:])][:limit]
        if not ids:
            raise CorpusError(
                f"No sentence exists in all of: {', '.join(languages)}.", remedy="Choose fewer languages or another corpus."
            )
        return ids, {language: [texts[language][i] for i in ids] for language in languages}
