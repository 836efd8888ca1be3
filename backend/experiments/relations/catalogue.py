"""Which measures the table of scores has, of which models, and at which units they can be read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import pandas as pd

from isogloss.backend.experiments.registry import MEASURES
from isogloss.backend.experiments.relations.dictionaries import sets_of, variant_as_told
from isogloss.backend.experiments.relations.reading import Scored, Unit
from isogloss.backend.store import scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from isogloss.backend.experiments.frames import Known
    from isogloss.backend.experiments.relations.cubes import Files
    from isogloss.backend.experiments.relations.dictionaries import Key, Together

TOGETHER = """(SELECT rows.*, coalesce(sets.place, 0) AS together FROM {places} AS rows LEFT JOIN (
  SELECT unnest($corpora) AS corpus, unnest($variants) AS variant, unnest($dictionaries) AS dictionary, unnest($sets) AS place
) AS sets ON sets.corpus = rows.corpus AND sets.variant = rows.variant AND sets.dictionary = rows.dictionary)"""
"""The rows with the number of the set that their dictionary is in."""


Place = tuple[int, float, str, int | None]
"""Where a checkpoint stands: those of kept models first, then its position or step; its label and step."""


@dataclass(frozen=True)
class OfModel:
    """A measure's checkpoints of one model, in the order of training."""

    model: str
    checkpoints: tuple[str, ...]
    labels: tuple[str, ...]
    steps: tuple[int | None, ...]
    series: bool
    """They are states of one training, of which one is the last; else trainings side by side, such as one a source corpus."""
    table: str | None = None
    """Of an outcome of elsewhere: the kept table that has it, and its column. It stands in place of a corpus."""


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
    own_scores: int
    """How many scores there are of a language with itself."""
    others: bool
    """There are scores of two different languages."""
    directed: bool
    """A pair's two directions have scores of their own."""
    scores: int
    """How many there are."""
    names: tuple[str, ...]
    """Languages (and corpora in their place) that there are scores of, sorted."""
    dictionaries: tuple[str, ...] | None = None
    """Ids of what paired the words, where several did: others are of a measure of their own."""
    later: bool = False
    """Other dictionaries were first to pair these words."""

    @property
    def own(self) -> bool:
        """Whether there are scores of a language with itself."""
        return self.own_scores > 0

    def at(self, unit: Unit) -> bool:
        """Return whether the measure can be read at a unit."""
        match unit:
            case "pair":
                return self.others
            case "layer":
                return len(self.layers) > 1
            case "checkpoint":
                return any(len(each.checkpoints) > 1 and each.series for each in self.models)
            case "model":
                return len(self.models) > 1
            case _:
                return True

    def of(self, model: str) -> OfModel | None:
        """Return the checkpoints of one model; None where it has no score."""
        return next((each for each in self.models if each.model == model), None)

    def scored(self, model: OfModel) -> Scored:
        """Return what reads the scores of one of its models."""
        return Scored(
            experiment=self.experiment,
            metric=self.metric,
            corpus=model.table or self.corpus,
            variant=self.variant,
            checkpoints=model.checkpoints,
            steps=model.steps,
            model=model.model,
            dictionaries=self.dictionaries,
        )


def catalogue(files: Files, known: Sequence[Known]) -> list[Available]:
    """Return every measure of the table of scores. `known` are the models' checkpoints: whose they are, their order and labels.

    A checkpoint that no model has any more belongs to the model and the step that its scores name.
    """
    families: dict[str, list[tuple[Path, float]]] = {}
    for file in files:
        families.setdefault(file[0].parent.name, []).append(file)
    found = [each for own in families.values() for each in _catalogue(tuple(own), tuple(known))]
    return sorted(found, key=lambda each: (each.experiment, each.metric, each.corpus or "", each.variant or ""))


@lru_cache(maxsize=64)
def _catalogue(files: Files, known: tuple[Known, ...]) -> tuple[Available, ...]:
    """Return the measures of one family: a new file makes that family alone be read again."""
    sets = sets_of(files)
    rows = _what(files, sets)
    owners: dict[str, list[Known]] = {}
    for each in known:
        owners.setdefault(each[0], []).append(each)
    names, measures = tuple(sorted({name for own in rows["names"] for name in own if name})), []
    rows = rows[rows["checkpoint"].notna()]
    for key, names_of_family in rows.groupby(
        ["experiment", "metric", "corpus", "variant", "together"], dropna=False, sort=True
    ):
        experiment, metric, corpus, variant = (None if each != each or each is pd.NA else str(each) for each in key[:4])
        several = sets.get((str(corpus), str(variant)))
        words = MEASURES.get(str(metric))
        measures.append(
            Available(
                experiment=str(experiment),
                metric=str(metric),
                corpus=corpus,
                variant=variant,
                models=_models(names_of_family, owners),
                layers=tuple(sorted({int(layer) for several in names_of_family["layers"] for layer in several})),
                own_scores=int(names_of_family["own"].sum()),
                others=bool(names_of_family["others"].any()),
                directed=bool(names_of_family["directed"].any() or (words is not None and words.directed)),
                scores=int(names_of_family["scores"].sum()),
                names=names,
                dictionaries=several[int(str(key[4]))] if several else None,
                later=str(key[4]) != "0",
            )
        )
    return tuple(measures)


def _what(files: Files, sets: dict[Key, tuple[Together, ...]]) -> pd.DataFrame:
    """Return what there is of each measure, by set of dictionaries where words were paired by several.

    Footers say it, but of older files, and of which pairs were paired by what.
    """
    known = scores.known(path for path, _ in files)
    listed = [
        measure | {"variant": variant_as_told(measure["variant"], file, measure["metric"])}
        for file in known
        for measure in (() if sets else file.provenance.get(scores.FOOTER, ()))
    ]
    paths = [file.path for file in known if sets or scores.FOOTER not in file.provenance]
    together = [(*key, each, place) for key, own in sets.items() for place, one in enumerate(own) for each in one]
    lists = dict(zip(("corpora", "variants", "dictionaries", "sets"), map(list, zip(*together, strict=True)), strict=False))
    rows, name = (TOGETHER, "together") if sets else ("{variants}", "0")
    read = scores.query(scores.LISTED.format(rows=rows, together=name), lists, paths) if paths else pd.DataFrame()
    return pd.concat([pd.DataFrame(listed), read], ignore_index=True)


def _models(rows: pd.DataFrame, owners: dict[str, list[Known]]) -> tuple[OfModel, ...]:
    """Return the models that have these rows, by name; each with its checkpoints in order."""
    models: dict[str, dict[str, Place]] = {}
    for row in rows[["model", "checkpoint", "step"]].to_dict("records"):
        key, written = str(row["checkpoint"]), None if pd.isna(row["step"]) else int(row["step"])
        for known in owners.get(key, ()):
            _, model, label, step, position = known[:5]
            models.setdefault(model, {})[key] = (0, float(position), label, step)
        if key not in owners:
            place = float("inf") if written is None else float(written)
            label = key[:8] if written is None else f"step {written}"
            models.setdefault(str(row["model"]), {}).setdefault(key, (1, place, label, written))
    return tuple(_of_model(model, own) for model, own in sorted(models.items(), key=lambda item: item[0].casefold()))


def _of_model(model: str, places: dict[str, Place]) -> OfModel:
    ordered = sorted(places, key=lambda key: (*places[key][:2], key))
    return OfModel(
        model,
        checkpoints=tuple(ordered),
        labels=tuple(places[key][2] for key in ordered),
        steps=tuple(places[key][3] for key in ordered),
        series=any(kept == 0 or step is not None for kept, _, _, step in places.values()),
    )
