"""Models that are seeds of one, among those that have a measure: by their names, or by those of one model's checkpoints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from isogloss.backend.models.seeds import seed_of, seeds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isogloss.backend.experiments.relations.catalogue import OfModel


def by_seed(models: Sequence[OfModel]) -> tuple[list[OfModel], dict[str, str]]:
    """Return the models, those that are seeds each by itself, and by name what these are seeds of.

    A model all of whose checkpoints tell a seed, and several, is a model a seed.
    """
    found: list[OfModel] = []
    together: dict[str, str] = {}
    for model in models:
        parts = _parts(model)
        found += parts
        if len(parts) > 1:
            together |= {part.model: model.model for part in parts}
    return found, seeds_of(each.model for each in models) | together


def _parts(model: OfModel) -> list[OfModel]:
    told = [seed_of(label) for label in model.labels]
    seeds = [each[1] for each in told if each is not None]
    if len(seeds) < len(told) or len(set(seeds)) < 2:
        return [model]
    parts = []
    for seed in dict.fromkeys(seeds):
        own = [place for place, each in enumerate(seeds) if each == seed]
        part = replace(
            model,
            model=f"{model.model}, seed {seed}",
            checkpoints=tuple(model.checkpoints[place] for place in own),
            labels=tuple(model.labels[place] for place in own),
            steps=tuple(model.steps[place] for place in own),
        )
        parts.append(part)
    return parts
