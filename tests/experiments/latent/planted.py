"""A decoder whose layers say words of languages that were chosen: what the lens must find is known by hand.

Every token has the same embedding, attention gives nothing, and each layer turns the state from one axis to the next: the
head gives the tokens of a language logits along its axis. A word begins with the letter of its language, which is the only
piece that its words have: bytes are not merged.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
import transformers as hf

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LETTER = {"fr": "f", "en": "e", "de": "d"}
PATH = ("fr", "en", "en", "de")
"""What each layer says, the input embedding first: from the language of the question through English to the answer's."""
DIMS = 8
WORDS = 12


def planted(folder: Path, path: Sequence[str] = PATH, share: float = 0.5) -> Path:
    """Save a Llama whose layer l gives `share` to the letter of `path[l]`, and the rest to all other tokens alike."""
    tokenizer = _bytes()
    config = hf.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=DIMS,
        intermediate_size=4,
        num_hidden_layers=len(path) - 1,
        num_attention_heads=2,
        tie_word_embeddings=False,
        rms_norm_eps=1e-12,
        pad_token_id=0,
        bos_token_id=0,
        eos_token_id=0,
    )
    model = hf.LlamaForCausalLM(config)
    axes = {tag: place for place, tag in enumerate(LETTER)}
    normed = math.sqrt(DIMS)  # what a state along one axis is after the norm, whatever its length
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.fill_(1)
        model.model.embed_tokens.weight[:, axes[path[0]]] = 1
        for layer, before, after in zip(model.model.layers, path, path[1:], strict=False):
            layer.mlp.gate_proj.weight[0, axes[before]] = layer.mlp.up_proj.weight[0, axes[before]] = 1
            inner = torch.nn.functional.silu(torch.tensor(normed)) * normed
            layer.mlp.down_proj.weight[axes[after], 0] += 1 / inner
            layer.mlp.down_proj.weight[axes[before], 0] -= 1 / inner
        for tag, letter in LETTER.items():
            token = tokenizer.convert_tokens_to_ids(letter)
            model.lm_head.weight[token, axes[tag]] = math.log(share / (1 - share) * (len(tokenizer) - 1)) / normed
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def keep_words(workspace: Path) -> list[dict[str, str]]:
    """Keep dictionaries of English with French and German; returns what a spec says of them."""
    found = []
    for tag in ("fr", "de"):
        entries = {f"{LETTER['en']}{chr(97 + i)}": (f"{LETTER[tag]}{chr(97 + i)}", "zzz") for i in range(WORDS)}
        entry = dictionaries.keep(Dictionary("en", tag, entries), f"en-{tag}", workspace)
        found.append({"language": tag, "dictionary": entry.id})
    return found


def keep_model(folder: Path, workspace: Path) -> dict[str, Any]:
    """Add a model; returns the fields of a spec that name it."""
    models.keep(discover(str(folder), name="Planted"), workspace)
    return {"model": "Planted", "checkpoints": models.load_entry("Planted", [workspace]).checkpoints}


def _bytes() -> Any:
    from tokenizers import Tokenizer
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel

    pieces = {piece: number for number, piece in enumerate(["<s>", *sorted(ByteLevel.alphabet())])}
    tokenizer = Tokenizer(BPE(pieces, []))
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    return hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="<s>", pad_token="<s>")
