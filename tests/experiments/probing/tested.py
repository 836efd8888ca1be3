"""What the predictions of probes are numbered by: the test part of a tagged corpus, or of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.corpora.tagged import library as tagged
from backend.corpora.tasks import library as tasks
from backend.corpora.tasks import three_parts
from backend.experiments.probing.tagged_words import part_tested

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from backend.corpora.tagged.corpus import TaggedSentence
    from backend.corpora.tasks.task import Examples
    from backend.experiments.probing.spec import ProbingSentencesSpec, ProbingWordsSpec


def sentences_tested(spec: ProbingWordsSpec, target: str, workspaces: Sequence[Path]) -> tuple[TaggedSentence, ...]:
    corpus = tagged.load(spec.tested or spec.corpus, workspaces)
    return part_tested(corpus, target, own=spec.tested is not None)[0]


def examples_tested(spec: ProbingSentencesSpec, target: str, workspaces: Sequence[Path]) -> Examples:
    return three_parts.examples(tasks.load(spec.tested or spec.corpus, workspaces), target, "test")
