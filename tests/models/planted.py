"""A tiny decoder with a planted attention sink, and a parallel corpus whose sentences have a meaning that its vectors hold."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path

SINK = 100.0
"""Length of what the first position adds to its token's vector; other tokens' are about 0.3 long."""


def planted_decoder(folder: Path, sink: float = SINK) -> Path:
    """Save a random GPT-2 without a token before the text, the state of whose first token is `sink` long; return `folder`."""
    from safetensors.torch import load_file, save_file

    tiny_model(folder, "gpt2")
    file = folder / "model.safetensors"
    weights = load_file(file)
    (name,) = [each for each in weights if each.endswith("wpe.weight")]
    weights[name].zero_()
    weights[name][0, 7] = sink
    save_file({key: each.contiguous() for key, each in weights.items()}, file, metadata={"format": "pt"})
    return folder


def translations(sentences: int = 40, seed: int = 0) -> str:
    """Return a TSV of `de` and `en`: 4 to 8 words are in both, in another order and among up to 8 full stops of its own."""
    drawn = random.Random(seed)
    lines = ["id\tde\ten"]
    for i in range(sentences):
        words = ["".join(drawn.choices("abcdefghijklmnopqrstuvwxyz", k=2)) for _ in range(drawn.randint(4, 8))]
        said = (drawn.sample(words, len(words)) + ["."] * drawn.randint(0, 8) for _ in range(2))
        one, other = (" ".join([drawn.choice("ABCDEFGH"), *each]) for each in said)
        lines.append(f"s{i}\t{one}\t{other}")
    return "\n".join(lines) + "\n"
