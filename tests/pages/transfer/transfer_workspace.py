"""A workspace with made-up fine-tuning runs of a demo model on a small task: quick to make, and every number known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend.corpora.tasks import library as task_library
from isogloss.backend.corpora.tasks.task import SCHEMA, LabelledTask
from isogloss.backend.experiments.transfer.spec import TransferRun, TransferSpec
from isogloss.backend.models.library import library as models
from isogloss.backend.store import records
from isogloss.backend.training.finetune.options import FinetuneOptions, matters
from isogloss.backend.training.finetune.records import pack
from tests.pages.made_once import made_once

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

LANGUAGES = ("de", "en", "zh")
LABELS = ("contradiction", "entailment", "neutral")
NAME = "Small task"
TRAINING, VALIDATION = 40, 20


def small_task(languages: Sequence[str] = LANGUAGES) -> LabelledTask:
    """Pairs of invented sentences with three labels, the same in every language; a validation part of its own."""
    rows = []
    for language in languages:
        for i in range(TRAINING + VALIDATION):
            part = "train" if i < TRAINING else "validation"
            texts = (f"Sentence {i} in {language}.", f"Claim {i} in {language}.")
            rows.append((str(i), language, *texts, LABELS[i % 3], part))
    return LabelledTask(pa.table([list(column) for column in zip(*rows, strict=True)], schema=SCHEMA))


@made_once
def fill(
    workspace: Path, demo: Path, *, validated: bool = True, lowest: float = 0.0, first: int = 0, **changes: object
) -> TransferSpec:
    """Keep the task and publish a record file for every run of a spec: two sources, two algorithms, two seeds by default.

    Without `validated` no run has validation examples, as with random labels. Record points with a training error below
    `lowest` are left out: runs that ended before. Chance begins with the number `first`. The task has the spec's `languages`.
    """
    task = small_task(changes.get("languages", LANGUAGES))  # type: ignore[arg-type]
    entry = task_library.keep(task, NAME, workspace)
    model = models.entries([demo])[0]
    spec = TransferSpec.model_validate(
        {
            "model": model.name,
            "checkpoints": model.checkpoints[-1:],
            "data": "task",
            "corpus": entry.id,
            "sources": ("en", "zh"),
            "languages": LANGUAGES,
            "algorithms": ("vanilla", "gaussian"),
            "learning_rates": (1e-5,),
            "seeds": (0, 1),
            "training": FinetuneOptions(epochs=5, windows="all"),
            **changes,
        }
    )
    for number, (shard, run) in enumerate(spec.shards().items(), first):
        table, steps = _records(spec, run, shard, task, number)
        if lowest:
            train = pc.and_(pc.equal(table["language"], run.source), pc.equal(table["split"], "train"))
            early = table.filter(pc.and_(train, pc.greater_equal(table["errors"], lowest * TRAINING)))["step"]
            table, steps = table.filter(pc.less_equal(table["step"], pc.max(early))), pc.max(early).as_py()
        if not validated:
            table = table.filter(pc.equal(table["split"], "train"))
        provenance = spec.provenance(run) | {
            "complete": True,
            "model": model.name,
            "label": run.checkpoint.label,
            "classes": 3,
            "steps": steps,
            "planned": steps,
            "reason": "epochs",
            "truncated": 0,
            "examples": TRAINING,
            "validated": VALIDATION,
            "device": "cpu",
            "precision": "float32",
            "seconds": 4.0,
        }
        records.write(workspace, shard, table, provenance)
    return spec


def fill_seeds(workspace: Path, demo: Path, amount: int = 3) -> list[str]:
    """As `fill`, of so many seeds of a model and of another model; returns the names of all, the other last.

    Each has one checkpoint, whose label no other has.
    """
    own, *_, other = (model for model in models.entries([demo]) if len(model.checkpoints) > amount)
    made = [(f"Made seed {seed}", own.checkpoints[-1 - seed]) for seed in range(amount)] + [("Other", other.checkpoints[-1])]
    for number, (name, checkpoint) in enumerate(made):
        models.keep(own.model_copy(update={"name": name, "checkpoints": (checkpoint,)}), workspace)
        lacking = {"sources": ("en",)} if number == 1 else {}
        fill(workspace, demo, first=10 * number, model=name, checkpoints=(checkpoint,), **lacking)
    return [name for name, _ in made]


def _records(spec: TransferSpec, run: TransferRun, shard: str, task: LabelledTask, number: int) -> tuple[pa.Table, int]:
    """Ten record points: the training error falls to zero, translations lose more the farther their language."""
    random = np.random.default_rng(number)
    rows, steps = [], 100
    for step in range(10, steps + 1, 10):
        train = round(TRAINING * 0.6 * (1 - step / steps))
        for place, language in enumerate(spec.languages):
            known = step == steps or matters(train / TRAINING, spec.training.windows)
            lost = 0 if language == run.source else 4 + 3 * place + int(random.integers(0, 4))
            for part, n, wrong in (
                ("train", TRAINING, train + lost),
                ("validation", VALIDATION, 4 + lost // 2 + int(random.integers(0, 3))),
            ):
                if not known and (language, part) != (run.source, "train"):
                    continue  # as a run does: targets in the windows asked for and at the last step
                gold = task.examples(language, part, labels_of=run.source if part == "train" else None).labels  # type: ignore[arg-type]
                made = _wrong(gold, min(n, wrong), random)
                rows.append((shard, run.source, step, step // 20 + 1, part, language, min(n, wrong), n, pack(made, 3)))
    return pa.table([list(column) for column in zip(*rows, strict=True)], schema=records.RECORDS), steps


def _wrong(gold: NDArray[np.int64], errors: int, random: np.random.Generator) -> NDArray[np.uint8]:
    """Predictions with so many errors."""
    made = gold.copy()
    chosen = random.choice(len(gold), errors, replace=False)
    made[chosen] = (made[chosen] + random.integers(1, 3, errors)) % 3
    return made.astype(np.uint8)
