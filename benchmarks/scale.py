"""What the dashboard costs at two sizes, of which the larger is two hundred languages, and how it grows between them.

    python -m benchmarks.scale [--languages 51 204] [--layers 33] [--checkpoints 4] [--aligned 1] [--probed 4] [--changes 5]
    python -m benchmarks.scale --checkpoints 40      the goals' size

Each size has a temporary workspace of generated scores, written by the store as workers write them: ABX of every pair, layer
and checkpoint, three measures each, and sentence alignment of some checkpoints. What the system keeps of the files is dropped,
and a server of its own, a new process, shows them to one visitor (`benchmarks.by_websocket`). Timed is from click to end
of the script, and of the first look to the first figure, in a process that has imported no page yet. Each change is to values
that were not looked at before. The last column is the slope on two logarithmic scales: 1 grows with the number of values, 0 not
at all.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import itertools
import logging
import math
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from benchmarks.by_websocket import Visitor, new_tab
from benchmarks.dashboard import METRICS, SENTENCES, encoder, sentences
from benchmarks.sessions import memory, processor
from isogloss.backend.corpora.languages.languages import genera
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.probing.spec import FAMILY as PROBING
from isogloss.backend.experiments.probing.spec import ProbingWordsSpec
from isogloss.backend.models.library import library as models
from isogloss.backend.store import older, scores
from isogloss.backend.store.scores import SCORES
from isogloss.backend.training.probe.options import ProbeOptions
from tests.browser.dashboard_server import serving
from tests.experiments.probing.small_probing import keep_tagged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from isogloss.backend.models.entry import Checkpoint, Model

ALIGNED = ("sentence_weak", "sentence_strong")
ABX_VIEWS = ("Layers × checkpoints", "Curves", "Languages", "Pairs", "Map", "Relations", "Compare")
Pairs = list[tuple[str, str]]
Rows = dict[str, tuple[str, list[float]]]
"""What was measured → its unit, and each time's number."""


PROBING_VIEWS = ("Layers × checkpoints", "Curves", "Languages", "Best layers", "Sources", "Compare")


def fill(workspace: Path, languages: int, layers: int, checkpoints: int, aligned: int, probed: int = 0) -> tuple[int, int]:
    """Keep a model and a corpus, and write a file of scores for each checkpoint; returns the values, and their bytes."""
    corpus = corpora.keep(ParallelCorpus(sentences(sorted(genera())[:languages])), "Made-up sentences", workspace)
    model = encoder(workspace, [f"step{1000 * (place + 1)}" for place in range(checkpoints)], layers - 1)
    models.keep(model, workspace)
    common = {"model": model.name, "corpus": corpus.id, "languages": tuple(corpus.tags)}
    abx = AbxSpec(checkpoints=model.checkpoints, **common)
    alignment = SentenceAlignmentSpec(checkpoints=model.checkpoints[-aligned:], **common) if aligned else None
    half = list(itertools.combinations(corpus.tags, 2))
    values = 0
    for spec, metrics, pairs in (
        (abx, METRICS, half),
        (alignment, ALIGNED, [*half, *(pair[::-1] for pair in half)]),
    ):
        for place, (shard, checkpoint) in enumerate(spec.shards().items() if spec else ()):
            said = spec.provenance(checkpoint)
            variant = said["variant"] if isinstance(said["variant"], str) else said["variant"][0]
            same = {"run": shard, "experiment": said["experiment"], "model": model.name, "corpus": corpus.id}
            made = rows(metrics, layers, pairs, place, checkpoint, same | {"variant": variant})
            how = {"complete": True, "model": model.name, "label": checkpoint.label, "sentences": SENTENCES, **older.TODAY}
            scores.write(workspace, said["experiment"], shard, made, said | how)
            values += len(made)
    values += fill_probes(workspace, model, corpus.tags, layers, probed) if probed else 0
    return values, sum(path.stat().st_size for path in (workspace / "scores").rglob("*") if path.is_file())


