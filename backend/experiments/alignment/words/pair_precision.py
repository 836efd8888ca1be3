"""Precision, recall and alignment error rate of word-pair sources (dictionary, aligners, model layers) by a gold alignment.

Source: Gaschi et al. 2022, table II (precision); Och & Ney 2003 (recall and alignment error rate).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pyarrow as pa
from pydantic import model_validator

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.word_alignments import library as alignments
from isogloss.backend.corpora.word_alignments import links
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.alignment import options
from isogloss.backend.experiments.alignment.options import Candidates
from isogloss.backend.experiments.alignment.words.pair_sources import judge, model_pairs_by_layer
from isogloss.backend.experiments.alignment.words.shard import pairs_of
from isogloss.backend.experiments.alignment.words.spec import Alignments, OrderedPair
from isogloss.backend.experiments.spec import Context, OneCheckpoint
from isogloss.backend.files import ContentId, added
from isogloss.backend.models.entry import Prefix
from isogloss.backend.recipe_mark import in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Self

    import pandas as pd

    from isogloss.backend.corpora.dictionaries.word_pairs import WordPairs
    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.corpora.word_alignments.tokens import Gold

Kind = Literal["dictionary", "alignment", "model"]
SCHEMA = pa.schema(
    [
        ("kind", pa.string()),
        ("id", pa.string()),  # of the kept dictionary or alignment; the checkpoint's fingerprint
        ("layer", pa.int32()),  # of the model; null for the others
        ("pairs", pa.int64()),  # that were judged, every occurrence counted
        ("precision", pa.float64()),  # shares, 0 to 1; null where there is nothing to divide by
        ("recall", pa.float64()),
        ("alignment_error_rate", pa.float64()),
        ("sentences", pa.int64()),  # with a gold link: only their pairs are judged
        ("sure_links", pa.int64()),  # of gold
    ]
)


@in_recipes
class PairPrecisionSpec(OneCheckpoint):
    """Every source of the word pairs of two languages against one gold alignment. All pairs count, with repetition."""

    experiment: Literal["pair_precision"] = "pair_precision"
    pair: OrderedPair
    gold: ContentId
    """Id of a kept alignment of this corpus and pair that is marked as gold."""
    others: Alignments = ()
    """To be judged."""
    unique: Annotated[Candidates, options.CANDIDATES] = added("both")
    prefix: Prefix = ""

    @model_validator(mode="after")
    def _not_by_itself(self) -> Self:
        if self.gold in self.others:
            raise ValueError("a gold alignment cannot be judged by itself: leave it out of the others")
        return self


@in_recipes
def load(spec: PairPrecisionSpec, workspaces: Sequence[Path]) -> pd.DataFrame | None:
    """One row a source (`SCHEMA`): the dictionary, the alignments, the model's layers. None where they are not computed."""
    return details.load(spec.id, workspaces)


def compute(spec: PairPrecisionSpec, shard: str, context: Context) -> None:
    """Judge the pairs of every source in the sentences that have a gold link, and publish the numbers.

    A sentence without any counts as not annotated. Raises `SpecError` for an alignment that is not gold,
    `CorpusError` for alignments that are not kept or are of another corpus or of other languages.
    """
    if load(spec, context.workspaces) is not None:
        return
    corpus = corpora.load(spec.corpus, context.workspaces)
    gold = _gold(spec, corpus, context)
    covered = frozenset(sentence for sentence, found in gold.links.items() if found)
    rows = []
    for kind, source, layer, pairs in _sources(spec, corpus, covered, context):
        found = judge(pairs, gold, covered)
        row: dict[str, Any] = {"kind": kind, "id": source, "layer": layer, "sentences": len(covered)}
        row |= {name: _known(value) for name, value in vars(found).items()}
        rows.append(row)
    details.write(context.workspace, spec.id, pa.Table.from_pylist(rows, SCHEMA), {"shard": shard})


def _gold(spec: PairPrecisionSpec, corpus: ParallelCorpus, context: Context) -> Gold:
    gold_alignment = alignments.load(spec.gold, context.workspaces)
    entry = next(each for each in alignments.entries(context.workspaces) if each.id == spec.gold)
    if not entry.gold:
        raise SpecError(
            f"The alignment '{entry.name}' is not marked as gold, so nothing can be judged by it. Choose one that people made."
        )
    return links.gold(gold_alignment, corpus, spec.pair.source, spec.pair.target)


def _sources(
    spec: PairPrecisionSpec, corpus: ParallelCorpus, covered: frozenset[str], context: Context
) -> Iterator[tuple[Kind, str, int | None, WordPairs]]:
    """Kind, id, layer and pairs of each source."""
    ends = spec.pair.source, spec.pair.target
    context.step("finding word pairs", 0.0)
    yield "dictionary", spec.pair.dictionary, None, _of_dictionary(spec, context)
    for other in spec.others:
        yield "alignment", other, None, links.pairs(alignments.load(other, context.workspaces), corpus, *ends, repeated=True)
    of_model = model_pairs_by_layer(
        spec.checkpoint, corpus, spec.corpus, ends, context, sentences=covered, repeated=True, prefix=spec.prefix
    )
    for layer, pairs in of_model:
        context.step(f"judging pairs, layer {layer}", 0.9)
        yield "model", spec.checkpoint.fingerprint, layer, pairs


def _of_dictionary(spec: PairPrecisionSpec, context: Context) -> WordPairs:
    return pairs_of(spec.corpus, spec.pair, True, tuple(context.workspaces), spec.unique)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
