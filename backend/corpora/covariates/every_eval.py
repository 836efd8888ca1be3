"""Results as Every Eval Ever writes them: a JSON object a run, by its schema `eval.schema.json`, versions 0.1 to 0.3."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from isogloss.backend.corpora.covariates.outcome import Found
from isogloss.backend.corpora.covariates.plain import integer, number, table, text, value_of
from isogloss.backend.corpora.covariates.task_languages import FULL, named_alone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.corpora.covariates.outcome import Better, Unit

UNITS: dict[str, Unit] = {"percent": "percent", "percentage": "percent", "proportion": "share", "share": "share"}
QUANTILE = 1.959963984540054


def is_one(content: Any) -> bool:
    """Return whether JSON is such a run."""
    return isinstance(content, dict) and "schema_version" in content and isinstance(content.get("evaluation_results"), list)


def read(content: Mapping[str, Any], file: str) -> list[Found]:
    """Return the score of each result, with what the run says of model, library and date.

    A result that is called by a language alone is of its data set in that language.
    """
    library, model = table(content.get("eval_library")), table(content.get("model_info"))
    by = text(table(content.get("source_metadata")).get("source_organization_name"))
    tool = " ".join(filter(None, (text(library.get("name")), text(library.get("version")))))
    found = []
    for row in map(table, content["evaluation_results"]):
        metric, score, data = (table(row.get(name)) for name in ("metric_config", "score_details", "source_data"))
        uncertainty = table(score.get("uncertainty"))
        name, of, config = (
            text(each) for each in (row.get("evaluation_name"), data.get("dataset_name"), data.get("hf_config"))
        )
        by_name = bool(of) and named_alone(name)
        found.append(
            Found(
                task=of if by_name else name,
                metric=next(
                    filter(None, (text(metric.get(each)) for each in ("metric_id", "metric_name", "metric_kind"))), "score"
                ),
                value=value_of(score.get("score")),
                file=file,
                model=text(model.get("id")),
                revision=text(table(model.get("additional_details")).get("revision")),
                tool=", ".join(filter(None, (tool, by))),
                date=_date(row.get("evaluation_timestamp") or content.get("evaluation_timestamp")),
                setting=text(data.get("hf_split")),
                languages=(name,) if by_name else (config,) if FULL.fullmatch(config) else (),
                n=integer(uncertainty.get("num_samples")),
                error=_error(uncertainty),
                better=_better(metric.get("lower_is_better")),
                unit=_unit(metric),
            )
        )
    return found


def _unit(metric: Mapping[str, Any]) -> Unit | None:
    """Return the unit as it is said, else by the least and greatest score there can be."""
    ends: dict[tuple[float | None, float | None], Unit] = {(0.0, 1.0): "share", (0.0, 100.0): "percent"}
    said = UNITS.get(text(metric.get("metric_unit")).lower())
    return said or ends.get((number(metric.get("min_score")), number(metric.get("max_score"))))


def _better(lower: Any) -> Better | None:
    return None if not isinstance(lower, bool) else "lower" if lower else "higher"


def _error(uncertainty: Mapping[str, Any]) -> float | None:
    """Return the standard error; half the width of a 95% interval in units of 1.96 where that alone is given."""
    given = number(table(uncertainty.get("standard_error")).get("value"))
    interval = table(uncertainty.get("confidence_interval"))
    low, high, level = (number(interval.get(each)) for each in ("lower", "upper", "confidence_level"))
    if given is not None or low is None or high is None or level != 0.95:
        return given
    return (high - low) / (2 * QUANTILE)


def _date(said: Any) -> str:
    """Return a date as written, one in seconds since 1970 as ISO 8601."""
    written = text(said)
    try:
        return datetime.fromtimestamp(float(written), UTC).date().isoformat() if written else ""
    except (ValueError, OverflowError, OSError):
        return written[:10]
