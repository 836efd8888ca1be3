"""What fine-tuning will cost before it starts: passes of examples, at the pace of earlier runs or of a bare measurement."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, Any

from backend.corpora.tasks import library as tasks
from backend.corpora.tasks.library import TaskEntry
from backend.experiments import kept_vectors
from backend.experiments.estimate import (
    CHARACTERS_A_TOKEN,
    RECENT,
    STARTING_SECONDS,
    Estimate,
    corpus_of,
    encoding_of,
    is_of_model,
    model_of,
    read_cached,
    sentence_retrieval,
    token_seconds,
)
from backend.experiments.transfer.spec import covering, training, training_key
from backend.files import digest
from backend.metrics.transfer.windows import TOLERANCE
from backend.store import records

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from backend.corpora.parallel.library import CorpusEntry
    from backend.experiments.speed import Speed
    from backend.experiments.transfer.similarity import LanguageSimilaritySpec
    from backend.experiments.transfer.spec import TransferRun, TransferSpec
    from backend.experiments.transfer.weights import TransferWeightsSpec
    from backend.models.entry import Model
    from backend.store.records import RecordFile
    from backend.training.finetune.options import FinetuneOptions

TRAINING_PASSES = 3.0
"""A forward and a backward pass cost as much as three forward ones."""
SHARE_IN_WINDOWS = 1.5
"""Training error falls fast and then slowly: low windows hold more record points than their width says."""
SPECIAL_TOKENS = 3.0
RUN_SECONDS = 1.5
"""Loading weights and tokenising, once a run, of a small model."""


def transfer(
    spec: TransferSpec, speed: Speed | None, workspaces: Sequence[Path], runs: Sequence[TransferRun] | None = None
) -> Estimate | None:
    """Seconds for the `runs` of `spec` that are missing (looked for where they are not given).

    None where no worker has measured its speed, or model or data are not kept.
    """
    if speed is None or (kept := _kept(spec, workspaces)) is None:
        return None
    earlier = read_cached("records", workspaces, records.files)
    extra = _task_of(spec.extra, workspaces)
    return of_runs(spec, missing(spec, earlier) if runs is None else runs, *kept, speed, earlier, extra)


def transfer_weights(spec: TransferWeightsSpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds to keep one model of a run; None as `transfer`."""
    if speed is None or (kept := _kept(spec.run, workspaces)) is None:
        return None
    return of_step(spec, *kept, speed, read_cached("records", workspaces, records.files))


def language_similarity(spec: LanguageSimilaritySpec, speed: Speed | None, workspaces: Sequence[Path]) -> Estimate | None:
    """Seconds for every checkpoint and pair of languages of `spec`; None as `transfer`."""
    found = encoding_of(
        spec.checkpoints[0], spec.corpus, spec.languages, speed, workspaces, model=spec.model, sentences=spec.sentences
    )
    if found is None:
        return None
    entry = corpus_of(spec.corpus, workspaces)
    if entry is not None and entry.complete:  # else pairs decide which sentences are encoded
        sentences = kept_vectors.own(spec.corpus, spec.languages, spec.sentences, workspaces)
        needed = kept_vectors.poolings(spec.languages, ["mean"])
        found = kept_vectors.without_kept(found, spec.checkpoints, spec.corpus, sentences, needed, spec.prefix, workspaces)
    return sentence_retrieval(found, len(spec.checkpoints), first=False)


def missing(spec: TransferSpec, have: Iterable[RecordFile]) -> list[TransferRun]:
    """Return the runs of `spec` that no file covers."""
    by_training: dict[str, list[RecordFile]] = {}
    for file in have:
        by_training.setdefault(training_key(file), []).append(file)
    return [run for run, provenance, key in _wanted(spec) if covering(provenance, by_training.get(key, ())) is None]


@lru_cache(maxsize=64)
def _wanted(spec: TransferSpec) -> list[tuple[TransferRun, dict[str, Any], str]]:
    """Return each run with what it depends on, and the key of its training: a sweep has thousands."""
    found = [(run, spec.provenance(run)) for run in spec.shards().values()]
    return [(run, provenance, digest(training(provenance))) for run, provenance in found]


