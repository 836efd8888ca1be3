"""How long the server takes over the ABX page with a full grid in the store, beside the goals.

    python -m benchmarks.dashboard [--repeats 9] [--profile]

A temporary workspace gets generated scores: 39 checkpoints × 13 layers × 630 pairs × 3 metrics, 958,230 rows in 39 files.
Dropped languages and left-out checkpoints make selections that nothing was cached for; other changes find cached what the page
caches (all layers of a grid, what two views share). Timed is the script's run on the
server as Streamlit's test harness runs it, the making of the figures' messages included; network and browser are not.
"""

from __future__ import annotations

import argparse
import cProfile
import datetime as dt
import itertools
import logging
import os
import pstats
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.testing.v1 import AppTest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.experiments.abx.shard import FAMILY, AbxSpec
from isogloss.backend.files import digest
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from isogloss.backend.store.scores import SCORES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from isogloss.backend.experiments.alignment.words.spec import WordAlignmentSpec

ROOT = Path(__file__).resolve().parents[1]
PAGE = "pages/abx/page.py"
LANGUAGES = "ar bg bn ca cs da de el en es et fa fi fil fr gu he hi hr hu id is it ja kn ko lt lv ml mr nb nl pa pl pt ro"
TAGS = LANGUAGES.split()
CHECKPOINTS, LAYERS, SENTENCES = 39, 12, 10
STEPS = [f"step{1000 * (place + 1)}" for place in range(CHECKPOINTS)]
METRICS = ("abx_language", "abx_meaning", "retrieval_top1")
VIEWS = ("Layers × checkpoints", "Curves", "Languages", "Pairs", "Relations", "Compare")
CHANGE, PAINT = 0.1, 1.0
"""The goals, in seconds: for a change of selection, and for the first paint of a warm server."""


def fill(workspace: Path) -> None:
    """Keep the model and the corpus, and write a file of scores for each checkpoint."""
    corpus = corpora.keep(ParallelCorpus(sentences(TAGS)), "Made-up sentences", workspace)
    model = encoder(workspace)
    models.keep(model, workspace)
    spec = AbxSpec(model=model.name, checkpoints=model.checkpoints, corpus=corpus.id, languages=tuple(corpus.tags))
    for place, (shard, checkpoint) in enumerate(spec.shards().items()):
        provenance = spec.provenance(checkpoint) | {
            "complete": True,
            "model": spec.model,
            "label": checkpoint.label,
            "sentences": SENTENCES,
            "pooling": spec.pooling,
            "truncated": 0,
            "device": "cpu",
            "precision": "float32",
            "seconds_encoding": 1.0,
            "seconds": 2.0,
            "tokens": 5000,
        }
        scores.write(workspace, FAMILY, shard, rows(spec, checkpoint, shard, place), provenance)


def encoder(workspace: Path, labels: Sequence[str] = tuple(STEPS), layers: int = LAYERS) -> Model:
    """A model that has no weights, of checkpoints labelled by their steps; 39 and 12 layers by default."""
    checkpoints = tuple(
        Checkpoint(
            source="folder",
            location=str(workspace / "weights" / label),
            label=label,
            step=int(label.removeprefix("step")),
            fingerprint=digest(["checkpoint", label]),
        )
        for label in labels
    )
    return Model(
        name="Generated encoder",
        architecture="xlm-roberta",
        layers=layers,
        dims=768,
        parameters=278_000_000,
        checkpoints=checkpoints,
    )


def sentences(tags: list[str]) -> pa.Table:
    """A parallel corpus of ten sentences."""
    found = [
        (str(i), tag, f"Sentence {i} of the ferry, as {tag} has it.", None) for tag in sorted(tags) for i in range(SENTENCES)
    ]
    return pa.table([pa.array(column) for column in zip(*found, strict=True)], names=SCHEMA.names).cast(SCHEMA)


