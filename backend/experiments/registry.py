"""Every family of measurements, in the order of the menu: the one list that the queue, the pages and the command line read.

To add a family, write its folder and name it here (docs/adding-a-family.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from backend.errors import SpecError, did_you_mean
from backend.experiments.abx.family import ABX
from backend.experiments.alignment.family import ALIGNMENT
from backend.experiments.emergent.family import EMERGENT
from backend.experiments.library.family import LIBRARY
from backend.experiments.probing.family import PROBING
from backend.experiments.relations.family import RELATIONS
from backend.experiments.spec import validate
from backend.experiments.transfer.family import TRANSFER
from backend.experiments.translation.family import TRANSLATION
from backend.experiments.xferbench.family import XFERBENCH

if TYPE_CHECKING:
    from backend.experiments.family import Experiment, Family, Measure
    from backend.experiments.spec import Context, Spec
    from backend.experiments.words import Fields, Names

FAMILIES: tuple[Family, ...] = (ABX, ALIGNMENT, PROBING, TRANSFER, EMERGENT, XFERBENCH, TRANSLATION, RELATIONS, LIBRARY)
EXPERIMENTS: dict[str, Experiment] = {each.name: each for family in FAMILIES for each in family.experiments}
MEASURES: dict[str, Measure] = {metric: each for family in FAMILIES for metric, each in family.measures.items()}


def parse(value: Fields) -> Spec:
    """Return a spec from JSON. Raises `SpecError` naming the field that is wrong."""
    name = str(value.get("experiment"))
    if name not in EXPERIMENTS:
        raise SpecError(f"There is no experiment '{name}'. {did_you_mean(name, EXPERIMENTS)}")
    return validate(EXPERIMENTS[name].spec, value)


def compute(spec: Spec, shard: str, context: Context) -> None:
    """Compute one shard of `spec` and publish it; returns at once where it is there already."""
    EXPERIMENTS[spec.experiment].compute(spec, shard, context)


def title(spec: Fields) -> str:
    """Return a run in a few words: `ABX · mini (12 checkpoints)`. One of an unknown experiment has its key."""
    known = _experiment(spec)
    return known.title(spec) if known else str(spec.get("experiment"))


def details(spec: Fields, names: Names) -> str:
    """Return the rest of what was asked for: corpus, languages, options."""
    known = _experiment(spec)
    return " · ".join(known.details(spec, names)) if known else ""


def piece(spec: Fields) -> str | None:
    """Return what one shard of a run is called; None for an experiment of one shard."""
    known = _experiment(spec)
    return known.piece if known else None


def _experiment(spec: Fields) -> Experiment | None:
    return EXPERIMENTS.get(str(spec.get("experiment")))
