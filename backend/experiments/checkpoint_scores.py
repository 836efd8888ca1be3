"""Scores of one checkpoint (or set of static vectors): written with what they are of, and found again pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from backend.files import digest
from backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from backend.experiments.spec import Context, PerCheckpoint
    from backend.models.entry import Checkpoint
    from backend.store.scores import ShardFile

Pair = tuple[str, str]
"""Two languages, in alphabetical order."""
AnyPair = TypeVar("AnyPair")


def about(family: str, version: int, fingerprint: str, corpus: str, **more: Any) -> dict[str, Any]:
    """What scores depend on, and nothing else: the formulas, the weights (or vectors), the content of the corpus and `more`."""
    return {"experiment": family, "version": version, "fingerprint": fingerprint, "corpus": corpus, **more}


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


def missing(
    pairs: Iterable[AnyPair], about: Mapping[str, Any], workspaces: Sequence[Path]
) -> tuple[tuple[AnyPair, ...], dict[str, Any]]:
    """The `pairs` that no file has scores of, and what theirs depend on; `about` lists all, in the same order, as `pairs`."""
    have = scores.shards(workspaces, about["experiment"])
    found = {pair: key for pair, key in zip(pairs, about["pairs"], strict=True) if covering(about, key, have) is None}
    return tuple(found), {**about, "pairs": list(found.values())}


def left(
    spec: PerCheckpoint, pairs: Iterable[AnyPair], shard: str, workspaces: Sequence[Path]
) -> tuple[Checkpoint, tuple[AnyPair, ...], dict[str, Any], str]:
    """Of a shard: its checkpoint, the `pairs` without scores there, what theirs depend on, and the name of their file.

    A file is named after the pairs in it: those that other files have would be listed twice.
    """
    checkpoint = spec.shards()[shard]
    found, about = missing(pairs, spec.about(checkpoint), workspaces)
    return checkpoint, found, about, digest(about)


def covering(about: Mapping[str, Any], pair: Sequence[str], have: Iterable[ShardFile]) -> ShardFile | None:
    """Find a file computed from `about` (but for its pairs) that has `pair`, or None: a pair's scores depend on it alone."""
    return next((file for file in have if same(file, about, "pairs") and list(pair) in file.about.get("pairs", ())), None)


def same(file: ShardFile, about: Mapping[str, Any], but: str) -> bool:
    """Whether a file was computed from `about`, but for one of its entries."""
    return all(file.about.get(name) == value for name, value in about.items() if name != but)
