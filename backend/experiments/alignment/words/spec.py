"""What a word alignment is: pairs of languages, what pairs their words, and how vectors are compared. Imports no torch.

Source: Gaschi et al. 2022, "Multilingual Transformer Encoders: a Word-Level Task-Agnostic Evaluation", section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, Field, field_validator, model_validator

from isogloss.backend.corpora.dictionaries.word_pairs import Unique
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.alignment import options
from isogloss.backend.experiments.alignment import rows as alignment
from isogloss.backend.experiments.spec import PerCheckpoint, Spec
from isogloss.backend.files import ContentId, added
from isogloss.backend.metrics.retrieval.options import Similarity
from isogloss.backend.models.entry import WORD_VECTOR, Checkpoint, Prefix, WordVector, said_prefix
from isogloss.backend.option import variant_of

if TYPE_CHECKING:
    from collections.abc import Iterable


class DictionaryPair(BaseModel, frozen=True, extra="forbid"):
    """Two languages and what pairs their words: a dictionary, or an alignment of the corpus."""

    source: str
    target: str
    dictionary: ContentId
    """Content id of a saved dictionary, or of a kept word alignment of the corpus, of the two in either direction."""

    @property
    def key(self) -> list[str]:
        """Source, target and id of what pairs their words, as the shard keys hash them."""
        return [self.source, self.target, self.dictionary]


def two(pair: DictionaryPair) -> DictionaryPair:
    """Return the pair itself. Raises ValueError for a language with itself."""
    if pair.source == pair.target:
        raise ValueError(f"a pair needs two languages, not {pair.source} twice")
    return pair


def sort_pairs(pairs: Iterable[DictionaryPair]) -> tuple[DictionaryPair, ...]:
    """Return the pairs in alphabetical order, each within itself too; of two of the same languages the last.

    Raises ValueError for a language with itself.
    """
    found: dict[tuple[str, str], DictionaryPair] = {}
    for pair in pairs:
        source, target = sorted((pair.source, two(pair).target))
        found[source, target] = pair.model_copy(update={"source": source, "target": target})
    return tuple(found[key] for key in sorted(found))


OrderedPair = Annotated[DictionaryPair, AfterValidator(lambda pair: sort_pairs([pair])[0])]
"""A pair with its languages in alphabetical order."""
Alignments = Annotated[tuple[ContentId, ...], AfterValidator(lambda ids: tuple(sorted(set(ids))))]
"""Ids of kept alignments of a corpus and a pair, each once, in order."""


class DrawsPairs(Protocol):
    """What says which pairs a dictionary gives."""

    @property
    def repeated(self) -> bool: ...  # noqa: D102 — a field of each spec's own

    @property
    def unique(self) -> Unique: ...  # noqa: D102


Drawn = TypeVar("Drawn", bound=DrawsPairs)


def not_once_and_repeated(spec: Drawn) -> Drawn:
    """Return the spec itself. Raises ValueError for each word once, but every occurrence."""
    if spec.repeated and spec.unique == "once":
        raise ValueError("each word once and repeated pairs exclude each other: leave out one of them")
    return spec


class WordPairsSpec(Spec):
    """Which pairs of words are drawn and how their vectors are compared, whatever gives the vectors.

    The defaults are those of Gaschi et al. 2022: 5,000 distinct pairs, 10 runs, CSLS with k = 10, not centred. Two are a
    reading of it: `unique="both"` (section III.A has one candidate for a word "from one sentence") and `self_neighbour`, which
    the code that made table IV had on.
    """

    model: str
    """What scores and figures call it."""
    corpus: ContentId
    """Content id of the corpus."""
    pairs: tuple[DictionaryPair, ...] = Field(min_length=1)
    n_pairs: Annotated[int, options.N_PAIRS] = Field(default=5000, ge=2)
    runs: Annotated[int, options.RUNS] = Field(default=10, ge=1, le=1000)
    seed: Annotated[int, options.SEED] = 0
    repeated: Annotated[bool, options.REPEATED] = False
    similarity: Annotated[Similarity, options.SIMILARITY] = "csls"
    k: Annotated[int, options.K] = Field(default_factory=options.usual_neighbours, ge=1)
    centred: Annotated[bool, options.CENTRED] = False
    self_neighbour: Annotated[bool, options.SELF_NEIGHBOUR] = added(False)
    unique: Annotated[Unique, options.UNIQUE_WORDS] = added("both")
    _once = model_validator(mode="after")(not_once_and_repeated)

    @field_validator("pairs")
    @classmethod
    def _ordered(cls, pairs: tuple[DictionaryPair, ...]) -> tuple[DictionaryPair, ...]:
        return sort_pairs(pairs)

    @property
    def variant(self) -> str:
        """The `variant` of the scores: what makes two values of one metric not comparable, but for the dictionary."""
        return "/".join(self._variant("n_pairs", "repeated", "centred", "self_neighbour"))

    def _variant(self, *names: str) -> list[str]:
        return ["word", alignment.similarity_part(self), *variant_of(self, *names, "unique")]

    def provenance_of(self, fingerprint: str) -> dict[str, Any]:
        """Return what the scores of these vectors depend on, and nothing else."""
        of, pairs = (alignment.FAMILY, alignment.VERSION, fingerprint, self.corpus), [pair.key for pair in self.pairs]
        return checkpoint_scores.provenance(*of, variant=self.variant, runs=self.runs, seed=self.seed, pairs=pairs)


class WordAlignmentSpec(PerCheckpoint, WordPairsSpec):
    """Weak and strong word retrieval of some checkpoints of one model (Gaschi et al. 2022, section 3)."""

    experiment: Literal["word_alignment"] = "word_alignment"
    checkpoints: tuple[Checkpoint, ...] = Field(min_length=1)
    masked: Annotated[bool, options.MASKED] = False
    vector: Annotated[WordVector, WORD_VECTOR] = added("mean")
    prefix: Prefix = ""
    """Of the sentences that the words are in."""

    @property
    def variant(self) -> str:
        """As for all word pairs, and whether they were masked, what their vectors are of, and the prefix."""
        named = self._variant("n_pairs", "repeated", "masked", "vector", "centred", "self_neighbour")
        return "/".join([*named, *said_prefix(self.prefix)])

    def provenance(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        return self.provenance_of(checkpoint.fingerprint)


def languages_of(pairs: Iterable[DictionaryPair]) -> list[str]:
    """Return the languages of some pairs, each once, in alphabetical order."""
    return sorted({tag for pair in pairs for tag in (pair.source, pair.target)})
