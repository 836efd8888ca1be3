"""Fine-tune a model on one language and record its errors on all of them (Chi, Huang & Mao 2023, section 3)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.finetune.evaluate import record_stream
from isogloss.backend.training.finetune.options import matters
from isogloss.backend.training.finetune.records import Record, read_records, to_line
from isogloss.backend.training.finetune.run import Run, begin, inputs_of, train_step
from isogloss.backend.training.resumable.folder import RECORDS, RunFolder, claim
from isogloss.backend.training.resumable.progress import Progress
from isogloss.backend.training.resumable.reproducible import deterministically, fitting, reproducible

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.training.finetune.data import ClassificationData
    from isogloss.backend.training.finetune.options import FinetuneOptions


Reason = Literal["epochs", "no errors left"]


@dataclass(frozen=True)
class FinetuneProgress(Progress):
    """Where a run is; it may stop before its last step, once there are no errors left."""

    train_error: float | None
    """At the last record point; None before the first."""


@dataclass(frozen=True)
class FinetuneResult:
    """What a run recorded."""

    finished: bool
    """False where it was asked to stop; the same call goes on."""
    step: int
    reason: Reason | None
    """Why it ended; None where it has not."""
    records: tuple[Record, ...]
    """By step; the source's training examples come first in each."""
    classes: int
    """For `backend.training.finetune.records.unpack`."""
    truncated: int
    """Texts that lost their end, all languages together."""


def finetune(
    loaded: Loaded,
    data: ClassificationData,
    options: FinetuneOptions,
    folder: Path,
    *,
    fingerprint: str,
    needed: Callable[[float], bool] | None = None,
    progress: Callable[[FinetuneProgress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    save_every: float = 60.0,
) -> FinetuneResult:
    """Fine-tune, or resume a run, and record errors.

    Every `record_every` steps the error on the source's training examples is recorded; where `needed` says so, and at the last
    step, also those on the translations and validation examples of every language. Arguments of all trainings and what they
    raise: `docs/definitions.md`, "Trainings".

    `loaded` is from `backend.models.loading.load.load(…, full_precision=True)`, its module is left as it is, and `fingerprint`
    is that of its checkpoint. `needed` says whether a model of this training error is evaluated on all languages; by default
    `options.windows` do.
    """
    inputs = inputs_of(loaded, data, options)
    provenance = {"weights": fingerprint, "data": [inputs.digest(), data.classes], "options": options.model_dump(mode="json")}
    with claim(folder, provenance, what="fine-tuning run", log=RECORDS) as claimed:
        step = 0
        if claimed.result() is None:
            what = f"Fine-tuning {loaded.shown} with batches of {options.batch}"
            with reproducible(loaded.device), fitting(what, loaded.device):
                run = begin(loaded, inputs, options, data.classes)
                needed = needed or partial(matters, windows=options.windows)
                step = _train(run, claimed, needed, progress, should_stop, save_every)
        done = claimed.result()
        return FinetuneResult(
            finished=done is not None,
            step=step if done is None else int(done["step"]),
            reason=None if done is None else done["reason"],
            records=tuple(read_records(claimed.log)),
            classes=data.classes,
            truncated=inputs.truncated,
        )


def _train(
    run: Run,
    folder: RunFolder,
    needed: Callable[[float], bool],
    progress: Callable[[FinetuneProgress], None] | None,
    should_stop: Callable[[], bool] | None,
    save_every: float,
) -> int:
    """Take the steps that are left; return the last one. A record point that the state's step still lacks is made first."""
    first, saved = folder.load(run.classifier, run.optimizer), time.monotonic()
    records = read_records(folder.log)
    errors = [one.error for one in records if _of_source(one, run)]
    recorded = records[-1].step if records else 0
    for step in range(first, run.steps + 1):
        due = step > recorded and (step % run.options.record_every == 0 or step == run.steps)
        if step > first:
            deterministically(partial(train_step, run, step))
        if due:
            try:
                errors.append(_record(run, folder, step, errors, needed, should_stop))
            except StoppedError:
                folder.save(run.classifier, run.optimizer, step)  # goes on with this record point
                return step
        stopping = should_stop is not None and should_stop()
        if progress is not None and (due or step > first):
            progress(FinetuneProgress(step, run.steps, errors[-1] if errors else None))
        if step == run.steps or _nothing_left(errors, run.options):
            reason: Reason = "epochs" if step == run.steps else "no errors left"
            folder.finish({"step": step, "reason": reason})
            folder.remove_state()
            return step
        if step > first and (stopping or time.monotonic() - saved >= save_every):
            folder.save(run.classifier, run.optimizer, step)
            saved = time.monotonic()
        if stopping:
            return step
    return run.steps


def _record(
    run: Run,
    folder: RunFolder,
    step: int,
    before: list[float],
    needed: Callable[[float], bool],
    should_stop: Callable[[], bool] | None,
) -> float:
    """Record the model of `step`; the source's training error."""
    evaluated = partial(
        record_stream, run.classifier, precision=run.precision, step=step, epoch=run.epoch(step), should_stop=should_stop
    )
    records = deterministically(lambda: evaluated(run.source))
    error = records[0].error
    last = step == run.steps or _nothing_left([*before, error], run.options)
    if last or needed(error):
        records += deterministically(lambda: evaluated(run.others))
    folder.note(to_line(records))
    return error


def _of_source(record: Record, run: Run) -> bool:
    return record.split == "train" and record.language == run.inputs.source.language


def _nothing_left(errors: list[float], options: FinetuneOptions) -> bool:
    """Return whether the training error has been zero for as long as the options want to see it."""
    return options.patience is not None and len(errors) >= options.patience and not any(errors[-options.patience :])
