"""Scores as `.eval_results`: by huggingface_hub's own classes, read back by the import, against means by hand."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import yaml  # type: ignore[import-untyped]
from huggingface_hub import parse_eval_result_entries

import isogloss
from isogloss.backend.corpora.covariates import hub_results
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.evaluations.eval_results import entries
from isogloss.backend.experiments.evaluations.files import files
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library

if TYPE_CHECKING:
    from pathlib import Path

FLORES = "openlanguagedata/flores_plus"
SOURCES = {"c": f"{FLORES}@{'a' * 40}, dev"}


def rows(*values: dict[str, Any]) -> pd.DataFrame:
    same = {"run": "r", "experiment": "abx", "metric": "abx_meaning", "model": "M", "checkpoint": "0" * 24, "step": pd.NA}
    same |= {"layer": 3.0, "corpus": "c", "corpus_name": "FLORES+", "variant": "exact/mean", "seed": np.nan, "n": 100.0}
    same |= {"low": 0.4, "high": 0.6, "created_at": pd.Timestamp("2025-03-01", tz="UTC"), "model_name": "M"}
    return pd.DataFrame([same | each for each in values])


def pair(source: str, target: str, value: float, **more: Any) -> dict[str, Any]:
    return {"source": source, "target": target, "value": value} | more


def read(text: str) -> dict[str, float]:
    parsed = parse_eval_result_entries(yaml.safe_load(text))
    assert len({(each.dataset_id, each.task_id) for each in parsed}) == len(parsed)
    return {each.task_id: each.value for each in parsed}


def test_means_and_those_of_each_language_by_the_hubs_classes() -> None:
    given = rows(pair("de", "fi", 0.2), pair("de", "fr", 0.4), pair("fi", "fr", 0.9), pair("fi", "fr", np.nan, layer=4.0))
    text = entries(given, SOURCES, "", "step 5")
    found = read(text)
    assert found == pytest.approx(
        {
            "abx_meaning_layer_3": 0.5,
            "abx_meaning_layer_3_de": 0.3,
            "abx_meaning_layer_3_fi": 0.55,
            "abx_meaning_layer_3_fr": 0.65,
        }
    )
    first, *_ = parse_eval_result_entries(yaml.safe_load(text))
    assert (first.dataset_id, first.dataset_revision, first.date) == (FLORES, "a" * 40, "2025-03-01")
    assert first.notes == "Isogloss, mean over 3 pairs of languages; step 5; exact/mean"
    back = hub_results.read(yaml.safe_load(text), "a.yaml", "org/small/.eval_results/a.yaml")
    assert [each.value for each in back] == pytest.approx(list(found.values()))
    assert {each.model for each in back} == {"org/small"}


def test_seeds_are_averaged_and_what_is_computed_again_counts_once() -> None:
    later = pd.Timestamp("2025-04-01", tz="UTC")
    given = rows(
        pair("de", "de", 0.1, seed=0.0, layer=np.nan),
        pair("de", "de", 0.3, seed=1.0, layer=np.nan),
        pair("de", "fi", 0.7, layer=np.nan),
        pair("de", "fi", 0.9, layer=np.nan, created_at=later),
    )
    assert read(entries(given, {}, FLORES, "")) == pytest.approx(
        {
            "abx_meaning_pairs": 0.9,
            "abx_meaning_pairs_de": 0.9,
            "abx_meaning_pairs_fi": 0.9,
            "abx_meaning": 0.2,
            "abx_meaning_de": 0.2,
        }
    )


def test_variants_are_tasks_of_their_own() -> None:
    given = rows(pair("de", "fi", 0.7), pair("de", "fi", 0.8, variant="exact/first"))
    found = read(entries(given, SOURCES, "", ""))
    assert (found["abx_meaning_layer_3_exact_mean"], found["abx_meaning_layer_3_exact_first"]) == (0.7, 0.8)


def test_a_corpus_of_ones_own_needs_a_name_and_an_old_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    given = rows(pair("de", "fi", 0.7))
    with pytest.raises(SpecError, match="'FLORES\\+' is of no data set of the Hub"):
        entries(given, {}, "", "")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(SpecError, match="install or upgrade"):
        entries(given, SOURCES, "", "")


def test_a_file_a_checkpoint_in_the_models_folder(tmp_path: Path) -> None:
    states = tuple(
        Checkpoint(source="hub", location="org/small", commit="f" * 40, label=label, fingerprint=digit * 24)
        for label, digit in (("step 1/x", "0"), ("step2", "1"))
    )
    library.keep(Model(name="Mine", architecture="bert", layers=2, dims=4, checkpoints=states), tmp_path)
    given = pd.concat([rows(pair("de", "fi", 0.7)), rows(pair("de", "fi", 0.8, checkpoint="2" * 24, model_name="../x"))])
    assert sorted(files(given, [tmp_path], "eval_results", FLORES)) == [
        "org/small/.eval_results/isogloss-step-1-x.yaml",
        "x/.eval_results/isogloss.yaml",
    ]
    assert sorted(files(given, [tmp_path], "every_eval_ever")) == [f"isogloss-{'0' * 24}.json", f"isogloss-{'2' * 24}.json"]


def test_the_public_function_takes_what_scores_returns() -> None:
    frame = isogloss.scores("abx_meaning", model="Demo MLM", layers=3, checkpoint=2000, own=False)
    ((name, text),) = isogloss.evaluations(frame, dataset=FLORES).items()
    assert name.startswith("Demo-MLM/.eval_results/isogloss-")
    found = read(text)
    assert len(found) > 3
    with pytest.raises(SpecError, match=r"no form 'eval_result'\. Did you mean 'eval_results'"):
        isogloss.evaluations(frame, "eval_result")  # type: ignore[arg-type]
