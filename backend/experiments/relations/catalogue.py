"""Which measures the table of scores has, of which models, and at which units they can be read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, get_args

import pandas as pd

from backend.experiments.relations.reading import Scored, Unit
from backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.experiments.frames import Known
    from backend.experiments.relations.cubes import Files

UNITS: tuple[Unit, ...] = get_args(Unit)
WHAT = """
SELECT experiment, metric, corpus, variant, model, checkpoint, max(step) AS step,
  coalesce(list(DISTINCT layer) FILTER (layer IS NOT NULL), []) AS layers,
  list(DISTINCT source) AS sources, list(DISTINCT target) AS targets,
  bool_or(source = target) AS own, bool_or(source <> target) AS others, bool_or(source > target) AS directed
FROM {scores} WHERE checkpoint IS NOT NULL GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True)
class OfModel:
    """A measure's checkpoints of one model, in the order of training."""

    model: str
    checkpoints: tuple[str, ...]
    labels: tuple[str, ...]
    steps: tuple[int | None, ...]


@dataclass(frozen=True)
class Available:
    """One measure in one variant on one corpus: what is there to read."""

    experiment: str
    metric: str
    corpus: str | None
    variant: str | None
    models: tuple[OfModel, ...]
    layers: tuple[int, ...]
    """Empty where scores have none."""
    own: bool
    """There are scores of a language with itself."""
    others: bool
    """There are scores of two different languages."""
    directed: bool
    """A pair's two directions have scores of their own."""
    names: tuple[str, ...]
    """Languages (and corpora in their place) that there are scores of, sorted."""

    def at(self, unit: Unit) -> bool:
        """Whether the measure can be read at a unit."""
        match unit:
            case "pair":
                return self.others
            case "layer":
                return len(self.layers) > 1
            case "checkpoint":
                return any(len(each.checkpoints) > 1 for each in self.models)
            case _:
                return True

    def of(self, model: str) -> OfModel | None:
        """The checkpoints of one model; None where it has no score."""
        return next((each for each in self.models if each.model == model), None)

    def scored(self, model: OfModel) -> Scored:
        """What reads the scores of one of its models."""
        return Scored(
            experiment=self.experiment,
            metric=self.metric,
            corpus=self.corpus,
            variant=self.variant,
            checkpoints=model.checkpoints,
            steps=model.steps,
        )


def catalogue(files: Files, known: Sequence[Known]) -> list[Available]:
    """Every measure of the table of scores. `known` are the models' checkpoints: whose they are, their order and labels.

    A checkpoint that no model has any more belongs to the model and the step that its scores name.
    """
    return list(_catalogue(files, tuple(known)))


@lru_cache(maxsize=8)
def _catalogue(files: Files, known: tuple[Known, ...]) -> tuple[Available, ...]:
    rows = scores.query(WHAT, {}, [path for path, _ in files])
    owners: dict[str, list[Known]] = {}
    for each in known:
        owners.setdefault(each[0], []).append(each)
    found = []
    for key, own in rows.groupby(["experiment", "metric", "corpus", "variant"], dropna=False, sort=True):
        experiment, metric, corpus, variant = (None if pd.isna(each) else each for each in key)
        layers = sorted({int(layer) for several in own["layers"] for layer in several})
        names = {name for column in ("sources", "targets") for several in own[column] for name in several if name}
        flags = (bool(own[name].any()) for name in ("own", "others", "directed"))
        scored = (_models(own, owners), tuple(layers), *flags, tuple(sorted(names)))
        found.append(Available(str(experiment), str(metric), corpus, variant, *scored))
    return tuple(found)


def _models(rows: pd.DataFrame, owners: dict[str, list[Known]]) -> tuple[OfModel, ...]:
    """The models that have these rows, by name; each with its checkpoints in order."""
    models: dict[str, dict[str, tuple[tuple[float, float], str, int | None]]] = {}
    for row in rows.itertuples():
        written = None if pd.isna(row.step) else int(row.step)
        for _, model, label, step, position in owners.get(row.checkpoint, ()):
            models.setdefault(model, {})[row.checkpoint] = ((0.0, float(position)), label, step)
        if row.checkpoint not in owners:
            place = (1.0, float("inf") if written is None else float(written))
            label = row.checkpoint[:8] if written is None else f"step {written}"
            models.setdefault(str(row.model), {}).setdefault(row.checkpoint, (place, label, written))
    found = []
    for model in sorted(models, key=str.casefold):
        ordered = sorted(models[model].items(), key=lambda item: (item[1][0], item[0]))
        labels, steps = tuple(label for _, (_, label, _) in ordered), tuple(step for _, (_, _, step) in ordered)
        found.append(OfModel(model, tuple(key for key, _ in ordered), labels, steps))
    return tuple(found)
