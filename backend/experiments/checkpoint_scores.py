"""Scores of one checkpoint (or set of static vectors): written with what they are of, and found again pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from backend.experiments.spec import Context
    from backend.store.scores import ShardFile

Pair = tuple[str, str]
"""Two languages, in alphabetical order."""


def write(
    context: Context,
    shard: str,
    rows: Iterable[Mapping[str, Any]],
    provenance: Mapping[str, Any],
    *,
    model: str,
    label: str,
    step: int | None = None,
) -> None:
    """Publish the rows of one shard; `provenance` is what they depend on, and how they were computed.

    Columns that `rows` lack are those of `provenance`. Raises `StoreError` where the file cannot be written.
    """
    table = scores.table(
        rows,
        run=shard,
        family=provenance["experiment"],
        model=model,
        checkpoint=provenance["fingerprint"],
        step=step,
        corpus=provenance["corpus"],
        variant=provenance["variant"],  # where these are several, each row has its own
        seed=provenance.get("seed"),
    )
    scores.write(context.workspace, provenance["experiment"], shard, table, {**provenance, "model": model, "label": label})


def covering(provenance: Mapping[str, Any], pair: Sequence[str], have: Iterable[ShardFile]) -> ShardFile | None:
    """Find a file that has `pair`, computed from `provenance` but for its pairs, or None: a pair's scores depend on that."""
    return next(
        (file for file in have if same(file, provenance, "pairs") and list(pair) in file.provenance.get("pairs", ())), None
    )


def same(file: ShardFile, provenance: Mapping[str, Any], but: str) -> bool:
    """Return whether a file was computed from `provenance`, but for one of its entries."""
    return all(file.provenance.get(name) == value for name, value in provenance.items() if name != but)
