"""`isogloss.schemas`: the JSON schemas of all specifications, and of the table of scores."""

from __future__ import annotations

from typing import Any

TYPES = {"string": "string", "int64": "integer", "int16": "integer", "double": "number"}
"""Arrow's types in JSON's words."""


def schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON schema of each specification by its `experiment`, and of a row of the table of scores as `scores`.

    A specification is what `isogloss run spec FILE` reads and `--print-spec` prints. Titles and descriptions are those of the
    dashboard's controls and of `--help`. Families that other packages bring are among them.
    """
    from isogloss.backend.experiments.registry import EXPERIMENTS

    of_specs = {name: known.spec.model_json_schema() for name, known in sorted(EXPERIMENTS.items())}
    return of_specs | {"scores": _of_scores()}


def _of_scores() -> dict[str, Any]:
    from isogloss.backend.store.scores import SCORES

    needed = {"run", "experiment", "metric", "created_at"}
    properties: dict[str, Any] = {}
    for column in SCORES:
        time = {"type": "string", "format": "date-time"}
        kind = {"type": TYPES[str(column.type)]} if str(column.type) in TYPES else time
        properties[column.name] = {"description": MEANINGS[column.name]} | (
            kind if column.name in needed else kind | {"type": [kind["type"], "null"]}
        )
    return {
        "title": "Score",
        "description": "One row of the table of scores, whatever the family: a measured value with its 95% interval.",
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }


MEANINGS = {
    "run": "Hash of the shard that computed the row; the name of its file",
    "experiment": "The family: abx, alignment, probing, transfer …",
    "metric": "The measure: abx_meaning, sentence_weak …",
    "model": "The model's name when it was measured",
    "checkpoint": "The checkpoint's fingerprint: 24 hexadecimal digits of its weights' content",
    "step": "Training step, null where unknown",
    "layer": "0 is the input embedding; null where none applies",
    "source": "BCP-47 language, or id of a corpus of XferBench",
    "target": "Likewise; of symmetric scores source < target",
    "corpus": "Content id of the corpus",
    "variant": "Protocol and options: what makes two values of one metric not comparable",
    "seed": "null where nothing is random, and for means over seeds",
    "value": "The score; its unit and direction are those of its metric; null where it is not defined",
    "low": "Lower end of the 95% interval; its method is that of its metric",
    "high": "Upper end",
    "n": "Sentences (or examples) that the value rests on",
    "created_at": "When it was computed",
}
