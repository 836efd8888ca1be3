"""Tasks without task data: random labels on a parallel corpus, and labels replaced at random (Chi et al. 2023, section 5.4).

Pure functions of their arguments: the same corpus, languages and seed give the same labels on every machine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend.corpora.tasks.task import SCHEMA, LabelledTask, TaskReport, draws
from isogloss.backend.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus

LABELS = ("0", "1")


def random_task(corpus: ParallelCorpus, languages: Sequence[str], seed: int, limit: int | None = None) -> LabelledTask:
    """Return a task of single sentences whose labels are drawn from Bernoulli(1/2), one for a sentence in all its languages.

    The rows are the sentences that all of `languages` have (the first `limit` of them), all for training. A sentence keeps its
    label when languages are added or left out. Raises `CorpusError` for a language the corpus lacks, no common sentence, and
    sentences so few that all drew the same label.
    """
    if not languages:
        raise CorpusError("No language was chosen.", remedy="Choose at least one language of the corpus.")
    ids, texts = corpus.align(sorted(set(languages)), limit)
    labels = [LABELS[int(value >= 0.5)] for value in draws(seed, "random label", ids)]
    if len(set(labels)) < 2:
        raise CorpusError(
            f"All {len(ids):,} sentences drew the same random label.", remedy="Use more sentences, or another seed."
        )
    tables = [_table(ids, tag, texts[tag], labels) for tag in sorted(texts)]
    names = {tag: corpus.report.source_names.get(tag, tag) for tag in texts}
    report = TaskReport("random labels", names, warnings=tuple(_contradictions(texts, labels)), source=corpus.report.source)
    return LabelledTask(pa.concat_tables(tables), report)


def corrupt(task: LabelledTask, ratio: float, seed: int) -> LabelledTask:
    """Relabel `ratio` of a task's training rows at random, the same new label in every language.

    The new label is uniform over all of the task's labels and may be the old one, so about `ratio * (1 - 1 / labels)` of them
    change. Rows relabelled at one ratio are relabelled alike at every larger one. Validation rows stay as they are. Why:
    `docs/definitions.md`. Raises `CorpusError` for a ratio outside 0 to 1.
    """
    if not 0 <= ratio <= 1:
        raise CorpusError(f"A corruption ratio of {ratio:g} is not between 0 and 1.", remedy="Choose 0, 0.1, … or 1.")
    rows, labels = task.rows("train"), task.labels
    order = np.argsort(draws(seed, "corrupted row", rows), kind="stable")
    chosen = order[: round(ratio * len(rows))]
    drawn = (draws(seed, "corrupted label", rows) * len(labels)).astype(np.int64)
    replaced = {rows[place]: labels[drawn[place]] for place in chosen.tolist()}
    ids = pa.array(list(replaced), pa.string())
    new = pa.array(list(replaced.values()), pa.string()).take(pc.index_in(task.table["row_id"].combine_chunks(), ids))
    column = pc.coalesce(new, task.table["label"].combine_chunks())
    return replace(task, table=task.table.set_column(SCHEMA.get_field_index("label"), "label", column))


def _table(ids: Sequence[str], tag: str, texts: Sequence[str], labels: Sequence[str]) -> pa.Table:
    count = len(ids)
    columns = [list(ids), [tag] * count, list(texts), [None] * count, list(labels), ["train"] * count]
    return pa.table(columns, schema=SCHEMA)


def _contradictions(texts: dict[str, list[str]], labels: Sequence[str]) -> list[str]:
    """Return one warning where a text recurs with the other label: no model can have both right."""
    counts = {}
    for tag, own in texts.items():
        found: dict[str, set[str]] = {}
        for text, label in zip(own, labels, strict=True):
            found.setdefault(text, set()).add(label)
        if more := sum(len(each) > 1 for each in found.values()):
            counts[tag] = more
    if not counts:
        return []
    listed = ", ".join(f"{count:,} in {tag}" for tag, count in sorted(counts.items()))
    return [f"Texts that recur with the other label, so that the training error cannot reach zero: {listed}."]