def score_rows(spec: AbxSpec | WordAlignmentSpec, checkpoint: Checkpoint, shard: str, own: dict[str, Any]) -> pa.Table:
    """The rows of one shard: its `own` columns, and those that are the same in every row."""
    count = len(own["value"])
    same = {
        "run": shard,
        "model": spec.model,
        "checkpoint": checkpoint.fingerprint,
        "step": checkpoint.step,
        "corpus": spec.corpus,
        "variant": spec.variant,
        "created_at": dt.datetime.now(dt.UTC),
    }
    columns = {name: [value] * count for name, value in same.items()} | own
    return pa.table({name: pa.array(columns[name]) for name in SCORES.names}).cast(SCORES)


def rows(spec: AbxSpec, checkpoint: Checkpoint, shard: str, place: int) -> pa.Table:
    """One shard: every metric, layer and pair, with values that move over layers, checkpoints and pairs."""
    pairs = list(itertools.combinations(spec.languages, 2))
    metric, layer, pair = (
        axis.ravel() for axis in np.meshgrid(range(len(METRICS)), range(LAYERS + 1), range(len(pairs)), indexing="ij")
    )
    count = len(pair)
    drift = 0.25 * np.sin(layer / LAYERS * np.pi) + 0.1 * place / CHECKPOINTS
    values = 0.6 + drift * (metric + 1) / 3 + np.random.default_rng(place).normal(0, 0.02, count)
    own = {
        "experiment": [FAMILY] * count,
        "metric": np.array(METRICS)[metric],
        "layer": layer,
        "source": np.array([source for source, _ in pairs])[pair],
        "target": np.array([target for _, target in pairs])[pair],
        "seed": pa.nulls(count, pa.int64()),
        "value": values,
        "low": values - 0.03,
        "high": values + 0.03,
        "n": [SENTENCES] * count,
    }
    return score_rows(spec, checkpoint, shard, own)


class Spent(NamedTuple):
    """Seconds that a run took."""

    wall: float
    processor: float
    """Of all threads of the process: what other processes of a shared machine do not change much."""


Times = tuple[list[Spent], float | None]
"""What each run took, and the goal where there is one."""


class Clock:
    """The time that scripts took on the server since the last look: their run and what Streamlit does after it."""

    def __init__(self, profiler: cProfile.Profile | None = None) -> None:
        self.wall, self.processor, run = 0.0, 0.0, ScriptRunner._run_script

        def timed(runner: ScriptRunner, *arguments: Any) -> None:
            started, busy = time.perf_counter(), time.process_time()
            if profiler:
                profiler.enable()
            try:
                run(runner, *arguments)
            finally:
                if profiler:
                    profiler.disable()
                self.wall += time.perf_counter() - started
                self.processor += time.process_time() - busy

        ScriptRunner._run_script = timed

    def of(self, work: Callable[[], AppTest]) -> Spent:
        self.wall = self.processor = 0.0
        app = work()
        if app.exception or app.error:
            raise SystemExit(f"The page failed: {[e.value for e in (*app.exception, *app.error)]}")
        return Spent(self.wall, self.processor)


