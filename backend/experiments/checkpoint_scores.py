"""Scores of one checkpoint (or set of static vectors): written with what they are of, and found again pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from backend.experiments.spec import Context
    from backend.store.scores import ShardFile

Pair = tuple[str, str]
"""Two languages, in alphabetical order."""
AnyPair = TypeVar("AnyPair")


def write(
    context: Context,
    shard: str,
    rows: Iterable[Mapping[str, Any]],
    about: Mapping[str, Any],
    *,
    model: str,
    label: str,
    step: int | None = None,
) -> None:
    """Publish the rows of one shard; `about` is what they depend on, and how they were computed.

    Columns that `rows` lack are those of `about`. Raises `StoreError` where the file cannot be written.
    """
    table = scores.table(
        rows,
        run=shard,
        family=about["experiment"],
        model=model,
        checkpoint=about["fingerprint"],
        step=step,
        corpus=about["corpus"],
        variant=about["variant"],  # where these are several, each row has its own
        seed=about.get("seed"),
    )
    scores.write(context.workspace, about["experiment"], shard, table, {**about, "model": model, "label": label})


def missing(pairs: Iterable[AnyPair], about: Mapping[str, Any], workspaces: Sequence[Path]) -> list[AnyPair]:
    """The `pairs` that no file has scores of; `about` lists them in the same order under `pairs`."""
    have = scores.shards(workspaces, about["experiment"])
    return [pair for pair, key in zip(pairs, about["pairs"], strict=True) if covering(about, key, have) is None]


def covering(about: Mapping[str, Any], pair: Sequence[str], have: Iterable[ShardFile]) -> ShardFile | None:
    """Find a file computed from `about` (but for its pairs) that has `pair`, or None: a pair's scores depend on it alone."""
    return next((file for file in have if same(file, about, "pairs") and list(pair) in file.about.get("pairs", ())), None)


def same(file: ShardFile, about: Mapping[str, Any], but: str) -> bool:
    """Whether a file was computed from `about`, but for one of its entries."""
    return all(file.about.get(name) == value for name, value in about.items() if name != but)
