"""The model of one step of a run, in memory: runs keep predictions and no weights, so it is fine-tuned again up to there.

Nothing is evaluated on the way. Weights do not depend on it: all randomness of a step is a function of the seed and the step.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from isogloss.backend.errors import SpecError
from isogloss.backend.models.encoding.batch_loop import StoppedError
from isogloss.backend.training.finetune.evaluate import record_stream
from isogloss.backend.training.finetune.run import begin, inputs_of, train_step
from isogloss.backend.training.resumable.folder import RECORDS, claim
from isogloss.backend.training.resumable.reproducible import deterministically, fitting, reproducible, threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from isogloss.backend.models.loading.load import Loaded
    from isogloss.backend.training.finetune.classifier import Classifier
    from isogloss.backend.training.finetune.data import ClassificationData
    from isogloss.backend.training.finetune.options import FinetuneOptions
    from isogloss.backend.training.finetune.records import Record
    from isogloss.backend.training.finetune.run import Run
    from isogloss.backend.training.resumable.folder import RunFolder


@dataclass(frozen=True, eq=False)
class RetrainedModel:
    """The model of one step."""

    classifier: Classifier
    records: tuple[Record, ...]
    """What it says: the source's training examples first, then, where asked for, every other part."""
    precision: str
    """What products were computed in: `float32`, `bfloat16`."""
    threads: int
    """Of torch, on the CPU."""


@contextmanager
def retrain(
    step: int,
    loaded: Loaded,
    data: ClassificationData,
    options: FinetuneOptions,
    folder: Path,
    *,
    fingerprint: str,
    everywhere: bool = True,
    on_threads: int | None = None,
    progress: Callable[[int], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    save_every: float = 60.0,
) -> Iterator[RetrainedModel]:
    """Fine-tune up to `step`, or go on with a stopped or killed attempt. `folder` is held while the context lasts.

    On the run's device (and, on a CPU, number of threads) the records are those of its step, 1 to its last. Arguments as of
    `finetune` and of all trainings, also what they raise: `docs/definitions.md`, "Trainings". `everywhere` asks the model on
    all languages, not the source's training examples alone. `on_threads` is the run's number (None: torch's own), so that sums
    are rounded alike.
    Raises also `SpecError` for a step that the run lacks, and `StoppedError`; the same call goes on.
    """
    inputs = inputs_of(loaded, data, options)
    steps = options.steps(len(inputs.train))
    if not 1 <= step <= steps:
        raise SpecError(f"The run has the steps 1 to {steps:,}, not {step:,}. Choose one of these.")
    provenance = {"weights": fingerprint, "data": [inputs.digest(), data.classes], "options": options.model_dump(mode="json")}
    with claim(folder, provenance | {"step": step}, what="model to keep", log=RECORDS) as claimed:
        what = f"Fine-tuning {loaded.shown} with batches of {options.batch}"
        with reproducible(loaded.device), fitting(what, loaded.device), threads(on_threads) as used:
            run = begin(loaded, inputs, options, data.classes)
            _train(run, step, claimed, progress, should_stop, save_every)
            records: list[Record] = []
            for stream in (run.source, run.others) if everywhere else (run.source,):
                asked = partial(record_stream, run.classifier, stream, precision=run.precision, should_stop=should_stop)
                records += deterministically(partial(asked, step=step, epoch=run.epoch(step)))
        yield RetrainedModel(run.classifier, tuple(records), str(run.precision).removeprefix("torch."), used)


def _train(
    run: Run,
    last: int,
    folder: RunFolder,
    progress: Callable[[int], None] | None,
    should_stop: Callable[[], bool] | None,
    save_every: float,
) -> None:
    """Take the steps that are left up to the `last`."""
    first, saved = folder.load(run.classifier, run.optimizer), time.monotonic()
    for step in range(first + 1, last + 1):
        deterministically(partial(train_step, run, step))
        if progress is not None:
            progress(step)
        stopping = should_stop is not None and should_stop()
        if stopping or time.monotonic() - saved >= save_every:
            folder.save(run.classifier, run.optimizer, step)
            saved = time.monotonic()
        if stopping:
            raise StoppedError("Stopped before the model was there. Start it again to go on.")
