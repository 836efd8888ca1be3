"""The command line as a person types it: what it prints, and one sentence where something is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.abx import shard as abx
from isogloss.backend.experiments.spec import Context
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import ROOT, settings
from isogloss.backend.store import scores
from tests.cli.typed import made_by_typing, output, run
from tests.models.tiny import tiny_model

if TYPE_CHECKING:
    from pathlib import Path


@made_by_typing
def fill(folder: Path) -> None:
    rows = [f"s{i}\tThe {i} ferries leave.\tDie {i} Fähren fahren ab.\t{i} парома отходят." for i in range(8)]
    (folder / "mine.tsv").write_text("id\ten\tde\tru\n" + "\n".join(rows) + "\n", encoding="utf-8")
    tiny_model(folder / "model" / "checkpoint-10", "xlm-roberta")
    assert "8 sentences, 3 languages" in output("corpus", "import", str(folder / "mine.tsv"), "--name", "Mine")
    assert "checkpoint-10" in output("models", "add", str(folder / "model"), "--name", "Tiny")


@pytest.fixture
def filled(workspace: Path) -> Path:
    fill(workspace)
    return workspace


def test_a_spec_goes_from_flags_to_scores_to_a_file(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("run", "abx", "--model", "Tiny", "--corpus", "Mine", "--print-spec")
    spec = registry.parse(json.loads(capsys.readouterr().out))
    assert isinstance(spec, abx.AbxSpec)
    assert spec.languages == ("de", "en", "ru")
    [shard] = spec.shards()
    abx.compute(spec, shard, Context(settings()))
    run("models", "rename", "Tiny", "Small")
    run("scores", "--metric", "abx_meaning", "--layer", "1", "--model", "Small", "-o", str(tmp_path / "scores.csv"))
    frame = pd.read_csv(tmp_path / "scores.csv")
    assert frame[["model", "model_name", "corpus_name"]].drop_duplicates().values.tolist() == [["Tiny", "Small", "Mine"]]
    assert list(frame[["metric", "layer", "source", "target"]].iloc[0]) == ["abx_meaning", 1, "de", "en"]
    assert frame["value"].between(0, 1).all()
    run("cache", "check")
    assert "0 damaged" in capsys.readouterr().out
    monkeypatch.setenv("ISOGLOSS_DEMO", str(filled))
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "empty"))
    every = "abx_language"
    for more, said in (([], "--demo reads the demo's"), (["--demo"], every), (["--sql", "FROM scores"], every)):
        run("scores", *more)
        assert said in "".join(capsys.readouterr())


def test_some_of_the_languages_are_not_computed_again(filled: Path) -> None:
    model, corpus = models.load_entry("Tiny", [filled]), corpora.entries([filled])[0]
    common = {"model": "Tiny", "checkpoints": model.checkpoints, "corpus": corpus.id}
    for languages in (("de", "en", "ru"), ("de", "en"), ("de", "en", "ru")):
        spec = abx.AbxSpec(**common, languages=languages)
        [shard] = spec.shards()
        abx.compute(spec, shard, Context(settings()))
    assert len(scores.shards([filled], "abx")) == 1
    counted = "count(*) AS rows, count(DISTINCT (metric, layer, source, target)) AS pairs"
    rows = scores.sql(f"SELECT {counted} FROM scores WHERE experiment = 'abx'", [filled])
    assert rows.iloc[0].to_list() == [3 * 3 * 3, 3 * 3 * 3]  # metrics, layers, pairs: each once


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "abx", "--model", "Tiny", "--corpus", "Min"], "Did you mean 'Mine'?"),
        (["run", "abx", "--model", "Tiny", "--corpus", "Mine", "--languages", "de,fr"], "has no language 'fr'"),
        (["run", "abx", "--model", "Tiny", "--corpus", "Mine", "--languages", "de"], "at least two"),
        (["run", "abx", "--model", "Tiny", "--corpus", "Mine", "--checkpoints", "checkpoint-1"], "Did you mean"),
        (["scores", "--sql", "SELECT nothing"], "could not be run"),
        (["cache", "remove", "corpora"], "nothing computes it again"),
        (
            ["pretrain", "nowhere", "--corpus", "Mine", "--checkpoints", "0,ten"],
            "checkpoints is 'ten'; it must be a whole number",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(
    filled: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(*arguments)
    said = capsys.readouterr().err
    assert sentence in said
    assert "Traceback" not in said


def test_help_names_every_command() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "isogloss", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for command in ("run", "corpus", "models", "cache", "scores", "pretrain", "worker"):
        assert command in shown


def test_a_setting_that_is_no_number_is_one_sentence(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ISOGLOSS_EMBEDDINGS_GIB", "many")
    with pytest.raises(SystemExit):
        run("cache")
    assert "ISOGLOSS_EMBEDDINGS_GIB is 'many'" in capsys.readouterr().err
