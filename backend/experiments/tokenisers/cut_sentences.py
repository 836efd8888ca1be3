"""Where the pieces of the first sentences begin and end, kept beside the scores: what a page shows of them, piece by piece.

Places alone are kept, no text: that is the corpus'.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from isogloss.backend.experiments.gloss import texts_of
from isogloss.backend.recipe_mark import depends_on, holds_texts, in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.tokenisers.pieces import Pieces

SHOWN = 100
"""Sentences whose pieces are kept: of 204 languages a megabyte."""
SCHEMA = pa.schema(
    [
        ("sentence_id", pa.string()),
        ("language", pa.string()),
        ("starts", pa.list_(pa.int32())),  # of each piece, in code points of the text
        ("ends", pa.list_(pa.int32())),
        ("unknown", pa.list_(pa.bool_())),
    ]
)
COLUMNS = ["checkpoint", "language", "start", "end", "unknown"]
"""Of the rows of `cut`."""


def few(pieces: Pieces) -> Pieces:
    """Return the same with the places in the first sentences alone: of all languages they would fill the memory."""
    return replace(pieces, spans=[(spans.copy(), unknown.copy()) for spans, unknown in pieces.spans[:SHOWN]])


def write(workspace: Path, shard: str, ids: Sequence[str], found: Mapping[str, Pieces], provenance: Mapping[str, Any]) -> None:
    """Publish the places of the pieces in the first sentences. Raises `StoreError` where the file cannot be written."""
    rows = [
        {
            "sentence_id": known,
            "language": tag,
            "starts": spans[:, 0].tolist(),
            "ends": spans[:, 1].tolist(),
            "unknown": unknown.tolist(),
        }
        for tag, pieces in found.items()
        for known, (spans, unknown) in zip(ids[:SHOWN], pieces.spans[:SHOWN], strict=True)
    ]
    details.write(workspace, shard, pa.Table.from_pylist(rows, schema=SCHEMA), provenance)


def _files(workspaces: Sequence[Path], shards: Mapping[str, str], **_: object) -> Hashable:
    return details.published(shards.values(), workspaces)


@in_recipes
@holds_texts
@depends_on(_files)
def cut(workspaces: Sequence[Path], shards: Mapping[str, str], sentence: str, languages: Sequence[str]) -> pd.DataFrame:
    """Return the pieces of one sentence, a row a piece: checkpoint, language, start, end (code points), unknown.

    `shards` names the file of each checkpoint (fingerprint). Languages are in the order given, pieces in that of the text. No
    row where the file has none of this sentence.
    """
    frames = [pd.DataFrame(columns=COLUMNS)]
    for checkpoint, shard in shards.items():
        kept = details.load(shard, workspaces)
        if kept is None:
            continue
        own = kept[(kept["sentence_id"] == sentence) & kept["language"].isin(languages)]
        rows = own.rename(columns={"starts": "start", "ends": "end"}).explode(["start", "end", "unknown"])
        frames.append(rows.assign(checkpoint=checkpoint)[COLUMNS].dropna(subset=["start"]))
    found = pd.concat(frames, ignore_index=True)
    order = {tag: place for place, tag in enumerate(languages)}
    found = found.sort_values("language", key=lambda tags: tags.map(order), kind="stable")
    return found.astype({"start": int, "end": int, "unknown": bool}).reset_index(drop=True)


@in_recipes
@holds_texts
@depends_on(_files)
def sentences(workspaces: Sequence[Path], shards: Mapping[str, str]) -> pd.DataFrame:
    """Return the sentences whose pieces are kept, a row each, in the corpus' order: sentence_id."""
    kept = (details.load(shard, workspaces) for shard in shards.values())
    found = [each["sentence_id"].drop_duplicates().reset_index(drop=True) for each in kept if each is not None]
    return pd.DataFrame({"sentence_id": found[0] if found else pd.Series(dtype=str)})


@in_recipes
@holds_texts
def with_texts(frame: pd.DataFrame, *, corpus: str, sentence: str, workspaces: Sequence[Path]) -> pd.DataFrame:
    """Add the characters of each piece: `text`, "" where the corpus lacks the sentence. Raises what `texts_of` does."""
    sources = {tag: texts_of(corpus, tag, tuple(workspaces)).get(sentence, "") for tag in frame["language"].unique()}
    places = zip(frame["language"], frame["start"], frame["end"], strict=True)
    return frame.assign(text=[sources[tag][start:end] for tag, start, end in places])
