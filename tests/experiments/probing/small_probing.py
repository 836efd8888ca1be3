"""A workspace with a tagged corpus of three languages, another to test on, a labelled task of pairs, and a tiny model."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pyarrow as pa

from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tagged.corpus import SCHEMA, TaggedCorpus
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks.task import SCHEMA as TASK_SCHEMA
from isogloss.backend.corpora.tasks.task import LabelledTask
from isogloss.backend.experiments.probing import shard as probing
from isogloss.backend.experiments.probing.spec import FAMILY, ProbingSentencesSpec, ProbingWordsSpec, of_tasks
from isogloss.backend.experiments.spec import Context
from isogloss.backend.models.library.discover import discover
from isogloss.backend.settings import Settings
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from isogloss.backend.models.entry import Checkpoint

LEXICON = {
    "en": {"NOUN": "ferry harbour storm clock child", "VERB": "leaves sees told waits", "DET": "the a no", "PUNCT": ". !"},
    "de": {"NOUN": "Fähre Hafen Sturm Uhr Kind", "VERB": "verlässt sieht sagte wartet", "DET": "die der kein", "PUNCT": ". !"},
    "zh": {"NOUN": "渡轮 港口 风暴 时钟 孩子", "VERB": "离开 看见 告诉 等待", "DET": "这 那 没有", "PUNCT": "。 ！"},
}
AMBIGUOUS = {"en": "leaves", "de": "Uhr", "zh": "告诉"}
"""Of each language a word that has two tags."""
TAGS = ("DET", "NOUN", "PUNCT", "VERB")
FAST: dict[str, Any] = {"seeds": (0, 1), "epochs": 6, "batch": 32, "learning_rate": 0.02, "patience": 2}
"""Options of quick probes."""
SIZES = {"train": 60, "validation": 20, "test": 30}
Row = dict[str, Any]


def sentences(language: str, count: int, draw: random.Random, part: str, *, extra: bool = False) -> list[Row]:
    """Sentences of 3 to 7 words whose tags are drawn, and with them the words; `extra` adds a tag that no other corpus has."""
    words = {tag: found.split() for tag, found in LEXICON[language].items()}
    if extra:
        words["INTJ"] = ["oh", "ah"]
    rows = []
    for i in range(count):
        tags = [draw.choice(list(words)) for _ in range(draw.randrange(3, 8))]
        chosen = [draw.choice(words[tag]) for tag in tags]
        tags = [draw.choice(TAGS) if word == AMBIGUOUS[language] else tag for word, tag in zip(chosen, tags, strict=True)]
        space = "" if language == "zh" else " "
        starts = [sum(map(len, chosen[:at])) + at * len(space) for at in range(len(chosen))]
        ends = [start + len(word) for start, word in zip(starts, chosen, strict=True)]
        row: Row = {"language": language, "part": part, "sentence_id": f"{part}-{i}", "text": space.join(chosen)}
        rows.append(row | {"starts": starts, "ends": ends, "tags": tags})
    return rows


def keep_tagged(rows: Sequence[Row], name: str, workspace: Path) -> str:
    """Keep rows of `SCHEMA` as a tagged corpus; its id."""
    order = {part: place for place, part in enumerate(SIZES)}
    ordered = sorted(rows, key=lambda row: (row["language"], order[row["part"]]))
    return tagged.keep(TaggedCorpus(pa.Table.from_pylist(ordered, SCHEMA)), name, workspace).id


def keep_task(workspace: Path, languages: Sequence[str] = ("de", "en"), count: int = 150) -> str:
    """Keep pairs whose label says whether the second sentence repeats the first one's first noun; its id."""
    rows = []
    for language in languages:
        draw = random.Random(5)
        nouns, verbs = (LEXICON[language][tag].split() for tag in ("NOUN", "VERB"))
        for i in range(count):
            noun, same = draw.choice(nouns), draw.random() < 0.5
            other = noun if same else draw.choice([each for each in nouns if each != noun])
            row = {"row_id": f"r{i}", "language": language, "text": f"{noun} {draw.choice(verbs)} {i} ."}
            rows.append(row | {"text_pair": f"{other} .", "label": "yes" if same else "no", "split": "train"})
    return tasks.keep(LabelledTask(pa.Table.from_pylist(rows, TASK_SCHEMA)), "Pairs", workspace).id


@dataclass
class Lab:
    """A workspace to compute in."""

    context: Context
    checkpoint: Checkpoint
    corpus: str
    other: str
    """The id of a corpus of test parts alone, with a tag that the first lacks."""

    def spec(self, **options: Any) -> ProbingWordsSpec:
        probe = FAST | options.pop("probe", {})
        common: dict[str, Any] = {"model": "tiny", "checkpoints": (self.checkpoint,), "corpus": self.corpus}
        return ProbingWordsSpec(**(common | {"sources": ("en",), "probe": probe} | options))

    def sentences_spec(self, corpus: str, **options: Any) -> ProbingSentencesSpec:
        probe = FAST | options.pop("probe", {})
        task = next(each for each in tasks.entries([self.context.workspace]) if each.id == corpus)
        common: dict[str, Any] = {"model": "tiny", "checkpoints": (self.checkpoint,)} | of_tasks(task)
        return ProbingSentencesSpec(**(common | {"sources": ("en",), "probe": probe} | options))

    def compute(self, spec: ProbingWordsSpec | ProbingSentencesSpec, **context: Any) -> None:
        for shard in spec.shards():
            probing.compute(spec, shard, replace(self.context, **context))

    def files(self) -> list[scores.ShardFile]:
        return scores.shards([self.context.workspace], FAMILY)

    def rows(self) -> pd.DataFrame:
        statement = "SELECT * EXCLUDE (created_at, run) FROM {scores} ORDER BY ALL"
        return scores.query(statement, {}, [file.path for file in self.files()])


def lab(
    folder: Path,
    gib: float = 1.0,
    architecture: Any = "xlm-roberta",
    positions: int = 64,
    sizes: Mapping[str, int] = SIZES,
) -> Lab:
    """A language has as many sentences of each part as `sizes` says; the other corpus has 25 in German and Chinese."""
    from tests.models import tiny

    workspace = folder / "workspace"
    draw = random.Random(3)
    rows = [row for tag in LEXICON for part, count in sizes.items() for row in sentences(tag, count, draw, part)]
    others = [row for tag in ("de", "zh") for row in sentences(tag, 25, draw, "test", extra=True)]
    with patch.object(tiny, "SENTENCES", [row["text"] for row in rows]):
        model = tiny.tiny_model(folder / "model", architecture, positions=positions)
    settings = Settings(workspace=workspace, demo=None, device="cpu", embeddings_gib=gib)
    [checkpoint] = discover(str(model)).checkpoints
    corpora = keep_tagged(rows, "Tagged", workspace), keep_tagged(others, "Tested", workspace)
    return Lab(Context(settings), checkpoint, *corpora)


def copied(folder: Path, other: Path) -> Lab:
    """The lab of `folder` once more in `other`: the same weights, since the tokeniser of each lab is trained anew."""
    for name in ("workspace", "model"):
        shutil.copytree(folder / name, other / name)
    return lab_again(other)


def lab_again(folder: Path) -> Lab:
    """The lab that another process made in `folder`."""
    settings = Settings(workspace=folder / "workspace", demo=None, device="cpu", embeddings_gib=1.0)
    [checkpoint] = discover(str(folder / "model")).checkpoints
    ids = {entry.name: entry.id for entry in tagged.entries(settings.workspaces)}
    return Lab(Context(settings), checkpoint, ids["Tagged"], ids["Tested"])
