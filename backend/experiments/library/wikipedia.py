"""Text fetched from the Hub: one language's Wikipedia a shard, kept as a corpus like any other. Imports no torch.

The text is that of `wikimedia/wikipedia` at one commit (`backend.corpora.parallel.hub_text`), so two machines fetch the same.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
from pydantic import Field, field_validator

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import hub_text, library
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.pricing.estimate import Work
from isogloss.backend.experiments.spec import Cancelled, Context, Spec
from isogloss.backend.files import added, digest
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.corpora.parallel.library import CorpusEntry
    from isogloss.backend.experiments.family import Place

EXPERIMENT = "wikipedia"
VERSION = 1
"""Raised when other text would be kept: older files then no longer serve."""
CHARACTERS_AN_ARTICLE = 3_000
"""Roughly, of a Wikipedia's first articles; for estimates alone."""
BYTES_A_CHARACTER = {"Alphabet": 1.1, "Abjad": 1.7, "Abugida": 2.6, "Logographic": 2.8, "Mixed": 2.7, "Syllabary": 2.6}
"""In UTF-8, by type of script, blanks and punctuation with it."""
ROWS = pa.schema([("characters", pa.int64())])


@dataclass(frozen=True)
class Wikipedia:
    """One language's text."""

    language: str
    """BCP-47."""
    dump: str
    revision: str
    characters: int
    articles: int | None = None
    """Where given it is the budget, and `characters` is of no account."""

    @property
    def label(self) -> str:
        """The shard in few words."""
        return f"Wikipedia, {language(self.language).name}"

    @property
    def name(self) -> str:
        """What its corpus is called: a language of another budget, dump or revision is another corpus."""
        if self.articles is not None:
            other = [f"{self.articles:,} articles"]
        else:
            other = [f"{self.characters:,} characters"] if self.characters != hub_text.CHARACTERS else []
        other += [self.dump] if self.dump != hub_text.DUMP else []
        other += [self.revision[:7]] if self.revision != hub_text.REVISION else []
        return ", ".join([self.label, *other])

    @cached_property
    def key(self) -> str:
        """Of what was fetched (`backend.store.details`)."""
        by_articles = [] if self.articles is None else [self.articles]
        return digest([EXPERIMENT, VERSION, self.language, self.dump, self.revision, self.characters, *by_articles])

    @property
    def most(self) -> int:
        """Characters that may be read; of so many articles roughly."""
        return self.characters if self.articles is None else self.articles * CHARACTERS_AN_ARTICLE


class WikipediaSpec(Spec):
    """Languages, and how much of each."""

    experiment: Literal["wikipedia"] = "wikipedia"
    languages: tuple[str, ...] = Field(min_length=1, max_length=400)
    """BCP-47; any name of a language becomes its tag."""
    characters: int = Field(default=hub_text.CHARACTERS, ge=1000, le=1_000_000_000)
    """Of each language: the article that reaches them is the last."""
    dump: str = Field(default=hub_text.DUMP, pattern=r"^\d{8}$")
    revision: str = Field(default=hub_text.REVISION, pattern=r"^[A-Za-z0-9._/-]{1,100}$")
    """Of the data set: a commit, so that the same text is fetched at any time; or a branch or tag."""
    articles: int | None = added(None, ge=1, le=10_000_000)
    """Of each language, where the budget is in articles (`hub_text.RELEASED_ARTICLES`)."""

    @field_validator("languages")
    @classmethod
    def _tags(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(sorted({language(name).tag for name in names}))
        except CorpusError as error:
            raise ValueError(str(error)) from error

    def shards(self) -> dict[str, Wikipedia]:
        """List the texts to fetch by their key, one a language."""
        pieces = [Wikipedia(tag, self.dump, self.revision, self.characters, self.articles) for tag in self.languages]
        return {piece.key: piece for piece in pieces}


def corpus_of(piece: Wikipedia, workspaces: Sequence[Path]) -> str | None:
    """Return the content id of the text; None where it was not fetched, or its corpus is no longer saved."""
    found = details.provenance(piece.key, workspaces)
    known = {entry.id for entry in library.entries(workspaces)}
    return None if found is None or found["corpus"] not in known else str(found["corpus"])


def missing(spec: WikipediaSpec, workspaces: Sequence[Path]) -> list[str]:
    """Return the shards that are still to be fetched."""
    return [key for key, piece in spec.shards().items() if corpus_of(piece, workspaces) is None]


def compute(spec: WikipediaSpec, shard: str, context: Context) -> None:
    """Fetch one language's text and keep it; nothing where it is there.

    Raises `Cancelled` where it was asked to stop, and `CorpusError`: no network, no such language, dump or revision, no text,
    or another corpus has the name.
    """
    piece = spec.shards()[shard]
    if corpus_of(piece, context.workspaces) is not None:
        return
    _check_name(piece.name, context.workspace)
    context.step(f"asking the Hub for {piece.label}", 0.0)
    started = time.perf_counter()

    def told(read: int) -> None:
        most = f"at most {piece.most:,}" if piece.articles is None else f"some {piece.most:,}"
        context.step(f"{piece.label}: {read:,} of {most} characters", min(read / piece.most, 0.99))

    try:
        corpus = hub_text.wikipedia(
            piece.language,
            dump=piece.dump,
            revision=piece.revision,
            characters=piece.characters,
            articles=piece.articles,
            progress=told,
        )
    except CorpusError:
        if context.should_stop():  # asked for in `told`: what reads the Hub took that for an error of its own
            raise Cancelled from None
        raise
    read = sum(map(len, corpus.align([piece.language])[1][piece.language]))
    entry = library.keep(corpus, piece.name, context.workspace, licence=hub_text.LICENCE)
    provenance = {
        "experiment": EXPERIMENT,
        "corpus": entry.id,
        "label": piece.label,
        "source": corpus.report.source,
        "characters": read,
        "seconds": round(time.perf_counter() - started, 3),
    }
    details.write(context.workspace, piece.key, pa.table([pa.array([read], pa.int64())], schema=ROWS), provenance)


def _check_name(name: str, workspace: Path) -> None:
    """Before the download rather than after it. Raises `CorpusError` where a corpus of the workspace has the name."""
    if any(entry.name.casefold() == name.casefold() for entry in library.entries([workspace])):
        raise CorpusError(f"Another corpus is called '{name}'.", remedy="Rename it, or ask for another number of characters.")


def work(spec: WikipediaSpec, shard: str, _place: Place) -> Work:
    """Return the characters of one text, at most: a small Wikipedia ends before its budget."""
    return Work(float(spec.shards()[shard].most), ("fetching",))


def size(pieces: Sequence[Wikipedia]) -> int:
    """Bytes of the text in UTF-8, at most and roughly; the Hub sends it compressed, about half of that."""
    from isogloss.backend.corpora.languages.writing import writing

    return round(sum(piece.most * BYTES_A_CHARACTER.get(writing(piece.language).type, 2.0) for piece in pieces))


def entries_of(spec: WikipediaSpec, workspaces: Sequence[Path]) -> list[CorpusEntry]:
    """Return the kept corpora of a spec's languages, those that are there."""
    kept = {corpus_of(piece, workspaces) for piece in spec.shards().values()}
    return [entry for entry in library.entries(workspaces) if entry.id in kept]
