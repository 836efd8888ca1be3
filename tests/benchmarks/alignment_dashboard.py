"""How long the server takes over the alignment page with a full grid of word scores in the store, beside the goals.

    python -m tests.benchmarks.alignment_dashboard [--repeats 9] [--pairs 9] [--profile]

A temporary workspace gets generated scores: 39 checkpoints × 13 layers × 9 language pairs in both directions × 10 runs ×
3 measures, 273,780 rows in 39 files. Timed is the script's run on the server, as in `tests.benchmarks.dashboard`. Dropped
languages and left-out checkpoints make selections that nothing was cached for.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from backend.corpora import lexicons
from backend.corpora import library as corpora
from backend.corpora.languages import language
from backend.corpora.lexicon import Lexicon
from backend.corpora.parallel import SCHEMA, ParallelCorpus
from backend.experiments import alignment
from backend.experiments.word_alignment import DictionaryPair, WordAlignmentSpec
from backend.files import digest
from backend.models import library as models
from backend.models.entry import Checkpoint, Model
from backend.store import scores
from backend.store.schema import SCORES
from tests.benchmarks.dashboard import CHANGE, PAINT, ROOT, Clock, run

PAGE = "pages/measurements/alignment.py"
LANGUAGES = "ar de el es fr hi ja ru zh bg ca cs da fa fi he hu id it ko lt nb nl pl pt ro sv th tr uk"
OTHERS = LANGUAGES.split()
CHECKPOINTS, LAYERS, SENTENCES, RUNS = 39, 12, 10, 10
STEPS = [f"step{1000 * (place + 1)}" for place in range(CHECKPOINTS)]
VIEWS = ("Curves", "Layers × checkpoints", "Table")
MEASURES = ("word_weak", "word_strong", "word_strong_released")


def fill(workspace: Path, amount: int) -> None:
    """Keep a model, a corpus and `amount` dictionaries, and write a file of scores for each checkpoint."""
    tags = sorted(["en", *OTHERS[:amount]])
    found = [(str(i), tag, f"Sentence {i} of the ferry, as {tag} has it.", None) for tag in tags for i in range(SENTENCES)]
    table = pa.table([pa.array(column) for column in zip(*found, strict=True)], names=SCHEMA.names).cast(SCHEMA)
    corpus = corpora.keep(ParallelCorpus(table), "Made-up sentences", workspace)
    pairs = []
    for tag in OTHERS[:amount]:
        lexicon = Lexicon("en", tag, {f"word{i}": (f"{tag}{i}",) for i in range(50)})
        kept = lexicons.keep(lexicon, f"English-{language(tag).name}", workspace)
        pairs.append(DictionaryPair(source="en", target=tag, dictionary=kept.id))
    model = Model(
        name="Generated encoder",
        architecture="xlm-roberta",
        layers=LAYERS,
        dims=768,
        parameters=278_000_000,
        checkpoints=tuple(
            Checkpoint(
                source="folder",
                location=str(workspace / "weights" / label),
                label=label,
                step=int(label.removeprefix("step")),
                fingerprint=digest(["checkpoint", label]),
            )
            for label in STEPS
        ),
    )
    models.keep(model, workspace)
    spec = WordAlignmentSpec(model=model.name, checkpoints=model.checkpoints, corpus=corpus.id, pairs=tuple(pairs), runs=RUNS)
    counts = {"pairs": 9000, "drawn": 9000, "lost": 12, "ambiguous": 0, "repeated": 0}
    for place, (shard, checkpoint) in enumerate(spec.shards().items()):
        about = spec.about(checkpoint) | {"model": spec.model, "label": checkpoint.label, "seconds": 2.0, "device": "cpu"}
        about["counts"] = {f"{pair.source}-{pair.target}": counts for pair in spec.pairs}
        scores.write(workspace, alignment.EXPERIMENT, shard, rows(spec, checkpoint, shard, place), about)


def rows(spec: WordAlignmentSpec, checkpoint: Checkpoint, shard: str, place: int) -> pa.Table:
    """One shard: every measure, layer, direction and run, with values that move over layers, checkpoints and pairs."""
    ends = [end for pair in spec.pairs for end in ((pair.source, pair.target), (pair.target, pair.source))]
    measure, layer, pair, run = (
        axis.ravel()
        for axis in np.meshgrid(range(len(MEASURES)), range(LAYERS + 1), range(len(ends)), range(RUNS), indexing="ij")
    )
    count = len(pair)
    drift = 0.25 * np.sin(layer / LAYERS * np.pi) + 0.1 * place / CHECKPOINTS + 0.01 * pair
    values = 0.4 + drift * (measure + 1) / 3 + np.random.default_rng(place).normal(0, 0.01, count)
    columns: dict[str, Any] = {
        "run": [shard] * count,
        "experiment": [alignment.EXPERIMENT] * count,
        "metric": np.array(MEASURES)[measure],
        "model": [spec.model] * count,
        "checkpoint": [checkpoint.fingerprint] * count,
        "step": [checkpoint.step] * count,
        "layer": layer,
        "source": np.array([source for source, _ in ends])[pair],
        "target": np.array([target for _, target in ends])[pair],
        "corpus": [spec.corpus] * count,
        "variant": [spec.variant] * count,
        "seed": run,
        "value": values,
        "low": pa.nulls(count, pa.float64()),
        "high": pa.nulls(count, pa.float64()),
        "n": [5000] * count,
        "created_at": [dt.datetime.now(dt.UTC)] * count,
    }
    return pa.table({name: pa.array(column) for name, column in columns.items()}).cast(SCORES)


def opened(**query: str) -> AppTest:
    """A visitor on the home page, about to open the alignment page."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    app.switch_page(PAGE)
    for key, value in query.items():
        app.query_params[key] = value
    return app


