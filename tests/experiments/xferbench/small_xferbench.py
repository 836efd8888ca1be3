"""Tiny sources, targets and options of XferBench, and specs of runs on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.parallel import corpus as parallel
from isogloss.backend.corpora.parallel import library
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.experiments.sources.source import EmergentSource, NoPretraining, TextSource
from isogloss.backend.experiments.spec import Context
from isogloss.backend.experiments.xferbench.shard import compute
from isogloss.backend.experiments.xferbench.spec import Target, XferBenchSpec
from isogloss.backend.settings import Settings
from tests.training.language_model.language_modelling import tiny_options, tiny_source, tiny_texts

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = ("da", "en", "fi")


def options(**changes: Any) -> Any:
    return tiny_options(**{"seed": 0} | changes)


@dataclass(frozen=True)
class SmallXferBench:
    folder: Path
    emergent: str
    text: str

    def context(self, name: str = "workspace", **more: Any) -> Context:
        """One on a workspace of its own beside the one that has the corpora, which it reads."""
        settings = Settings(workspace=self.folder / name, demo=self.folder / "shared", device="cpu")
        return Context(settings, **more)

    def source(self, kind: str = "emergent") -> Any:
        match kind:
            case "emergent":
                return EmergentSource(corpus=self.emergent, name="Tiny")
            case "none":
                return NoPretraining()
            case language:
                return TextSource(corpus=self.text, language=language, name="News")

    def target(self, language: str) -> Target:
        return Target(corpus=self.text, language=language, name="News")

    def spec(self, sources: str | tuple[Any, ...] = "emergent", targets: str = "fi", **changes: Any) -> XferBenchSpec:
        """Of sources and targets separated by spaces, with tiny options unless `changes` say otherwise."""
        fields: dict[str, Any] = {
            "sources": tuple(self.source(kind) for kind in sources.split()) if isinstance(sources, str) else sources,
            "targets": tuple(self.target(language) for language in targets.split()),
        }
        if "preset" not in changes:
            fields |= {"preset": "custom", "custom": options(protocol=changes.get("protocol", "correct"))}
        return XferBenchSpec(**fields | changes)


def small_corpus() -> ParallelCorpus:
    rows = [
        (f"s{place:02d}", tag, text, None)
        for seed, tag in enumerate(LANGUAGES)
        for place, text in enumerate(tiny_texts(seed=seed))
    ]
    return ParallelCorpus(pa.table([list(column) for column in zip(*rows, strict=True)], schema=parallel.SCHEMA))


def small_xferbench(folder: Path) -> SmallXferBench:
    """In `folder`: `shared`, a workspace with an emergent corpus and a text in three languages."""
    emergent = emergent_library.keep(tiny_source(), "Tiny", folder / "shared")
    text = library.keep(small_corpus(), "News", folder / "shared")
    return SmallXferBench(folder, emergent.id, text.id)


def run_all(spec: XferBenchSpec, context: Context) -> None:
    for shard in spec.shards():
        compute(spec, shard, context)


def only_cell(spec: XferBenchSpec) -> str:
    """The key of its one cell."""
    (key,) = spec.cells()
    return key
