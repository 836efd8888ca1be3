"""What fine-tuning will cost before it starts: passes of examples, at the pace of earlier runs or of a bare measurement."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from backend.corpora.tasks.library import TaskEntry
from backend.experiments.estimate import CHARACTERS_A_TOKEN, OVERHEAD, RECENT, SECONDS_A_TOKEN, STARTING_SECONDS, Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from backend.corpora.parallel.library import CorpusEntry
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
    spec: TransferSpec,
    runs: Sequence[TransferRun],
    model: Model,
    entry: TaskEntry | CorpusEntry,
    worker: Mapping[str, Any],
    earlier: Sequence[RecordFile],
    extra: TaskEntry | None = None,
) -> Estimate | None:
    """Seconds for `runs` of `spec`; at most, since a run ends once it makes no errors any more.

    `worker` is what a living worker said of itself; None where none has measured its speed yet. `extra` is the task of the
    additional training examples.
    """
    rows, validated = _rows(spec, entry)
    more = extra.rows - extra.validation_rows if extra else 0
    passes = sum(passes_of(run.options, rows, validated, len(spec.languages), more) for run in runs)
    return _of_passes(spec, passes, len(runs), model, entry, worker, _paces(spec, model, worker, earlier))


def weights(
    spec: TransferWeightsSpec,
    model: Model,
    entry: TaskEntry | CorpusEntry,
    worker: Mapping[str, Any],
    earlier: Sequence[RecordFile],
) -> Estimate | None:
    """Seconds to train one run again up to a step and to ask its model once in every language; None as `transfer`."""
    run = spec.run
    rows, validated = _rows(run, entry)
    trained = spec.step * run.training.batch * TRAINING_PASSES * (2 if run.algorithms == ("xtune",) else 1)
    passes = trained + len(run.languages) * (rows + validated)
    # This run stops where it is told to: what earlier ones took for the steps that they made, not for those planned.
    paces = _paces(run, model, worker, earlier, taken=True)
    found = _of_passes(run, passes, 1, model, entry, worker, paces)
    if found is None or not paces:
        return found
    return replace(found, seconds=found.seconds + STARTING_SECONDS)  # in a run of few steps not a small part


def _of_passes(
    spec: TransferSpec,
    passes: float,
    runs: int,
    model: Model,
    entry: TaskEntry | CorpusEntry,
    worker: Mapping[str, Any],
    paces: Sequence[float],
) -> Estimate | None:
    """`paces`: seconds a pass of this model's last runs on these data; none where it has not run here."""
    if "encoding_flops" not in worker:
        return None
    if paces:
        return Estimate(passes * median(paces), runs, "from this model's last runs on these data")
    tokens = _characters(entry, spec.languages) / CHARACTERS_A_TOKEN + SPECIAL_TOKENS
    block = 2.0 * 12 * model.layers * model.dims**2
    example = tokens * (block / worker["encoding_flops"] * OVERHEAD + SECONDS_A_TOKEN)
    seconds = STARTING_SECONDS + runs * RUN_SECONDS + passes * example
    return Estimate(seconds, runs, f"from a one-second measurement on {worker['device']}")


def passes_of(options: FinetuneOptions, rows: int, validated: int, languages: int, extra: int = 0) -> float:
    """Forward passes of one example each that a run takes at most, a training step counting as several.

    `rows` and `validated` are examples of one language, `extra` those that are trained on and never evaluated.
    """
    trained = options.epochs * (rows + extra) * TRAINING_PASSES * (2 if options.algorithm == "xtune" else 1)
    points = options.steps(rows + extra) / options.record_every
    share = 1.0 if options.windows == "all" else min(1.0, SHARE_IN_WINDOWS * sum(width for _, width in options.windows))
    evaluated = share * points + (options.patience or 0) + 1
    return trained + points * rows + evaluated * ((languages - 1) * rows + languages * validated)


def _rows(spec: TransferSpec, entry: TaskEntry | CorpusEntry) -> tuple[int, int]:
    """Training and validation examples of one language."""
    if not isinstance(entry, TaskEntry):
        return min(entry.sentences, spec.sentences or entry.sentences), 0
    validated = entry.validation_rows or round(spec.validation_share * entry.rows)
    return entry.rows - validated, validated


def _characters(entry: TaskEntry | CorpusEntry, languages: Sequence[str]) -> float:
    """Of one example, a mean over the languages."""
    if isinstance(entry, TaskEntry):
        return sum(entry.characters[tag] for tag in languages) / len(languages) / entry.rows
    found = [each.characters / max(1, each.sentences) for each in entry.languages if each.tag in languages]
    return sum(found) / len(found)


def _paces(
    spec: TransferSpec, model: Model, worker: Mapping[str, Any], earlier: Sequence[RecordFile], *, taken: bool = False
) -> list[float]:
    """Seconds a planned pass (or one `taken`) of each of this model's last runs on these data and such a device."""
    from backend.training.finetune.options import FinetuneOptions

    on_cpu = str(worker.get("device", "")).startswith("CPU")
    paces = []
    for file in earlier:
        about = file.about
        same = about["model"] == model.name and about["corpus"] == spec.corpus and about["data"] == spec.data
        if same and about.get("seconds") and str(about["device"]).startswith("cpu") == on_cpu:
            options = FinetuneOptions.model_validate(about["options"])
            # To a batch: a file does not say how many additional examples there were.
            extra = about["planned"] // options.epochs * options.batch - about["examples"] if about.get("extra") else 0
            passes = passes_of(options, about["examples"], about["validated"], len(about["languages"]), extra)
            paces.append(about["seconds"] / (passes * (about["steps"] / about["planned"] if taken else 1.0)))
    return paces[-RECENT:]
