"""What a page promises before a run starts, and what the run then takes: each experiment, in an order in which people ask.

    python -m benchmarks.prices [--only ABX Transfer] [--large] [--many]

Runs are small and real, on the demo's data in a workspace of their own: the first shard, which nothing is promised for; another
checkpoint (or seed) of the same; more data; what is scored again from kept vectors; and with `--large` a random model 32 times
as large. `--many` is ABX alone, in steps from 8 languages to 48. A promise is the median of what was computed before, so
every line learns from those above it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.emergent import library as emergent
from isogloss.backend.corpora.languages.languages import genera
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.corpus import SCHEMA, ParallelCorpus
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Context
from isogloss.backend.jobs.device import describe
from isogloss.backend.jobs.timing import timed
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import DEMO, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.backend.experiments.spec import Spec
    from isogloss.backend.models.entry import Model

FEW, MANY = ["de", "en", "es", "ru"], ["ar", "de", "el", "en", "es", "hi", "ja", "ru", "tr", "zh"]
Step = tuple[str, dict[str, Any]]


def random_model(name: str, layers: int, dims: int, folder: Path, workspace: Path) -> Model:
    """Keep a random model with the demo's tokeniser, a head each 64 dims."""
    import torch
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    from isogloss.backend.models.library.discover import discover

    source = models.entries([DEMO])[0].checkpoints[0].location
    config = AutoConfig.from_pretrained(source)
    config.hidden_size, config.num_hidden_layers = dims, layers
    config.num_attention_heads, config.intermediate_size = dims // 64, 4 * dims
    torch.manual_seed(0)
    AutoModel.from_config(config).save_pretrained(folder)  # type: ignore[no-untyped-call]
    AutoTokenizer.from_pretrained(source).save_pretrained(folder)
    models.keep(discover(str(folder), name=name), workspace)
    return models.load_entry(name, [workspace])


def of_models(large: Model | None) -> Iterator[tuple[str, list[Step]]]:
    """Yield the experiments on a model's checkpoints."""
    small, corpus = models.entries([DEMO])[0], corpora.entries([DEMO])[0].id
    pairs = [
        {"source": each.source, "target": each.target, "dictionary": each.id}
        for each in dictionaries.entries([DEMO])
        if each.target in MANY
    ]

    def steps(experiment: str, base: dict[str, Any], more: dict[str, Any], kept: dict[str, Any] | None = None) -> list[Step]:
        def of(place: int, fields: dict[str, Any], model: Model = small) -> dict[str, Any]:
            chosen = [model.checkpoints[place].model_dump()]
            return {"experiment": experiment, "model": model.name, "checkpoints": chosen} | fields

        found = [("first", of(0, base)), ("another checkpoint", of(3, base)), ("more data", of(5, base | more))]
        found += [("kept vectors", of(5, base | more | kept)), ("kept vectors again", of(3, base | kept))] if kept else []
        return [*found, ("larger model", of(0, base, large))] if large else found

    common = {"corpus": corpus}
    yield "ABX", steps("abx", common | {"languages": FEW, "sentences": 100}, {"languages": MANY}, {"protocol": "control"})
    cosine = {"similarity": "cosine"}
    three = common | {"languages": FEW[:3], "centred": True}
    yield "Sentence alignment", steps("sentence_alignment", three, {"languages": FEW}, cosine)
    words = common | {"pairs": pairs[:1], "centred": True}
    yield "Word alignment", steps("word_alignment", words, {"pairs": pairs[:3]}, cosine)
    yield "Similarity", steps("language_similarity", common | {"languages": FEW, "prefix": "q: "}, {"languages": MANY})
    task = {"data": "task", "corpus": tasks.entries([DEMO])[0].id, "sources": ["en"], "learning_rates": [1e-4], "seeds": [5]}
    yield (
        "Transfer",
        steps(
            "transfer", task | {"languages": FEW[:2], "training": {"epochs": 3}}, {"languages": FEW, "training": {"epochs": 6}}
        ),
    )


