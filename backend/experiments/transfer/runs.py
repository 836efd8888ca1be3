"""The fine-tuning runs that are computed, as a frame: a row a run. No Streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import pandas as pd

from isogloss.backend.corpora.tasks.library import TaskEntry
from isogloss.backend.experiments.transfer import spec as transfer_spec
from isogloss.backend.experiments.transfer.spec import Data
from isogloss.backend.experiments.words import count
from isogloss.backend.files import digest
from isogloss.backend.models.entry import Model
from isogloss.backend.store.records import RecordFile
from isogloss.backend.training.finetune.options import FinetuneOptions

FILTERS = {"algorithm": "Algorithms", "learning_rate": "Learning rates", "seed": "Seeds", "corruption": "Corruption"}
"""What runs of one setting differ in, and what it is called."""
COLUMNS = ["run", "model", "checkpoint", "label", "position", "source", *FILTERS, "setting"]


def runs_of_selection(
    have: Sequence[RecordFile],
    models: Sequence[Model],
    labels: Sequence[str],
    data: Data,
    corpus: str,
    sources: Sequence[str],
    targets: Sequence[str],
    prefixes: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """The runs of these models, data and languages (`COLUMNS`). Of one run in two files, the one evaluated at more points.

    `labels` are the checkpoints', empty for the last of each model. `prefixes` are what checkpoints (by fingerprint) read
    before every text, those without any left out. A run that lacks a target is left out.
    """
    wanted = {
        (model.name, checkpoint.fingerprint): (checkpoint.label, position)
        for model in models
        for position, checkpoint in enumerate(model.checkpoints)
        if (checkpoint.label in labels if labels else position == len(model.checkpoints) - 1)
    }
    fingerprints = {fingerprint for _, fingerprint in wanted}
    best: dict[str, RecordFile] = {}
    for file in have:
        provenance = file.provenance
        if (
            provenance["data"] == data
            and provenance["corpus"] == corpus
            and provenance["fingerprint"] in fingerprints
            and provenance["options"].get("prefix", "") == (prefixes or {}).get(provenance["fingerprint"], "")
            and provenance["version"] == transfer_spec.VERSION
            and provenance["source"] in sources
            and set(targets) <= set(provenance["languages"])
        ):
            same = transfer_spec.training_key(file) + ("" if provenance["complete"] else digest(provenance["languages"]))
            if same not in best or evaluated_share(provenance) >= evaluated_share(best[same].provenance):
                best[same] = file
    rows = [
        (file.run, model, fingerprint, label, position, *_described(file))
        for (model, fingerprint), (label, position) in wanted.items()
        for file in best.values()
        if file.provenance["fingerprint"] == fingerprint
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def like(runs: pd.DataFrame, run: str) -> pd.DataFrame:
    """Return the rows that differ from that of `run` in learning rate, seed or source alone; without it, from the last one."""
    same = ["setting", "algorithm", "corruption"]
    row = runs[runs["run"] == run] if run in set(runs["run"]) else runs.tail(1)
    return runs.merge(row[same].drop_duplicates(), on=same)


def evaluated_share(provenance: Mapping[str, Any]) -> float:
    """Return how much of the training error's range was evaluated in all languages."""
    windows = provenance["options"]["windows"]
    return 2.0 if windows == "all" else float(sum(width for _, width in windows))


def setting(provenance: Mapping[str, Any]) -> str:
    """In words how a run was trained, but for what is swept over: runs with equal words may be looked at together."""
    options = provenance["options"]
    words = [f"{options['epochs']} epochs", f"batches of {options['batch']}"]
    defaults = FinetuneOptions().model_dump(mode="json")
    shown = {"epochs", "batch", "windows", "patience", "recipe", "prefix", *transfer_spec.SWEPT}
    if options["patience"] != defaults["patience"]:
        stopped = f"{count(options['patience'], 'record')} without errors" if options["patience"] else ""
        words.append(f"stopped after {stopped}" if stopped else "to the last epoch")
    words += ["head as in Transformers"] if options.get("recipe") == "trainer" else []
    words += [
        f"{name.replace('_', ' ')} {value}" for name, value in options.items() if name not in shown and value != defaults[name]
    ]
    if provenance["data"] == "task":
        words.append(f"validation {provenance['validation_share']:.0%}")
    said = {"extra": "with task {}", "sentences": "first {} sentences", "rows": "{} training rows at most", "draw": "draw {}"}
    for name, what in said.items():
        if provenance.get(name):
            words.append(what.format(str(provenance[name])[:6]))
    if not provenance["complete"]:
        words.append(f"sentences of {len(provenance['languages'])} languages ({digest(provenance['languages'])[:4]})")
    return ", ".join(words)


def removed_data(file: RecordFile) -> TaskEntry:
    """Return what a run was trained on, and no shelf has any more, as its records know it."""
    given = file.provenance
    what = "task" if given["data"] == "task" else "corpus"
    return TaskEntry(
        id=given["corpus"],
        name=f"Removed {what} {given['corpus'][:6]}",
        created_at=datetime.fromtimestamp(file.modified, UTC),
        format="",
        languages=tuple(given["languages"]),
        source_names={},
        labels=(),
        is_pair=False,
        rows=given["examples"] + given["validated"],
        validation_rows=given["validated"],
        characters={},
    )


@lru_cache(maxsize=100_000)
def _described(file: RecordFile) -> tuple[str, str, float, int, float, str]:
    """Source, algorithm, learning rate, seed, corruption and setting."""
    provenance, options = file.provenance, file.provenance["options"]
    swept = options["algorithm"], options["learning_rate"], options["seed"]
    return provenance["source"], *swept, float(provenance["corruption"]), setting(provenance)
