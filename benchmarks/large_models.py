"""A model whole in memory, layer by layer, and by accelerate's hooks from the disk: seconds and memory, all sides from one run.

    python -m benchmarks.large_models [--layers 32] [--dims 512] [--sentences 100]

The model is a random Llama in bfloat16, run in float32: what it computes means nothing, what it costs is real. Each way has a
process of its own. Memory is what the process has beside files (`RssAnon`), at its highest, above what it had before the model;
files that are mapped are in the system's cache, which gives way. accelerate loads a layer for each batch: with n batches the
weights are read n times.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file

from isogloss.backend.models.encoding.batches import batches
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.encoding.tokens import tokenize
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading.load import Loaded, load
from isogloss.backend.settings import Settings
from tests.models.tiny import SENTENCES, tiny_model

WAYS = ("whole", "layer by layer", "accelerate")
BATCH = 256
"""Tokens: small ones, so that a short text is of many."""


def by_accelerate(folder: Path, loaded: Loaded) -> Loaded:
    """The same model with its layers left on the disk: accelerate's hooks load each before it is run, and let it go after."""
    from transformers import AutoModel

    device_map = dict.fromkeys(("embed_tokens", "norm", "rotary_emb"), "cpu") | {"layers": "disk"}
    with tempfile.TemporaryDirectory() as offload:
        module = AutoModel.from_pretrained(folder, dtype="float32", device_map=device_map, offload_folder=offload)
    module.config.use_cache = False
    return replace(loaded, module=module.eval(), layered=None)


def anonymous() -> int:
    """Bytes of this process's memory that are of no file."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon"))


def measured(way: str, folder: Path, workspace: Path, sentences: int) -> dict[str, Any]:
    """Load and encode by one way: seconds of either, memory at its highest, and the mean of the vectors, to compare."""
    small = discover(str(folder.parent / "small")).checkpoints[0]
    settings = Settings(workspace=workspace, demo=None, device="cpu")
    encode(load(small, settings), SENTENCES, ["mean"])  # what loading a first model makes stays
    texts = [" ".join(SENTENCES[(i + j) % len(SENTENCES)] for j in range(1 + i % 3)) for i in range(sentences)]
    before, peak, ended = anonymous(), 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not ended.wait(0.005):
            peak = max(peak, anonymous())

    threading.Thread(target=watch, daemon=True).start()
    began = time.perf_counter()
    checkpoint = discover(str(folder)).checkpoints[0]
    loaded = load(checkpoint, replace(settings, memory_gib=None if way == "whole" else 1e-6), layered=True)
    if way == "accelerate":
        loaded = by_accelerate(folder, loaded)
    tokens = tokenize(loaded.tokenizer, texts, loaded.max_tokens)
    ready = time.perf_counter()
    found = encode(loaded, tokens, ["mean"], token_budget=BATCH)
    ended.set()
    return {
        "loading": ready - began,
        "encoding": time.perf_counter() - ready,
        "memory": peak - before,
        "tokens": tokens.count,
        "batches": len(batches([len(ids) for ids in tokens.ids], BATCH)),
        "mean": float(abs(found.vectors["mean"].astype(float)).mean()),
    }


def _to_bfloat16(file: Path) -> None:
    save_file({name: weight.bfloat16() for name, weight in load_file(file).items()}, file, metadata={"format": "pt"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--layers", type=int, default=32)
    parser.add_argument("--dims", type=int, default=512)
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        print(json.dumps(measured(options.way, options.folder, options.folder.parent / options.way, options.sentences)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        tiny_model(Path(scratch) / "small", "llama")
        folder = tiny_model(Path(scratch) / "large", "llama", layers=options.layers, dims=options.dims, positions=256)
        _to_bfloat16(folder / "model.safetensors")
        size = (folder / "model.safetensors").stat().st_size
        print(f"random Llama: {options.layers} layers of {options.dims}, {size / 1e6:,.0f} MB in bfloat16")
        for way in WAYS:
            rest = ["--way", way, "--folder", str(folder), "--sentences", str(options.sentences)]
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.large_models", *rest], capture_output=True, text=True, check=True
            )
            said = json.loads(done.stdout.splitlines()[-1])
            print(
                f"{way:>15}: loading {said['loading']:5.1f} s, encoding {said['tokens']:,} tokens in {said['batches']} batches "
                f"{said['encoding']:6.1f} s, memory {said['memory'] / 1e6:6,.0f} MB (mean of vectors {said['mean']:.6f})"
            )


if __name__ == "__main__":
    main()
