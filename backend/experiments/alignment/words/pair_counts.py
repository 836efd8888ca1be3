"""How many word pairs each source gives in all sentences that a corpus has in two languages: no gold and no model is needed.

Source: Gaschi et al. 2022, section V-B: in 10,000 sentences of WMT19, English and German, 50,590 pairs by the dictionary and
190,665 by FastAlign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import pyarrow as pa

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments import links
from isogloss.backend.experiments.alignment import options
from isogloss.backend.experiments.alignment.options import Candidates
from isogloss.backend.experiments.alignment.words.shard import pairs_of
from isogloss.backend.experiments.alignment.words.spec import Alignments, OrderedPair
from isogloss.backend.experiments.spec import Context, Spec
from isogloss.backend.files import ContentId
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.corpora.dictionaries.word_pairs import WordPairs
    from isogloss.backend.experiments.alignment.static import Baseline

SCHEMA = pa.schema(
    [
        ("kind", pa.string()),  # dictionary or alignment
        ("id", pa.string()),
        ("pairs", pa.int64()),  # every occurrence counted
        ("distinct", pa.int64()),  # the same two words, after folding, counted once
        ("sentences", pa.int64()),  # that both languages have
    ]
)


@in_recipes
class PairCountsSpec(Spec):
    """The word pairs of a dictionary and of imported alignments in all sentences."""

    experiment: Literal["pair_counts"] = "pair_counts"
    corpus: ContentId
    """Content id of the corpus."""
    pair: OrderedPair
    others: Alignments = ()
    unique: Annotated[Candidates, options.CANDIDATES] = "both"

    def shards(self) -> dict[str, Baseline]:
        """Return the one shard by its key, the spec's id."""
        from isogloss.backend.experiments.alignment.static import Baseline

        return {self.id: Baseline("word pairs")}


@in_recipes
def load(spec: PairCountsSpec, workspaces: Sequence[Path]) -> pd.DataFrame | None:
    """Return one row a source (`SCHEMA`), the dictionary first, or None where they are not computed."""
    return details.load(spec.id, workspaces)


def compute(spec: PairCountsSpec, shard: str, context: Context) -> None:
    """Count the pairs of every source and publish the numbers.

    Raises `CorpusError` for alignments that are not kept, of another corpus or of other languages.
    """
    if load(spec, context.workspaces) is not None:
        return
    context.step("counting word pairs", 0.0)
    rows: list[dict[str, Any]] = []
    for kind, source, repeated, once in _sources(spec, context):
        counted = {"pairs": repeated.table.num_rows, "distinct": once.table.num_rows, "sentences": repeated.sentences}
        rows.append({"kind": kind, "id": source} | counted)
    details.write(context.workspace, spec.id, pa.Table.from_pylist(rows, SCHEMA), {"shard": shard})


def _sources(spec: PairCountsSpec, context: Context) -> Iterator[tuple[str, str, WordPairs, WordPairs]]:
    """Kind, id, and pairs with and without repetitions of each source."""
    workspaces, ends = tuple(context.workspaces), (spec.pair.source, spec.pair.target)
    repeated, once = (pairs_of(spec.corpus, spec.pair, each, workspaces, spec.unique) for each in (True, False))
    kept = {entry.id for entry in alignments.entries(workspaces)}
    yield "alignment" if spec.pair.dictionary in kept else "dictionary", spec.pair.dictionary, repeated, once
    corpus = corpora.load(spec.corpus, context.workspaces)
    for other in spec.others:
        aligned = alignments.load(other, context.workspaces)
        repeated, once = (links.pairs(aligned, corpus, *ends, repeated=each) for each in (True, False))
        yield "alignment", other, repeated, once
