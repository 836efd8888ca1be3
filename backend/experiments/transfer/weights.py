"""The weights of one model of a transfer experiment, where they are asked for: a run and a step, fine-tuned again.

Runs keep predictions and no weights. From the seed come the same weights again, on the same device; that they are the same is
checked against the predictions recorded, and where they are not, the kept model says so (`different`).
"""

from __future__ import annotations

import shutil
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.errors import SpecError, StoreError
from isogloss.backend.experiments.spec import Context, Spec, cancelling, validate
from isogloss.backend.experiments.training import folder_of, train_once
from isogloss.backend.experiments.transfer.card import card
from isogloss.backend.experiments.transfer.data import data_of
from isogloss.backend.experiments.transfer.spec import SWEPT, TransferSpec
from isogloss.backend.files import publish_json
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.store import records, weights
from isogloss.backend.training.finetune.records import unpack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.transfer.data import TransferData
    from isogloss.backend.models.entry import Model
    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.store.records import RecordFile
    from isogloss.backend.training.finetune.data import ClassificationData
    from isogloss.backend.training.finetune.records import Record
    from isogloss.backend.training.finetune.retrain import RetrainedModel


class TransferWeightsSpec(Spec):
    """The model of one step of one run."""

    experiment: Literal["transfer_weights"] = "transfer_weights"
    run: TransferSpec
    """Narrowed to the one run."""
    step: int = Field(ge=1)
    """One that the run recorded."""

    @model_validator(mode="after")
    def _one(self) -> TransferWeightsSpec:
        if len(self.run.runs()) != 1:
            raise ValueError("weights are kept of one run: name one checkpoint, source, algorithm, learning rate and seed")
        return self

    def shards(self) -> dict[str, Checkpoint]:
        """Map the only key, the spec's id, to the run's checkpoint."""
        return {self.id: self.run.checkpoints[0]}

    @property
    def key(self) -> str:
        """That of the run, as in its records."""
        (key,) = self.run.shards()
        return key


def spec_of(file: RecordFile, step: int, known: Sequence[Model]) -> TransferWeightsSpec:
    """Return what keeps the model of one step of a run that is there. `known` are the models of the workspaces.

    Raises `SpecError` where the run has no record at that step, was made by an earlier version, or its model is gone.
    """
    provenance = file.provenance
    if not records.predictions(file, step):
        every = provenance["options"]["record_every"]
        raise SpecError(
            f"The run has no record at step {step:,}: it has one every {every} steps and at its last, {provenance['steps']:,}."
        )
    of_name = [model for model in known if model.name == provenance["model"]]
    matching = [
        (model.name, checkpoint)
        for model in [*of_name, *known]
        for checkpoint in model.checkpoints
        if checkpoint.fingerprint == provenance["fingerprint"]
    ]
    if not matching:
        raise SpecError(
            f"The model {provenance['model']} is no longer in the library. Add it again to keep what was trained of it."
        )
    name, checkpoint = matching[0]
    options = dict(provenance["options"])
    swept = {f"{field}s": (options.pop(field),) for field in SWEPT}
    of_data = ("data", "corpus", "extra", "sentences", "rows", "draw", "languages", "validation_share")
    given = {field: provenance[field] for field in of_data if provenance.get(field) is not None}
    fields = given | swept | {"sources": (provenance["source"],), "corruptions": (provenance["corruption"],)}
    run = validate(TransferSpec, fields | {"model": name, "checkpoints": (checkpoint,), "training": options})
    spec = validate(TransferWeightsSpec, {"run": run, "step": step})
    if spec.key != file.run:
        raise SpecError("The run was made by an earlier version of Isogloss. Train it again to save its weights.")
    return spec


def compute(spec: TransferWeightsSpec, shard: str, context: Context) -> None:
    """Fine-tune up to the step, or go on where it was killed, and publish the model; nothing where it is saved already.

    Raises `Cancelled` where it was asked to stop, `StoreError` where the run's records are gone, and what `retrain` and
    `data_of` raise.
    """
    train_once(
        shard,
        lambda: weights.load(shard, context.workspaces) is not None,
        lambda: _compute(spec, folder_of(shard, context), context),
        context,
        what="model",
    )


