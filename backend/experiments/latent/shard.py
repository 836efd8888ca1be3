"""Latent language: from a spec to rows of scores. One shard is one checkpoint, every layer, answer and language.

Imports neither torch nor transformers until a shard is computed.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.errors import CorpusError
from isogloss.backend.experiments import checkpoint_scores
from isogloss.backend.experiments.latent import told
from isogloss.backend.experiments.latent.prompts import Word, cloze_prompts, forms_counted, gaps_of, kept, prompts, words_of
from isogloss.backend.experiments.latent.spec import FAMILY, LatentSpec
from isogloss.backend.experiments.spec import Context, cancelling
from isogloss.backend.metrics.latent.intervals import mean_over_words
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.latent.reading import Readings
    from isogloss.backend.models.encoding.first_tokens import FirstTokens
    from isogloss.backend.models.entry import Checkpoint

FEWEST = 2
"""Words without which a mean says nothing."""


def covering(spec: LatentSpec, checkpoint: Checkpoint, have: Iterable[scores.ShardFile]) -> scores.ShardFile | None:
    """Return a file that has every answer asked for, by the same words, or None."""
    provenance = spec.provenance(checkpoint)
    alike = (file for file in have if checkpoint_scores.same(file, provenance, "targets"))
    return next((file for file in alike if set(file.provenance.get("targets", ())) >= set(spec.targets)), None)


def compute(spec: LatentSpec, shard: str, context: Context) -> None:
    """Compute one shard: publish what each layer told of every word, then the scores; nothing where a file has them.

    Raises `ModelError` for a model without a head, `CorpusError` where too few words count.
    """
    from isogloss.backend.experiments.latent.reading import Reader
    from isogloss.backend.models.encoding.first_tokens import FirstTokens
    from isogloss.backend.models.loading.language_model import load_language_model
    from isogloss.backend.models.loading.load import check_unchanged

    checkpoint = spec.shards()[shard]
    if covering(spec, checkpoint, scores.shards(context.workspaces, FAMILY)) is not None:
        return
    started = time.perf_counter()
    known = loaded(spec, context.workspaces)
    words = words_of(known, spec.pivot)
    context.step("reading the model", 0.0)
    model = load_language_model(checkpoint, context.settings)
    reader = Reader(model)
    begins = _begins(spec, FirstTokens(model.loaded.tokenizer), reader.vocabulary)
    rows: list[dict[str, Any]] = []
    of_words: list[dict[str, Any]] = []
    counts: dict[str, dict[str, int]] = {}
    for place, target in enumerate(spec.targets):
        step = partial(_step, context, f"asking for {name_of(target)}", place, len(spec.targets))
        gaps = gaps_of(known[target], words, spec.pivot, target) if spec.task == "cloze" else None
        chosen = chosen_words(spec, words if gaps is None else [each for each in words if each.number in gaps], begins, target)
        sets = [[sorted(begins(word)[tag]) for tag in spec.languages] for word in chosen]
        if gaps is None:
            asked = list(prompts(chosen, spec.source or target, target, spec.examples, spec.seed))
        else:
            asked = list(cloze_prompts(chosen, gaps, spec.examples, target, spec.seed))
        with cancelling():
            found = reader.read(asked, sets, target, step, context.should_stop)
        rows += _scores(spec, target, found)
        of_words += _told(spec, target, chosen, found)
        counts[target] = {"words": len(chosen)}
    check_unchanged(checkpoint, context.settings)
    provenance = spec.provenance(checkpoint) | {
        "dictionaries": {each.language: each.dictionary for each in spec.dictionaries},
        "counts": counts,
        "tells": model.tells,
        "texts": reader.texts,
        "tokens": reader.tokens,
        "device": str(model.loaded.device),
        "precision": model.loaded.why_dtype,
        "asked": checkpoint_scores.non_default_options(spec),
        "seconds": round(time.perf_counter() - started, 3),
    }
    told.write(context.workspace, shard, of_words, provenance | {"model": spec.model, "label": checkpoint.label})
    checkpoint_scores.write(context, shard, rows, provenance, model=spec.model, label=checkpoint.label, step=checkpoint.step)


def loaded(spec: LatentSpec, workspaces: Sequence[Path]) -> dict[str, Any]:
    """Return the dictionary of each language but the pivot. Raises `CorpusError` where one is not kept."""
    return {each.language: dictionaries.load(each.dictionary, workspaces) for each in spec.dictionaries}


def chosen_words(
    spec: LatentSpec, words: Sequence[Word], begins: Callable[[Word], Mapping[str, frozenset[int]]], target: str
) -> list[Word]:
    """Return the words that count for an answer in `target`. Raises `CorpusError` where these are too few."""
    chosen = kept(words, begins, spec.pivot, target, spec.filter, spec.words)
    needed = max(FEWEST, spec.examples + 1)
    if len(chosen) < needed:
        raise CorpusError(
            f"Of {len(words):,} words {len(chosen)} count where the answer is in {name_of(target)}, and {needed} are needed.",
            remedy="Choose fewer languages or examples, another filter of words, or larger dictionaries.",
        )
    return chosen


def _begins(spec: LatentSpec, first: FirstTokens, vocabulary: int) -> Callable[[Word], Mapping[str, frozenset[int]]]:
    """Return what says which tokens a word may begin with in each language; each word is looked up once."""
    known: dict[int, Mapping[str, frozenset[int]]] = {}

    def begins(word: Word) -> Mapping[str, frozenset[int]]:
        if word.number not in known:
            forms = {tag: forms_counted(word, tag, synonyms=spec.synonyms, capitals=spec.capitals) for tag in spec.languages}
            known[word.number] = {
                tag: frozenset(each for each in first.of(own) if each < vocabulary) for tag, own in forms.items()
            }
        return known[word.number]

    return begins


def _step(context: Context, what: str, place: int, of: int, done: float) -> None:
    context.step(what, 0.05 + 0.95 * (place + done) / of)


def _scores(spec: LatentSpec, target: str, found: Readings) -> list[dict[str, Any]]:
    """Return a row a layer and language, and one of the entropy (target = source): means over words, 95% intervals."""
    everything = np.concatenate([found.mass, found.entropy[:, :, None]], axis=2)
    estimate, n = mean_over_words(everything, seed=spec.seed)
    names = [*(("latent_mass", tag) for tag in spec.languages), ("latent_entropy", target)]
    return [
        {"metric": metric, "layer": layer, "source": source, "target": target, "n": n}
        | {end: float(np.float32(getattr(estimate, end)[layer, place])) for end in ("value", "low", "high")}
        for layer in range(everything.shape[1])
        for place, (metric, source) in enumerate(names)
    ]


def _told(spec: LatentSpec, target: str, words: Sequence[Word], found: Readings) -> Iterable[dict[str, Any]]:
    for place, word in enumerate(words):
        top = {"top": found.top[place], "top_probability": found.top_probability[place]}
        for k, tag in enumerate(spec.languages):
            yield {"target": target, "word": word.number, "language": tag, "mass": found.mass[place, :, k]} | top
