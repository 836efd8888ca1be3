"""A labelled task as a table that Isogloss reads back: its rows in the long format."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from isogloss.backend.corpora.tasks.task import SCHEMA
from isogloss.pages.library.shared import texts

if TYPE_CHECKING:
    from isogloss.backend.corpora.tasks.task import LabelledTask

PARTS = ("train", "dev", "test")
"""What a reader puts before an id, with a point, where files or rows name their part."""


def tsv(task: LabelledTask) -> bytes:
    """Write a line for each row and language, quoted where a text needs it; second texts and parts where there are any."""
    table = _with_parts(task.table if task.test is None else pa.concat_tables([task.table, task.test]))
    if not task.is_pair:
        table = table.drop_columns("text_pair")
    batches = (zip(*(column.to_pylist() for column in batch.columns), strict=True) for batch in table.to_batches())
    return texts.tsv(chain([table.column_names], *batches))


def _with_parts(table: pa.Table) -> pa.Table:
    """The ids as they were before their part was put there (`dev.12` is 12 of dev), so that reading makes the same again.

    Ids of other kinds stay as they are; the part is then left out where all rows are for training.
    """
    part = pc.struct_field(pc.extract_regex(table["row_id"], rf"^(?P<part>{'|'.join(PARTS)})\."), "part")
    splits = [split for split in ("train", "validation", "test") if pc.any(pc.equal(table["split"], split)).as_py()]
    used = [pc.unique(part.filter(pc.equal(table["split"], split))).to_pylist() for split in splits]
    places = [PARTS.index(parts[0]) if len(parts) == 1 and parts[0] else len(PARTS) for parts in used]
    if len(PARTS) in places or sorted(set(places)) != places:
        return table if len(splits) > 1 else table.drop_columns("split")
    ids = pc.replace_substring_regex(table["row_id"], r"^\w+\.", "", max_replacements=1)
    table = table.set_column(SCHEMA.get_field_index("row_id"), "row_id", ids)
    return table.set_column(SCHEMA.get_field_index("split"), "split", part)
