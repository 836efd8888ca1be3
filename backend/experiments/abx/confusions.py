"""The sentences a layer confuses most, for one pair of languages: the detail behind one cell of an ABX figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import pyarrow as pa
from pydantic import Field

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.errors import StoreError
from isogloss.backend.experiments import categories
from isogloss.backend.experiments.abx.shard import FAMILY, AbxSpec
from isogloss.backend.experiments.categories import Key, Occurrence
from isogloss.backend.experiments.language_out import LANGUAGE_OUT, RANK
from isogloss.backend.experiments.spec import Context, OneCheckpoint
from isogloss.backend.experiments.vectors import embeddings
from isogloss.backend.files import added
from isogloss.backend.metrics.geometry.options import Removal
from isogloss.backend.models.entry import Pooling, Prefix
from isogloss.backend.recipe_mark import holds_texts, in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

Task = Literal["language", "meaning"]


@in_recipes
class ConfusionsSpec(OneCheckpoint):
    """The worst triplets of one (checkpoint, layer, pair of languages), both tasks and both directions."""

    experiment: Literal["confusions"] = "confusions"
    languages: tuple[str, ...]
    """The languages the scores were computed on: they decide which sentences count."""
    sentences: int | None = Field(default=None, ge=2)
    pooling: Pooling = "mean"
    layer: int = Field(ge=0)
    source: str
    target: str
    k: int = Field(default=20, ge=1, le=500)
    """Triplets kept a task and direction."""
    prefix: Prefix = ""
    removed: Annotated[Removal, LANGUAGE_OUT] = added("nothing")
    rank: Annotated[int, RANK] = added(1, ge=1, le=100)


def load(spec: ConfusionsSpec, workspaces: Sequence[Path]) -> pd.DataFrame | None:
    """Return the worst triplets, or None where they are not computed; a damaged file is set aside."""
    return details.load(spec.id, workspaces)


@in_recipes
@holds_texts
def load_either_way(spec: ConfusionsSpec, workspaces: Sequence[Path]) -> pd.DataFrame | None:
    """Return what `load` does, also where the pair was asked for the other way round: both hold both directions."""
    turned = spec.model_copy(update={"source": spec.target, "target": spec.source})
    found = load(spec, workspaces)
    return load(turned, workspaces) if found is None else found


@in_recipes
def of_task(frame: pd.DataFrame, *, task: Task, source: str) -> pd.DataFrame:
    """Select the triplets of one task whose anchor is in the language `source`, the lowest margin first."""
    chosen = frame[(frame["task"] == task) & (frame["source"] == source)]
    return chosen.sort_values("margin", kind="stable", ignore_index=True)


@in_recipes
def with_categories(frame: pd.DataFrame, *, corpus: str, workspaces: Sequence[Path]) -> pd.DataFrame:
    """Add the `category` that the user gave to each triplet, or ""."""
    kept = categories.read(workspaces, corpus)
    return frame.assign(category=[kept.get(key, "") for key in keys(corpus, frame)])


def keys(corpus: str, frame: pd.DataFrame) -> list[Key]:
    """Return the key of each triplet's category: the whole sentences X, A and B, as query, right and retrieved one."""
    triplet_keys = []
    for row in frame.to_dict("records"):
        language = row["task"] == "language"
        right = (row["source"], row["other_id"]) if language else (row["target"], row["anchor_id"])
        triplet_keys.append(
            Key(
                corpus,
                Occurrence(row["source"], row["anchor_id"], 0, len(row["anchor"])),
                Occurrence(*right, 0, len(row["right"])),
                Occurrence(row["target"], row["other_id"], 0, len(row["wrong"])),
            )
        )
    return triplet_keys


def compute(spec: ConfusionsSpec, shard: str, context: Context) -> None:
    """Score the pair's triplets at one layer and publish the worst with their texts."""
    from isogloss.backend.metrics.abx.confusions import worst_triplets
    from isogloss.backend.metrics.geometry.language_out import without_language

    if load(spec, context.workspaces) is not None:
        return
    corpus = corpora.load(spec.corpus, context.workspaces)
    ids, texts = corpus.align(sorted({*spec.languages, spec.source, spec.target}), spec.sentences)
    # What languages' means differ in hangs on all of them.
    needed = [spec.source, spec.target, *(tag for tag in spec.languages if spec.removed == "lsar")]
    needed = list(dict.fromkeys(needed))
    some = {language: texts[language] for language in needed}
    encoded = embeddings.of_corpus(spec.checkpoint, spec.corpus, ids, some, [spec.pooling], context, spec.prefix)
    if spec.layer >= encoded.layers:
        raise StoreError(f"The model has layers 0 to {encoded.layers - 1}; layer {spec.layer} was asked for.")
    context.step("looking for the worst triplets", 0.9)
    vectors = encoded.layer(spec.layer, spec.pooling, needed, context.settings, true_length=spec.removed != "nothing")
    vectors = without_language(vectors, spec.removed, spec.rank)
    rows = []
    for row, other, source, target in ((0, 1, spec.source, spec.target), (1, 0, spec.target, spec.source)):
        for task, found in worst_triplets(vectors[row], vectors[other], k=spec.k).items():
            for triplet in found:
                p, q = triplet.p, triplet.q
                right = texts[source][q] if task == "language" else texts[target][p]
                wrong = texts[target][q]
                rows.append(
                    {
                        "task": task,
                        "source": source,
                        "target": target,
                        "anchor_id": ids[p],
                        "other_id": ids[q],
                        "anchor": texts[source][p],
                        "right": right,
                        "wrong": wrong,
                        "similarity_right": triplet.right,
                        "similarity_wrong": triplet.wrong,
                        "margin": triplet.right - triplet.wrong,
                    }
                )
    details.write(context.workspace, spec.id, pa.Table.from_pylist(rows), of_file(spec, shard))


def of_file(spec: ConfusionsSpec, shard: str) -> dict[str, Any]:
    """Return what the file of these triplets says of itself: which scores they lie behind, by which an atlas has them."""
    given = {name: getattr(spec, name) for name in ("corpus", "languages", "sentences", "pooling", "prefix", "removed", "rank")}
    variant = AbxSpec(model="", checkpoints=(spec.checkpoint,), **given).variant
    of: dict[str, Any] = {
        "family": FAMILY,
        "checkpoint": spec.checkpoint.fingerprint,
        "corpus": spec.corpus,
        "variant": variant,
    }
    of |= {"layer": spec.layer, "source": spec.source, "target": spec.target, "kept": spec.k}
    return {"shard": shard, "texts_of": of}
