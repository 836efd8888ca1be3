"""The words of tagged corpora as probes read them: trained on in one, tested on there or in another."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.probing.examples import Examples
from isogloss.backend.experiments.probing.features import FeaturePart
from isogloss.backend.training.probe.subset import drawn_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.tagged.corpus import TaggedCorpus, TaggedSentence
    from isogloss.backend.experiments.probing.features import Encoder, Share
    from isogloss.backend.experiments.probing.spec import ProbingWordsSpec


@lru_cache(maxsize=2)
def loaded(corpus: str, workspaces: tuple[Path, ...]) -> TaggedCorpus:
    """Return a saved corpus, read and checked once for all that ask in a row: its id is its content."""
    return tagged.load(corpus, workspaces)


class TaggedWords:
    """The words of a spec's corpus, and of the one that is tested on."""

    def __init__(self, spec: ProbingWordsSpec, workspaces: Sequence[Path]) -> None:
        """Read both. Raises `CorpusError` where one is not kept, `StoreError` where it is damaged."""
        self.spec = spec
        self.trained = loaded(spec.corpus, tuple(workspaces))
        self.other = loaded(spec.tested, tuple(workspaces)) if spec.tested else None
        new = [tag for tag in (self.other.tags if self.other else ()) if tag not in self.trained.tags]
        self.tags = (*self.trained.tags, *new)
        self.known = len(self.trained.tags)
        self.entities = self.trained.kind == "ner"

    def training(self, encoder: Encoder, source: str, share: Share) -> Examples:
        """Return the words of whole sentences, drawn where there are more than the options say."""
        found = self.trained.sentences(source, "train")
        drawn = drawn_sentences([len(each.spans) for each in found], self.spec.probe.training_words)
        numbered = [(i, found[i]) for i in drawn.tolist()]
        return self._examples(encoder, self.spec.corpus, source, "train", numbered, self.trained.origin(source, "train"), share)

    def validation(self, encoder: Encoder, source: str, share: Share) -> Examples:
        """Return the words of the validation part."""
        numbered = list(enumerate(self.trained.sentences(source, "validation")))
        origin = self.trained.origin(source, "validation")
        return self._examples(encoder, self.spec.corpus, source, "validation", numbered, origin, share)

    def test(self, encoder: Encoder, target: str, share: Share) -> Examples:
        """Return the words of a target's test part."""
        sentences, origin = part_tested(self.other or self.trained, target, own=self.other is not None)
        corpus = self.spec.tested or self.spec.corpus
        return self._examples(encoder, corpus, target, "test", list(enumerate(sentences)), origin, share)

    def _examples(
        self,
        encoder: Encoder,
        corpus: str,
        language: str,
        part: str,
        numbered: Sequence[tuple[int, TaggedSentence]],
        origin: str,
        share: Share,
    ) -> Examples:
        from isogloss.backend.training.probe.features import VectorFeatures

        chosen = [each for _, each in numbered]
        spans = [each.spans for each in chosen]
        ids = ids_of(part, origin, [i for i, _ in numbered])
        text = FeaturePart(corpus, language, ids, [each.text for each in chosen], spans)
        vectors = encoder.words(text, self.spec.probe.pooling, share)
        kept = np.flatnonzero(vectors.kept)
        if not len(kept):
            raise CorpusError(f"No word of '{language}' has a vector in its {part} part.", remedy="Leave the language out.")
        number = {tag: i for i, tag in enumerate(self.tags)}
        sizes = [len(each) for each in spans]
        words = [word for each in chosen for word in each.words]
        return Examples(
            VectorFeatures(vectors.stored, vectors.exponents),
            np.array([number[tag] for each in chosen for tag in each.tags], np.int64)[kept],
            np.repeat(np.array([i for i, _ in numbered], np.int32), sizes)[kept],
            np.concatenate([np.arange(size, dtype=np.int32) for size in sizes])[kept],
            [words[row] for row in kept.tolist()],
            vectors.lost,
            frozenset(vectors.devices),
            frozenset(vectors.precisions),
            origin,
        )


def ids_of(part: str, origin: str, numbers: Sequence[int]) -> list[str]:
    """Return the names under which the vectors of a part's sentences are kept, by their numbers in it."""
    return [f"{part} ({origin}) {i}" for i in numbers]


def part_tested(corpus: TaggedCorpus, language: str, *, own: bool) -> tuple[tuple[TaggedSentence, ...], str]:
    """Return the sentences tested on in a language, and what of the corpus they are.

    Of a corpus that nothing is trained on (`own`) all of the test part that its files have. Raises `CorpusError` for a language
    that it lacks.
    """
    whole = corpus.own(language, "test") if own else ()
    return (whole, "test") if whole else (corpus.sentences(language, "test"), corpus.origin(language, "test"))
