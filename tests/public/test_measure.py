"""`isogloss.measure`: the spec of the command, computed once whatever the model and the texts are given as, and its rows."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

import isogloss
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.experiments import registry
from isogloss.backend.models.library import library as models
from isogloss.backend.settings import DEMO
from tests.experiments.probing.small_probing import SIZES, keep_tagged, sentences

LAST = DEMO / "models" / "mlm" / "checkpoint-2000"
TEXTS = {
    "en": ["A dog sleeps.", "Rain falls today.", "We read old books.", "The door is open.", None],
    "de": ["Ein Hund schläft.", "Heute regnet es.", "Wir lesen alte Bücher.", "Die Tür ist offen.", "Nur hier."],
}


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo, and a workspace of one's own."""
    monkeypatch.setenv("ISOGLOSS_WORKSPACE", str(tmp_path / "own"))
    monkeypatch.delenv("ISOGLOSS_DEMO", raising=False)
    return tmp_path / "own"


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was computed anew, not found: by the names of new files of scores, but what texts alone reach beside ABX."""
    found: list[str] = []
    compute = registry.compute

    def watched(spec: Any, shard: str, context: Any) -> None:
        before = set(context.workspace.rglob("scores/*/*.parquet"))
        compute(spec, shard, context)
        new = set(context.workspace.rglob("scores/*/*.parquet")) - before
        found.extend(sorted(path.stem for path in new if path.parent.name != "abx_controls"))

    monkeypatch.setattr(registry, "compute", watched)
    return found


def measured(what: str = "abx", **more: Any) -> Any:
    return isogloss.measure(what, **{"model": "Demo MLM", "corpus": TEXTS, "progress": False} | more)


def test_lists_of_texts_are_one_corpus_and_nothing_is_computed_twice(own: Path, computed: list[str]) -> None:
    first = measured(checkpoints=["checkpoint-0", "checkpoint-2000"], pooling="first")
    assert len(computed) == 2
    assert set(first["checkpoint"]) == {"checkpoint-0", "checkpoint-2000"}
    assert set(first["metric"]) == {"abx_language", "abx_meaning", "retrieval_top1"}
    assert all(each.startswith("exact/first/sentences of 2 languages") for each in first["variant"])
    assert set(first["n"]) == {4}  # the fifth is missing in one language
    assert set(first["layer"]) == {0, 1, 2, 3, 4}
    again = measured(checkpoints="checkpoint-2000", pooling="first", layers=[2, 3], corpus=dict(reversed(TEXTS.items())))
    assert len(computed) == 2
    expected = first[(first["checkpoint"] == "checkpoint-2000") & first["layer"].isin([2, 3])]
    pd.testing.assert_frame_equal(again, expected.reset_index(drop=True))
    [entry] = corpora.entries([own])
    assert entry.name == f"Texts in de, en ({entry.id[:6]})"
    assert set(first["corpus"]) == {entry.name}


def test_the_spec_is_that_of_the_command(
    own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    specs: list[Any] = []
    monkeypatch.setattr(registry, "compute", lambda spec, *_: specs.append(spec))
    more = {"corpus": "Demo sentences", "languages": ["de", "en", "zh"], "pairs": [("en", "de"), ("en", "zh")]}
    measured(checkpoints=["checkpoint-600"], protocol="sampled", n_triplets=500, **more)
    measured("sentences", checkpoints="checkpoint-600", similarity="cosine", corpus="Demo sentences")
    measured("words", checkpoints="checkpoint-600", dictionary="Demo English–German", corpus="Demo sentences", runs=2)
    from isogloss.backend.cli import app

    command = ["--model", "Demo MLM", "--corpus", "Demo sentences", "--checkpoints", "checkpoint-600", "--print-spec"]
    typed = [
        ["abx", "--languages", "de,en,zh", "--pairs", "en:de,en:zh", "--protocol", "sampled", "--n-triplets", "500"],
        ["sentences", "--similarity", "cosine"],
        ["words", "--dictionary", "Demo English–German", "--runs", "2"],
    ]
    for spec, words in zip(specs, typed, strict=True):
        app(["run", *words, *command], standalone_mode=False)
        assert registry.parse(json.loads(capsys.readouterr().out)) == spec


def test_words_and_probes_are_measured_like_all_else(own: Path) -> None:
    words = measured(
        "words", corpus="Demo sentences", dictionary=["Demo English–German"], checkpoints="checkpoint-2000", runs=1
    )
    assert {"word_weak", "word_strong"} <= set(words["metric"])
    assert set(zip(words["source"], words["target"], strict=True)) == {("en", "de"), ("de", "en")}
    draw = random.Random(1)
    keep_tagged([row for part, count in SIZES.items() for row in sentences("en", count, draw, part)], "Tagged", own)
    known = {"sources": ["en"], "checkpoints": "checkpoint-2000", "seeds": 1, "training_words": "300", "epochs": 1}
    probed = measured("probing_words", corpus="Tagged", control=False, **known)
    accuracy = probed[(probed["metric"] == "probe_accuracy") & probed["seed"].isna()]
    assert set(zip(accuracy["source"], accuracy["target"], strict=True)) == {("en", "en")}
    assert set(accuracy["layer"].dropna()) == {0, 1, 2, 3, 4}


def test_a_pair_is_found_in_a_run_of_more_languages() -> None:
    """The demo has ABX of all its languages: a pair of them is its rows, and no others."""
    pair = measured(corpus="Demo sentences", languages=["en", "de"], checkpoints="checkpoint-2000")
    assert set(zip(pair["source"], pair["target"], strict=True)) == {("de", "en")}
    every = isogloss.scores(model="Demo MLM", corpus="Demo sentences", checkpoint=2000, languages=["de", "en"], own=False)
    known = every[every["run"].isin(pair["run"])]
    assert len(pair) == len(known[known["metric"].isin(set(pair["metric"]))])


def test_an_object_is_known_by_its_weights(own: Path, computed: list[str], tmp_path: Path) -> None:
    tokenizer, model = AutoTokenizer.from_pretrained(LAST), AutoModelForMaskedLM.from_pretrained(LAST).train()
    before_it = torch.get_rng_state()
    first = measured(model=model, tokenizer=tokenizer, name="My run", step=100)
    assert len(computed) == 1
    assert model.training
    assert torch.equal(torch.get_rng_state(), before_it)
    assert first["value"].to_numpy() == pytest.approx(measured(model=LAST)["value"].to_numpy(), abs=2e-3, nan_ok=True)
    with torch.no_grad():
        model.get_input_embeddings().weight[10:] += 0.1
    measured(model=model, tokenizer=tokenizer, name="My run", step=300)
    assert len(computed) == 3  # the folder, too: it was written in half precision, so that its content is another
    with torch.no_grad():
        model.get_input_embeddings().weight[10:] += 0.1
    measured(model=model, tokenizer=tokenizer, name="My run", step=200, seconds=600)
    entry = models.load_entry("My run", [own])
    assert [(each.label, each.step) for each in entry.checkpoints] == [("step-100", 100), ("step-200", 200), ("step-300", 300)]
    assert not any(Path(each.location).exists() for each in entry.checkpoints)
    model.save_pretrained(tmp_path / "saved")
    tokenizer.save_pretrained(tmp_path / "saved")
    before = len(computed)
    saved = measured(model=tmp_path / "saved")
    assert len(computed) == before  # what was measured of the object is that of its folder
    assert set(saved["checkpoint"]) == {"step-200"} or set(saved["model"]) == {"saved"}
    with torch.no_grad():
        model.get_input_embeddings().weight[10:] += 0.1
    with pytest.raises(isogloss.ModelError, match="'step-200' of other weights"):
        measured(model=model, tokenizer=tokenizer, name="My run", label="step-200")


def test_a_pooler_that_is_drawn_at_random_makes_no_other_model(own: Path, computed: list[str]) -> None:
    tokenizer = AutoTokenizer.from_pretrained(LAST)
    for _ in range(2):
        found = measured(model=AutoModel.from_pretrained(LAST), tokenizer=tokenizer)
    assert len(computed) == 1
    [entry] = models.entries([own])
    assert set(found["model"]) == {entry.name}


def test_time_that_is_over_leaves_what_is_done(computed: list[str]) -> None:
    with pytest.raises(isogloss.TimeUpError, match="0 of 1"):
        measured(checkpoints="checkpoint-0", seconds=0)
    assert computed == []


def test_the_queue_computes_the_same(own: Path) -> None:
    by_queue = measured(checkpoints="checkpoint-0", queue=True, pooling="last")
    [job] = (own / "jobs" / "runs").glob("*.json")
    assert json.loads(job.read_text())["pooling"] == "last"
    assert by_queue.equals(measured(checkpoints="checkpoint-0", pooling="last"))


def test_a_workspace_that_is_given_is_used_and_left_again(own: Path, tmp_path: Path) -> None:
    found = measured(checkpoints="checkpoint-0", workspace=tmp_path / "other")
    assert len(found)
    assert not own.exists()
    kept = isogloss.scores(workspace=tmp_path / "other")
    assert (kept["experiment"] == "abx").sum() == len(found)
    assert set(kept["experiment"]) == {"abx", "abx_controls"}  # what texts alone reach stands beside


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"what": "abxx"}, "no measurement 'abxx'. Did you mean 'abx'"),
    ({"pooled": "mean"}, "no option 'pooled'. Did you mean 'pooling'"),
    ({"pooling": "middle"}, "Unknown pooling 'middle'; choose 'mean'"),
    ({"corpus": None}, "'abx' needs corpus="),
    ({"corpus": "Demo sentence"}, "Did you mean 'Demo sentences'"),
    ({"corpus": {"en": ["a"], "de": ["a", "b"]}}, "lists differ in length: en 1, de 2"),
    ({"corpus": {"en": "a", "de": ["a"]}}, "'en' has one text"),
    ({"corpus": {"en": [1, 2], "de": ["a", "b"]}}, "where a text in en should be"),
    ({"corpus": {"en": ["a"]}}, "at least two languages"),
    ({"model": "Demo ML"}, "Did you mean 'Demo MLM'"),
    ({"model": 3}, "int is no model"),
    ({"model": AutoModel}, "is no model|needs its tokeniser"),
    ({"languages": ["de", "fr"]}, "no language 'fr'"),
    ({"checkpoints": "checkpoint-1"}, "no checkpoint 'checkpoint-1'"),
]


@pytest.mark.parametrize(("changed", "said"), WRONG, ids=[str(each)[:60] for each, _ in WRONG])
def test_what_cannot_be_is_said_with_what_there_is(changed: dict[str, Any], said: str) -> None:
    given = dict(changed)
    with pytest.raises(isogloss.IsoglossError, match=said):
        measured(given.pop("what", "abx"), **given)
