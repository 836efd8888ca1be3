"""How long a tokeniser's page takes to compute: 204 languages × 1,000 sentences by one tokeniser, with its peak memory.

    python -m benchmarks.tokenisers [--model FOLDER] [--languages 204] [--sentences 1000]

NTREX-128 where the real data is at hand (ISOGLOSS_TEST_DATA), its languages repeated under tags of further regions; otherwise
the demo's sentences. By default the demo's tokeniser of 8,000 pieces; a folder of a model with a tokeniser of its own is what
people have.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

from isogloss.backend.corpora.languages.languages import language
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.assemble import Column, assemble
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.tokenisers.shard import FAMILY, TokenisersSpec, compute
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import ROOT, Settings
from isogloss.backend.store import scores

REGIONS = (
    "",
    *["CA", "AU", "ZA", "SG", "NZ", "KE", "PG", "FJ", "VU", "NR", "TV", "WS", "TO", "KI", "PW", "MH", "SB", "GD", "LC", "DM"],
)


def texts(amount: int, sentences: int) -> dict[str, list[str]]:
    """Sentences of so many languages: real ones, each again under the tag of another region until there are enough."""
    folder = Path(os.environ.get("ISOGLOSS_TEST_DATA", ROOT.parent / "shared" / "data")) / "ntrex-128" / "NTREX-128"
    files = sorted(folder.glob("newstest2019-*.txt")) if folder.is_dir() else [ROOT / "cache" / "demo" / "sentences.tsv"]
    corpus = read([InputFile(file.name, file) for file in files])
    found: dict[str, list[str]] = {}
    _, real = corpus.align(corpus.languages)
    for region in REGIONS:
        for tag, own in real.items():
            name = language(f"{language(tag).tag.split('-')[0]}-{region}" if region else tag).tag
            if len(found) < amount and name not in found and (not region or "Han" not in name):
                found[name] = (own * (sentences // len(own) + 1))[:sentences]
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default=str(ROOT / "cache" / "demo" / "models" / "mlm" / "checkpoint-2000"))
    parser.add_argument("--languages", type=int, default=204)
    parser.add_argument("--sentences", type=int, default=1000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(workspace=Path(folder), demo=None)
        given = texts(asked.languages, asked.sentences)
        numbers = [str(i) for i in range(asked.sentences)]
        columns = [Column(tag, "", numbers, own, range(1, asked.sentences + 1)) for tag, own in given.items()]
        kept = corpora.keep(assemble("made", columns), "NTREX", settings.workspace)
        model = discover(asked.model)
        spec = TokenisersSpec(model="a", checkpoints=model.checkpoints[-1:], corpus=kept.id, languages=tuple(given))
        before = resource.getrusage(resource.RUSAGE_SELF)
        started = time.perf_counter()
        (shard,) = spec.shards()
        compute(spec, shard, Context(settings))
        seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
        busy = after.ru_utime - before.ru_utime
        (file,) = scores.shards([settings.workspace], FAMILY)
        size = sum(path.stat().st_size for path in settings.workspace.rglob("*.parquet") if "corpora" not in path.parts)
        print(f"{len(given)} languages × {asked.sentences:,} sentences: {seconds:.1f} s, {busy:.1f} s of processor time")
        print(f"{file.path.stat().st_size / 1e6:.2f} MB of scores, {size / 1e6:.2f} MB with cut sentences")
        print(f"peak memory {after.ru_maxrss / 1e6:.2f} GB, before {before.ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
