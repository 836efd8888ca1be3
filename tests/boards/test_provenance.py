"""What a figure rests on is found from its recipe alone, and said in words and in full."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from isogloss.backend.boards.origins import provenance
from isogloss.backend.boards.provenance import versions
from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.experiments.abx import queries
from isogloss.backend.experiments.frames import files_of, label_checkpoints
from isogloss.backend.experiments.relations import tables
from isogloss.backend.experiments.relations.reading import Question
from isogloss.backend.experiments.transfer.printed import tables as printed
from isogloss.backend.figures import abx as figures
from isogloss.backend.store import scores

CORPUS = "c" * 24
PREFIXED = 'exact/mean/prefix "a/b: "'


def shard(workspace: Path, number: int, **more: Any) -> str:
    """Write the scores of checkpoint `number` of one of two models; return the shard's name."""
    name, fingerprint = f"{number:024x}", f"{number + 1000:024x}"
    said = {"experiment": "abx", "fingerprint": fingerprint, "corpus": CORPUS, "languages": ["de", "en", "fi"], "sentences": 80}
    said |= {"variant": "exact/mean", "pooling": "mean", "seed": None, "model": "Own", "label": f"step {number}"}
    said |= {"device": "cpu", "precision": "float32"} | more
    row = {"metric": "abx_language", "source": "de", "target": "en", "value": 0.5, "n": 80, "layer": 0}
    rows = scores.table(
        [row], run=name, family="abx", model="Own", corpus=CORPUS, checkpoint=fingerprint, variant=said["variant"]
    )
    scores.write(workspace, "abx", name, rows, said)
    return name


def recipe(workspace: Path, shards: list[str], known: list[tuple[Any, ...]]) -> Recipe:
    return Recipe(
        (
            partial(files_of, workspaces=[workspace], family="abx", shards=shards),
            partial(queries.grid, languages=["de", "en"], checkpoints=[each[0] for each in known]),
            partial(label_checkpoints, checkpoints=known),
        )
    )


def test_files_that_the_calls_name_say_it_all(tmp_path: Path) -> None:
    entry = {"id": CORPUS, "name": "Mine", "languages": [{"tag": "de"}], "sentences": 90, "licence": "CC0-1.0"}
    (tmp_path / "corpora" / CORPUS).mkdir(parents=True)
    (tmp_path / "corpora" / CORPUS / "entry.json").write_text(json.dumps(entry))
    mine = shard(tmp_path, 1, variant=PREFIXED, seed=3)
    shard(tmp_path, 2, model="Another")  # not asked for
    found = provenance(recipe(tmp_path, [mine], [(f"{1001:024x}", "Shown as", "step 1", 1, 0)]), [tmp_path])
    words = found.words
    assert words["model"] == "Shown as"  # the figure's name of a checkpoint that two models share
    assert words["checkpoint"] == f"step 1 ({1001:024x})"
    assert words["corpus"] == "Mine"
    assert words["corpus_id"] == CORPUS
    assert words["languages"] == "de en"  # those shown, not those computed
    assert (words["sentences"], words["pooling"], words["seed"]) == ("80", "mean over sub-word tokens", "3")
    assert words["prefix"] == '"a/b: "'
    assert words["protocol"] == PREFIXED
    assert words["isogloss"] == versions()["isogloss"]
    assert list(found.files) == [f"scores/abx/{mine}.parquet"]
    for part in ("Shown as", "Mine (parallel corpus", "CC0-1.0", "Languages (2): de, en", "n = 80", "Seeds: 3", "torch "):
        assert part in found.methods
    assert json.loads(json.dumps(found.to_json()))["files"][f"scores/abx/{mine}.parquet"]["seed"] == 3


