"""Tokenisers: their experiment in words, their command, their page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.experiments import words
from isogloss.backend.experiments.family import POSITIVE, SHARE, Family, Measure, Menu, details_of, of_model
from isogloss.backend.experiments.pricing.estimate import Work, corpus_of, model_of
from isogloss.backend.experiments.tokenisers import shard

if TYPE_CHECKING:
    from isogloss.backend.experiments.family import Place


def work(spec: shard.TokenisersSpec, key: str, place: Place) -> Work | None:
    """Return the characters to cut; None where model or corpus are not kept."""
    model = model_of(spec.shards()[key], spec.model, place.workspaces)
    corpus = corpus_of(spec.corpus, place.workspaces)
    if model is None or corpus is None:
        return None
    part = min(1.0, (spec.sentences or corpus.sentences) / max(1, corpus.sentences))
    characters = sum(each.characters for each in corpus.languages if each.tag in spec.languages)
    return Work(part * characters, ("cutting", model.name, corpus.id))


OF_LANGUAGES = {
    "tokeniser_fertility": Measure("Fertility", "pieces a word", "neither", of_input=True, bounds=POSITIVE),
    "tokeniser_one_piece_words": Measure("One-piece words", "share of words", "neither", of_input=True, bounds=SHARE),
    "tokeniser_pieces_per_sentence": Measure("Pieces a sentence", "pieces", "neither", of_input=True, bounds=POSITIVE),
    "tokeniser_pieces_per_character": Measure("Pieces a character", "pieces", "neither", of_input=True, bounds=POSITIVE),
    "tokeniser_bytes_per_character": Measure("Bytes a character", "bytes of UTF-8", "neither", of_input=True, bounds=POSITIVE),
    "tokeniser_truncated_sentences": Measure("Truncated sentences", "share of sentences", "lower", of_input=True, bounds=SHARE),
    "tokeniser_unknown_pieces": Measure("Unknown pieces", "share of pieces", "lower", of_input=True, bounds=SHARE),
}
OF_PAIRS = {
    "tokeniser_premium": Measure(
        "Premium", "pieces of the one / of the other", "lower", of_input=True, directed=True, bounds=POSITIVE
    ),
    "tokeniser_shared_vocabulary": Measure(
        "Shared vocabulary", "Jaccard, share of pieces", "neither", of_input=True, bounds=SHARE
    ),
    "tokeniser_shared_use": Measure("Shared vocabulary by use", "weighted Jaccard", "neither", of_input=True, bounds=SHARE),
}

TOKENISERS = Family(
    name="tokenisers",
    menu=Menu("Tokenisers", ":material/content_cut:", "how languages are cut into pieces"),
    experiments=(
        of_model(
            shard.TokenisersSpec,
            shard.compute,
            "Tokeniser",
            details_of(shard.TokenisersSpec, lambda spec: [words.languages(spec["languages"])]),
            work,
        ),
    ),
    measures=OF_LANGUAGES | OF_PAIRS,
    commands={"tokenisers": "isogloss.backend.experiments.tokenisers.command:tokenisers"},
    cites=(
        "rust-etal-2021-good",
        "petrov-etal-2023-language",
    ),
)
