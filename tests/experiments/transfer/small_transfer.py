"""A tiny task and a tiny parallel corpus in three invented languages, and specs of runs on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from isogloss.backend.corpora.parallel import corpus as parallel
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks.task import SCHEMA, LabelledTask
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.transfer.shard import compute
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import Settings
from isogloss.backend.store import records
from tests.models.tiny import SENTENCES, Architecture, tiny_model

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = ("de", "en", "ru")
TRAINING: dict[str, Any] = {"epochs": 8, "batch": 8, "record_every": 3, "windows": "all"}
SPEC: dict[str, Any] = {"model": "tiny", "data": "task", "learning_rates": (2e-3,), "seeds": (3,), "training": TRAINING}


def checkpoint(name: str = "a") -> Checkpoint:
    """One that no test loads."""
    return Checkpoint(source="folder", location=f"/models/{name}", label=name, fingerprint=name * 24)


def spec_of(*, training: dict[str, Any] | None = None, **changes: Any) -> TransferSpec:
    """A spec of one run on English unless `changes` say otherwise."""
    defaults = SPEC | {"checkpoints": (checkpoint(),), "corpus": "c" * 24, "sources": ("en",), "languages": LANGUAGES}
    return TransferSpec(**defaults | {"training": TRAINING | (training or {})} | changes)


def task_of(rows: dict[str, list[tuple[str, str, str, str]]], *, pair: bool = False) -> LabelledTask:
    """A task of rows `(row id, text, label, part)` by language."""
    table = [
        (i, tag, text, f"{text.split()[-1]} again" if pair else None, label, part)
        for tag in sorted(rows)
        for i, text, label, part in rows[tag]
    ]
    return LabelledTask(pa.table([list(column) for column in zip(*table, strict=True)], schema=SCHEMA))


def words(language: str, number: int) -> str:
    """A text of its own for each number: the languages are the words in reverse order and in capitals."""
    text = f"{SENTENCES[number % 10]} {SENTENCES[number * 7 % 10].split()[0]} {number}"
    return {"de": " ".join(reversed(text.split())), "ru": text.upper()}.get(language, text)


def small_task(train: int = 24, validation: int = 9, classes: str = "abc", seed: int = 0) -> LabelledTask:
    """Random labels; Russian has another label than English in train row 2 and in the first validation row."""
    drawn = np.random.default_rng(seed).integers(0, len(classes), train + validation).tolist()
    rows = {
        tag: [
            (
                f"r{i}",
                words(tag, i),
                classes[(drawn[i] + (tag == "ru" and i in (2, train))) % len(classes)],
                "train" if i < train else "validation",
            )
            for i in range(train + validation)
        ]
        for tag in LANGUAGES
    }
    return task_of(rows, pair=True)


def small_corpus(sentences: int = 20, lacking: dict[str, set[int]] | None = None) -> ParallelCorpus:
    """Sentences in all languages, but for those `lacking` in one."""
    rows = [
        (f"s{i:02d}", tag, words(tag, i), None)
        for tag in LANGUAGES
        for i in range(sentences)
        if i not in (lacking or {}).get(tag, ())
    ]
    return ParallelCorpus(pa.table([list(column) for column in zip(*rows, strict=True)], schema=parallel.SCHEMA))


@dataclass(frozen=True)
class SmallTransfer:
    folder: Path
    checkpoint: Checkpoint
    task: str
    corpus: str

    def context(self, name: str = "workspace", **more: Any) -> Context:
        """One on a workspace of its own beside the one that has the task and the corpus, which it reads."""
        settings = Settings(workspace=self.folder / name, demo=self.folder / "shared", device="cpu")
        return Context(settings, **more)

    def spec(self, **changes: Any) -> TransferSpec:
        """A spec of one run on the task."""
        return spec_of(**{"checkpoints": (self.checkpoint,), "corpus": self.task} | changes)


def small_transfer(folder: Path, architecture: Architecture = "qwen3") -> SmallTransfer:
    """In `folder`: a tiny model, and `shared`, a workspace with the task and the corpus."""
    found = discover(str(tiny_model(folder / "model", architecture, positions=128))).checkpoints[0]
    task = tasks.keep(small_task(), "small", folder / "shared")
    corpus = corpora.keep(small_corpus(), "small", folder / "shared")
    return SmallTransfer(folder, found, task.id, corpus.id)


def run_all(spec: TransferSpec, context: Context) -> list[Path]:
    """Compute every run; the files of their records."""
    for shard in spec.shards():
        compute(spec, shard, context)
    return [records.path(context.workspace, shard) for shard in spec.shards()]


def only(spec: TransferSpec) -> str:
    """The key of its one run."""
    (shard,) = spec.shards()
    return shard


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file, without any code of the project."""
    return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]
