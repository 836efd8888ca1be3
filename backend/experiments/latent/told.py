"""What each layer told of every word, kept beside the scores: from a point of a curve to the words.

The words themselves are the dictionaries': their numbers alone are kept.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.experiments.latent.prompts import words_of
from isogloss.backend.recipe_mark import depends_on, holds_texts, in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

SCHEMA = pa.schema(
    [
        ("target", pa.string()),
        ("word", pa.int32()),  # its number among those that all dictionaries have
        ("language", pa.string()),
        ("mass", pa.list_(pa.float32())),  # by layer
        ("top", pa.list_(pa.string())),  # the likeliest token by layer, the same for every language
        ("top_probability", pa.list_(pa.float32())),
    ]
)
COLUMNS = ["checkpoint", "target", "word", "language", "layer", "mass", "top", "top_probability"]
"""Of the rows of `told`."""


def write(workspace: Path, shard: str, rows: Iterable[Mapping[str, Any]], provenance: Mapping[str, Any]) -> None:
    """Publish what every layer told. Raises `StoreError` where the file cannot be written."""
    details.write(workspace, shard, pa.Table.from_pylist(list(rows), schema=SCHEMA), provenance)


def _files(workspaces: Sequence[Path], shards: Mapping[str, str], **_: object) -> Hashable:
    return details.published(shards.values(), workspaces)


@in_recipes
@depends_on(_files)
def told(workspaces: Sequence[Path], shards: Mapping[str, str], target: str, layers: Sequence[int]) -> pd.DataFrame:
    """Return what layers told where the answer is in `target`, a row a word, language and layer (`COLUMNS`).

    `shards` names the file of each checkpoint (fingerprint). `mass` is the probability of the word in that language, `top` the
    likeliest token and `top_probability` its own. A file that is gone or of another form gives no rows.
    """
    frames = [pd.DataFrame(columns=COLUMNS)]
    for checkpoint, shard in shards.items():
        found = details.load(shard, workspaces)
        if found is None or not set(SCHEMA.names) <= set(found.columns):
            continue
        own = found[found["target"] == target].assign(checkpoint=checkpoint)
        own["layer"] = own["mass"].map(lambda each: np.arange(len(each)))
        rows = own.explode(["layer", "mass", "top", "top_probability"])
        frames.append(rows[rows["layer"].isin(list(layers))][COLUMNS])
    whole = pd.concat([each for each in frames if len(each)] or frames[:1], ignore_index=True)
    return whole.astype({"word": int, "layer": int, "mass": float, "top_probability": float})


@in_recipes
@holds_texts
def with_words(
    frame: pd.DataFrame, *, pivot: str, kept: Mapping[str, str], asked: str | None, workspaces: Sequence[Path]
) -> pd.DataFrame:
    """Add the words: `said` in the row's language, `given` in the language `asked` from, `answer` in that of the target.

    `kept` has the id of each language's dictionary. Raises `CorpusError` where one is gone.
    """
    numbers, targets = frame["word"].tolist(), frame["target"].tolist()
    forms = _forms(tuple(sorted(kept.items())), pivot, tuple(sorted(set(numbers))), tuple(workspaces))
    return frame.assign(
        said=[forms[number][tag] for number, tag in zip(numbers, frame["language"], strict=True)],
        given=[forms[number][asked or tag] for number, tag in zip(numbers, targets, strict=True)],
        answer=[forms[number][tag] for number, tag in zip(numbers, targets, strict=True)],
    )


@lru_cache(maxsize=64)
def _forms(
    kept: tuple[tuple[str, str], ...], pivot: str, numbers: tuple[int, ...], workspaces: tuple[Path, ...]
) -> dict[int, dict[str, str]]:
    """Return some words in every language: dictionaries are read for seconds, and their ids are their content."""
    words = words_of({tag: dictionaries.load(each, workspaces) for tag, each in kept}, pivot)
    tags = [pivot, *(tag for tag, _ in kept)]
    return {each: {tag: words[each].forms[tag][0] if each < len(words) else "" for tag in tags} for each in numbers}
