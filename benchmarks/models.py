"""What a table of many models over many languages costs: read, ranked, and told apart.

    python -m benchmarks.models [--models 12 50] [--languages 36 204] [--keep FOLDER]

Each size has a workspace of generated scores, ABX of every pair of languages: a file a model of three measures at two layers.
Timed are the first table of a process (files not read yet) and later ones (another layer of the same files is another table),
each measure with its ranks, and the differences of one. `--keep` leaves the last workspace there, to look at in a browser.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.dashboard import METRICS, SENTENCES, encoder, sentences
from benchmarks.scale import forget
from isogloss.backend.corpora.languages.languages import genera
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.relations import catalogue, cubes, side_by_side
from isogloss.backend.experiments.relations.reading import Question, Reading
from isogloss.backend.files import digest
from isogloss.backend.models.entry import Model
from isogloss.backend.models.library import library
from isogloss.backend.store import older, scores
from isogloss.backend.store.scores import SCORES

LAYERS = 2


def fill(workspace: Path, models: int, languages: int) -> None:
    """Keep models of one checkpoint each, and a file of scores for each: some are alike, and languages are hard for all."""
    corpus = corpora.keep(ParallelCorpus(sentences(sorted(genera())[:languages])), "Made-up sentences", workspace)
    pairs = list(itertools.combinations(corpus.tags, 2))
    source, target = np.triu_indices(languages, 1)
    draw = np.random.default_rng([models, languages])
    hard = 0.08 * draw.standard_normal(languages)
    for place in range(models):
        named = Model.model_validate(encoder(workspace, [f"step{place}"], LAYERS - 1).model_dump() | {"name": _name(place)})
        one = named.checkpoints[0].model_copy(update={"fingerprint": digest(["model", place]), "label": "final"})
        model = named.model_copy(update={"checkpoints": (one,)})
        library.keep(model, workspace)
        spec = AbxSpec(checkpoints=model.checkpoints, model=model.name, corpus=corpus.id, languages=tuple(corpus.tags))
        ((shard, checkpoint),) = spec.shards().items()
        own = hard + 0.04 * draw.standard_normal(languages)
        level = 0.75 - 0.02 * (place // 3)
        value = level + (own[source] + own[target]) / 2 + 0.02 * draw.standard_normal((len(METRICS), LAYERS, len(pairs)))
        said = spec.provenance(checkpoint)
        same = {"run": shard, "experiment": said["experiment"], "model": model.name, "corpus": corpus.id}
        how = {"complete": True, "model": model.name, "label": checkpoint.label, "sentences": SENTENCES, **older.TODAY}
        variant = said["variant"] if isinstance(said["variant"], str) else said["variant"][0]
        table = _table(value, pairs, same | {"variant": variant, "checkpoint": checkpoint.fingerprint})
        scores.write(workspace, str(said["experiment"]), shard, table, said | how)


def _name(place: int) -> str:
    return f"{('mono', 'multi', 'poly', 'omni')[place % 4]}-{('base', 'large', 'small')[place % 3]}-{place:02}"


def _table(value: np.ndarray, pairs: list[tuple[str, str]], same: dict[str, object]) -> pa.Table:
    metric, layer, pair = (axis.ravel() for axis in np.meshgrid(*map(range, value.shape), indexing="ij"))
    flat = np.clip(value.ravel(), 0, 1)
    own = {
        "metric": pa.array(list(METRICS)).take(pa.array(metric)),
        "layer": pa.array(layer, pa.int16()),
        "source": pa.array([source for source, _ in pairs]).take(pa.array(pair)),
        "target": pa.array([target for _, target in pairs]).take(pa.array(pair)),
        "value": pa.array(flat),
        "low": pa.array(np.maximum(flat - 0.02, 0)),
        "high": pa.array(np.minimum(flat + 0.02, 1)),
    }
    once = {"step": None, "seed": None, "n": SENTENCES, "created_at": dt.datetime.now(dt.UTC), **same}
    repeated = {name: pa.repeat(pa.scalar(each, SCORES.field(name).type), len(pair)) for name, each in once.items()}
    return pa.table({name: (own | repeated)[name] for name in SCORES.names})


def _timed(question: Question, workspaces: list[Path]) -> tuple[float, float]:
    """Return milliseconds of the table of all measures, and of the differences of one."""
    begin = time.perf_counter()
    found = side_by_side.ranked(question, workspaces, dict.fromkeys(question.readings, "higher"))
    middle = time.perf_counter()
    assert np.isfinite(found["value"]).all()
    side_by_side.apart(question, workspaces, next(iter(question.readings)))
    return 1000 * (middle - begin), 1000 * (time.perf_counter() - middle)


def measure(workspace: Path) -> list[tuple[float, float]]:
    """Return what the first look costs, and then another layer, twice."""
    workspaces = [workspace]
    forget(workspace)
    known = [
        (each.fingerprint, model.name, each.label, each.step, 0)
        for model in library.entries(workspaces)
        for each in model.checkpoints
    ]
    listed = catalogue.catalogue(cubes.files_of(workspaces), known)
    found = []
    for layer in (0, 1, 0):
        readings = {
            each.metric: Reading(
                of=each.scored(each.models[0]), models={own.model: each.scored(own) for own in each.models}, layer=layer
            )
            for each in listed
        }
        found.append(_timed(Question(unit="model", readings=readings), workspaces))
    return found


def main() -> None:
    """Print a row a size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, nargs="+", default=[12, 50])
    parser.add_argument("--languages", type=int, nargs="+", default=[36, 204])
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    print("| models | languages | first table, differences (ms) | another layer | the first again |\n|---|---|---|---|---|")
    for models, languages in itertools.product(asked.models, asked.languages):
        with tempfile.TemporaryDirectory() as folder:
            workspace = asked.keep or Path(folder)
            fill(workspace, models, languages)
            cells = [f"{table:.0f}, {apart:.0f}" for table, apart in measure(workspace)]
            print(f"| {models} | {languages} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