def _compute(spec: TransferWeightsSpec, folder: Path, context: Context) -> None:
    from isogloss.backend.models.loading.load import load
    from isogloss.backend.training.finetune.retrain import retrain

    (run,) = spec.run.runs()
    file = next((each for each in records.files(context.workspaces) if each.run == spec.key), None)
    recorded = {} if file is None else records.predictions(file, spec.step)
    if file is None or not recorded:
        raise StoreError("The records of this run are no longer here to check the model against. Train the run again.")
    context.step(f"reading {run.source}", 0.0)
    made = data_of(file.provenance, context.workspaces)
    loaded = load(run.checkpoint, context.settings, full_precision=True)

    def report(step: int) -> None:
        context.progress(f"fine-tuning {run.label} again: step {step} of {spec.step}", 0.95 * step / spec.step)

    training = retrain(
        spec.step,
        loaded,
        made.data,
        run.options,
        folder,
        fingerprint=run.checkpoint.fingerprint,
        everywhere=len(recorded) > 1,
        on_threads=file.provenance.get("threads"),
        progress=report,
        should_stop=context.should_stop,
    )
    with cancelling(), training as trained:
        if weights.load(spec.id, context.workspaces) is None:  # of another worker, which was done while this one waited
            _publish(spec, file, made, trained, loaded, folder, context)


def _publish(
    spec: TransferWeightsSpec,
    file: RecordFile,
    made: TransferData,
    trained: RetrainedModel,
    loaded: Loaded,
    folder: Path,
    context: Context,
) -> None:
    from isogloss.backend.models.device import named
    from isogloss.backend.training.finetune.export import export
    from isogloss.backend.training.resumable.checkpoint import publish_folder

    context.step("writing the model", 0.97)
    target = weights.path(context.workspace, spec.id)
    shutil.rmtree(target, ignore_errors=True)  # not whole, or it would have been found
    with publish_folder(target, within=folder) as temporary:
        written = export(temporary, trained.classifier, loaded, made.labels, language=made.data.source)
        provenance = _provenance(spec, file, made, trained, context.workspaces) | {
            "device": named(loaded.device),
            "max_tokens": min(spec.run.training.max_tokens, loaded.max_tokens),
            "use": asdict(written),
            "files": sorted(path.name for path in temporary.iterdir() if path.is_file()),
        }
        (temporary / "README.md").write_text(card(provenance), encoding="utf-8")
        publish_json(temporary / weights.ABOUT, provenance)


def _provenance(
    spec: TransferWeightsSpec, file: RecordFile, made: TransferData, trained: RetrainedModel, workspaces: Sequence[Path]
) -> dict[str, Any]:
    """Return what the model is, where it came from, and whether it is the one that was recorded."""
    (run,) = spec.run.runs()
    kept: Sequence[Any] = tasks.entries(workspaces) if spec.run.data == "task" else corpora.entries(workspaces)
    entry = next(each for each in kept if each.id == spec.run.corpus)
    source = trained.records[0]
    at = run.checkpoint
    return spec.run.provenance(run) | {
        "spec": spec.id,
        "run": spec.key,
        "step": spec.step,
        "epoch": source.epoch,
        "model": spec.run.model,
        "label": at.label,
        "hub": f"{at.location}@{at.commit or at.revision or 'main'}" if at.source == "hub" else None,
        "data_name": entry.name,
        "licence": entry.licence,
        "labels": made.labels,
        "pairs": not isinstance(made.data.train[run.source][0], str),
        "errors": source.errors,
        "examples": source.n,
        **_compared(trained.records, records.predictions(file, spec.step), made.data),
        "recorded_device": file.provenance["device"],
        "precision": trained.precision,
        "threads": trained.threads,
        "versions": {name: version(name) for name in ("torch", "transformers")},
        "kept_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _compared(found: Sequence[Record], recorded: Mapping[tuple[str, str], bytes], data: ClassificationData) -> dict[str, int]:
    """How many predictions were compared with those recorded, how many are different, and the errors recorded in training."""
    compared = different = 0
    for one in found:
        packed = recorded.get((one.split, one.language))
        if packed is None or len(packed) != len(one.predictions):
            raise StoreError("The predictions recorded do not fit the data that they were made on. Train this run again.")
        compared += one.n
        then, now = (unpack(each, one.n, data.classes) for each in (packed, one.predictions))
        different += int(np.count_nonzero(then != now))
    source = unpack(recorded["train", data.source], len(data.labels), data.classes)
    return {"compared": compared, "different": different, "recorded_errors": int(np.count_nonzero(source != data.labels))}
