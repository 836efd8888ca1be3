"""What each word retrieves at one layer instead of its translation: the detail behind one point of an alignment curve.

Source: Gaschi et al. 2022, table V.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import pyarrow as pa
from pydantic import AfterValidator, Field, model_validator

from isogloss.backend.corpora.dictionaries import word_pairs
from isogloss.backend.corpora.dictionaries.word_pairs import Unique
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.alignment import options
from isogloss.backend.experiments.alignment.words.shard import pairs_of, text_of, words_of
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, not_once_and_repeated, two
from isogloss.backend.experiments.alignment.words.vectors import WordEncoder
from isogloss.backend.experiments.categories import Key, Occurrence
from isogloss.backend.experiments.spec import Context, OneCheckpoint, cancelling
from isogloss.backend.experiments.vectors import one_pass
from isogloss.backend.files import added
from isogloss.backend.metrics.retrieval.options import Similarity, Task
from isogloss.backend.models.entry import WORD_VECTOR, Prefix, WordVector
from isogloss.backend.recipe_mark import holds_texts, in_recipes
from isogloss.backend.store import details

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from isogloss.backend.corpora.dictionaries.word_pairs import WordPairs
    from isogloss.backend.experiments.vectors.one_pass import Text
    from isogloss.backend.metrics.retrieval.ranks import Retrieved

SCHEMA = pa.schema(
    [
        ("sentence_id", pa.string()),  # of the query and of its translation
        ("word", pa.string()),  # the query as it stands in its sentence
        ("sentence", pa.string()),
        ("start", pa.int32()),  # in characters of the sentence: word = sentence[start:end]
        ("end", pa.int32()),
        ("right_word", pa.string()),
        ("right_sentence", pa.string()),
        ("right_start", pa.int32()),
        ("right_end", pa.int32()),
        ("retrieved_word", pa.string()),  # the right one where `rank` is 1
        ("retrieved_sentence_id", pa.string()),
        ("retrieved_sentence", pa.string()),
        ("retrieved_start", pa.int32()),
        ("retrieved_end", pa.int32()),
        ("same_language", pa.bool_()),  # whether the retrieved word is of the query's language
        ("rank", pa.int64()),  # of the right word, from 1
        ("similarity", pa.float64()),  # of the query and the retrieved word, in the measure asked for
        ("right_similarity", pa.float64()),
        ("cosine", pa.float64()),
        ("right_cosine", pa.float64()),
    ]
)


@in_recipes
class WordErrorsSpec(OneCheckpoint):
    """What every query of run 0 retrieves: one (checkpoint, layer, direction, task)."""

    experiment: Literal["word_errors"] = "word_errors"
    pair: Annotated[DictionaryPair, AfterValidator(two)]
    """`source` is the language of the queries, `target` that of their translations."""
    layer: int = Field(ge=0)
    task: Annotated[Task, options.TASK] = "weak"
    n_pairs: Annotated[int, options.N_PAIRS_ONCE] = Field(default=5000, ge=2)
    seed: Annotated[int, options.SEED] = 0
    repeated: Annotated[bool, options.REPEATED] = False
    masked: Annotated[bool, options.MASKED] = False
    vector: Annotated[WordVector, WORD_VECTOR] = added("mean")
    similarity: Annotated[Similarity, options.SIMILARITY] = "csls"
    k: Annotated[int, options.K] = Field(default_factory=options.usual_neighbours, ge=1)
    centred: Annotated[bool, options.CENTRED] = False
    unique: Annotated[Unique, options.UNIQUE_WORDS] = added("both")
    prefix: Prefix = ""
    _once = model_validator(mode="after")(not_once_and_repeated)


@dataclass(frozen=True, eq=False)
class _Side:
    """The words of one language, in the order of the pairs of a run, and where they stand."""

    words: list[str]
    sentence_ids: list[str]
    sentences: list[str]
    starts: list[int]
    ends: list[int]


@in_recipes
@holds_texts
def load(spec: WordErrorsSpec, workspaces: Sequence[Path]) -> pd.DataFrame | None:
    """Return one row per query (`SCHEMA`), in the order of the corpus, or None where they are not computed.

    The share of rows of rank 1 is run 0's accuracy.
    """
    return details.load(spec.id, workspaces)


def keys(spec: WordErrorsSpec, rows: pd.DataFrame) -> list[Key]:
    """Return the key of each row's category."""
    query, answer = spec.pair.source, spec.pair.target
    languages = rows["same_language"].map({True: query, False: answer})
    ids, other_ids = rows["sentence_id"], rows["retrieved_sentence_id"]
    queries = map(Occurrence, [query] * len(rows), ids, rows["start"].tolist(), rows["end"].tolist())
    rights = map(Occurrence, [answer] * len(rows), ids, rows["right_start"].tolist(), rows["right_end"].tolist())
    others = map(Occurrence, languages, other_ids, rows["retrieved_start"].tolist(), rows["retrieved_end"].tolist())
    return [Key(spec.corpus, *three) for three in zip(queries, rights, others, strict=True)]


