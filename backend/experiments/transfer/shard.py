"""Transfer: what is lost when a task crosses languages. One shard is one fine-tuning run (`transfer_spec`)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend import parquet
from isogloss.backend.experiments.spec import Cancelled, Context
from isogloss.backend.experiments.training import folder_of, train_once
from isogloss.backend.experiments.transfer import rows as transfer_scores
from isogloss.backend.experiments.transfer.data import data_of
from isogloss.backend.experiments.transfer.spec import FAMILY, TransferSpec, covering
from isogloss.backend.store import records, scores
from isogloss.backend.store.records import RECORDS
from isogloss.backend.training.finetune.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.experiments.transfer.data import TransferData
    from isogloss.backend.experiments.transfer.spec import TransferRun
    from isogloss.backend.training.finetune.loop import FinetuneProgress, FinetuneResult


def compute(spec: TransferSpec, shard: str, context: Context) -> None:
    """Fine-tune, or go on where a run was killed, and publish its records; nothing where a file has them already.

    Raises `Cancelled` where it was asked to stop, and what `finetune` and `data_of` raise.
    """
    run = spec.shards()[shard]
    train_once(
        shard, lambda: _computed(spec, run, shard, context), lambda: _compute(spec, run, shard, context), context, what="run"
    )
    _score_again(spec, run, shard, context)


def _computed(spec: TransferSpec, run: TransferRun, shard: str, context: Context) -> bool:
    """Whether a file has the run's records: its own, which is quickly seen, or one of more languages or record points."""
    if records.exists(context.workspaces, shard):
        return True
    return covering(spec.provenance(run), records.files(context.workspaces)) is not None


def _compute(spec: TransferSpec, run: TransferRun, shard: str, context: Context) -> None:
    import torch

    from isogloss.backend.models.device import named
    from isogloss.backend.models.loading.load import load
    from isogloss.backend.training.finetune.loop import finetune
    from isogloss.backend.training.resumable.folder import RUN
    from isogloss.backend.training.resumable.lock import lock
    from isogloss.backend.training.resumable.reproducible import what_varies

    folder = folder_of(shard, context)
    began = not (folder / RUN).exists()
    if folder.exists():
        with lock(folder):  # asked before a model is loaded beside that of another worker
            pass
    started = time.perf_counter()
    context.step(f"reading {run.source}", 0.0)
    made = data_of(spec.provenance(run), context.workspaces)
    loaded = load(run.checkpoint, context.settings, full_precision=True)
    if covering(spec.provenance(run), records.files(context.workspaces)):
        return  # of another worker, which was done while this one read

    def report(now: FinetuneProgress) -> None:
        error = "" if now.train_error is None else f", training error {now.train_error:.1%}"
        context.progress(f"fine-tuning {run.label}: step {now.step} of {now.steps}{error}", now.step / now.steps)

    finetuned = finetune(
        loaded,
        made.data,
        run.options,
        folder,
        fingerprint=run.checkpoint.fingerprint,
        progress=report,
        should_stop=context.should_stop,
    )
    if not finetuned.finished:
        raise Cancelled
    seconds = round(time.perf_counter() - started, 3) if began else None  # of the whole run, or not known
    provenance = _provenance(spec, run, made, finetuned) | {
        "device": named(loaded.device),
        "threads": torch.get_num_threads(),  # other numbers round sums differently
        "precision": loaded.why_dtype,
        "seconds": seconds,
        **({"varies": varies} if (varies := what_varies()) else {}),
    }
    _score(spec, run, shard, finetuned.records, made.complete, context)
    records.write(context.workspace, shard, _table(shard, run.source, finetuned), provenance)


def _provenance(spec: TransferSpec, run: TransferRun, made: TransferData, finetuned: FinetuneResult) -> dict[str, Any]:
    """Return what a file of records says of its run and of how that ended."""
    return spec.provenance(run) | {
        "complete": made.complete,
        "model": spec.model,
        "label": run.checkpoint.label,
        "classes": finetuned.classes,
        "steps": finetuned.step,
        "planned": run.options.steps(len(made.data.labels) + len(made.data.extra_labels)),
        "reason": finetuned.reason,
        "truncated": finetuned.truncated,
        "examples": len(made.data.labels),
        "validated": max((len(each) for each in made.data.validation_labels.values()), default=0),
    }


def _score(
    spec: TransferSpec, run: TransferRun, shard: str, score_records: Sequence[Record], complete: bool, context: Context
) -> None:
    """Publish the rows of scores; what they were computed from in full is said by the records' file."""
    provenance = {
        name: value
        for name, value in spec.provenance(run).items()
        if name in ("experiment", "version", "fingerprint", "corpus", "languages")
    }
    provenance |= {"complete": complete, "model": spec.model, "label": run.checkpoint.label}
    scores.write(context.workspace, FAMILY, shard, transfer_scores.rows(spec, run, shard, score_records), provenance)


def _score_again(spec: TransferSpec, run: TransferRun, shard: str, context: Context) -> None:
    """Make the rows of scores from the run's own records where they were damaged or removed: nothing is trained for them."""
    if not records.exists(context.workspaces, shard) or scores.exists(context.workspaces, FAMILY, shard):
        return
    (file,) = [each for each in records.files(context.workspaces) if each.run == shard][:1]
    rows = parquet.read(file.path).drop_columns(["run", "source"]).to_pylist()
    _score(spec, run, shard, [Record(**row) for row in rows], file.provenance["complete"], context)


def _table(shard: str, source: str, finetuned: FinetuneResult) -> pa.Table:
    rows: list[dict[str, Any]] = [
        {
            "run": shard,
            "source": source,
            "step": one.step,
            "epoch": one.epoch,
            "split": one.split,
            "language": one.language,
            "errors": one.errors,
            "n": one.n,
            "predictions": one.predictions,
        }
        for one in finetuned.records
    ]
    return pa.Table.from_pylist(rows, schema=RECORDS)
