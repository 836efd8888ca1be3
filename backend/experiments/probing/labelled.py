"""The examples of labelled tasks as probes read them: a sentence, or a pair of sentences, with one label."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isogloss.backend.corpora.tagged.parts import PARTS
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks import three_parts
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments.probing.examples import Examples
from isogloss.backend.experiments.probing.features import FeaturePart
from isogloss.backend.files import digest
from isogloss.backend.training.probe.subset import drawn_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.tagged.parts import Part as TaskPart
    from isogloss.backend.corpora.tasks.task import LabelledTask
    from isogloss.backend.experiments.probing.features import Encoder, Share
    from isogloss.backend.experiments.probing.spec import ProbingSentencesSpec
    from isogloss.backend.training.probe.features import Features


class LabelledSentences:
    """The examples of a spec's task, and of the one that is tested on."""

    entities = False

    def __init__(self, spec: ProbingSentencesSpec, workspaces: Sequence[Path]) -> None:
        """Read both. Raises `CorpusError` where one is not kept or has another test part, `StoreError` where it is damaged."""
        self.spec = spec
        self.trained = _loaded(spec.corpus, spec.corpus_test, tuple(workspaces))
        self.other = _loaded(spec.tested, spec.tested_test, tuple(workspaces)) if spec.tested else None
        new = [label for label in (self.other.labels if self.other else ()) if label not in self.trained.labels]
        self.tags = (*self.trained.labels, *new)
        self.known = len(self.trained.labels)

    def training(self, encoder: Encoder, source: str, share: Share) -> Examples:
        """Return the examples of the training part, drawn where there are more than the options say."""
        return self._examples(encoder, self.trained, source, "train", share, self.spec.probe.training_words)

    def validation(self, encoder: Encoder, source: str, share: Share) -> Examples:
        """Return the examples of the validation part."""
        return self._examples(encoder, self.trained, source, "validation", share)

    def test(self, encoder: Encoder, target: str, share: Share) -> Examples:
        """Return the examples of a target's test part."""
        return self._examples(encoder, self.other or self.trained, target, "test", share)

    def _examples(
        self, encoder: Encoder, task: LabelledTask, language: str, part: TaskPart, share: Share, most: int | None = None
    ) -> Examples:
        from isogloss.backend.training.probe.features import ChosenFeatures, PairFeatures, VectorFeatures

        of_part = three_parts.examples(task, language, part)
        drawn = drawn_sentences(np.ones(len(of_part), np.int64), most)
        texts = [of_part.texts[i] for i in drawn.tolist()]
        pairs = None if of_part.pairs is None else [of_part.pairs[i] for i in drawn.tolist()]
        if pairs is None and self.spec.features == "second":
            raise CorpusError("The task is of single sentences: there is no second one.", remedy="Choose both as features.")
        wanted = (pairs or []) if self.spec.features == "second" else [*texts, *(pairs or [])]
        number = {text: i for i, text in enumerate(dict.fromkeys(wanted))}
        corpus = self.spec.corpus if task is self.trained else str(self.spec.tested)
        ids = [digest(text) for text in number]
        vectors = encoder.sentences(FeaturePart(corpus, language, ids, list(number)), self.spec.pooling, share)
        sentences = VectorFeatures(vectors.stored, vectors.exponents)
        rows = [np.array([number.get(text, -1) for text in side], np.int64) for side in (texts, pairs or [])]
        features: Features = PairFeatures(sentences, rows[0], rows[1])
        if pairs is None or self.spec.features == "second":
            features = ChosenFeatures(sentences, rows[0] if pairs is None else rows[1])
        place = {label: i for i, label in enumerate(self.tags)}
        labels = np.array([place[label] for label in task.labels], np.int64)[of_part.labels[drawn]]
        return Examples(
            features,
            labels,
            drawn.astype(np.int32),
            np.zeros(len(drawn), np.int32),
            (),
            0,
            frozenset(vectors.devices),
            frozenset(vectors.precisions),
            three_parts.origin(task, part),
        )


@lru_cache(maxsize=2)
def _loaded(task_id: str, parts_id: str | None, workspaces: tuple[Path, ...]) -> LabelledTask:
    """The task with the parts that were asked for, which its own id does not tell; read once for all shards of a worker."""
    task = tasks.load(task_id, workspaces)
    own = None if task.test is None else tasks.content_id(task.test)
    if three_parts.known_by(own, [part for part in PARTS if task.rows(part)]) != parts_id:
        raise CorpusError("The task has got another test part since this was asked for.", remedy="Ask for it again.")
    return task
