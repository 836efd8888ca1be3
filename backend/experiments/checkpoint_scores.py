"""Scores of one checkpoint (or set of static vectors): written with what they are of, and found again pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from isogloss.backend.files import digest
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.spec import Context, PerCheckpoint
    from isogloss.backend.models.entry import Checkpoint
    from isogloss.backend.store.scores import ShardFile

Pair = tuple[str, str]
"""Two languages, in alphabetical order."""
AnyPair = TypeVar("AnyPair")
Asked = TypeVar("Asked", bound="PerCheckpoint")


def provenance(family: str, version: int, fingerprint: str, corpus: str, **more: Any) -> dict[str, Any]:
    """What scores depend on, and nothing else: the formulas, the weights (or vectors), the content of the corpus and `more`."""
    return {"experiment": family, "version": version, "fingerprint": fingerprint, "corpus": corpus, **more}


OF = {"model", "checkpoints", "corpus", "languages", "pairs", "listed"}
"""Fields of a spec that say what is scored; all others say how."""


def non_default_options(spec: PerCheckpoint) -> dict[str, Any]:
    """Return how a spec asks for its scores where that is not the default: what a page opens on."""
    return {"experiment": spec.experiment, **spec.model_dump(mode="json", exclude_defaults=True, exclude=OF)}


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


def missing(
    pairs: Iterable[AnyPair], provenance: Mapping[str, Any], workspaces: Sequence[Path]
) -> tuple[tuple[AnyPair, ...], dict[str, Any]]:
    """Return the `pairs` that no file has scores of, and what theirs depend on; `provenance` has all in the same order."""
    served = serving(provenance, provenance["pairs"], scores.shards(workspaces, provenance["experiment"]))
    found = {pair: key for pair, key in zip(pairs, provenance["pairs"], strict=True) if tuple(key) not in served}
    return tuple(found), {**provenance, "pairs": list(found.values())}


def plain(spec: Asked, checkpoint: Checkpoint) -> tuple[Asked, str]:
    """Return what a spec asks for of one checkpoint, without what it keeps sentence by sentence, and its shard."""
    alone = spec.model_copy(update={"per_sentence": False, "checkpoints": (checkpoint,)})
    (own,) = alone.shards()
    return alone, own


def lacking_pairs(
    spec: PerCheckpoint, pairs: Iterable[AnyPair], shard: str, workspaces: Sequence[Path]
) -> tuple[Checkpoint, tuple[AnyPair, ...], dict[str, Any], str]:
    """Of a shard: its checkpoint, the `pairs` without scores there, what theirs depend on, and the name of their file.

    A file is named after the pairs in it: those that other files have would be listed twice.
    """
    checkpoint = spec.shards()[shard]
    found, provenance = missing(pairs, spec.provenance(checkpoint), workspaces)
    return checkpoint, found, provenance, digest(provenance)


def serving(
    provenance: Mapping[str, Any], pairs: Iterable[Sequence[str]], have: Iterable[ShardFile]
) -> dict[tuple[str, ...], ShardFile]:
    """Return for each of these pairs that has one the file computed from `provenance` (but for its pairs) that has it.

    A pair's scores hang on it alone. All of 20,706 pairs are found in one pass.
    """
    lacking = {tuple(pair) for pair in pairs}
    found: dict[tuple[str, ...], ShardFile] = {}
    for file in have:
        if lacking and same(file, provenance, "pairs"):
            there = lacking & file.pairs
            found |= dict.fromkeys(there, file)
            lacking -= there
    return found


def same(file: ShardFile, provenance: Mapping[str, Any], but: str) -> bool:
    """Return whether a file was computed from `provenance`, but for one of its entries."""
    return all(file.provenance.get(name) == value for name, value in provenance.items() if name != but)
