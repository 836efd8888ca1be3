"""Results of lm-evaluation-harness: `results_2025-03-01T10-00-00.json`, with `results` → task → `acc,none`."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.covariates.outcome import Found
from isogloss.backend.corpora.covariates.plain import integer, number, table, text, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.corpora.covariates.outcome import Better

NO_METRICS = frozenset({"alias", "samples", "name", "sample_len", "sample_count", "bypass"})
RUN = frozenset({"configs", "config", "versions", "n-shot", "lm_eval_version"})
ERROR = "_stderr"
REVISION = re.compile(r"(?:^|,)revision=([^,]+)")
PRETRAINED = re.compile(r"(?:^|,)pretrained=([^,]+)")


def is_one(content: Any) -> bool:
    """Return whether JSON is such a file: its results are by task, and it says how it was run, whole or shortened."""
    return isinstance(content, dict) and isinstance(content.get("results"), dict) and not RUN.isdisjoint(content)


def read(content: Mapping[str, Any], file: str) -> tuple[list[Found], list[str]]:
    """Return the numbers of all tasks, and the groups among them, which are means of tasks.

    Of each metric (`acc,none`: the metric and the filter of answers) with its standard error, how many examples were asked and
    which values are good, where the file says them.
    """
    results = table(content["results"])
    groups = _groups(content)
    model, revision = _model(content)
    version = text(content.get("lm_eval_version"))
    tool = f"lm-evaluation-harness {version}".strip()
    found: list[Found] = []
    for task, of_task in results.items():
        n = integer(table(table(content.get("n-samples")).get(task)).get("effective"))
        shots = integer(table(content.get("n-shot")).get(task))
        good = table(table(content.get("higher_is_better")).get(task))
        for key, value in (of_task if isinstance(of_task, dict) else {"score": None}).items():
            metric, _, way = key.partition(",")
            if metric in NO_METRICS or metric.endswith(ERROR) or (isinstance(value, str) and not value.strip()):
                continue
            setting = [f"{shots} shots"] if shots is not None else []
            better: dict[Any, Better] = {True: "higher", False: "lower"}
            found.append(
                Found(
                    task=task,
                    metric=metric,
                    value=value_of(value),
                    file=file,
                    model=model,
                    revision=revision,
                    tool=tool,
                    date=_date(content.get("date")),
                    setting=", ".join(setting + ([way] if way not in ("", "none") else [])),
                    n=n,
                    error=number(table(of_task).get(f"{metric}{ERROR},{way}" if way else f"{metric}{ERROR}")),
                    better=better.get(good.get(metric)) if isinstance(good.get(metric), bool) else None,
                )
            )
    return found, [task for task in results if task in groups]


def _groups(content: Mapping[str, Any]) -> set[str]:
    """Return what names several tasks together."""
    members = table(content.get("group_subtasks"))
    return {*table(content.get("groups")), *(name for name, own in members.items() if own)}


def _model(content: Mapping[str, Any]) -> tuple[str, str]:
    config = table(content.get("config"))
    arguments = config.get("model_args")
    if isinstance(arguments, dict):
        arguments = ",".join(f"{name}={value}" for name, value in arguments.items())
    said = arguments if isinstance(arguments, str) else ""
    pretrained, revision = PRETRAINED.search(said), REVISION.search(said)
    model = text(content.get("model_name")) or (pretrained[1] if pretrained else "")
    return model, text(config.get("model_sha")) or (revision[1] if revision else text(config.get("model_revision")))


def _date(seconds: Any) -> str:
    value = number(seconds)
    try:
        return "" if value is None else datetime.fromtimestamp(value, UTC).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return ""