def opened(page: str, **query: str) -> AppTest:
    """A visitor on the home page, about to open another."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    app.switch_page(page)
    for key, value in query.items():
        app.query_params[key] = value
    return app


def drops(app: AppTest, amount: int) -> Iterator[Callable[[], AppTest]]:
    """Drop languages; each selection is new."""
    for out in itertools.islice(dropped, amount):
        keep = [tag for tag in sorted(TAGS) if tag not in out]
        yield lambda keep=keep: app.multiselect(key="languages").set_value(keep).run()


dropped = iter(list(itertools.combinations(sorted(TAGS), 2)))
left_out = iter(list(itertools.combinations(STEPS, 2)))
"""Two languages, or checkpoints, to leave out: never the same two again, since frames are cached for all visitors."""


def measure(clock: Clock, repeats: int) -> dict[str, Times]:
    found: dict[str, Times] = {}
    found["first run of the server, 39 files verified"] = [clock.of(opened(PAGE).run)], None
    for view in VIEWS:
        clock.of(opened(PAGE, view=view).run)
        found[f"warm first paint: {view}"] = [clock.of(opened(PAGE, view=view).run) for _ in range(repeats)], PAINT
    for view in VIEWS:
        app = opened(PAGE, view=VIEWS[0] if view != VIEWS[0] else VIEWS[1]).run()
        times = []
        for out in itertools.islice(dropped, repeats):  # a selection that this view never drew
            app.segmented_control(key="view").set_value(VIEWS[0] if view != VIEWS[0] else VIEWS[1])
            app.multiselect(key="languages").set_value([tag for tag in sorted(TAGS) if tag not in out]).run()
            times.append(clock.of(app.segmented_control(key="view").set_value(view).run))
        found[f"change of view: to {view}"] = times, CHANGE
    for view in VIEWS:
        app = opened(PAGE, view=view).run()
        found[f"languages dropped: {view}"] = [clock.of(change) for change in drops(app, repeats)], CHANGE
    for view in VIEWS:
        app = opened(PAGE, view=view).run()
        sets = itertools.islice(itertools.combinations(range(LAYERS + 1), 7), repeats)
        times = [clock.of(app.multiselect(key="layers").set_value(list(layers)).run) for layers in sets]
        found[f"other layers: {view}"] = times, CHANGE
    for view in VIEWS:
        app = opened(PAGE, view=view).run()
        sets = [[label for label in STEPS if label not in out] for out in itertools.islice(left_out, repeats)]
        times = [clock.of(app.multiselect(key="checkpoints").set_value(chosen).run) for chosen in sets]
        found[f"checkpoints left out: {view}"] = times, CHANGE
    for key, name, values in (
        ("pair_layer", "one other layer", list(range(LAYERS + 1))),
        ("pair_checkpoint", "one other checkpoint", STEPS),
    ):
        app = opened(PAGE, view="Pairs").run()
        other = [value for value in values if value != app.selectbox(key=key).value][:repeats]
        found[f"{name}: Pairs"] = [clock.of(app.selectbox(key=key).set_value(value).run) for value in other], CHANGE
    app = opened(PAGE, view="Relations").run()
    other = STEPS[:repeats]
    times = [clock.of(app.selectbox(key="pair_checkpoint").set_value(value).run) for value in other]
    found["one other checkpoint: Relations"] = times, CHANGE
    app = opened(PAGE, view="Compare").run()
    names = app.selectbox(key="first").options[1 : repeats + 1]
    found["one other checkpoint: Compare"] = [clock.of(app.selectbox(key="first").select(n).run) for n in names], CHANGE
    return found


def run(profile: bool, fill: Callable[[Path], None], measure: Callable[[Clock], dict[str, Times]]) -> None:
    """Fill a temporary workspace, time the page on it, and print a row a run beside its goal."""
    profiler = cProfile.Profile() if profile else None
    logging.disable(logging.WARNING)  # a line a run about the harness's thread
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"ISOGLOSS_WORKSPACE": folder, "ISOGLOSS_DEMO": ""}
        started = time.perf_counter()
        fill(Path(folder))
        written = [path for path in Path(folder).rglob("*.parquet") if "scores" in path.parts]
        size = sum(path.stat().st_size for path in written) / 1e6
        took = time.perf_counter() - started
        print(f"{len(written)} files of scores written in {took:.1f} s, {size:.0f} MB; {os.cpu_count()} cores\n")
        found = measure(Clock(profiler))
    print("| run of the script on the server | median | max | processor, median | goal | |\n|---|---|---|---|---|---|")
    for name, (times, goal) in found.items():
        middle, most = statistics.median(each.wall for each in times), max(each.wall for each in times)
        busy = statistics.median(each.processor for each in times)
        verdict = "" if goal is None else "met" if most <= goal else "median met" if middle <= goal else "missed"
        wanted = f"{goal * 1e3:.0f} ms" if goal else "none"
        print(f"| {name} | {middle * 1e3:.0f} ms | {most * 1e3:.0f} ms | {busy * 1e3:.0f} ms | {wanted} | {verdict} |")
    if profiler:
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(70)


def parser(description: str) -> argparse.ArgumentParser:
    """Of the flags that all benchmarks of pages have."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--repeats", type=int, default=9)
    found.add_argument("--profile", action="store_true", help="print where the changes' time goes; the times are then longer")
    return found


def main() -> None:
    options = parser(str(__doc__)).parse_args()
    run(options.profile, fill, lambda clock: measure(clock, options.repeats))


if __name__ == "__main__":
    main()
