"""A workspace with a corpus of two languages whose words translate one for one, its dictionary, and a tiny model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.corpora.languages.words import segment
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus, ReadReport
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.alignment.words import distributions
from isogloss.backend.experiments.alignment.words.distributions import WordDistributionsSpec
from isogloss.backend.experiments.alignment.words.pair_sources import model_pairs_by_layer
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair
from isogloss.backend.experiments.spec import Context
from isogloss.backend.models.encoding import shared_tokens
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.settings import Settings
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.corpora.dictionaries.word_pairs import WordPairs
    from isogloss.backend.models.entry import Checkpoint

WORDS = {
    "ferry": "Fähre",
    "harbour": "Hafen",
    "morning": "Morgen",
    "nobody": "niemand",
    "children": "Kinder",
    "storm": "Sturm",
    "leaves": "verlässt",
    "nine": "neun",
    "told": "erzählt",
    "the": "die",
    "clock": "Uhr",
    "about": "vom",
}
"""English and German; the last is in no dictionary here."""


@dataclass(frozen=True)
class Small:
    checkpoint: Checkpoint
    corpus: str
    pair: DictionaryPair
    context: Context
    texts: dict[str, dict[str, str]]
    """Language → sentence id → text."""


def small(folder: Path, gib: float = 1.0) -> Small:
    """60 sentences of 2 to 7 words; one is longer than the model's 64 tokens, one exists in English alone, one in German.

    The longest, s30, loses the words `storm` and `told` in English.
    """
    random = np.random.default_rng(7)
    english = list(WORDS)
    texts: dict[str, dict[str, str]] = {"de": {}, "en": {}}
    for i in range(60):
        chosen = random.choice(english, random.integers(2, 8), replace=False).tolist()
        other = [WORDS[word] for word in random.permutation(chosen)]
        if i == 30:
            chosen, other = ["ferry", *["17"] * 70, "storm", "told"], ["Fähre", "erzählt", "Sturm"]
        texts["en"][f"s{i:02d}"] = " ".join(chosen).capitalize() + "."
        texts["de"][f"s{i:02d}"] = " ".join(other) + "!"
    del texts["de"]["s03"], texts["en"]["s08"]
    rows = [
        {"sentence_id": i, "language": tag, "text": text, "document_id": None}
        for tag, of_language in texts.items()
        for i, text in of_language.items()
    ]
    workspace = folder / "workspace"
    corpus = corpora.keep(ParallelCorpus(pa.Table.from_pylist(rows, SCHEMA), ReadReport("table", {})), "small", workspace)
    entries = {word: (other.lower(),) for word, other in list(WORDS.items())[:-1]}
    dictionary = dictionaries.keep(Dictionary("en", "de", entries), "small", workspace)
    checkpoint = discover(str(tiny_model(folder / "model", "xlm-roberta"))).checkpoints[0]
    settings = Settings(workspace=workspace, demo=None, device="cpu", embeddings_gib=gib)
    pair = DictionaryPair(source="en", target="de", dictionary=dictionary.id)
    return Small(checkpoint, corpus.id, pair, Context(settings), texts)


def model_pairs(there: Small, layer: int) -> WordPairs:
    """Every pair of English and German words that the model makes at one layer."""
    corpus = corpora.load(there.corpus, there.context.workspaces)
    layers = model_pairs_by_layer(
        there.checkpoint, corpus, there.corpus, ("en", "de"), there.context, layers=[layer], repeated=True
    )
    [(_, found)] = layers
    return found


def distributions_of(there: Small, context: Context | None = None, **options: Any) -> pd.DataFrame:
    """The distributions of similarity, computed as the worker does it, from the spec's JSON."""
    asked = {"checkpoint": there.checkpoint, "corpus": there.corpus, "pair": there.pair, "repeated": True} | options
    spec = registry.parse(WordDistributionsSpec(**asked).model_dump(mode="json"))
    assert isinstance(spec, WordDistributionsSpec)
    registry.compute(spec, next(iter(spec.shards())), context or there.context)
    found = distributions.load(spec, there.context.workspaces)
    assert found is not None
    return found


def vectors_of(there: Small) -> dict[str, dict[str, list[tuple[int, str, Any]]]]:
    """Language → sentence id → (start, word, vectors of all layers) of every word that has any, straight from the model."""
    loaded = load(there.checkpoint, there.context.settings)
    found: dict[str, dict[str, list[tuple[int, str, Any]]]] = {}
    for tag, texts in there.texts.items():
        sentences = list(texts.values())
        spans = [segment(text, tag) for text in sentences]
        words = shared_tokens.of_words(loaded, sentences, tag, spans)
        encoded = encode(loaded, shared_tokens.token_ids(loaded, sentences, tag), [], words=words, language=tag)
        rows = iter(encoded.vectors["words"].astype(np.float64))
        found[tag] = {
            i: [(start, text[start:end], vector) for start, end in of_text for vector in [next(rows)] if vector.any()]
            for i, text, of_text in zip(texts, sentences, spans, strict=True)
        }
    return found
