"""A labelled task: sentences, or pairs of sentences, with a class each, the same rows in every language."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy  # its submodules load when they are first used: a fifth of a command's start otherwise

from isogloss.backend.corpora.parallel.corpus import LeftOut, Skipped
from isogloss.backend.errors import CorpusError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isogloss.backend.corpora.shared.loss import Loss


Split = Literal["train", "validation", "test"]
MOST_TOGETHER = 0.1
"""A share of the rows."""

SCHEMA = pa.schema(
    [
        ("row_id", pa.string()),  # the same id is the same example in every language; unique over both parts
        ("language", pa.string()),  # BCP-47, normalised by backend.corpora.languages.languages
        ("text", pa.string()),
        ("text_pair", pa.string()),  # null in every row of a task of single sentences
        ("label", pa.string()),  # as this language's own file has it
        ("split", pa.string()),  # "train" or "validation"; "test" in the table of the test part
    ]
)


@dataclass(frozen=True)
class TaskReport(LeftOut):
    """What a reader recognised: shown before the user keeps the task."""

    format: str
    source_names: dict[str, str] = field(default_factory=dict)
    """BCP-47 tag → the name the source used."""
    skipped: tuple[Skipped, ...] = ()
    """The first rows left out, in order; `skipped_count` counts all. A row is left out in every language or in none."""
    more_skipped: int = 0
    warnings: tuple[str, ...] = ()
    label_differs: int = 0
    """Rows whose published label is not the same in every language (PAWS-X)."""
    source: str | None = None
    """A Hub id with its commit; None for dropped files."""
    losses: tuple[Loss, ...] = field(default=(), compare=False)
    """What each file lost, where it was read just now."""


@dataclass(frozen=True)
class Examples:
    """The examples of one language, in the task's order; all of one length."""

    row_ids: list[str]
    texts: list[str]
    pairs: list[str] | None
    """The second sentences, or None for a task of single sentences."""
    labels: NDArray[np.int64]
    """Places in the task's `labels`."""

    def __len__(self) -> int:
        return len(self.row_ids)


@dataclass(frozen=True)
class LabelledTask:
    """Rows of `SCHEMA`, sorted by language; within each the same rows in the same order, training rows first.

    The training rows may be in one language alone, as MNLI's are beside XNLI's: the others then have the rest. A task of one
    language holds extra training data; it has no translations to evaluate. A test part, where there is one, is a
    table beside: transfer evaluates on translations of the training rows and on validation, and a task is known by these.
    """

    table: pa.Table
    report: TaskReport = field(default_factory=lambda: TaskReport("table"))
    test: pa.Table | None = None
    """Rows of `SCHEMA` in the same languages, none of them in `table`; None for a task without a test part."""

    @property
    def languages(self) -> list[str]:
        """List the BCP-47 tags, sorted."""
        return sorted(pc.unique(self.table["language"]).to_pylist())

    @property
    def labels(self) -> list[str]:
        """Every label of any language and part, sorted."""
        return sorted(pc.unique(self.table["label"]).to_pylist())

    @cached_property
    def same_first(self) -> dict[str, str]:
        """Return for each row of training and validation the first one with its first sentence (premise), by their ids.

        Directly or through others, and in any language: what two languages tell apart may be the same in a third. Rows that
        would be more than `MOST_TOGETHER` of all are not put together: they share a topic, not a premise.
        """
        ids = self.rows()
        links = [(np.arange(len(ids)), np.arange(len(ids)))]
        for language in self.languages:
            codes = self.part(language)["text"].combine_chunks().dictionary_encode().indices.to_numpy()
            _, first = np.unique(codes, return_index=True)
            own = np.arange(len(ids) - len(codes), len(ids))  # a language without the training rows has the others, the last
            links.append((own, own[first[codes]]))
        rows, others = (np.concatenate(side) for side in zip(*links, strict=True))
        linked = scipy.sparse.coo_matrix((np.ones(len(rows), np.int8), (rows, others)), shape=(len(ids), len(ids)))
        _, groups = scipy.sparse.csgraph.connected_components(linked, directed=False)
        _, first, sizes = np.unique(groups, return_index=True, return_counts=True)
        places = np.where(sizes[groups] <= MOST_TOGETHER * len(ids), first[groups], np.arange(len(ids)))
        return {row: ids[place] for row, place in zip(ids, places.tolist(), strict=True)}

    @property
    def is_pair(self) -> bool:
        """Tell whether an example is two sentences."""
        return bool(self.table["text_pair"].null_count < self.table.num_rows)

    @property
    def trained(self) -> list[str]:
        """List the languages that have training rows: all of them, or one."""
        return sorted(pc.unique(self.table["language"].filter(pc.equal(self.table["split"], "train"))).to_pylist())

    def rows(self, split: Split | None = None) -> list[str]:
        """Return the ids of the rows, of training and validation together or of one part, in the order of every language."""
        one = self.part(self.trained[0], split)
        return list(one["row_id"].to_pylist())

    def examples(self, language: str, split: Split | None = None, *, labels_of: str | None = None) -> Examples:
        """Return the examples of `language`, with the labels published for `labels_of` (by default its own).

        The label of a translated example is by convention the source's: errors on translations of what a model was trained on
        in German want `labels_of="de"`. Raises `CorpusError` for a language the task lacks.
        """
        table = self.part(language, split)
        labels = (table if labels_of is None else self.part(labels_of, split))["label"]
        places = pc.index_in(labels, pa.array(self.labels, pa.string()))
        pairs = table["text_pair"].to_pylist() if self.is_pair else None
        return Examples(
            table["row_id"].to_pylist(), table["text"].to_pylist(), pairs, places.to_numpy().astype(np.int64, copy=False)
        )

    def label_differs(self, language: str, other: str, split: Split | None = None) -> int:
        """Return how many rows were published with another label in `other` than in `language`."""
        own, others = self.part(language, split)["label"], self.part(other, split)["label"]
        return int(pc.sum(pc.not_equal(own, others)).as_py() or 0)

    def only(self, languages: Sequence[str]) -> LabelledTask:
        """Return the task in fewer languages, with the same rows. Raises `CorpusError` for a language the task lacks."""
        for language in languages:
            self.part(language)
        tags = pa.array(languages, pa.string())
        test = None if self.test is None else self.test.filter(pc.is_in(self.test["language"], tags))
        return replace(self, table=self.table.filter(pc.is_in(self.table["language"], tags)), test=test)

    def only_part(self, split: Literal["train", "validation"]) -> LabelledTask:
        """Return the task with the rows of one part: then every language that is left has the same."""
        return replace(self, table=self.table.filter(pc.equal(self.table["split"], split)), test=None)

    def part(self, language: str, split: Split | None = None) -> pa.Table:
        """The rows of one language, of training and validation together or of one part; none of a part that is not there.

        Raises `CorpusError` for a language the task lacks.
        """
        table = self.table if split != "test" else SCHEMA.empty_table() if self.test is None else self.test
        wanted = pc.equal(table["language"], language)
        found = table.filter(wanted if split is None else pc.and_(wanted, pc.equal(table["split"], split)))
        if not found.num_rows and language not in (known := self.languages):
            raise CorpusError(f"The task has no language '{language}'.", remedy=did_you_mean(language, known))
        return found


