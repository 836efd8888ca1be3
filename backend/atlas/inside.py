"""The workspace inside an atlas: its scores, and what is known of their models and data; neither weights nor texts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from isogloss.backend import parquet
from isogloss.backend.atlas import private
from isogloss.backend.atlas.grids import KINDS
from isogloss.backend.atlas.rounded import ROUNDED, rounded, said_of
from isogloss.backend.files import TEMPORARY, digest
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.atlas.grids import PairGrid
    from isogloss.backend.corpora.shared.kept import Entry
    from isogloss.backend.store.scores import ShardFile

INSIDE = "workspace"
"""The folder in an atlas that Isogloss reads."""


LEVEL, LEVEL_OF_MANY = 19, 12
"""Of the compression: a site is written once and fetched often. A checkpoint of more scores than `MANY` takes three times as
long at the first, for a twentieth of the space."""
MANY = 500_000


def shards(folder: Path, grid: PairGrid, place: int, pattern: Any, exact: bool) -> None:
    """Write the scores of a checkpoint, by its place, as a workspace has them, under the names that they have now.

    They are rounded (`rounded`) unless they are to be `exact`. Raises `StoreError` where something would leave that must not
    (`pattern`).
    """
    for file in grid.served[place]:
        path = scores.shard_path(folder / INSIDE, file.path.parent.name, file.run)
        if path.exists():
            continue  # of another grid, of a model that has this checkpoint, too, or of a build that was killed
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(file, path, grid.model.name, grid.checkpoints[place].label, pattern, exact)


def _write(file: ShardFile, path: Path, model: str, label: str, pattern: Any, exact: bool) -> None:
    table = parquet.read(file.path)
    at = table.schema.get_field_index("model")
    renamed = table.set_column(at, table.schema.field(at), [[model] * len(table)])
    said = {**file.provenance, "model": model, "label": label}
    if scores.FOOTER in said:  # older files lack it
        said[scores.FOOTER] = [each | {"model": model} for each in said[scores.FOOTER]]
    if not exact:
        renamed, said = rounded(renamed), {**said, ROUNDED: said_of()}
    private.check(json.dumps(said, ensure_ascii=False), pattern, "a file of scores")
    group = pq.read_metadata(file.path).row_group(0).num_rows
    beside = path.with_name(f"{TEMPORARY}{path.name}")
    parquet.write_stamped(
        beside, renamed, said, group=group, numbers=scores.NUMBERS, level=LEVEL if len(renamed) <= MANY else LEVEL_OF_MANY
    )
    beside.replace(path)


def entries(grids: Sequence[PairGrid]) -> dict[str, Any]:
    """Return what a workspace knows of the models and data, as JSON by its file: nobody's name, and of data no texts.

    A checkpoint from the Hub says where it is there; any other has no place.
    """
    found = {}
    folders: dict[type[Entry], str] = {kind.entry: kind.folder for kind in KINDS}
    for of in {grid.corpus.id: grid.corpus for grid in grids}.values():
        entry = of.model_copy(update={"by": "", "formerly": (), "names_only": True, "warnings": (), "skipped_rows": ()})
        found[f"{INSIDE}/{folders[type(of)]}/{of.id}/entry.json"] = entry.model_dump(mode="json")
    for name in dict.fromkeys(grid.model.name for grid in grids):
        of_model = [grid for grid in grids if grid.model.name == name]
        measured = {each.fingerprint for grid in of_model for each in grid.checkpoints}
        own = tuple(
            each if each.source == "hub" else each.model_copy(update={"location": f"absent/{each.fingerprint}"})
            for each in of_model[0].model.checkpoints
            if each.fingerprint in measured
        )
        kept = of_model[0].model.model_copy(update={"checkpoints": own, "by": "", "formerly": ()})
        found[f"{INSIDE}/models/{digest(name)}.json"] = kept.model_dump(mode="json")
    return found
