"""The sections of `benchmarks.gpu` that encode and score."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from benchmarks.measuring import Line, duration, written_model, written_texts
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.vectors.embeddings import CorpusEmbeddings, of_corpus
from isogloss.backend.jobs.device import describe
from isogloss.backend.metrics.abx.exact import discrimination
from isogloss.backend.metrics.abx.sampled import sampled
from isogloss.backend.metrics.retrieval.accuracy import accuracies
from isogloss.backend.models.device import choose_dtype, named
from isogloss.backend.models.encoding import shared_tokens
from isogloss.backend.models.encoding.encode import encode
from isogloss.backend.models.encoding.reduce import Encoded
from isogloss.backend.models.encoding.tokens import Tokens
from isogloss.backend.models.library.discover import discover
from isogloss.backend.models.loading import load as loading
from isogloss.backend.settings import ROOT, Settings
from isogloss.backend.store import embeddings as store
from isogloss.backend.store.embeddings import EmbeddingKey, SentenceVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.measuring import Place
    from isogloss.backend.models.entry import Pooling
    from isogloss.backend.models.loading.load import Loaded

POOLINGS: tuple[Pooling, ...] = ("mean", "first")
CHECKPOINTS = 39
"""Of the grid of the ABX paper: 13 layers × 36 languages × 998 sentences each."""


def machine(place: Place) -> Iterator[Line]:
    """Card, driver, torch and the speed of bare products."""
    yield Line("machine", "device", named(place.device), f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    if place.on_gpu:
        asked = ["nvidia-smi", "--query-gpu=driver_version,memory.total,power.limit", "--format=csv,noheader"]
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split("\n")[0]
        versions = f"CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"
        yield Line("machine", "driver, memory, power", said, versions)
    yield Line("machine", "precision", choose_dtype(place.device)[1])
    yield Line("machine", "what a worker calls it", describe(str(place.device)).alike)
    for dtype in (torch.bfloat16, torch.float32, torch.float64):
        if place.on_gpu or dtype != torch.bfloat16:
            yield Line("machine", f"bare square product, {str(dtype)[6:]}", f"{place.product(dtype) / 1e12:.2f} TFLOP/s")


def tests(place: Place) -> Iterator[Line]:
    """The tests that need CUDA, and those of the stand-in beside them."""
    command = [sys.executable, "-m", "pytest", "-o", "addopts=-q", "-p", "no:cacheprovider", "tests/on_a_gpu.py"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=max(30, place.left()))
    last = ran.stdout.strip().split("\n")[-1]
    yield Line("tests", "on the stand-in, and on CUDA where it is", last, failed=ran.returncode != 0)


def abx(place: Place) -> Iterator[Line]:
    """All triplets of a layer, beside the sampled protocol and the bare products."""
    languages, n, dims = place.size(6, 36), place.size(120, 998), place.size(64, 768)
    vectors = torch.randn(languages, n, dims, device=place.device)
    exact = place.median(lambda: discrimination(vectors))
    flat = vectors.double().flatten(0, 1)

    def products() -> None:
        for top in range(0, len(flat), 4096):
            flat[top : top + 4096] @ flat.mT

    bare = place.median(products) / 2  # each block of the Gram matrix serves both directions
    shape = f"{languages} × {n} × {dims}"
    beside = f"products alone {duration(bare)}, {exact / bare:.1f} times"
    yield Line("abx", f"exact, a layer of {shape}", duration(exact), beside)
    pairs = [(0, 1), (1, 2)]
    drawn = place.median(lambda: sampled(vectors, 100_000, pairs=pairs), times=1) / len(pairs)
    every = drawn * languages * (languages - 1) / 2
    yield Line("abx", "sampled, 100,000 triplets a pair", duration(every), f"{every / exact:.0f} times the exact one")
    whole = exact * 13 * CHECKPOINTS
    yield Line("abx", "scoring of the grid, 13 layers × 39", duration(whole), "limit 16 s" if not place.small else "")


def retrieval(place: Place) -> Iterator[Line]:
    """Weak and strong alignment of words, and of the sentences of a pair."""
    for n in (place.size(500, 5000), place.size(200, 998)):
        u, v = (torch.randn(n, place.size(64, 768), device=place.device) for _ in range(2))
        yield Line("retrieval", f"CSLS, {n:,} pairs, both pools", duration(place.median(lambda u=u, v=v: accuracies(u, v))))


def encoding(place: Place) -> Iterator[Line]:
    """Tokens a second of XLM-R base's shape (12 × 768), by batches as the product makes them; first calls of a shape."""
    with tempfile.TemporaryDirectory() as folder:
        loaded = _loaded(place, Path(folder))
        texts = written_texts(place, place.size(64, 998))
        tokens = shared_tokens.token_ids(loaded, texts, "en")
        run = lambda: encode(loaded, tokens, ["mean", "first"])  # noqa: E731
        first, seconds = place.seconds(run), place.median(run)
        flops, source = place.peak_flops(loaded.dtype)
        share = tokens.count * _flop_a_token(loaded) / seconds / flops
        shape = f"{loaded.layers} × {loaded.dims}"
        speed = f"{tokens.count / seconds:,.0f} tokens/s"
        yield Line("encoding", f"{shape}, {len(texts)} sentences", speed, f"the first time {duration(first)}")
        yield Line("encoding", "share of peak", f"{share:.1%}", source)
        for rows, longest in ((8, 24), (32, 48), (64, 61))[: 2 if place.small else 3]:
            ids = [np.full(longest, 7, np.int32) for _ in range(rows)]
            one = Tokens(ids, [np.zeros(longest, np.bool_) for _ in ids], np.zeros(rows, np.bool_), 0)
            call = lambda one=one: encode(loaded, one, ["mean"], token_budget=10**6)  # noqa: E731
            first, again = place.seconds(call), place.median(call)
            yield Line("encoding", f"a new shape, {rows} × {longest}", f"first {duration(first)}", f"again {duration(again)}")


