"""From a spec to what one run is trained and evaluated on. Imports no torch: pages ask it which example a prediction is of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks.random_labels import corrupt, random_task
from isogloss.backend.corpora.tasks.task import sample, split
from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.training.finetune.data import ClassificationData

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.tasks.task import Examples, LabelledTask, Split


@dataclass(frozen=True, eq=False)
class TransferData:
    """The examples of one run, and what they are called."""

    data: ClassificationData
    row_ids: list[str]
    """Of the training examples, in their order."""
    labels: list[str]
    """The classes' names: class 0 is the first."""
    complete: bool
    """Whether fewer languages would leave the same examples in the same order."""
    validation_ids: Sequence[str] = ()
    """Of the source's validation examples, in their order."""


def data_of(provenance: Mapping[str, Any], workspaces: Sequence[Path]) -> TransferData:
    """Return the examples of the run that `TransferSpec.provenance` describes, in all its languages.

    The label of a translated training example is its source's; those of validation examples are each language's own, since
    that is what the task asks there (in PAWS-X some differ). Classes are those of the whole task, whatever the languages and
    the corruption leave of them. Raises `CorpusError` for a language that the data lack and a task too small to split,
    `SpecError` for a source without training rows and additional examples that do not fit, `StoreError` for damaged files.
    """
    task, complete = _task(provenance, workspaces)
    known = task.labels
    task = sample(task, provenance.get("rows"), provenance["draw"])
    task = corrupt(task, provenance["corruption"], provenance["draw"]) if provenance["corruption"] else task
    source, languages = provenance["source"], provenance["languages"]
    if source in task.languages and source not in task.trained:
        raise SpecError(f"The task has no training rows in {source}: train on {', '.join(task.trained)}.")
    source_examples = _numbered(task.examples(source, "train"), task.labels, known)
    validated = [tag for tag in languages if task.part(tag, "validation").num_rows]
    extra = _extra(provenance, task.is_pair, known, workspaces)
    data = ClassificationData(
        source=source,
        train={tag: _texts(task.examples(tag, "train")) for tag in languages if tag in task.trained},
        labels=source_examples.labels,
        validation={tag: _texts(task.examples(tag, "validation")) for tag in validated},
        validation_labels={tag: _numbered(task.examples(tag, "validation"), task.labels, known).labels for tag in validated},
        extra=_texts(extra) if extra else (),
        extra_labels=extra.labels if extra else np.zeros(0, np.int64),
        least_classes=len(known),
    )
    set_aside = task.examples(source, "validation").row_ids if source in validated else ()
    return TransferData(data, source_examples.row_ids, known, complete, set_aside)


def part_of(data: ClassificationData, language: str, part: Split) -> Sequence[str] | Sequence[tuple[str, str]]:
    """Return the texts of one part of one language."""
    return data.train[language] if part == "train" else data.validation[language]


def _task(provenance: Mapping[str, Any], workspaces: Sequence[Path]) -> tuple[LabelledTask, bool]:
    """Return the task with its validation part, and whether it has the same rows with fewer languages."""
    if provenance["data"] == "task":
        # Whole, whatever the languages asked for: neither its classes nor its parts change with them.
        task = tasks.load(provenance["corpus"], workspaces)
        return (task if task.rows("validation") else split(task, provenance["validation_share"], provenance["draw"])), True
    corpus = corpora.load(provenance["corpus"], workspaces)
    return random_task(corpus, provenance["languages"], provenance["draw"], provenance["sentences"]), _complete(corpus)


def _complete(corpus: ParallelCorpus) -> bool:
    """Whether every language has the same sentences in the same order: a run's rows have that of one of its languages."""
    first, *others = (corpus.table.filter(pc.equal(corpus.table["language"], tag))["sentence_id"] for tag in corpus.languages)
    return all(each.equals(first) for each in others)


def _extra(provenance: Mapping[str, Any], is_pair: bool, known: list[str], workspaces: Sequence[Path]) -> Examples | None:
    """Return the additional examples in the source language, their labels numbered as the task's are."""
    if provenance["extra"] is None:
        return None
    more, source = tasks.load(provenance["extra"], workspaces), provenance["source"]
    if source not in more.languages:
        raise SpecError(
            f"The additional task has no {source}, the language trained on: it has {', '.join(more.languages)}. "
            "Train on one of these, or leave the additional task out."
        )
    if more.is_pair != is_pair:
        one, other = ("pairs of texts", "single texts") if more.is_pair else ("single texts", "pairs of texts")
        raise SpecError(f"The additional task has {one}, the task {other}. Choose an additional task of the same kind.")
    for label in pc.unique(more.part(source)["label"]).to_pylist():
        if label not in known:
            raise SpecError(
                f"The additional task has the label '{label[:60]}', which the task lacks. {did_you_mean(label, known)}"
            )
    return _numbered(more.examples(source), more.labels, known)


def _numbered(examples: Examples, labels: list[str], known: list[str]) -> Examples:
    """Return the examples with their labels, places in `labels`, as places in `known`."""
    places = np.array([known.index(label) if label in known else -1 for label in labels], np.int64)
    return replace(examples, labels=places[examples.labels])


def _texts(examples: Examples) -> list[str] | list[tuple[str, str]]:
    if examples.pairs is None:
        return examples.texts
    return list(zip(examples.texts, examples.pairs, strict=True))
