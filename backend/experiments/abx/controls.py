"""What length alone and a bag of bytes reach in ABX: controls of a model's scores that need its tokeniser and no pass of it.

A file for each checkpoint that was asked for, mostly one of a model: its rows have no layer. ABX makes it beside its own scores
where no checkpoint of the run has one; of scores of before a run of its own does.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import checkpoint_scores, language_pairs
from isogloss.backend.experiments.checkpoint_scores import Pair
from isogloss.backend.experiments.spec import Context, OnCorpus, cancelling, several
from isogloss.backend.files import added
from isogloss.backend.models.entry import Prefix, said_prefix
from isogloss.backend.option import Option, variant_of
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
    from isogloss.backend.experiments.vectors.embeddings import CorpusEmbeddings
    from isogloss.backend.metrics.abx.texts import Control
    from isogloss.backend.models.entry import Checkpoint

FAMILY = "abx_controls"
"""What its scores are filed under: their `experiment`, and the folder of their files."""
VERSION = 1
"""Raised when the formulas change: older files then no longer serve."""
CONTROLS = {"pieces": "Length in pieces", "characters": "Length in characters", "bytes": "Bag of bytes"}
"""What the metrics end in, `abx_language_pieces`, and what stands in place of a sentence's vector."""


class AbxControlsSpec(OnCorpus):
    """ABX of length alone and of a bag of bytes, of the sentences that ABX compares (de Seyssel et al. 2025's triplets)."""

    experiment: Literal["abx_controls"] = "abx_controls"
    languages: Annotated[tuple[str, ...], several("ABX")]
    """BCP-47 tags, at least two. Sentences that some of them lack are left out for all."""
    sentences: Annotated[
        int | None, Option("Use the first so many sentences", "Sentences", variant="first {} sentences", key="sentences")
    ] = Field(default=None, ge=2)
    pairs: tuple[Pair, ...] | None = added(None, min_length=1)
    """Compute these pairs of `languages` alone, in alphabetical order; None for all."""
    prefix: Prefix = ""

    @field_validator("pairs")
    @classmethod
    def _sorted_pairs(cls, pairs: tuple[Pair, ...] | None, info: ValidationInfo) -> tuple[Pair, ...] | None:
        return language_pairs.in_order(pairs, info.data.get("languages", ()))

    @property
    def scored(self) -> tuple[Pair, ...]:
        """The pairs that are scored, in the order of `languages`."""
        return language_pairs.of(self.languages, self.pairs)

    @property
    def variant(self) -> str:
        """The `variant` of the scores: what makes two values of one metric not comparable."""
        return "/".join([*(variant_of(self, "sentences") or ["all sentences"]), *said_prefix(self.prefix)])

    def provenance(self, checkpoint: Checkpoint) -> dict[str, Any]:
        """Return what one shard's scores depend on, and nothing else."""
        more: dict[str, Any] = {} if self.pairs is None else {"pairs": [list(pair) for pair in self.pairs]}
        of = FAMILY, VERSION, checkpoint.fingerprint, self.corpus
        return checkpoint_scores.provenance(*of, languages=list(self.languages), variant=self.variant, **more)


def covering(
    spec: AbxControlsSpec, checkpoints: Iterable[Checkpoint], have: Sequence[scores.ShardFile]
) -> scores.ShardFile | None:
    """Return the file of the first of these checkpoints that has one with every pair asked for, on the very same sentences."""
    for checkpoint in checkpoints:
        provenance = spec.provenance(checkpoint)
        provenance.pop("pairs", None)
        for file in have:
            alike = checkpoint_scores.same(file, provenance, "languages")
            if alike and language_pairs.has_all(file.provenance, spec.languages, spec.pairs):
                return file
    return None


def compute(spec: AbxControlsSpec, shard: str, context: Context) -> None:
    """Compute one shard and publish its scores; nothing where a file has them."""
    checkpoint = spec.shards()[shard]
    if covering(spec, [checkpoint], scores.shards(context.workspaces, FAMILY)) is not None:
        return
    corpus = corpora.load(spec.corpus, context.workspaces)
    _, aligned = corpus.align(spec.languages, spec.sentences)
    texts = {tag: aligned[tag] for tag in sorted({tag for pair in spec.scored for tag in pair})}
    context.step("cutting sentences into pieces", 0.0)
    publish(spec, checkpoint, corpus, texts, _pieces(checkpoint, texts, spec.prefix, context), context)


