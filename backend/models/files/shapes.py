"""What a model's `config.json` says of its shape, read without torch or transformers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import ModelError
from isogloss.backend.files import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# Every architecture names its layers and width differently; the first name present is the one that counts.
_ENCODER_LAYERS = ("encoder_layers", "num_layers", "num_hidden_layers")
_DECODER_LAYERS = ("decoder_layers", "num_decoder_layers")
_LAYERS = ("num_hidden_layers", "n_layers", "n_layer", "num_layers")
LONGEST = 2 << 20
"""Bytes of a config.json; those of real models have some thousands, and a few more for each label."""
_DIMS = ("hidden_size", "d_model", "emb_dim", "n_embd", "n_embed")


@dataclass(frozen=True)
class Shape:
    """The shape of the part of a model that is run."""

    architecture: str
    layers: int
    dims: int
    encoder_decoder: bool
    decoder_layers: int | None = None
    """Of an encoder-decoder."""


def read_config(path: Path, shown: str) -> dict[str, Any]:
    """Return the JSON object in `path`. Raises `ModelError`, naming the model as `shown`, where it is not one."""
    try:
        with open(path, "rb") as opened:
            config = parse_json(opened.read(LONGEST))  # cut off, it is no JSON
    except (OSError, ValueError) as error:
        raise ModelError(f"The config.json of {shown} cannot be read ({error}). Download or save the model again.") from error
    if not isinstance(config, dict):
        raise ModelError(f"The config.json of {shown} is not a JSON object. Download or save the model again.")
    return config


def read_shape(config: Mapping[str, Any], shown: str) -> Shape:
    """Return the shape a configuration describes. Raises `ModelError` where it is not that of a text model."""
    architecture = config.get("model_type")
    if not isinstance(architecture, str) or not architecture:
        raise ModelError(f"The config.json of {shown} names no model_type: it is not a transformers model. Choose another one.")
    encoder_decoder = bool(config.get("is_encoder_decoder", False))
    layers = _first(config, _ENCODER_LAYERS if encoder_decoder else _LAYERS)
    dims = _first(config, _DIMS)
    if layers is None or dims is None:
        raise ModelError(
            f"{shown} ({architecture}) is not a text model that Isogloss can read: its config.json gives no number of layers "
            "or dimensions. Choose an encoder, an encoder-decoder or a decoder of text."
        )
    return Shape(architecture, layers, dims, encoder_decoder, _first(config, _DECODER_LAYERS) if encoder_decoder else None)


def _first(config: Mapping[str, Any], names: Sequence[str]) -> int | None:
    return next((v for n in names if isinstance(v := config.get(n), int) and not isinstance(v, bool) and v > 0), None)