def split(task: LabelledTask, validation_share: float, seed: int) -> LabelledTask:
    """Return the task with a share of its rows, the same in every language, set aside for validation.

    Which rows depends on `seed` and their ids alone, and is nested: what is set aside at 0.1 is also at 0.2. Raises
    `CorpusError` where the task has a validation part already, where a part would be empty, and where a label would have
    validation rows but no training rows.
    """
    rows = task.rows("train")
    if task.rows("validation"):
        raise CorpusError(
            "The task has a validation part of its own.", remedy="Use it, or import the task without its validation files."
        )
    count = round(validation_share * len(rows))
    if not 0 < validation_share < 1 or not 0 < count < len(rows):
        raise CorpusError(
            f"A validation share of {validation_share:g} of {len(rows):,} rows leaves a part without rows.",
            remedy="Choose a share between 0 and 1 that gives both parts some.",
        )
    order = np.argsort(draws(seed, "validation", rows), kind="stable")
    chosen = set(order[:count].tolist())
    # Training rows first, each part in the source's order.
    places = [i for i in range(len(rows)) if i not in chosen] + sorted(chosen)
    parts = pa.array(["train"] * (len(rows) - count) + ["validation"] * count, pa.string())
    tables = [
        task.part(language).take(pa.array(places)).set_column(SCHEMA.get_field_index("split"), "split", parts)
        for language in task.languages
    ]
    result = replace(task, table=pa.concat_tables(tables).cast(SCHEMA))
    check_trained(result)
    return result


def sample(task: LabelledTask, most: int | None, seed: int) -> LabelledTask:
    """Return the task with at most so many training rows, and so many validation rows, the same in every language.

    Which rows depends on `seed` and their ids alone, and is nested: those of 100 are among those of 200. None keeps all.
    Raises `CorpusError` where a label would have validation rows but no training rows.
    """
    if most is None:
        return task
    parts: tuple[Split, ...] = ("train", "validation")
    rows = [task.rows(part) for part in parts]
    if max(map(len, rows)) <= most:
        return task
    drawn = [np.argsort(draws(seed, "rows", each), kind="stable")[:most].tolist() for each in rows]
    kept = pa.array([each[place] for each, places in zip(rows, drawn, strict=True) for place in places], pa.string())
    result = replace(task, table=task.table.filter(pc.is_in(task.table["row_id"], kept)))
    check_trained(result)
    return result


def check_trained(task: LabelledTask) -> None:
    """Raise `CorpusError` for a label that has validation rows but, in the same language, no training rows."""
    for language in task.languages:
        trained, asked = (set(pc.unique(task.part(language, part)["label"]).to_pylist()) for part in ("train", "validation"))
        if missing := sorted(asked - trained):
            raise CorpusError(
                f"The label '{missing[0][:60]}' has validation rows in {language} but no training rows.",
                remedy="Choose another seed, a smaller share or more rows, or correct the label.",
            )


def draws(seed: int, purpose: str, ids: Sequence[str]) -> NDArray[np.float64]:
    """Return a number in [0, 1) for each id: uniform, independent, and the same for an id whatever others stand beside it.

    Thus a row keeps its random label and its part when languages are added or rows are left out. `purpose` makes two uses of
    one seed independent.
    """
    key = hashlib.blake2b(f"{purpose}\0{seed}".encode(), digest_size=32).digest()
    whole = b"".join(hashlib.blake2b(each.encode("utf-8"), key=key, digest_size=8).digest() for each in ids)
    # 53 bits fill a float64's significand; more would round up to 1.
    return (np.frombuffer(whole, "<u8") >> np.uint64(11)).astype(np.float64) * np.float64(2.0**-53)
