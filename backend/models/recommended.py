"""Which of its tokens' vectors make a model's sentence vectors best, by its card or its architecture. Imports no torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.models.files.catalogue import known_as

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Model, Pooling, WordVector

# fmt: off
DECODERS = (
    "apertus", "arcee", "biogpt", "bloom", "codegen", "cohere", "deepseek", "dots1", "ernie4_5", "exaone", "falcon",
    "gemma", "glm", "gpt", "granite", "helium", "hunyuan", "internlm", "jais", "lfm", "llama", "minicpm", "ministral",
    "mistral", "mixtral", "mpt", "nemotron", "olmo", "openai-gpt", "opt", "persimmon", "phi", "qwen", "seed_oss",
    "smollm", "stablelm", "starcoder", "vaultgemma", "xglm", "youtu"
)
# fmt: on
"""What the `model_type` of those that read from left to right begins with: their first token is seen by all after it."""
BY_CARD = "its card makes sentence vectors so"
BY_SINK = (
    "a decoder's first token may have a vector a hundred times as long as the others', and a mean that counts it is that token"
)
BY_FIRST_WORD = (
    "the first token of a decoder's sentence may have a vector a hundred times as long as the others': where its tokeniser "
    "begins with no special token, the sentence's first word holds it; where it does, both are equal"
)
BY_PAPERS = "an encoder's special tokens say little of the text, and published scores leave them out"


def recommended_of_words(model: Model) -> tuple[WordVector, str]:
    """Return the same for words in their sentences: of a decoder without the sentence's first token."""
    if _is_decoder(model):
        return "without_first", BY_FIRST_WORD
    return "mean", BY_PAPERS


def _is_decoder(model: Model) -> bool:
    return model.architecture.startswith(DECODERS) or model.checkpoints[0].part == "decoder"


def recommended(model: Model) -> tuple[Pooling, str]:
    """Return what makes a model's sentence vectors best, and why, as the rest of a sentence after `since`.

    By its card in the catalogue, where it was trained to give sentence vectors; else the mean of its tokens, without the first
    one where it is a decoder (also that of an encoder-decoder): there the tokeniser may begin with no special token.
    """
    if (line := known_as(model)) is not None and line.pooling is not None:
        return line.pooling, BY_CARD
    if _is_decoder(model):
        return "without_first", BY_SINK
    return "mean", BY_PAPERS
