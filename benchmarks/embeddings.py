"""Tokens a second with and without sorting by length, both sides from one run.

    python -m benchmarks.embeddings [--model FOLDER] [--sentences 300] [--device auto]

Without a model, a random XLM-R of 6 layers of 384 is made: what it computes means nothing, what it costs is real. The text is
NTREX in eight languages where the real data is at hand (ISOGLOSS_TEST_DATA), otherwise sentences of mixed lengths.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from pathlib import Path

from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.encoding.tokens import tokenize
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import load
from isogloss.backend.settings import ROOT, Settings
from tests.models.tiny import SENTENCES, tiny_model

LANGUAGES = ("deu", "fra", "rus", "zho-CN", "arb", "hin", "fin", "tur")


def texts(count: int) -> list[str]:
    """`count` sentences in a fixed, mixed order."""
    folder = Path(os.environ.get("ISOGLOSS_TEST_DATA", ROOT.parent / "shared" / "data")) / "ntrex-128" / "NTREX-128"
    files = [file for language in LANGUAGES if (file := folder / f"newstest2019-ref.{language}.txt").is_file()]
    found = [line for file in files for line in file.read_text(encoding="utf-8").split("\n")[:count] if line]
    if not found:
        chosen = random.Random(0)
        found = [" ".join(chosen.choices(SENTENCES, k=chosen.choice([1, 1, 1, 2, 3, 6]))) for _ in range(count)]
    random.Random(0).shuffle(found)
    return found[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", help="a folder or Hub id (default: a random XLM-R, 6 layers of 384)")
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        typed = options.model or str(tiny_model(Path(scratch) / "random", "xlm-roberta", layers=6, dims=384, positions=512))
        model = discover(typed)
        loaded = load(model.checkpoints[0], Settings(workspace=Path(scratch), device=options.device))
        tokens = tokenize(loaded.tokenizer, texts(options.sentences), loaded.max_tokens)
        lengths = sorted(map(len, tokens.ids))
        print(f"{model.name}: {loaded.layers} layers of {loaded.dims} on {loaded.device}, {loaded.why_dtype}")
        print(f"{len(lengths)} sentences, {tokens.count} tokens; median {lengths[len(lengths) // 2]}, longest {lengths[-1]}")
        encode(loaded, tokens, ["mean"])  # once to warm up
        speed = {}
        for name, sort in (("unsorted", False), ("sorted by length", True)):
            seconds = min(encode(loaded, tokens, ["mean"], sort_by_length=sort).seconds for _ in range(2))
            speed[name] = tokens.count / seconds
            print(f"{name:>16}: {speed[name]:>10,.0f} tokens/s ({seconds:.2f} s)")
        print(f"{'gain':>16}: {speed['sorted by length'] / speed['unsorted']:.2f} times")


if __name__ == "__main__":
    main()
