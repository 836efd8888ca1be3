"""How long the server takes over the alignment page with a full grid of word scores in the store, beside the goals.

    python -m benchmarks.alignment_dashboard [--repeats 9] [--pairs 9] [--profile]

A temporary workspace gets generated scores: 39 checkpoints × 13 layers × 9 language pairs in both directions × 10 runs ×
3 measures, 273,780 rows in 39 files. Timed is the script's run on the server, as in `benchmarks.dashboard`. Dropped
languages and left-out checkpoints make selections that nothing was cached for.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.dashboard import (
    CHANGE,
    CHECKPOINTS,
    LAYERS,
    PAINT,
    STEPS,
    Clock,
    Times,
    encoder,
    opened,
    parser,
    run,
    score_rows,
    sentences,
)
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.dictionary import Dictionary
from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.experiments.alignment import rows as alignment
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores

PAGE = "pages/alignment/page.py"
LANGUAGES = "ar de el es fr hi ja ru zh bg ca cs da fa fi he hu id it ko lt nb nl pl pt ro sv th tr uk"
OTHERS = LANGUAGES.split()
RUNS = 10
VIEWS = ("Curves", "Layers × checkpoints", "Table")
MEASURES = ("word_weak", "word_strong", "word_strong_released")


def fill(workspace: Path, amount: int) -> None:
    """Keep a model, a corpus and `amount` dictionaries, and write a file of scores for each checkpoint."""
    tags = sorted(["en", *OTHERS[:amount]])
    corpus = corpora.keep(ParallelCorpus(sentences(tags)), "Made-up sentences", workspace)
    pairs = []
    for tag in OTHERS[:amount]:
        dictionary = Dictionary("en", tag, {f"word{i}": (f"{tag}{i}",) for i in range(50)})
        kept = dictionaries.keep(dictionary, f"English-{language(tag).name}", workspace)
        pairs.append(DictionaryPair(source="en", target=tag, dictionary=kept.id))
    model = encoder(workspace)
    models.keep(model, workspace)
    spec = WordAlignmentSpec(model=model.name, checkpoints=model.checkpoints, corpus=corpus.id, pairs=tuple(pairs), runs=RUNS)
    counts = {"pairs": 9000, "drawn": 9000, "lost": 12, "ambiguous": 0, "repeated": 0}
    for place, (shard, checkpoint) in enumerate(spec.shards().items()):
        provenance = spec.provenance(checkpoint) | {
            "model": spec.model,
            "label": checkpoint.label,
            "seconds": 2.0,
            "device": "cpu",
        }
        provenance["counts"] = {f"{pair.source}-{pair.target}": counts for pair in spec.pairs}
        scores.write(workspace, alignment.FAMILY, shard, rows(spec, checkpoint, shard, place), provenance)


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
    own = {
        "experiment": [alignment.FAMILY] * count,
        "metric": np.array(MEASURES)[measure],
        "layer": layer,
        "source": np.array([source for source, _ in ends])[pair],
        "target": np.array([target for _, target in ends])[pair],
        "seed": run,
        "value": values,
        "low": pa.nulls(count, pa.float64()),
        "high": pa.nulls(count, pa.float64()),
        "n": [5000] * count,
    }
    return score_rows(spec, checkpoint, shard, own)


def measure(clock: Clock, repeats: int, tags: list[str]) -> dict[str, Times]:
    found: dict[str, Times] = {}
    found["first run of the server, 39 files verified"] = [clock.of(opened(PAGE).run)], None
    gone = [out for n in (1, 2) for out in itertools.combinations([tag for tag in tags if tag != "en"], n)]
    out = iter([[tag for tag in tags if tag not in each] for each in gone])
    fewer = iter([[label for label in STEPS if label not in each] for each in itertools.combinations(STEPS, 2)])
    for view in VIEWS:
        clock.of(opened(PAGE, view=view).run)
        found[f"warm first paint: {view}"] = [clock.of(opened(PAGE, view=view).run) for _ in range(repeats)], PAINT
    for view in (*VIEWS, "Curves, pairs"):
        lines = {"lines": "Pairs"} if view == "Curves, pairs" else {}
        query = {"view": view.removesuffix(", pairs")} | lines
        app = opened(PAGE, **query).run()
        times = [clock.of(app.multiselect(key="languages").set_value(keep).run) for keep in itertools.islice(out, repeats)]
        found[f"languages dropped: {view}"] = times, CHANGE
        app = opened(PAGE, **query).run()
        sets = itertools.islice(itertools.combinations(range(LAYERS + 1), 7), repeats)
        times = [clock.of(app.multiselect(key="layers").set_value(list(layers)).run) for layers in sets]
        found[f"other layers: {view}"] = times, CHANGE
        app = opened(PAGE, **query).run()
        times = [
            clock.of(app.multiselect(key="checkpoints").set_value(labels).run) for labels in itertools.islice(fewer, repeats)
        ]
        found[f"checkpoints left out: {view}"] = times, CHANGE
    app = opened(PAGE, view="Curves").run()
    times = []
    for keep in itertools.islice(out, repeats):
        app.segmented_control(key="view").set_value("Curves")
        app.multiselect(key="languages").set_value(keep).run()
        times.append(clock.of(app.segmented_control(key="view").set_value("Table").run))
    found["change of view: to Table"] = times, CHANGE
    return found


def main() -> None:
    flags = parser(str(__doc__))
    flags.add_argument("--pairs", type=int, default=9, help="pairs of languages, each with its dictionary")
    options = flags.parse_args()
    tags = sorted(["en", *OTHERS[: options.pairs]])
    run(options.profile, lambda folder: fill(folder, options.pairs), lambda clock: measure(clock, options.repeats, tags))


if __name__ == "__main__":
    main()