def measure(clock: Clock, repeats: int, tags: list[str]) -> dict[str, tuple[list[float], float | None]]:
    found: dict[str, tuple[list[float], float | None]] = {}
    found["first run of the server, 39 files verified"] = [clock.of(opened().run)], None
    gone = [out for n in (1, 2) for out in itertools.combinations([tag for tag in tags if tag != "en"], n)]
    out = iter([[tag for tag in tags if tag not in each] for each in gone])
    fewer = iter([[label for label in STEPS if label not in each] for each in itertools.combinations(STEPS, 2)])
    for view in VIEWS:
        clock.of(opened(view=view).run)
        found[f"warm first paint: {view}"] = [clock.of(opened(view=view).run) for _ in range(repeats)], PAINT
    for view in (*VIEWS, "Curves, pairs"):
        lines = {"lines": "Pairs"} if view == "Curves, pairs" else {}
        query = {"view": view.removesuffix(", pairs")} | lines
        app = opened(**query).run()
        times = [clock.of(app.multiselect(key="languages").set_value(keep).run) for keep in itertools.islice(out, repeats)]
        found[f"languages dropped: {view}"] = times, CHANGE
        app = opened(**query).run()
        sets = itertools.islice(itertools.combinations(range(LAYERS + 1), 7), repeats)
        times = [clock.of(app.multiselect(key="layers").set_value(list(layers)).run) for layers in sets]
        found[f"other layers: {view}"] = times, CHANGE
        app = opened(**query).run()
        times = [
            clock.of(app.multiselect(key="checkpoints").set_value(labels).run) for labels in itertools.islice(fewer, repeats)
        ]
        found[f"checkpoints left out: {view}"] = times, CHANGE
    app = opened(view="Curves").run()
    times = []
    for keep in itertools.islice(out, repeats):
        app.segmented_control(key="view").set_value("Curves")
        app.multiselect(key="languages").set_value(keep).run()
        times.append(clock.of(app.segmented_control(key="view").set_value("Table").run))
    found["change of view: to Table"] = times, CHANGE
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--pairs", type=int, default=9, help="pairs of languages, each with its dictionary")
    parser.add_argument("--profile", action="store_true", help="print where the changes' time goes; the times are then longer")
    options = parser.parse_args()
    tags = sorted(["en", *OTHERS[: options.pairs]])
    run(options.profile, lambda folder: fill(folder, options.pairs), lambda clock: measure(clock, options.repeats, tags))


if __name__ == "__main__":
    main()
