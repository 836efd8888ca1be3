"""fairseq checkpoints of XLM-R (`.pt`) as `transformers` models.

A file holds a dictionary with the state of the model under `model` and its options under `args` (a Namespace) or `cfg`.
Weights are named `decoder.sentence_encoder.*` by fairseq up to 0.10 and `encoder.sentence_encoder.*` since. The vocabulary is
that of XLM-R's tokeniser; where a `dict.txt` lies beside the checkpoint, its order is followed: see `docs/definitions.md`.

Run as a module, with a FILE, it prints the file's shape as JSON: for the web process, which never imports torch.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from isogloss.backend.errors import IsoglossError, ModelError
from isogloss.backend.models.files import hub
from isogloss.backend.models.files.weights import tokenizer_files
from isogloss.backend.models.loading.tokenizer import identity, load_once

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor
    from transformers import XLMRobertaConfig, XLMRobertaModel

TOKENIZER = "FacebookAI/xlm-roberta-base"
"""Whose tokeniser is used where none lies beside the checkpoint."""

_PREFIX = re.compile(r"^(?:model\.)?(?:decoder|encoder)\.sentence_encoder\.")
_SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
_LAYER = {
    "self_attn.q_proj": "attention.self.query",
    "self_attn.k_proj": "attention.self.key",
    "self_attn.v_proj": "attention.self.value",
    "self_attn.out_proj": "attention.output.dense",
    "self_attn_layer_norm": "attention.output.LayerNorm",
    "fc1": "intermediate.dense",
    "fc2": "output.dense",
    "final_layer_norm": "output.LayerNorm",
}
_EMBEDDINGS = {
    "embed_tokens.weight": "embeddings.word_embeddings.weight",
    "embed_positions.weight": "embeddings.position_embeddings.weight",
    "emb_layer_norm.weight": "embeddings.LayerNorm.weight",
    "emb_layer_norm.bias": "embeddings.LayerNorm.bias",
    "layernorm_embedding.weight": "embeddings.LayerNorm.weight",
    "layernorm_embedding.bias": "embeddings.LayerNorm.bias",
}


class _Inert:
    """Stands in for every class a checkpoint mentions besides tensors: it keeps what it is given and does nothing.

    Checkpoints carry the options of their training (Namespace, omegaconf, fairseq's own enumerations). None of that code
    is imported or run: each name is answered by this class, which is all the unpickler may then call.
    """

    def __init__(self, *_args: Any, **options: Any) -> None:
        self.__dict__.update(options)

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            self.__dict__.update({str(key): value for key, value in state.items()})


def read_fairseq(path: Path) -> tuple[dict[str, Tensor], Any]:
    """Return the encoder's weights (names without their prefix, on the CPU) and the training options of a fairseq `.pt` file.

    Reads with `weights_only`. Raises `ModelError` where it is not an XLM-R checkpoint of fairseq.
    """
    try:
        held = read_weights_only(path)
    except MemoryError:
        raise
    except Exception as error:  # a damaged or hostile file makes torch raise almost anything
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise ModelError(
            f"'{path.name}' cannot be opened as a fairseq checkpoint ({reason[:200]}). Copy it again, or choose another one."
        ) from error
    state = held.get("model") if isinstance(held, dict) else None
    tensors = (
        {name: value for name, value in state.items() if isinstance(value, torch.Tensor)} if isinstance(state, dict) else {}
    )
    weights = {_PREFIX.sub("", name): value for name, value in tensors.items() if _PREFIX.match(str(name))}
    if not weights:
        raise ModelError(
            f"'{path.name}' is no XLM-R checkpoint of fairseq: it holds no weights named sentence_encoder. Choose another file."
        )
    return _split_projections(weights), held.get("cfg") or held.get("args")


def read_weights_only(path: Path) -> Any:
    """Return what a `.pt` file holds: tensors, plain values, and inert stand-ins for all else. Raises whatever torch does."""
    with open(path, "rb") as file:
        zipped = file.read(4) == b"PK\x03\x04"
    # The format before torch 1.6 cannot be scanned for names nor mapped into memory; it may hold a Namespace.
    names = torch.serialization.get_unsafe_globals_in_checkpoint(path) if zipped else ["argparse.Namespace"]
    stand_ins = [(_Inert, name) for name in names if name != "argparse.Namespace"]
    with torch.serialization.safe_globals([argparse.Namespace, *stand_ins]):
        return torch.load(path, map_location="cpu", weights_only=True, mmap=zipped or None)


def _split_projections(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the earliest layout kept query, key and value in one matrix, in this order."""
    split: dict[str, Tensor] = {}
    for name, value in weights.items():
        if match := re.match(r"(.*self_attn\.)in_proj_(weight|bias)$", name):
            for part, rows in zip("qkv", value.chunk(3), strict=True):
                split[f"{match[1]}{part}_proj.{match[2]}"] = rows
        else:
            split[name] = value
    return split


def sizes(weights: Mapping[str, Tensor], options: Any, shown: str) -> dict[str, Any]:
    """The arguments of `XLMRobertaConfig` for fairseq weights: sizes from their shapes, heads and activation from the options.

    Raises `ModelError` where the layout is not that of XLM-R base or large (XLM-R XL normalises elsewhere).
    """
    layers = 1 + max((int(m[1]) for name in weights if (m := re.match(r"layers\.(\d+)\.", name))), default=-1)
    try:
        vocabulary, dims = weights["embed_tokens.weight"].shape
        positions = weights["embed_positions.weight"].shape[0]
        wide = weights["layers.0.fc1.weight"].shape[0]
    except (KeyError, ValueError) as error:
        raise ModelError(f"{shown} lacks weights of an XLM-R encoder ({error}). Choose another checkpoint.") from error
    normalised = {"emb_layer_norm.weight", "layernorm_embedding.weight"} & weights.keys()
    if "layer_norm.weight" in weights or not normalised:
        raise ModelError(f"{shown} normalises before each layer, as XLM-R XL does. Only the layout of base and large is read.")
    heads = _option(options, "encoder_attention_heads")
    activation = _option(options, "activation_fn")
    return {
        "vocab_size": vocabulary,
        "hidden_size": dims,
        "num_hidden_layers": layers,
        "num_attention_heads": int(heads) if isinstance(heads, int) else max(1, dims // 64),
        "intermediate_size": wide,
        "hidden_act": activation if activation in {"gelu", "relu"} else "gelu",
        "max_position_embeddings": positions,
        "type_vocab_size": 1,
        "layer_norm_eps": 1e-5,
        "bos_token_id": 0,
        "pad_token_id": 1,
        "eos_token_id": 2,
    }


def _option(options: Any, name: str) -> Any:
    """Return an option from a Namespace, from a mapping, or from the `model` part of either."""
    for place in (options, _get(options, "model")):
        value = _get(place, name)
        if value is not None:
            return vars(value).get("_val") if isinstance(value, _Inert) else value
    return None


def _get(place: Any, name: str) -> Any:
    held = vars(place) if isinstance(place, _Inert) else {}
    place = held.get("_val", held.get("_content", place))  # how omegaconf keeps a value, and a mapping of values
    if isinstance(place, dict):
        return place.get(name)
    return getattr(place, name, None)


def convert(weights: Mapping[str, Tensor], config: XLMRobertaConfig, shown: str) -> XLMRobertaModel:
    """Build an `XLMRobertaModel` of fairseq's weights, in float32. Raises `ModelError` where one is missing or misshapen."""
    from transformers import XLMRobertaModel

    state = {_EMBEDDINGS[name]: value for name, value in weights.items() if name in _EMBEDDINGS}
    for name, value in weights.items():
        if (match := re.match(r"layers\.(\d+)\.(.+)\.(weight|bias)$", name)) and match[2] in _LAYER:
            state[f"encoder.layer.{match[1]}.{_LAYER[match[2]]}.{match[3]}"] = value
    # fairseq has no token types: a type embedding of zero adds nothing.
    state["embeddings.token_type_embeddings.weight"] = torch.zeros(1, config.hidden_size)
    model = XLMRobertaModel(config, add_pooling_layer=False)
    try:
        report = model.load_state_dict({name: value.float() for name, value in state.items()}, strict=False)
    except RuntimeError as error:
        raise ModelError(f"The weights of {shown} do not fit one another: it is damaged. Copy it again.") from error
    missing = [name for name in report.missing_keys if "position_ids" not in name and "token_type_ids" not in name]
    if missing:
        raise ModelError(f"{shown} lacks {len(missing)} weights, {missing[0]} among them: it is damaged. Copy it again.")
    return model


def reorder(rows: Tensor, dictionary: Path, tokenizer: Any, shown: str) -> Tensor:
    """Embedding rows in the order of `dictionary` (fairseq's `dict.txt`) → in the order of the tokeniser's ids.

    Raises `ModelError` where the tokeniser has pieces that the dictionary lacks: it is not the one trained with.
    """
    lines = dictionary.read_text(encoding="utf-8").split("\n")
    pieces = [line.rsplit(" ", 1)[0] for line in lines if line.strip()]
    numbers = {piece: i for i, piece in enumerate([*_SPECIALS, *pieces])}
    numbers.setdefault("<mask>", len(_SPECIALS) + len(pieces))
    by_id = sorted(tokenizer.get_vocab().items(), key=lambda item: int(item[1]))
    unknown = [piece for piece, _ in by_id if piece not in numbers]
    if unknown or max(numbers.values()) >= len(rows):
        detail = (
            f"the tokeniser's '{unknown[0]}' is not in dict.txt" if unknown else "dict.txt has more lines than the model rows"
        )
        raise ModelError(f"{shown} does not fit its tokeniser: {detail}. Put the tokeniser it was trained with beside it.")
    return rows[torch.tensor([numbers[piece] for piece, _ in by_id])]


def load_fairseq(path: Path, dtype: torch.dtype) -> tuple[torch.nn.Module, Any, str]:
    """A fairseq checkpoint as a `transformers` model and its tokeniser (from beside it or one folder up, else XLM-R's own).

    The third is the tokeniser's identity (`backend.models.loading.tokenizer.identity`).

    Raises `ModelError` where the file, its tokeniser or the fit of the two is wrong.
    """
    from transformers import XLMRobertaConfig

    shown = f"'{path.name}'"
    weights, options = read_fairseq(path)
    config = XLMRobertaConfig(**sizes(weights, options, shown))
    tokenizer, known = tokenizer_beside(path, shown)
    rows = weights["embed_tokens.weight"]
    if (dictionary := path.parent / "dict.txt").is_file():
        weights["embed_tokens.weight"] = reorder(rows, dictionary, tokenizer, shown)
        config.vocab_size = len(weights["embed_tokens.weight"])
    elif len(tokenizer) > len(rows):
        raise ModelError(
            f"{shown} has {len(rows)} embeddings for a tokeniser of {len(tokenizer)} pieces. "
            "Put the tokeniser and the dict.txt it was trained with beside it."
        )
    module: torch.nn.Module = convert(weights, config, shown)
    return module.to(dtype), tokenizer, known


def tokenizer_beside(path: Path, shown: str) -> tuple[Any, str]:
    """Return the tokeniser of a `.pt` file and its identity. Raises `ModelError` where it cannot be read."""
    from transformers import XLMRobertaTokenizer

    files = tokenizer_files(path.parent)
    place = files[0].parent if files else hub.download_tokenizer(TOKENIZER)
    known = identity(place, "fairseq")
    try:
        return load_once(known, lambda: XLMRobertaTokenizer.from_pretrained(place, local_files_only=True)), known
    except Exception as error:  # whatever a damaged file makes the tokeniser raise
        raise ModelError(
            f"The tokeniser of {shown} cannot be read. Put XLM-R's tokenizer.json beside the checkpoint."
        ) from error


def describe(path: Path) -> dict[str, int]:
    """Return the layers, dimensions and number of parameters of a fairseq file. Raises `ModelError` as `read_fairseq` does."""
    weights, options = read_fairseq(path)
    found = sizes(weights, options, f"'{path.name}'")
    return {
        "layers": found["num_hidden_layers"],
        "dims": found["hidden_size"],
        "parameters": sum(value.numel() for value in weights.values()),
    }


if __name__ == "__main__":
    try:
        print(json.dumps(describe(Path(sys.argv[1]))))
    except IsoglossError as error:
        print(json.dumps({"error": str(error)}))
