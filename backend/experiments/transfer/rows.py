"""Score rows of a fine-tuning run: accuracies and transfer gaps of its last model, and its own IGap.

Figures of IGap are made from the records, over all runs and for any window; these rows let one run stand beside ABX and
alignment. The IGap of several runs is the least of theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.experiments.transfer.spec import FAMILY, TransferSpec, variant
from isogloss.backend.metrics.intervals import wilson_interval
from isogloss.backend.metrics.transfer.igap import decompose, igap, transfer_gap
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from isogloss.backend.experiments.transfer.spec import TransferRun
    from isogloss.backend.training.finetune.records import Record

WINDOW = (0.0, 0.001)
"""The window of the tables of Chi et al. 2023 (but for table 9's); where a run did not ask for it, its first is taken."""


def window_of(run: TransferRun) -> tuple[float, float]:
    """Return the window `[at, at + epsilon)` of training errors in which this run's own IGap is taken."""
    windows = run.options.windows
    return WINDOW if windows == "all" or WINDOW in windows or not windows else windows[0]


def rows(spec: TransferSpec, run: TransferRun, shard: str, records: Sequence[Record]) -> pa.Table:
    """Build the rows (`SCORES`) of one run.

    `transfer_train_error` (source to itself), `transfer_accuracy` and `transfer_gap` are the last model's, the latter two on
    the validation examples; `igap` (nan where the window is empty) is that of each language but the source that has
    translations of the training examples.
    """
    last = {(one.split, one.language): one for one in records if one.step == records[-1].step}
    training = last["train", run.source]
    score_rows = [{"metric": "transfer_train_error", "target": run.source} | _share(training.error, training.n)]
    validated = {tag: one for (part, tag), one in last.items() if part == "validation"}
    score_rows += [
        {"metric": "transfer_accuracy", "target": tag} | _share(1 - one.error, one.n) for tag, one in validated.items()
    ]
    if run.source in validated:
        there = validated[run.source].error
        score_rows += [
            {"metric": "transfer_gap", "target": tag} | _value(float(transfer_gap([there], [one.error])[0]), one.n)
            for tag, one in validated.items()
            if tag != run.source
        ]
    # A training part in one language alone has no translations, hence no IGap.
    translated = {one.language for one in records if one.split == "train"}
    targets = [tag for tag in spec.languages if tag != run.source and tag in translated]
    if targets:
        gaps = igap(*training_gaps(records, run.source, targets), *window_of(run))
        score_rows += [
            {"metric": "igap", "target": tag} | _value(float(value), training.n)
            for tag, value in zip(targets, gaps, strict=True)
        ]
    return scores.table(
        [row | {"source": run.source} for row in score_rows],
        run=shard,
        family=FAMILY,
        model=spec.model,
        checkpoint=run.checkpoint.fingerprint,
        step=run.checkpoint.step,
        corpus=spec.corpus,
        variant=variant(spec.provenance(run)),
        seed=run.options.seed,
    )


def training_gaps(
    records: Sequence[Record], source: str, targets: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Training errors `[points]` and interlingual gaps `[points, targets]` of all record points, nan where not evaluated."""
    points = {one.step: place for place, one in enumerate(r for r in records if (r.split, r.language) == ("train", source))}
    train, translated = np.full(len(points), np.nan), np.full((len(points), len(targets)), np.nan)
    for one in records:
        if one.split != "train":
            continue
        if one.language == source:
            train[points[one.step]] = one.error
        elif one.language in targets:
            translated[points[one.step], targets.index(one.language)] = one.error
    return train, decompose(train, translated, translated).inter


def _value(value: float, n: int) -> dict[str, Any]:
    return {"value": value, "low": np.nan, "high": np.nan, "n": n}


def _share(value: float, n: int) -> dict[str, Any]:
    """With Wilson's 95% interval over the examples."""
    low, high = wilson_interval(np.array(value), np.array(n))
    return {"value": value, "low": float(low), "high": float(high), "n": n}
