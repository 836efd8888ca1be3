"""The byte-level BPE `cl100k_base`, whose ranks the package litellm carries, as the tokeniser of a `transformers` folder."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

RANKS = "litellm_core_utils/tokenizers/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""The file's place in the package; its name is the SHA-1 of where it was published."""
PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
"""What its text is split by first, as published with it."""


def read_ranks(package: Path) -> dict[bytes, int]:
    """Piece → its rank, which is its id."""
    lines = (package / RANKS).read_bytes().splitlines()
    return {base64.b64decode(piece): int(rank) for piece, rank in (line.split() for line in lines)}


def merged(piece: bytes, ranks: dict[bytes, int], below: int | None = None) -> list[bytes]:
    """Join neighbours of the lowest rank first, while it is `below` one: byte-pair encoding by its definition."""
    parts = [piece[i : i + 1] for i in range(len(piece))]
    while len(parts) > 1:
        rank, place = min((ranks.get(parts[i] + parts[i + 1], 1 << 30), i) for i in range(len(parts) - 1))
        if rank == 1 << 30 or (below is not None and rank >= below):
            break
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts


def convert(package: Path, folder: Path) -> Path:
    """Write a tiny model with this tokeniser to `folder` and return it."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    letters = bytes_to_unicode()
    ranks = read_ranks(package)
    written = {piece: "".join(letters[byte] for byte in piece) for piece in ranks}
    merges = [tuple(merged(piece, ranks, below=rank)) for piece, rank in ranks.items() if len(piece) > 1]
    pairs = [(written[one], written[other]) for one, other in merges]
    found = Tokenizer(models.BPE({written[piece]: rank for piece, rank in ranks.items()}, pairs))
    found.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(PATTERN), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    found.decoder = decoders.ByteLevel()
    tiny_model(folder, "gpt2", positions=1024)
    for file in folder.glob("*token*"):
        file.unlink()
    found.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}), "utf-8")
    return folder
