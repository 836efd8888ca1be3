"""Which files of a `transformers` folder are its weights and its tokeniser, and what the weights are. No torch."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from isogloss.backend.errors import ModelError
from isogloss.backend.files import parse_json
from isogloss.backend.models.files.headers import header
from isogloss.backend.models.files.shapes import Shape, read_config, read_shape

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

CONFIG = "config.json"
TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "sentencepiece.bpe.model",
    "sentencepiece.model",
    "spiece.model",
    "spm.model",
    "tokenizer.model",
)
VOCABULARIES = tuple(name for name in TOKENIZER_FILES if name not in TOKENIZER_FILES[1:4])
"""Those without one of which there is no tokeniser."""
_WITHOUT_MERGES = tuple(name for name in VOCABULARIES if name not in ("vocab.txt", "vocab.json", "merges.txt"))
"""Beside one of these a vocabulary in JSON has no merges of its own."""
_SAFE, _PICKLE = "model.safetensors", "pytorch_model.bin"
_HEADS = re.compile(r"(^|\.)(lm_head|cls|pred_layer|classifier|qa_outputs|lm_predictions|mask_predictions)\.|position_ids$")
_DECODER = re.compile(r"(^|\.)decoder\.|^final_logits_bias$")

_LONGEST_INDEX = 32 << 20
"""Bytes; a model of 670 billion parameters in 256 experts a layer has nine million."""
_LONGEST_NAME = 200
_LARGEST_TOKENIZER = 128 << 20
"""Bytes; one of a million pieces takes half of them. Reading takes some twelve times as much memory."""

PICKLES_OFF = (
    "Its weights are only there as pickles, which this server does not load. "
    "Convert them to safetensors, or have the operator set ISOGLOSS_ALLOW_PICKLE=1."
)


@dataclass(frozen=True)
class ModelFiles:
    """The files of a `transformers` folder, each looked for once, when it is first asked for."""

    folder: Path
    shown: str
    """What to call the model in messages."""
    allow_pickle: bool

    @cached_property
    def config(self) -> dict[str, Any]:
        """What `config.json` says. Raises `ModelError` as `read_config` does."""
        return read_config(self.folder / CONFIG, self.shown)

    @property
    def has_config(self) -> bool:
        """Whether there is a `config.json`: a tokeniser may come without one."""
        return (self.folder / CONFIG).is_file()

    @cached_property
    def shape(self) -> Shape:
        """The shape of what is run. Raises `ModelError` as `read_shape` does."""
        return read_shape(self.config, self.shown)

    @cached_property
    def weights(self) -> list[Path]:
        """The files of the weights: safetensors where there are any, pickles only where allowed.

        Raises `ModelError` where there are none, or where a part that the index names is missing.
        """
        check_weights({path.name for path in self.folder.iterdir()}, self.shown, allow_pickle=self.allow_pickle)
        for whole in (_SAFE, _PICKLE):
            if (self.folder / whole).is_file():
                return [self.folder / whole]
            if (index := self.folder / f"{whole}.index.json").is_file():
                return _parts(index, self.shown)
        raise ModelError(f"The weights of {self.shown} are not files. Download or save the model again.")

    @cached_property
    def tensors(self) -> dict[str, list[int]]:
        """Name → shape of every tensor in safetensors; none for pickles, which are not opened to be looked at.

        Raises `ModelError` as `weights` and `header` do, and where two files hold a tensor of one name.
        """
        shapes: dict[str, list[int]] = {}
        for file in self.weights:
            held = dict(header(file)) if file.suffix == ".safetensors" else {}
            if twice := shapes.keys() & held.keys():
                raise ModelError(f"{self.shown} has two tensors called {min(twice)[:80]!r}. Download or save the model again.")
            shapes |= held
        return shapes

    @property
    def parameters(self) -> int | None:
        """How many parameters of what is run the safetensors hold; None for pickles."""
        run = [shape for name, shape in self.tensors.items() if runs(name, encoder_decoder=self.shape.encoder_decoder)]
        return sum(map(math.prod, run)) if self.tensors else None

    @cached_property
    def tokenizer(self) -> list[Path]:
        """The tokeniser's files, see `tokenizer_files`."""
        return tokenizer_files(self.folder)

    def check_tokenizer(self) -> None:
        """Raise `ModelError` where there is no tokeniser, a half of it is lacking, or it is far larger than any is."""
        if not self.tokenizer:
            raise ModelError(
                f"{self.shown} has no tokeniser: neither tokenizer.json nor another vocabulary, such as vocab.txt or "
                "sentencepiece.bpe.model, lies beside its weights or one folder up. Save it there: "
                "tokenizer.save_pretrained(folder)."
            )
        names = {path.name for path in self.tokenizer}
        for one, other in (("merges.txt", "vocab.json"), ("vocab.json", "merges.txt")):
            if one in names and not names & {other, *_WITHOUT_MERGES}:
                raise ModelError(
                    f"The tokeniser of {self.shown} lacks {other}, which belongs to its {one}. "
                    "Save it again: tokenizer.save_pretrained(folder)."
                )
        for path in self.tokenizer:
            if path.stat().st_size > _LARGEST_TOKENIZER:
                raise ModelError(f"The {path.name} of {self.shown} is larger than any tokeniser's. Save the tokeniser again.")


def has_weights(names: Collection[str], *, allow_pickle: bool) -> bool:
    """Return whether the file names of a folder or repository include weights that may be loaded."""
    return any(
        f"{stem}{end}" in names for stem in ([_SAFE, _PICKLE] if allow_pickle else [_SAFE]) for end in ("", ".index.json")
    )


def check_weights(names: Collection[str], shown: str, *, allow_pickle: bool) -> None:
    """Raise `ModelError` where `names` hold no weights that may be loaded."""
    if has_weights(names, allow_pickle=allow_pickle):
        return
    if has_weights(names, allow_pickle=True):
        raise ModelError(f"{shown} has no safetensors. {PICKLES_OFF}")
    if any(name.startswith("adapter_model.") for name in names):
        raise ModelError(f"{shown} holds an adapter, not a whole model. Merge it into its base model and save that.")
    raise ModelError(f"{shown} holds no weights (model.safetensors). Choose a folder or repository saved by transformers.")


def _parts(index: Path, shown: str) -> list[Path]:
    try:
        with open(index, "rb") as opened:
            names = sorted(set(parse_json(opened.read(_LONGEST_INDEX))["weight_map"].values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{index.name} of {shown} cannot be read. Download or save the model again.") from error
    for name in names:
        # A name with a folder in it would reach outside the model.
        plain = isinstance(name, str) and len(name) < _LONGEST_NAME and not set("/\\\0") & set(name)
        if not plain or not (index.parent / name).is_file():
            raise ModelError(
                f"{shown} is incomplete: {index.name} names {str(name)[:80]!r}, which is not there. Download it again."
            )
    return [index.parent / name for name in names]


def tokenizer_files(folder: Path) -> list[Path]:
    """The tokeniser's files in `folder`, or in its parent where `folder` has no vocabulary (as the checkpoints of a run)."""
    for place in (folder, folder.parent):
        if any((place / name).is_file() for name in VOCABULARIES):
            return [place / name for name in TOKENIZER_FILES if (place / name).is_file()]
    return []


def runs(name: str, *, encoder_decoder: bool) -> bool:
    """Return whether the weight of this name belongs to what is run: not a head, and not an encoder-decoder's decoder."""
    return not (_HEADS.search(name) or (encoder_decoder and _DECODER.search(name)))
