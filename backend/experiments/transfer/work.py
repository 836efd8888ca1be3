"""How much work fine-tuning is: passes of examples through the model, a training step counting as several."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks.library import TaskEntry
from isogloss.backend.experiments.pricing.estimate import (
    Work,
    compared,
    corpus_of,
    entry_of,
    model_of,
    read_cached,
    scored,
    size_of,
)
from isogloss.backend.experiments.transfer.spec import covering, training, training_key
from isogloss.backend.experiments.vectors import kept_vectors
from isogloss.backend.files import digest
from isogloss.backend.metrics.transfer.windows import TOLERANCE
from isogloss.backend.store import records

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from isogloss.backend.corpora.parallel.library import CorpusEntry
    from isogloss.backend.experiments.family import Place
    from isogloss.backend.experiments.transfer.similarity import LanguageSimilaritySpec
    from isogloss.backend.experiments.transfer.spec import TransferSpec
    from isogloss.backend.experiments.transfer.weights import TransferWeightsSpec
    from isogloss.backend.models.entry import Model
    from isogloss.backend.store.records import RecordFile
    from isogloss.backend.training.finetune.options import FinetuneOptions

TRAINING_PASSES = 3.0
"""A forward and a backward pass cost as much as three forward ones."""
SHARE_IN_WINDOWS = 1.5
"""Training error falls fast and then slowly: low windows hold more record points than their width says."""


def transfer(spec: TransferSpec, shard: str, place: Place) -> Work | None:
    """Return the work of one run, at most: it may end once it makes no errors any more."""
    if (kept := _kept(spec, place.workspaces)) is None:
        return None
    model, entry = kept
    options = spec.shards()[shard].options
    rows, validated = _rows(spec, entry)
    extra = _task_of(spec.extra, place.workspaces)
    more = extra.rows - extra.validation_rows if extra else 0
    translations = 0 if isinstance(entry, TaskEntry) and entry.trained else len(spec.languages) - 1
    passes = passes_of(options, rows, validated, len(spec.languages), more, translations=translations)
    return _work("fine-tuning", spec, model, entry, passes, options)


def transfer_weights(spec: TransferWeightsSpec, _shard: str, place: Place) -> Work | None:
    """Return the work of training one run again up to a step and asking its model once in every language."""
    run = spec.run
    if (kept := _kept(run, place.workspaces)) is None:
        return None
    model, entry = kept
    rows, validated = _rows(run, entry)
    trained = spec.step * run.training.batch * TRAINING_PASSES * (2 if run.algorithms == ("xtune",) else 1)
    everywhere = 1 if isinstance(entry, TaskEntry) and entry.trained else len(run.languages)
    passes = trained + everywhere * rows + len(run.languages) * validated
    return _work("fine-tuning again", run, model, entry, passes, run.runs()[0].options)


def _work(
    what: str, spec: TransferSpec, model: Model, entry: TaskEntry | CorpusEntry, passes: float, options: FinetuneOptions
) -> Work:
    amount = passes * _characters(entry, spec.languages) * size_of(model)
    # How early a run ends hangs on when it is stopped more than on the model: a quick look tells of another.
    ends = f"{options.epochs} epochs, patience {options.patience}"
    like = (what, ends, model.name, spec.corpus, options.algorithm, str(len(spec.languages)), str(options.batch))
    return Work(amount, like, may_end=options.patience is not None and what == "fine-tuning")


def language_similarity(spec: LanguageSimilaritySpec, shard: str, place: Place) -> Work | None:
    """Return the texts to encode; where all are kept, the similarities of every pair of languages."""
    checkpoint = spec.shards()[shard]
    model, corpus = model_of(checkpoint, spec.model, place.workspaces), corpus_of(spec.corpus, place.workspaces)
    if model is None or corpus is None:
        return None
    whole = corpus.complete  # else pairs decide which sentences are encoded
    sentences = min(corpus.sentences, spec.sentences or corpus.sentences)
    return kept_vectors.work(
        checkpoint,
        model,
        corpus,
        kept_vectors.sentence_digests(spec.corpus, spec.languages, spec.sentences, place.workspaces) if whole else None,
        kept_vectors.poolings(spec.languages, ["mean"]),
        place,
        prefix=spec.prefix,
        limit=spec.sentences,
        scoring=scored(model) * len(spec.pairs) * compared(sentences),
        options=("similarity", spec.variant),
    )


def missing(spec: TransferSpec, workspaces: Sequence[Path]) -> list[str]:
    """Return the shards of `spec` that no file covers."""
    return missing_among(spec, read_cached("records", workspaces, records.files))


def missing_among(spec: TransferSpec, have: Iterable[RecordFile]) -> list[str]:
    """Return the shards of `spec` that none of these files covers."""
    by_training: dict[str, list[RecordFile]] = {}
    for file in have:
        by_training.setdefault(training_key(file), []).append(file)
    return [shard for shard, provenance, key in _wanted(spec) if covering(provenance, by_training.get(key, ())) is None]


@lru_cache(maxsize=64)
def _wanted(spec: TransferSpec) -> list[tuple[str, dict[str, Any], str]]:
    """Return each shard with what it depends on, and the key of its training: a sweep has thousands."""
    found = [(shard, spec.provenance(run)) for shard, run in spec.shards().items()]
    return [(shard, provenance, digest(training(provenance))) for shard, provenance in found]


def _kept(spec: TransferSpec, workspaces: Sequence[Path]) -> tuple[Model, TaskEntry | CorpusEntry] | None:
    """Return the model and the entry of the data; None where one of them is not kept."""
    model = model_of(spec.checkpoints[0], spec.model, workspaces)
    of_data = _task_of if spec.data == "task" else corpus_of
    entry = of_data(spec.corpus, workspaces)
    return (model, entry) if model is not None and entry is not None else None


def _task_of(task: str | None, workspaces: Sequence[Path]) -> TaskEntry | None:
    return entry_of("tasks/*", tasks.entries, task, workspaces)


def passes_of(
    options: FinetuneOptions, rows: int, validated: int, languages: int, extra: int = 0, *, translations: int | None = None
) -> float:
    """Forward passes of one example each that a run takes at most, a training step counting as several.

    `rows` and `validated` are examples of one language, `extra` those that are trained on and never evaluated; `translations`
    are the languages that the training examples are translated into, by default all but one.
    """
    trained = options.epochs * (rows + extra) * TRAINING_PASSES * (2 if options.algorithm == "xtune" else 1)
    points = options.steps(rows + extra) / options.record_every
    # Without a stop nearly all points may lie in a window at zero: a model that has learned all its examples keeps them.
    share = 1.0
    if options.windows != "all" and (options.patience is not None or all(at > TOLERANCE for at, _ in options.windows)):
        share = min(1.0, SHARE_IN_WINDOWS * sum(width for _, width in options.windows))
    evaluated = share * points + (options.patience or 0) + 1
    others = languages - 1 if translations is None else translations
    return trained + points * rows + evaluated * (others * rows + languages * validated)


def _rows(spec: TransferSpec, entry: TaskEntry | CorpusEntry) -> tuple[int, int]:
    """Training and validation examples of one language."""
    if not isinstance(entry, TaskEntry):
        return min(entry.sentences, spec.sentences or entry.sentences), 0
    validated = entry.validation_rows or round(spec.validation_share * entry.rows)
    most = entry.rows if spec.rows is None else spec.rows
    return min(entry.rows - validated, most), min(validated, most)


def _characters(entry: TaskEntry | CorpusEntry, languages: Sequence[str]) -> float:
    """Of one example, a mean over the languages."""
    if isinstance(entry, TaskEntry):
        whole = [tag for tag in languages if tag in entry.sources] or list(languages)  # the others lack the training rows
        return sum(entry.characters[tag] for tag in whole) / len(whole) / entry.rows
    found = [each.characters / max(1, each.sentences) for each in entry.languages if each.tag in languages]
    return sum(found) / len(found)