def beside(
    spec: OnCorpus,
    checkpoint: Checkpoint,
    corpus: ParallelCorpus,
    texts: Mapping[str, Sequence[str]],
    encoded: CorpusEmbeddings,
    context: Context,
) -> None:
    """Publish the controls of the scores that `spec` asks for, where no file has them of any of its checkpoints.

    Random weights are a control themselves, of a model whose tokeniser has its own.
    `encoded` are the vectors of `texts`, which know how many pieces each has; of those kept by an older version, the tokeniser
    is asked.
    """
    same = {
        name: getattr(spec, name) for name in ("model", "checkpoints", "corpus", "languages", "sentences", "pairs", "prefix")
    }
    asked = AbxControlsSpec(**same)
    if checkpoint.untrained is None and covering(asked, asked.checkpoints, scores.shards(context.workspaces, FAMILY)) is None:
        known = {tag: found.pieces for tag, found in next(iter(encoded.of.values())).items()}
        lacking = {tag: sentences for tag, sentences in texts.items() if known[tag] is None}
        cut = _pieces(checkpoint, lacking, asked.prefix, context) if lacking else {}
        publish(asked, checkpoint, corpus, texts, known | cut, context)


def publish(
    spec: AbxControlsSpec,
    checkpoint: Checkpoint,
    corpus: ParallelCorpus,
    texts: Mapping[str, Sequence[str]],
    pieces: Mapping[str, ArrayLike | None],
    context: Context,
) -> None:
    """Write the controls of one checkpoint's tokeniser."""
    from isogloss.backend.metrics.abx import texts as of_texts

    started = time.perf_counter()
    tags = list(texts)
    pairs = [(tags.index(one), tags.index(other)) for one, other in spec.scored]
    asked: dict[str, Any] = {"pairs": pairs, "should_stop": context.should_stop}
    rows: list[dict[str, Any]] = []
    n = len(texts[tags[0]])
    for place, name in enumerate(CONTROLS):
        context.step(f"scoring the {CONTROLS[name].lower()}", 0.97 + 0.01 * place)
        with cancelling():
            match name:
                case "pieces":
                    found = of_texts.of_lengths(np.stack([np.asarray(pieces[tag]) for tag in tags]), **asked)
                case "characters":
                    found = of_texts.of_lengths([[len(text) for text in texts[tag]] for tag in tags], **asked)
                case _:
                    found = of_texts.of_bags(np.stack([of_texts.byte_counts(texts[tag]) for tag in tags]), **asked)
        rows += _rows(name, spec.scored, found, n)
    provenance = spec.provenance(checkpoint) | {
        "complete": corpus.is_complete,
        "sentences": n,
        "asked": checkpoint_scores.non_default_options(spec),
        "seconds": round(time.perf_counter() - started, 3),
    }
    (shard,) = spec.model_copy(update={"checkpoints": (checkpoint,)}).shards()
    checkpoint_scores.write(context, shard, rows, provenance, model=spec.model, label=checkpoint.label, step=checkpoint.step)


def _pieces(
    checkpoint: Checkpoint, texts: Mapping[str, Sequence[str]], prefix: str, context: Context
) -> dict[str, ArrayLike | None]:
    """Return how many tokens that are not special the model reads of each text, with its prefix: `[texts]` a language."""
    from isogloss.backend.models.encoding.tokens import tokenize
    from isogloss.backend.models.loading.tokenizer_alone import tokeniser_of

    known = tokeniser_of(checkpoint, context.settings)
    return {
        tag: tokenize(known.tokenizer, [prefix + text for text in sentences], known.max_tokens, language=tag).own
        for tag, sentences in texts.items()
    }


def _rows(name: str, pairs: Sequence[Pair], found: Control, n: int) -> list[dict[str, Any]]:
    """Return a row a score and pair: value and 95% interval, nan where undefined."""
    rows = []
    for task, each in (("language", found.language), ("meaning", found.meaning)):
        ends = zip(each.value.tolist(), each.low.tolist(), each.high.tolist(), strict=True)
        for (source, target), (value, low, high) in zip(pairs, ends, strict=True):
            numbers = {"value": value, "low": low, "high": high, "n": n}
            rows.append({"metric": f"abx_{task}_{name}", "source": source, "target": target} | numbers)
    return rows