def together(place: Place) -> Iterator[Line]:
    """Two processes on one device at once, as two workers are, beside one: tokens a second of each, and of both."""
    with tempfile.TemporaryDirectory() as folder:
        (alone,) = _encoding_beside(place, Path(folder), 1)
        both = _encoding_beside(place, Path(folder), 2)
    said = " + ".join(f"{each:,.0f}" for each in both)
    yield Line("together", "two workers encode on one device", f"{said} tokens/s", f"{sum(both) / alone:.2f} times one alone")


def _encoding_beside(place: Place, folder: Path, processes: int) -> list[float]:
    """Return the tokens a second of so many processes that run the section `encoding` at once."""
    command = [sys.executable, "-m", "benchmarks.gpu", "--device", str(place.device), "--only", "encoding"]
    command += ["--small"] if place.small else []
    files = [folder / f"{processes}-{i}.json" for i in range(processes)]
    running = [subprocess.Popen([*command, "--out", str(file)], cwd=ROOT, stdout=subprocess.DEVNULL) for file in files]
    for each in running:
        each.wait(max(30, place.left()))
    lines = [line for file in files for line in json.loads(file.read_text(encoding="utf-8"))["lines"]]
    return [float(line["value"].split()[0].replace(",", "")) for line in lines if line["value"].endswith("tokens/s")]


def grid(place: Place) -> Iterator[Line]:
    """One checkpoint of the grid, stage by stage, and what 39 of them would take."""
    languages, n = place.size(3, 36), place.size(60, 998)
    tags = [f"x{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(languages)]
    texts = {tag: written_texts(place, n, i) for i, tag in enumerate(tags)}
    took = dict.fromkeys(("read", "tokenise", "encode", "keep", "gather", "score"), 0.0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = Settings(workspace=folder / "workspace", demo=None, device=str(place.device))
        written_model(place, folder)
        checkpoint = discover(str(folder / "model")).checkpoints[0]
        kept: list[Loaded] = []
        took["read"] = place.seconds(lambda: kept.append(loading.load(checkpoint, settings)))
        (loaded,) = kept
        found = CorpusEmbeddings({"mean": {}})
        ids = [str(i) for i in range(n)]
        for tag in tags:
            took["tokenise"] += place.seconds(lambda tag=tag: shared_tokens.token_ids(loaded, texts[tag], tag))
            tokens = shared_tokens.token_ids(loaded, texts[tag], tag)
            made: list[Encoded] = []
            took["encode"] += place.seconds(lambda to=made, tokens=tokens: to.append(encode(loaded, tokens, POOLINGS)))
            for pooling in POOLINGS:
                vectors = _vectors(made[0], pooling, loaded)
                key = EmbeddingKey(checkpoint.fingerprint, "c", tag, pooling, "s")
                keeping = partial(store.save, settings.workspace, key, ids, vectors)
                took["keep"] += place.seconds(keeping)
                if pooling == "mean":
                    found.of["mean"][tag] = vectors
        for layer in range(found.layers):
            held: list[torch.Tensor] = []
            gather = partial(found.layer, layer, "mean", tags, settings)
            took["gather"] += place.seconds(lambda to=held, gather=gather: to.append(gather()))
            took["score"] += place.seconds(lambda held=held: discrimination(held[0]))
        asked = Context(replace(settings, workspace=folder / "behind"))
        behind = place.seconds(lambda: of_corpus(checkpoint, "c", ids, texts, ["mean"], asked))
    whole = sum(took.values())
    for stage, seconds in took.items():
        yield Line("grid", stage, duration(seconds), f"{seconds / whole:.0%}")
    yield Line("grid", f"one checkpoint, {languages} languages × {n}, each stage waited for", duration(whole))
    after_another = took["read"] + took["encode"] + took["keep"]
    yield Line(
        "grid", "read, encode and keep as a shard does", duration(behind), f"one after another {duration(after_another)}"
    )
    once = took["tokenise"]  # checkpoints of one model share their tokens
    goal = "goal under 4 min" if not place.small else ""
    yield Line("grid", "39 checkpoints", duration(CHECKPOINTS * (behind + took["gather"] + took["score"]) + once), goal)


def _vectors(made: Encoded, pooling: Pooling, loaded: Loaded) -> SentenceVectors:
    of = {"vectors": made.vectors[pooling], "exponents": made.exponents[pooling], "truncated": made.truncated}
    return SentenceVectors(**of, device=named(loaded.device), precision=str(loaded.dtype)[6:])


def _loaded(place: Place, folder: Path) -> Loaded:
    written_model(place, folder)
    settings = Settings(workspace=folder / "workspace", demo=None, device=str(place.device))
    return loading.load(discover(str(folder / "model")).checkpoints[0], settings)


def _flop_a_token(loaded: Loaded) -> float:
    weights = sum(value.numel() for name, value in loaded.module.named_parameters() if "embeddings" not in name)
    return 2.0 * weights


SCORING: dict[str, Callable[[Place], Iterator[Line]]] = {
    "machine": machine,
    "tests": tests,
    "abx": abx,
    "retrieval": retrieval,
    "encoding": encoding,
    "together": together,
    "grid": grid,
}