def compute(spec: WordErrorsSpec, shard: str, context: Context) -> None:
    """Retrieve with the very vectors and the sample that run 0 of `word_alignment` is scored on, and publish what came.

    Raises `SpecError` for a layer that the model lacks, and where fewer than two pairs have vectors.
    """
    from isogloss.backend.metrics.retrieval import accuracy as retrieval
    from isogloss.backend.metrics.retrieval import ranks as retrieval_ranks

    if load(spec, context.workspaces) is not None:
        return
    source, target = sorted((spec.pair.source, spec.pair.target))
    pair = spec.pair.model_copy(update={"source": source, "target": target})  # the sample is drawn in this order
    corpus = corpora.load(spec.corpus, context.workspaces)
    pairs = pairs_of(spec.corpus, pair, spec.repeated, tuple(context.workspaces), spec.unique)
    drawn = word_pairs.sample(pairs, spec.n_pairs, seed=spec.seed, runs=1).runs[0]
    lengths = spec.similarity == "l2"
    encoder = WordEncoder(context, 2, lengths=lengths)
    asked = spec.prefix, one_pass.precision_of(context.settings), spec.vector == "without_first"
    texts = {tag: text_of(corpus, spec.corpus, spec.checkpoint, tag, *asked) for tag in (source, target)}
    ends: tuple[tuple[str, Literal["source", "target"]], ...] = ((source, "source"), (target, "target"))
    if spec.pair.source != source:
        ends = ends[::-1]
    words_of_sides = [words_of(encoder, texts[tag], pairs, side, spec.masked, i / 3) for i, (tag, side) in enumerate(ends)]
    if spec.layer >= words_of_sides[0].layers:
        raise SpecError(f"The model has layers 0 to {words_of_sides[0].layers - 1}; layer {spec.layer} was asked for.")
    chosen = drawn[~(words_of_sides[0].lost | words_of_sides[1].lost)[drawn]]
    if len(chosen) < 2:
        raise SpecError(
            f"Fewer than two word pairs of {source} and {target} have vectors here, so there is nothing to mistake a word "
            "for. Choose a larger dictionary or corpus."
        )
    context.step("retrieving words", 0.7)
    u, v = (each.layer(spec.layer, chosen, context.settings, true_length=lengths) for each in words_of_sides)
    if spec.centred:
        u, v = retrieval.centre(u), retrieval.centre(v)
    with cancelling():
        answers = retrieval_ranks.retrieve(u, v, spec.k, spec.task, similarity=spec.similarity, should_stop=context.should_stop)
    queries, rights = (_side(texts[tag], pairs, side, chosen) for tag, side in ends)
    details.write(context.workspace, spec.id, _table(queries, rights, answers), {"shard": shard})


def _side(text: Text, pairs: WordPairs, side: Literal["source", "target"], chosen: NDArray[np.int64]) -> _Side:
    table = pairs.table.take(pa.array(chosen))
    sentence = dict(zip(text.ids, text.texts, strict=True))
    ids = table["sentence_id"].to_pylist()
    columns = (table[f"{side}_{name}"].to_pylist() for name in ("word", "start", "end"))
    words, starts, ends = columns
    return _Side(words, ids, [sentence[each] for each in ids], starts, ends)


def _table(queries: _Side, rights: _Side, answers: Retrieved) -> pa.Table:
    """Return the rows of `SCHEMA`."""
    rows, same = answers.index.tolist(), answers.same_language.tolist()
    answers_of = [(queries if own else rights, row) for own, row in zip(same, rows, strict=True)]
    columns = {
        "sentence_id": queries.sentence_ids,
        "word": queries.words,
        "sentence": queries.sentences,
        "start": queries.starts,
        "end": queries.ends,
        "right_word": rights.words,
        "right_sentence": rights.sentences,
        "right_start": rights.starts,
        "right_end": rights.ends,
        "retrieved_word": [side.words[row] for side, row in answers_of],
        "retrieved_sentence_id": [side.sentence_ids[row] for side, row in answers_of],
        "retrieved_sentence": [side.sentences[row] for side, row in answers_of],
        "retrieved_start": [side.starts[row] for side, row in answers_of],
        "retrieved_end": [side.ends[row] for side, row in answers_of],
        "same_language": same,
        "rank": answers.rank.numpy(),
        "similarity": answers.similarity.numpy(),
        "right_similarity": answers.right_similarity.numpy(),
        "cosine": answers.cosine.numpy(),
        "right_cosine": answers.right_cosine.numpy(),
    }
    return pa.table(columns, schema=SCHEMA)
