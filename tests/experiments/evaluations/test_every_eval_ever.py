"""Scores as Every Eval Ever has them: by the rules of its schema 0.3.0, written down here, and against rows by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from isogloss.backend.corpora.covariates import every_eval
from isogloss.backend.experiments.evaluations.every_eval_ever import record
from isogloss.backend.metrics.intervals import normal_as_jackknife
from isogloss.backend.models.entry import Checkpoint
from isogloss.backend.store import older, scores

KEY = ["metric", "layer", "source", "target"]
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}


def of(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties}


TEXT, NUMBER = {"type": "string"}, {"type": "number"}
INTERVAL = of(["lower", "upper"], lower=NUMBER, upper=NUMBER, confidence_level={"type": "number", "minimum": 0, "maximum": 1})
RESULT = of(
    ["evaluation_name", "source_data", "metric_config", "score_details"],
    evaluation_name=TEXT,
    source_data=of(["dataset_name", "source_type"], dataset_name=TEXT, source_type={"const": "other"}, additional_details=TEXTS)
    | {"additionalProperties": False},
    metric_config=of(
        ["lower_is_better"], metric_id=TEXT, metric_unit=TEXT, lower_is_better={"type": "boolean"}, additional_details=TEXTS
    ),
    score_details=of(
        ["score"],
        score=NUMBER,
        details=TEXTS,
        uncertainty=of([], confidence_interval=INTERVAL, num_samples={"type": "integer"}),
    ),
)
SCHEMA = of(
    [
        "schema_version",
        "evaluation_id",
        "retrieved_timestamp",
        "source_metadata",
        "model_info",
        "eval_library",
        "evaluation_results",
    ],
    schema_version=TEXT,
    evaluation_id=TEXT,
    evaluation_timestamp=TEXT,
    retrieved_timestamp=TEXT,
    source_metadata=of(
        ["source_type", "source_organization_name", "evaluator_relationship"],
        source_name=TEXT,
        source_type={"enum": ["documentation", "evaluation_run"]},
        source_organization_name=TEXT,
        evaluator_relationship={"enum": ["first_party", "third_party", "collaborative", "other"]},
    ),
    eval_library=of(["name", "version"], name=TEXT, version=TEXT),
    model_info=of(
        ["name", "id", "additional_details"],
        name=TEXT,
        id=TEXT,
        additional_details=of(
            ["deployment_type", "model_availability"],
            deployment_type={"enum": ["self_deployed", "externally_managed", "unknown"]},
            model_availability={"enum": ["open_weights", "closed_weights", "unknown"]},
        )
        | {"additionalProperties": TEXT},
    ),
    evaluation_results={"type": "array", "items": RESULT},
) | {"additionalProperties": False}


def rows(**changes: Any) -> pd.DataFrame:
    row = {"run": "r", "experiment": "abx", "metric": "abx_meaning", "model": "M", "checkpoint": "0" * 24, "step": pd.NA}
    row |= {"layer": 3.0, "source": "de", "target": "fi", "corpus": "c", "variant": None, "seed": np.nan, "value": 0.5}
    row |= {"low": 0.4, "high": 0.6, "n": 100.0, "created_at": pd.Timestamp("2025-03-01", tz="UTC"), "corpus_name": "NTREX"}
    return pd.DataFrame([row, row | changes])


def test_a_checkpoint_is_one_evaluation_by_the_schema_and_reads_back() -> None:
    hub = Checkpoint(source="hub", location="org/small", commit="f" * 40, label="main", fingerprint="0" * 24)
    frame = rows(metric="unknown", value=0.25, low=np.nan, high=np.nan, n=np.nan, corpus=None, corpus_name=np.nan)
    frame = pd.concat([frame, rows(value=np.nan).tail(1)], ignore_index=True)
    for checkpoint, name in ((hub, "org/small"), (None, "Mine")):
        said = record(frame, "Mine", checkpoint, "0.2.0")
        jsonschema.validate(json.loads(json.dumps(said, allow_nan=False)), SCHEMA)
        assert said["model_info"]["id"] == name
        first, second = said["evaluation_results"]
        assert first["score_details"]["uncertainty"]["confidence_interval"] == {
            "lower": 0.4,
            "upper": 0.6,
            "confidence_level": 0.95,
        }
        assert first["score_details"]["details"] == {"layer": "3", "source": "de", "target": "fi", "run": "r"}
        assert "uncertainty" not in second["score_details"]
        found = every_eval.read(said, "a.json")
        assert [(each.metric, each.value, each.n) for each in found] == [
            ("isogloss.abx_meaning", 0.5, 100),
            ("isogloss.unknown", 0.25, None),
        ]


def test_every_interval_is_that_of_the_file_or_of_today_where_the_file_has_that_of_before() -> None:
    demo = Path(__file__).resolve().parents[3] / "cache" / "demo"
    kept = {family: scores.shards([demo], family)[0].path for family in ("abx", "geometry")}
    assert [family for family, path in kept.items() if older.is_older(path)] == ["abx"], "both kinds are to be compared"
    for path in kept.values():
        stored = pq.read_table(path).to_pandas().set_index(KEY)
        read = scores.sql(f"SELECT *, corpus AS corpus_name FROM scores WHERE run = '{path.stem}'", [demo])
        for name, said in read.groupby(["checkpoint", "variant"], dropna=False):
            found = pd.DataFrame(map(exported, record(said, str(name), None, "1")["evaluation_results"])).set_index(KEY)
            assert len(found) == len(said) == said["value"].count()
            own = stored.loc[found.index]
            expected = own["low"].to_numpy(), own["high"].to_numpy()
            if older.is_older(path):
                shares = own.index.get_level_values("metric").isin(older.METRICS)
                today = normal_as_jackknife(own["value"], *expected, own["n"])
                expected = np.where(shares, today[0], expected[0]), np.where(shares, today[1], expected[1])
                assert (expected[0] != own["low"]).sum() == shares.sum() > 100
            tolerance = 1e-12 if older.is_older(path) else 0
            assert found[["low", "high"]].to_numpy() == pytest.approx(np.stack(expected, 1), rel=0, abs=tolerance, nan_ok=True)


def exported(result: dict[str, Any]) -> dict[str, Any]:
    details = result["score_details"]["details"]
    between = result["score_details"].get("uncertainty", {}).get("confidence_interval", {})
    ends = {"low": between.get("lower", np.nan), "high": between.get("upper", np.nan)}
    same = {"metric": result["evaluation_name"], "source": details["source"], "target": details["target"]}
    return same | {"layer": int(details["layer"])} | ends