def fill_probes(workspace: Path, model: Model, tags: Sequence[str], layers: int, sources: int) -> int:
    """Keep tagged text, and write a file for each checkpoint and source: three seeds and their mean, in every language."""
    parts = itertools.product(tags, ("train", "validation", "test"))
    word = {"sentence_id": "1", "text": "a", "starts": [0], "ends": [1], "tags": ["X"]}
    corpus = keep_tagged([word | {"language": tag, "part": part} for tag, part in parts], "Made-up tags", workspace)
    of = tuple(tags[:: len(tags) // sources][:sources])
    probe = ProbeOptions(seeds=(0, 1, 2))
    spec = ProbingWordsSpec(
        model=model.name, checkpoints=model.checkpoints, corpus=corpus, sources=of, targets=tuple(tags), probe=probe
    )
    values = 0
    for place, (shard, piece) in enumerate(spec.shards().items()):
        said = spec.provenance(piece)
        same = {"run": shard, "experiment": PROBING, "model": model.name, "corpus": corpus, "variant": spec.variant}
        mean = rows(("probe_accuracy",), layers, [(piece.source, tag) for tag in tags], place, piece.checkpoint, same)
        bare, at = mean.drop_columns(["low", "high", "seed"]), SCORES.field("seed").type
        seeds = [bare.append_column("seed", pa.repeat(pa.scalar(each, at), len(mean))) for each in probe.seeds]
        made = pa.concat_tables([mean, *seeds], promote_options="default").select(SCORES.names)
        scores.write(workspace, PROBING, shard, made, said | {"model": model.name, "label": piece.checkpoint.label})
        values += len(made)
    return values


def rows(
    metrics: Sequence[str], layers: int, pairs: Pairs, place: int, checkpoint: Checkpoint, same: Mapping[str, object]
) -> pa.Table:
    """Every metric, layer and pair of one checkpoint: shares with intervals, which move with each of them."""
    metric, layer, pair = (
        axis.ravel() for axis in np.meshgrid(range(len(metrics)), range(layers), range(len(pairs)), indexing="ij")
    )
    random = np.random.default_rng([place, len(pairs)])
    far = 0.7 + 0.2 * np.sin(np.pi * layer / layers) + 0.05 * random.normal(size=len(pairs))[pair] + 0.002 * place * metric
    values = np.clip(far + random.normal(0, 0.01, len(pair)), 0, 1)
    width = 0.01 + 0.01 * random.random(len(pair))
    own = {
        "metric": _texts(metrics, metric),
        "layer": pa.array(layer, pa.int16()),
        "source": _texts([source for source, _ in pairs], pair),
        "target": _texts([target for _, target in pairs], pair),
        "value": pa.array(values),
        "low": pa.array(np.maximum(values - width, 0)),
        "high": pa.array(np.minimum(values + width, 1)),
    }
    once = {"checkpoint": checkpoint.fingerprint, "step": checkpoint.step, "seed": None, "n": SENTENCES}
    once |= {"created_at": dt.datetime.now(dt.UTC), **same}
    repeated = {name: pa.repeat(pa.scalar(value, SCORES.field(name).type), len(pair)) for name, value in once.items()}
    return pa.table({name: (own | repeated)[name] for name in SCORES.names})


def _texts(texts: Sequence[str], places: NDArray[np.intp]) -> pa.Array:
    return pa.array(list(texts)).take(pa.array(places))


def forget(folder: Path) -> None:
    """Have the system drop what it keeps of the files in memory."""
    for path in folder.rglob("*.parquet"):
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def peak(process: int) -> float:
    """Most MB that a process had in memory."""
    return int(Path(f"/proc/{process}/status").read_text(encoding="ascii").split("VmHWM:")[1].split()[0]) / 1024


async def look(
    found: Rows, url: str, process: int, layers: int, checkpoints: int, changes: int, aligned: int, probed: int
) -> None:
    """Look at everything once, as one person does: the first time, and after each change."""
    out = iter([*((place,) for place in range(5)), *itertools.combinations(range(5, 40), 2)])
    visitor = await new_tab(url)
    visitor.page = "abx"
    started = time.perf_counter()
    await visitor.ask()
    found["first look, to the first figure"] = "s", [(visitor.first_figure or math.nan) - started]
    found["first look, to the end of the script"] = "s", [time.perf_counter() - started]
    found["memory after the first look"] = "MB", [memory(process)]
    labels = [f"step{1000 * (place + 1)}" for place in range(checkpoints)]
    for view in ABX_VIEWS:
        found[f"ABX, {view}: first"] = "s", [await visitor.open("abx", f"view={view}")]
        found[f"ABX, {view}: languages"] = "s", await languages(visitor, itertools.islice(out, changes))
        numbers = [[str(each) for each in range(first, layers)] for first in range(1, changes + 1)]
        if view in ("Layers × checkpoints", "Languages"):
            found[f"ABX, {view}: half of the languages"] = "s", await half(visitor)
        found[f"ABX, {view}: layers"] = "s", [await visitor.choose("layers", *each) for each in numbers]
        fewer = [[label for label in labels if label != out] for out in labels[:changes]]
        found[f"ABX, {view}: checkpoints"] = "s", [await visitor.choose("checkpoints", *each) for each in fewer]
        if view == "Pairs":
            found["ABX, Pairs: its layer"] = "s", [await visitor.choose("pair_layer", str(n)) for n in range(1, changes + 1)]
    await visitor.open("abx")
    for view in ABX_VIEWS[1:]:
        found[f"ABX: from the first view to {view}"] = "s", [await there_and_back(visitor, view) for _ in range(changes)]
    found["memory after ABX"] = "MB", [memory(process)]
    if aligned:
        found["Alignment: first"] = "s", [await visitor.open("alignment", "unit=Sentences")]
        found["Alignment: layers"] = "s", [await visitor.choose("layers", str(n), "0") for n in range(1, changes + 1)]
        found["Alignment: languages"] = "s", await languages(visitor, itertools.islice(out, changes))
    if aligned > 1:
        found["Alignment, Compare: first"] = "s", [await visitor.open("alignment", "unit=Sentences&view=Compare")]
        numbers = [[str(each) for each in range(first, layers)] for first in range(1, changes + 1)]
        found["Alignment, Compare: layers"] = "s", [await visitor.choose("layers", *each) for each in numbers]
        found["Alignment, Compare: pairs"] = "s", [await visitor.choose("cells", "Pairs at a layer")]
        lower = [await visitor.choose("at_layer", str(n)) for n in range(changes + 1, 2 * changes + 1)]
        found["Alignment, Compare: their layer"] = "s", lower
    if probed:
        await look_at_probes(found, visitor, layers, checkpoints, changes)
    found["Relations: first"] = "s", [await visitor.open("relations")]
    found["Relations: layer"] = "s", [await visitor.choose("x_layer", str(n)) for n in range(1, changes + 1)]
    found["memory at the end"] = "MB", [memory(process)]
    found["memory at most"] = "MB", [peak(process)]
    await visitor.socket.close()
    if visitor.wrong:
        print("\n".join(f"    {each[:250]}" for each in dict.fromkeys(visitor.wrong)))


async def look_at_probes(found: Rows, visitor: Visitor, layers: int, checkpoints: int, changes: int) -> None:
    """Look at the probes of one language in all."""
    labels = [f"step{1000 * (place + 1)}" for place in range(checkpoints)]
    for view in PROBING_VIEWS:
        query = f"view={view}&setting=Cross-lingual"
        found[f"Probing, {view}: first"] = "s", [await visitor.open("probing", query)]
        if view == "Compare":  # of all languages tested in: at first it is of each language trained on
            one = next(each for each in visitor.widgets if each.endswith("-of_source"))
            await visitor.choose("of_source", list(visitor.widgets[one].drawn.options)[1])
        numbers = [[str(each) for each in range(first, layers)] for first in range(1, changes + 1)]
        found[f"Probing, {view}: layers"] = "s", [await visitor.choose("layers", *each) for each in numbers]
        fewer = [[label for label in labels if label != out] for out in labels[:changes]]
        found[f"Probing, {view}: checkpoints"] = "s", [await visitor.choose("checkpoints", *each) for each in fewer]


async def languages(visitor: Visitor, left_out: Iterable[tuple[int, ...]]) -> list[float]:
    """Leave out one language or two each time, never the same in two views: what was summed for one serves the other."""
    id_ = next(each for each in visitor.widgets if each.endswith("-languages"))
    every = list(visitor.widgets[id_].drawn.options)
    found = []
    for out in left_out:
        found.append(await visitor.choose("languages", *(each for place, each in enumerate(every) if place not in out)))
    return found


async def half(visitor: Visitor) -> list[float]:
    """Choose every other language."""
    id_ = next(each for each in visitor.widgets if each.endswith("-languages"))
    return [await visitor.choose("languages", *list(visitor.widgets[id_].drawn.options)[::2])]


async def there_and_back(visitor: Visitor, view: str) -> float:
    """Return how long a change of view took; back is not counted."""
    took = await visitor.choose("view", view)
    await visitor.choose("view", ABX_VIEWS[0])
    return took


def measured(languages: int, asked: argparse.Namespace) -> tuple[int, Rows]:
    """Return the number of values of one size, and what was measured of it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        workspace, started = Path(folder), time.perf_counter()
        values, size = fill(workspace, languages, asked.layers, asked.checkpoints, asked.aligned, asked.probed)
        said = f"{languages} languages, {asked.layers} layers, {asked.checkpoints} checkpoints: {values:,} values"
        print(f"{said}, written in {time.perf_counter() - started:.0f} s; load {os.getloadavg()[0]:.1f}", flush=True)
        forget(workspace)
        with serving(workspace, fork=False) as server:
            began = processor(server.process)
            found: Rows = {"on disk, a value": ("bytes", [size / values])}
            sizes = asked.layers, asked.checkpoints, asked.changes, asked.aligned, asked.probed
            looked = look(found, server.url, server.process, *sizes)
            try:
                asyncio.run(looked)
            except TimeoutError as error:
                print(f"    given up: {error}")
            found["processor of the server, from the first look on"] = "s", [processor(server.process) - began]
        return values, found


def table(sizes: Sequence[tuple[int, Rows]]) -> list[str]:
    """Lay the sizes side by side: median and most of each, and the slope of the medians."""
    lines = ["| | " + " | ".join(f"{values:,} values" for values, _ in sizes) + " | slope |", "|---" * (len(sizes) + 2) + "|"]
    for name, (unit, _) in sizes[0][1].items():
        numbers = [found.get(name, (unit, [math.nan]))[1] for _, found in sizes]
        middles = [statistics.median(each) for each in numbers]
        grown = math.log(sizes[-1][0] / sizes[0][0])
        slope = math.log(middles[-1] / middles[0]) / grown if grown and min(middles) > 0 else math.nan
        cells = [
            f"{middle:,.{1 if unit == 'bytes' else 0 if unit == 'MB' else 2}f}"
            + (f" ({max(each):.2f})" if len(each) > 1 else "")
            for middle, each in zip(middles, numbers, strict=True)
        ]
        lines.append(f"| {name}, {unit} | {' | '.join(cells)} | {slope:.2f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", type=int, nargs="+", default=[51, 204])
    for name, usual in (("layers", 33), ("checkpoints", 4), ("aligned", 1), ("probed", 4), ("changes", 5)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    sizes = [measured(languages, asked) for languages in asked.languages]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; the median, and in brackets the slowest\n")
    print("\n".join(table(sizes)))


if __name__ == "__main__":
    main()
