"""Every family of measurements, in the order of the menu: the one list that the queue, the pages and the command line read.

The product's own are named here, those of other packages are found by their entry points (docs/adding-a-family.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.corpora.shared.inputs import printable
from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.abx.family import ABX
from isogloss.backend.experiments.alignment.family import ALIGNMENT
from isogloss.backend.experiments.emergent.family import EMERGENT
from isogloss.backend.experiments.family import Place
from isogloss.backend.experiments.geometry.family import GEOMETRY
from isogloss.backend.experiments.latent.family import LATENT
from isogloss.backend.experiments.library.family import LIBRARY
from isogloss.backend.experiments.plug_ins import with_plug_ins
from isogloss.backend.experiments.pricing import room as fitting
from isogloss.backend.experiments.pricing.estimate import earlier_shards, estimate, sampled
from isogloss.backend.experiments.probing.family import PROBING
from isogloss.backend.experiments.relations.family import RELATIONS
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.tokenisers.family import TOKENISERS
from isogloss.backend.experiments.transfer.family import TRANSFER
from isogloss.backend.experiments.translation.family import TRANSLATION
from isogloss.backend.experiments.xferbench.family import XFERBENCH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from isogloss.backend.experiments.family import Experiment, Family, Measure
    from isogloss.backend.experiments.pricing.estimate import Estimate, Work
    from isogloss.backend.experiments.pricing.machine import Machine
    from isogloss.backend.experiments.pricing.room import Room
    from isogloss.backend.experiments.spec import Context, Spec
    from isogloss.backend.experiments.words import Fields, Names
    from isogloss.backend.metrics.intervals import Bounds

BUILT_IN: tuple[Family, ...] = (
    *(ABX, ALIGNMENT, GEOMETRY, PROBING, TRANSFER, LATENT, TOKENISERS, EMERGENT, XFERBENCH, TRANSLATION, RELATIONS, LIBRARY),
)
FAMILIES, LEFT_OUT = with_plug_ins(BUILT_IN)
"""`LEFT_OUT` has a sentence for each family that is installed and cannot be used."""
EXPERIMENTS: dict[str, Experiment] = {each.name: each for family in FAMILIES for each in family.experiments}
MEASURES: dict[str, Measure] = {metric: each for family in FAMILIES for metric, each in family.measures.items()}


def bounds_of(metric: str) -> Bounds:
    """Return the least and the greatest value that a measure can have, as its family says; none of one that no family names."""
    return MEASURES[metric].bounds if metric in MEASURES else (None, None)


def parse(value: object) -> Spec:
    """Return a spec from JSON, whoever wrote it. Raises `SpecError` naming the field that is wrong."""
    if not isinstance(value, dict) or not isinstance(name := value.get("experiment"), str):
        raise SpecError("A spec is a JSON object whose 'experiment' names what to compute. `--print-spec` shows one.")
    if name not in EXPERIMENTS:
        raise SpecError(f"There is no experiment '{printable(name)}'. {did_you_mean(name, EXPERIMENTS)}")
    return validate(EXPERIMENTS[name].spec, value)


def compute(spec: Spec, shard: str, context: Context) -> None:
    """Compute one shard of `spec` and publish it; returns at once where it is there already."""
    EXPERIMENTS[spec.experiment].compute(spec, shard, context)


def work(spec: Spec, shard: str, place: Place) -> Work | None:
    """Return how much work one shard is; None where its experiment does not say, or model or data are not kept."""
    of_shard = EXPERIMENTS[spec.experiment].work
    return None if of_shard is None else of_shard(spec, shard, place)


def price(
    spec: Spec, machine: Machine | None, workspaces: Sequence[Path], shards: Iterable[str] | None = None
) -> Estimate | None:
    """Estimate how long a machine takes for the `shards` of a spec that are missing, which are looked for where not given.

    None where no worker has said on what machine it computes, or the machine has not computed such shards before.
    """
    known = EXPERIMENTS[spec.experiment]
    if machine is None or known.work is None:
        return None
    if shards is None:
        shards = known.missing(spec, workspaces) if known.missing else spec.shards()
    place, earlier = Place(tuple(workspaces), machine.precision), earlier_shards(known.name, workspaces[0])
    if not earlier:
        return None
    looked_at, number = sampled(shards)
    works = [known.work(spec, shard, place) for shard in looked_at]
    whole = [each for each in works if each is not None]
    return estimate(whole, earlier, machine, number) if len(whole) == len(works) else None


def room(spec: Spec, machine: Machine | None, workspaces: Sequence[Path], shards: Iterable[str] | None = None) -> Room | None:
    """Return whether the model of the `shards` of a spec that are missing fits on a machine; None where none is loaded."""
    known = EXPERIMENTS[spec.experiment]
    if machine is None or not machine.memory or known.work is None:
        return None
    if shards is None:
        shards = known.missing(spec, workspaces) if known.missing else spec.shards()
    return fitting.room(spec, known.work, machine, workspaces, shards)


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
