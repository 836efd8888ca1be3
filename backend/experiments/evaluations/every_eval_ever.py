"""Scores as Every Eval Ever writes evaluations: an object a checkpoint, by its schema `eval.schema.json`, version 0.3.0."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from isogloss.backend.experiments.registry import MEASURES

if TYPE_CHECKING:
    from isogloss.backend.models.entry import Checkpoint

SCHEMA = "0.3.0"
DETAILS = ("layer", "source", "target", "variant", "seed", "run")
"""Columns that say which score of a measure it is."""


def record(frame: pd.DataFrame, name: str, checkpoint: Checkpoint | None, version: str) -> dict[str, Any]:
    """Return the scores of one checkpoint as one evaluation; scores that are no number are left out, as JSON has none.

    `frame` are rows of the table of scores with `corpus_name`, at least one; `name` is the model's. The model's id is its Hub
    id, else its name. A measure that is good neither high nor low says so in its details: the schema knows no third direction.
    """
    made = str(int(frame["created_at"].max().timestamp()))
    hub = checkpoint is not None and checkpoint.source == "hub"
    model = checkpoint.location if checkpoint is not None and hub else name
    details: dict[str, Any] = {"deployment_type": "self_deployed", "model_availability": "open_weights" if hub else "unknown"}
    details |= {"fingerprint": frame["checkpoint"].iloc[0], "step": frame["step"].iloc[0]}
    if checkpoint is not None:
        details |= {"label": checkpoint.label, "revision": (checkpoint.commit or checkpoint.revision) if hub else None}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"isogloss/{model}/{made}",
        "evaluation_timestamp": made,
        "retrieved_timestamp": made,
        "source_metadata": {
            "source_name": "Isogloss",
            "source_type": "evaluation_run",
            "source_organization_name": "not stated",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "isogloss", "version": version},
        "model_info": {"name": name, "id": model, "additional_details": _said(details)},
        "evaluation_results": [_result(row) for row in frame.to_dict("records") if math.isfinite(row["value"])],
    }


def _result(row: dict[Any, Any]) -> dict[str, Any]:
    words = MEASURES.get(row["metric"])
    corpus = _said({"name": row["corpus_name"], "id": row["corpus"]})
    dataset = {"dataset_name": corpus.get("name") or corpus.get("id") or "none", "source_type": "other"}
    uncertainty: dict[str, Any] = {}
    if math.isfinite(row["low"]) and math.isfinite(row["high"]):
        uncertainty["confidence_interval"] = {"lower": row["low"], "upper": row["high"], "confidence_level": 0.95}
    if not pd.isna(row["n"]):
        uncertainty["num_samples"] = int(row["n"])
    return {
        "evaluation_name": row["metric"],
        "source_data": dataset | ({"additional_details": {"id": corpus["id"]}} if "id" in corpus else {}),
        "metric_config": {
            "metric_id": f"isogloss.{row['metric']}",
            "metric_name": words.title if words else row["metric"],
            "metric_unit": words.unit if words else "as stored",
            "lower_is_better": words is not None and words.better == "lower",
            "additional_details": {"better": words.better if words else "neither"},
        },
        "score_details": {
            "score": row["value"],
            "details": _said({name: row[name] for name in DETAILS}),
            **({"uncertainty": uncertainty} if uncertainty else {}),
        },
    }


def _said(values: dict[str, Any]) -> dict[str, str]:
    """Return what there is of some values, as text, as the schema has it; a whole number without a decimal point."""
    known = {name: value for name, value in values.items() if not pd.isna(value)}
    whole = {name: int(value) for name, value in known.items() if isinstance(value, float) and value.is_integer()}
    return {name: str(whole.get(name, value)) for name, value in known.items()}
