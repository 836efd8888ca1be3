"""The README's commands, typed one after the other into an empty workspace beside the demo."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from isogloss.backend.experiments import registry
from isogloss.backend.experiments.spec import Context, Spec
from isogloss.backend.jobs import client, starter
from isogloss.backend.jobs.watch import record
from isogloss.backend.settings import ROOT
from tests.cli.typed import output
from tests.models.tiny import SENTENCES, tiny_model
from tests.training.language_model.language_modelling import tiny_options, tiny_texts

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.backend.settings import Settings

README = (ROOT / "README.md").read_text(encoding="utf-8").replace("\\\n", "")
LINES = re.findall(r"^isogloss (\w.+)$", README, flags=re.MULTILINE)
WORDS = {
    "en": "the a no ferry harbour storm leaves sees waits",
    "de": "die der kein Fähre Hafen Sturm verlässt sieht wartet",
}
"""Three articles, nouns and verbs."""


def files(folder: Path) -> None:
    """What the block reads, under the names that it reads them by."""
    texts = tiny_texts(texts=40)
    rows = [f"The {i} ferries leave.\tDie {i} Fähren fahren ab.\t{text}" for i, text in enumerate(texts)]
    (folder / "sentences.tsv").write_text("en\tde\tfi\n" + "\n".join(rows) + "\n", encoding="utf-8")
    tiny_model(folder / "path" / "to" / "checkpoints" / "checkpoint-10", "xlm-roberta")
    (folder / "runs" / "my-run").mkdir(parents=True)
    (folder / "en-de.txt").write_text("the die\nferries Fähren\nleave fahren\n", encoding="utf-8")
    parts = [("ud", "gsd", "train", 40), ("ud", "gsd", "dev", 20), ("pud", "pud", "test", 20)]
    for name, bank, part, count in parts:
        (folder / name).mkdir(exist_ok=True)
        for tag in ("de", "en"):
            (folder / name / f"{tag}_{bank}-ud-{part}.conllu").write_text(conllu(tag, count), encoding="utf-8")
    (folder / "xnli").mkdir()
    for tag in ("de", "en"):
        labels = ("entailment", "neutral", "contradiction")
        pairs = [f"{SENTENCES[i % 10]} {tag} {i}\t{SENTENCES[(i + 3) % 10]}\t{labels[i % 3]}" for i in range(30)]
        (folder / "xnli" / f"dev-{tag}.tsv").write_text("\n".join(pairs) + "\n", encoding="utf-8")
    (folder / "messages.jsonl").write_text("".join(f"[{i % 7}, {i % 3}, {i % 5}]\n" for i in range(60)), encoding="utf-8")


def conllu(language: str, count: int) -> str:
    """Short sentences as a treebank's file."""
    words, tags = WORDS[language].split(), ("DET", "NOUN", "VERB", "PUNCT")
    texts = []
    for i in range(count):
        chosen = [words[(i + place) % 3 + 3 * place] for place in range(3)] + ["."]
        lines = [
            f"{place}\t{word}\t_\t{tag}" + "\t_" * 6 for place, (word, tag) in enumerate(zip(chosen, tags, strict=True), 1)
        ]
        texts.append("\n".join([f"# sent_id = {i}", f"# text = {' '.join(chosen)}", *lines]))
    return "\n\n".join(texts) + "\n\n"


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Spec]:
    """Compute what is queued at once and in this process; return the specs."""
    specs: list[Spec] = []

    def submit(spec: Spec, now: Settings) -> str:
        specs.append(spec)
        for shard in spec.shards():
            registry.compute(spec, shard, Context(now))
        return f"run-{spec.id}"

    monkeypatch.setattr(client, "submit", submit)
    monkeypatch.setattr(starter, "ensure_worker", lambda *_, **__: False)
    monkeypatch.setattr("isogloss.backend.cli.run.follow", lambda _: None)
    monkeypatch.setattr("isogloss.backend.experiments.xferbench.spec.preset", lambda *_, **given: tiny_options(**given))
    return specs


def test_every_line_runs_as_printed(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, computed: list[Spec]
) -> None:
    monkeypatch.setenv("ISOGLOSS_DEMO", str(ROOT / "cache" / "demo"))
    monkeypatch.chdir(tmp_path)
    files(tmp_path)
    for line in LINES:
        ends = ["--background"] if line.startswith("watch") else []  # else it goes on until Ctrl-C
        output(*shlex.split(line, comments=True), *ends)
    assert [spec.experiment for spec in computed] == ["abx", "word_alignment", "probing_words", "transfer", "xferbench"]
    assert [len(spec.shards()) for spec in computed] == [1, 1, 2, 1, 3 + 4]  # a first run is no sweep
    [(watched, _)] = record.watches(workspace)
    assert (watched.every, len(watched.rules), watched.location) == (1000, 1, str(tmp_path / "runs" / "my-run"))
    own = pd.read_csv(tmp_path / "scores.csv")
    assert len(own) == 3 * 3  # layers, pairs of languages: the demo's are not among them
    assert set(own["model_name"] + own["corpus_name"]) == {"ModelMine"}