def of_many_languages(workspace: Path) -> tuple[str, list[Step]]:
    """Return ABX of a model of one layer, of few languages and then of many: scoring grows with the square of both sizes."""
    tags = sorted(genera())[:48]
    lines = [
        (f"{line:04}", tag, f"Sentence {line} of the ferry, as {tag} has it.", None) for tag in tags for line in range(997)
    ]
    table = pa.table([pa.array(column) for column in zip(*lines, strict=True)], names=SCHEMA.names).cast(SCHEMA)
    corpus = corpora.keep(ParallelCorpus(table), "Made-up sentences", workspace)
    model = random_model("Wide", 1, 768, workspace / "wide", workspace)
    base = {"experiment": "abx", "model": model.name, "checkpoints": [model.checkpoints[0].model_dump()], "corpus": corpus.id}
    sizes = (8, 100), (8, 200), (16, 400), (48, 997)
    steps = [(f"{few} languages × {n}", base | {"languages": tags[:few], "sentences": n}) for few, n in sizes]
    return "ABX", [*steps, ("the same, kept vectors", steps[-1][1] | {"protocol": "control"})]


def of_sources() -> Iterator[tuple[str, list[Step]]]:
    """Yield the experiments that train models from the beginning."""
    corpus = corpora.entries([DEMO])[0].id
    sources = [{"kind": "emergent", "corpus": each.id} for each in emergent.entries([DEMO]) if each.tokens < 30_000][:3]
    shape = {"layers": 2, "heads": 2, "dims": 64, "context": 64, "vocabulary": 1000}

    def benchmark(source: int, scale: int, *targets: str, dims: int = 64) -> dict[str, Any]:
        custom = {
            "architecture": shape | {"dims": dims},
            "pretraining": {"tokens": 20_000 * scale, "epochs": 1, "batch": 16},
            "tuning": {"tokens": 8_000, "epochs": 2 * scale, "batch": 8},
        }
        chosen = [{"corpus": corpus, "language": target} for target in targets]
        fields = {"experiment": "xferbench", "preset": "custom", "custom": custom}
        return fields | {"sources": [sources[source]], "targets": chosen}

    yield (
        "XferBench",
        [
            ("first", benchmark(0, 1, "en")),
            ("another source", benchmark(1, 1, "en", "de")),
            ("more data", benchmark(2, 4, "en")),
            ("larger model", benchmark(2, 4, "de", dims=128)),
        ],
    )

    def game(name: str, **options: Any) -> dict[str, Any]:
        return {"experiment": "language_game", "name": name, "options": {"epochs": 60, "utterances": 200} | options}

    games = [("first", game("a")), ("another seed", game("b", seed=1)), ("more data", game("c", epochs=240))]
    yield "Language game", [*games, ("larger model", game("d", hidden=512, epochs=60))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", help="Experiments, by the names in the table")
    parser.add_argument("--large", action="store_true", help="A larger model, too: minutes more")
    parser.add_argument("--many", action="store_true", help="ABX of few and then of many languages alone")
    options = parser.parse_args()
    print("| experiment | asked for | promised, s | taken, s | promised / taken |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        large = random_model("Large", 8, 384, workspace / "large", workspace) if options.large else None
        many = of_many_languages(workspace) if options.many else None
        for name, steps in (many,) if many else (*of_models(large), *of_sources()):
            for what, fields in steps if not options.only or name in options.only else ():
                promised, took = run(registry.parse(fields), workspace)
                told = f"{promised:.1f} | {took:.1f} | {promised / took:.2f}" if promised is not None else f"– | {took:.1f} | –"
                print(f"| {name} | {what} | {told} |", flush=True)


def run(spec: Spec, workspace: Path) -> tuple[float | None, float]:
    """Compute a run as a worker would; return the seconds that were promised and those that it took."""
    context = Context(Settings(workspace=workspace))
    price = registry.price(spec, describe(context.settings.device), context.workspaces)
    started = time.perf_counter()
    for shard in spec.shards():
        with timed(spec, shard, context) as timing:
            registry.compute(spec, shard, timing)
    return None if price is None else price.seconds, time.perf_counter() - started


if __name__ == "__main__":
    main()
