"""The translation model: `transformers`' BART (Lewis et al. 2020) in our shape, fresh, kept and loaded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from safetensors.torch import save_file
from transformers import BartConfig, BartForConditionalGeneration

from isogloss.backend.training.language_model.model import INITIAL_DEVIATION
from isogloss.backend.training.resumable.checkpoint import WEIGHTS, load_into, load_weights, publish_folder
from isogloss.backend.training.translation.options import END, PADDING, START

PAPER_DIMS = 512

if TYPE_CHECKING:
    from pathlib import Path

    from torch import nn

    from isogloss.backend.training.translation.options import Setting, TranslationArchitecture


def initial_deviation(shape: TranslationArchitecture) -> float:
    """Standard deviation of fresh weights: 0.02 in the paper's shape, as `transformers` has it for BART.

    In a narrower one it is so much larger that sums over dimensions are of the same size: with 0.02, 96 dimensions and the few
    steps that a small budget has, the attention to the other side stayed as flat as it began.
    """
    return INITIAL_DEVIATION * math.sqrt(PAPER_DIMS / shape.dims)


def new_model(shape: TranslationArchitecture) -> BartForConditionalGeneration:
    """Return a BART whose weights come from torch's present random state: normal with `initial_deviation`, biases zero."""
    first = shape.symbols
    config = BartConfig(
        vocab_size=shape.vocabulary,
        max_position_embeddings=shape.context,
        encoder_layers=shape.encoder_layers,
        decoder_layers=shape.decoder_layers,
        encoder_attention_heads=shape.heads,
        decoder_attention_heads=shape.heads,
        d_model=shape.dims,
        encoder_ffn_dim=shape.feed_forward,
        decoder_ffn_dim=shape.feed_forward,
        dropout=shape.dropout,
        init_std=initial_deviation(shape),
        pad_token_id=first + PADDING,
        bos_token_id=first + START,
        eos_token_id=first + END,
        decoder_start_token_id=first + START,
        forced_eos_token_id=None,
    )
    return BartForConditionalGeneration(config)


def table_of(model: BartForConditionalGeneration) -> nn.Parameter:
    """Return the embeddings of tokens, `[vocabulary, dims]`: inputs of encoder and decoder, and the output layer."""
    return model.get_parameter("model.shared.weight")


def forget_embeddings(model: BartForConditionalGeneration, shape: TranslationArchitecture) -> None:
    """Give every token fresh numbers from torch's present random state: a source's symbols mean nothing in a sentence.

    Embeddings of positions stay. Drawn as a fresh model's; the released code draws them as torch's linear layers are.
    """
    torch.nn.init.normal_(table_of(model), std=initial_deviation(shape))


def freeze(model: BartForConditionalGeneration, setting: Setting) -> None:
    """Say which weights are tuned: in `frozen` the embeddings of tokens alone, else all. Positions stay frozen there too."""
    for parameter in model.parameters():
        parameter.requires_grad_(setting != "frozen")
    table_of(model).requires_grad_(True)


def save_model(folder: Path, model: BartForConditionalGeneration) -> None:
    """Write `model` to the new `folder`, whole or not at all; a folder that exists is left as it is.

    Raises `StoreError` where it cannot be written.
    """
    if folder.exists():
        return
    tensors = {name: value.detach().float().cpu().contiguous() for name, value in model.named_parameters()}
    with publish_folder(folder) as temporary:
        save_file(tensors, temporary / WEIGHTS, {"format": "pt"})
        model.config.save_pretrained(temporary)


def load_model(folder: Path, shape: TranslationArchitecture) -> BartForConditionalGeneration:
    """Return the model that `save_model` wrote, on the CPU. Raises `ModelError` where it is damaged or of another shape."""
    weights, model = load_weights(folder), new_model(shape)
    load_into(model, weights, folder)
    return model