def test_many_are_counted_and_few_are_named(tmp_path: Path) -> None:
    names = [shard(tmp_path, number) for number in range(12)]
    known = [(f"{1000 + number:024x}", "AB"[number % 2], f"step {number}", number, number // 2) for number in range(12)]
    found = provenance(recipe(tmp_path, names, known), [tmp_path])
    assert found.short == "2 models, 12 checkpoints; de and en; exact/mean"
    assert found.words["checkpoint"] == "12 checkpoints"
    assert list(found.models["A"]) == ["step 0", "step 2", "step 4", "step 6", "step 8", "step 10"]
    assert "Nothing in it is random" in found.methods


def test_a_question_to_all_scores_names_what_answers_it(tmp_path: Path) -> None:
    mine = shard(tmp_path, 1)
    shard(tmp_path, 2)
    shard(tmp_path, 1, variant="exact/first")  # the same name: replaced
    shard(tmp_path, 3, fingerprint=f"{1001:024x}")
    of = {"experiment": "abx", "metric": "abx_language", "corpus": CORPUS, "variant": "exact/mean"}
    reading = {"of": of | {"checkpoints": [f"{1001:024x}"], "steps": [1]}, "models": {}, "checkpoint": "last", "layer": "mean"}
    question = Question.model_validate({"unit": "pair", "readings": {"abx_language": reading | {"role": "both"}}})
    found = provenance(Recipe((partial(tables.table, workspaces=[tmp_path], question=question),)), [tmp_path])
    assert mine == f"{1:024x}"
    assert list(found.files) == [f"scores/abx/{3:024x}.parquet"]


def test_printed_numbers_say_so(tmp_path: Path) -> None:
    found = provenance(Recipe((partial(printed.hyperparameters),)), [tmp_path])
    assert found.words["protocol"] == found.short.replace("numbers ", "") == "as printed"
    assert "the paper's own" in found.methods


def test_footers_alone_are_read_and_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [shard(tmp_path, number) for number in range(30)]
    asked = recipe(tmp_path, names, [(f"{1000:024x}", "A", "step 0", 0, 0)])
    first = provenance(asked, [tmp_path])
    read: list[object] = []
    monkeypatch.setattr("isogloss.backend.boards.origins.pq.read_metadata", lambda path: read.append(path))
    assert provenance(asked, [tmp_path]) == first
    assert read == []
    path = tmp_path / "scores" / "abx" / f"{names[0]}.parquet"
    os.truncate(path, 10)
    monkeypatch.undo()
    assert len(provenance(asked, [tmp_path]).files) == 29  # a damaged file is told by whoever reads its rows


def test_what_is_read_of_a_model_is_named_by_the_model_that_was_chosen(tmp_path: Path) -> None:
    """Step 0 of two fine-tunings of one base, computed for the other: one model, and the one checkpoint that is read."""
    shard(tmp_path, 1, fingerprint=f"{1001:024x}", model="Other", label="step 0")
    shard(tmp_path, 2, fingerprint=f"{1002:024x}", model="Chosen", label="step 9")
    of = {"experiment": "abx", "metric": "abx_language", "corpus": CORPUS, "variant": "exact/mean", "model": "Chosen"}
    of |= {"checkpoints": [f"{1001:024x}", f"{1002:024x}"], "steps": [0, 9]}

    def models(**how: object) -> dict[str, dict[str, str]]:
        question = Question.model_validate({"unit": "pair", "readings": {"ld": {"of": of} | how}})
        return provenance(Recipe((partial(tables.table, workspaces=[tmp_path], question=question),)), [tmp_path]).models

    assert models() == {"Chosen": {"step 9": f"{1002:024x}"}}
    assert models(checkpoint=f"{1001:024x}") == {"Chosen": {"step 0": f"{1001:024x}"}}
    assert models(checkpoint="mean") == {"Chosen": {"step 0": f"{1001:024x}", "step 9": f"{1002:024x}"}}


@pytest.mark.parametrize(
    ("order", "credited"),
    [("family", "Glottolog"), ("Language family", "Glottolog"), ("Script", "CLDR"), ("resource level", "URIEL+"), ("name", "")],
)
def test_who_says_the_facts_that_languages_are_ordered_by_is_in_every_export(tmp_path: Path, order: str, credited: str) -> None:
    chart = partial(figures.pairs, languages=["de", "en"], order=order, shared=True, some=False, title="")
    found = provenance(recipe(tmp_path, [shard(tmp_path, 1)], []).with_chart(chart), [tmp_path])
    assert (credited in found.credits) if credited else not found.credits
    assert ("CC BY-SA 4.0" in found.words["credits"]) is (credited in ("Glottolog", "URIEL+"))
    assert found.credits in found.methods
    assert found.to_json()["credits"] == found.credits