def _kept(spec: TransferSpec, workspaces: Sequence[Path]) -> tuple[Model, TaskEntry | CorpusEntry] | None:
    """Return the model and the entry of the data; None where one of them is not kept."""
    model = model_of(spec.checkpoints[0], spec.model, workspaces)
    of_data = _task_of if spec.data == "task" else corpus_of
    entry = of_data(spec.corpus, workspaces)
    return (model, entry) if model is not None and entry is not None else None


def _task_of(task: str | None, workspaces: Sequence[Path]) -> TaskEntry | None:
    return next((each for each in read_cached("tasks/*", workspaces, tasks.entries) if each.id == task), None)


def of_runs(
    spec: TransferSpec,
    runs: Sequence[TransferRun],
    model: Model,
    entry: TaskEntry | CorpusEntry,
    speed: Speed,
    earlier: Sequence[RecordFile],
    extra: TaskEntry | None = None,
) -> Estimate:
    """Seconds for `runs` of `spec`; at most, since a run may end once it makes no errors any more.

    `extra` is the task of the additional training examples.
    """
    rows, validated = _rows(spec, entry)
    translations = 0 if isinstance(entry, TaskEntry) and entry.trained else len(spec.languages) - 1
    more = extra.rows - extra.validation_rows if extra else 0
    passes = sum(passes_of(run.options, rows, validated, len(spec.languages), more, translations=translations) for run in runs)
    return _of_passes(spec, passes, len(runs), model, entry, speed, _paces(spec, model, speed, earlier))


def of_step(
    spec: TransferWeightsSpec,
    model: Model,
    entry: TaskEntry | CorpusEntry,
    speed: Speed,
    earlier: Sequence[RecordFile],
) -> Estimate:
    """Seconds to train one run again up to a step and to ask its model once in every language."""
    run = spec.run
    rows, validated = _rows(run, entry)
    trained = spec.step * run.training.batch * TRAINING_PASSES * (2 if run.algorithms == ("xtune",) else 1)
    everywhere = 1 if isinstance(entry, TaskEntry) and entry.trained else len(run.languages)
    passes = trained + everywhere * rows + len(run.languages) * validated
    # This run stops where it is told to: what earlier ones took for the steps that they made, not for those planned.
    paces = _paces(run, model, speed, earlier, taken=True)
    found = _of_passes(run, passes, 1, model, entry, speed, paces)
    # In a run of few steps starting is not a small part.
    return replace(found, seconds=found.seconds + STARTING_SECONDS) if paces else found


def _of_passes(
    spec: TransferSpec,
    passes: float,
    runs: int,
    model: Model,
    entry: TaskEntry | CorpusEntry,
    speed: Speed,
    paces: Sequence[float],
) -> Estimate:
    """`paces`: seconds a pass of this model's last runs on these data; none where it has not run here."""
    if paces:
        return Estimate(passes * median(paces), runs, "from this model's last runs on these data")
    tokens = _characters(entry, spec.languages) / CHARACTERS_A_TOKEN + SPECIAL_TOKENS
    example = tokens * token_seconds(model, speed)
    seconds = STARTING_SECONDS + runs * RUN_SECONDS + passes * example
    return Estimate(seconds, runs, speed.basis)


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


def _paces(
    spec: TransferSpec, model: Model, speed: Speed, earlier: Sequence[RecordFile], *, taken: bool = False
) -> list[float]:
    """Seconds a planned pass (or one `taken`) of each of this model's last runs on these data and such a device."""
    from backend.training.finetune.options import FinetuneOptions

    paces = []
    for file in earlier:
        provenance = file.provenance
        same = is_of_model(provenance, model) and provenance["corpus"] == spec.corpus and provenance["data"] == spec.data
        if same and provenance.get("seconds") and speed.computed(provenance):
            options = FinetuneOptions.model_validate(provenance["options"])
            # To a batch: a file does not say how many additional examples there were.
            extra = (
                provenance["planned"] // options.epochs * options.batch - provenance["examples"]
                if provenance.get("extra")
                else 0
            )
            passes = passes_of(options, provenance["examples"], provenance["validated"], len(provenance["languages"]), extra)
            paces.append(provenance["seconds"] / (passes * (provenance["steps"] / provenance["planned"] if taken else 1.0)))
    return paces[-RECENT:]
