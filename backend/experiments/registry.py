"""Every family of measurements, in the order of the menu: the one list that the queue, the pages and the command line read.

To add a family, write its folder and name it here (docs/adding-a-family.md).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from backend.corpora.shared.inputs import printable
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
ID = re.compile("[0-9a-f]{24}")
IDS = re.compile("fingerprint|corpus|tested|extra|dictionary|alignment|gold|others|vectors")
"""The fields of specs that hold ids, at any depth: each is a hash of content, and a folder or a file is named by it."""
MEASURES: dict[str, Measure] = {metric: each for family in FAMILIES for metric, each in family.measures.items()}


def parse(value: object) -> Spec:
    """Return a spec from JSON, whoever wrote it. Raises `SpecError` naming the field that is wrong."""
    if not isinstance(value, dict) or not isinstance(name := value.get("experiment"), str):
        raise SpecError("A spec is a JSON object whose 'experiment' names what to compute. `--print-spec` shows one.")
    if name not in EXPERIMENTS:
        raise SpecError(f"There is no experiment '{printable(name)}'. {did_you_mean(name, EXPERIMENTS)}")
    spec = validate(EXPERIMENTS[name].spec, value)
    check_ids(spec)
    return spec


def check_ids(spec: Spec) -> None:
    """Raise `SpecError` where an id in a spec could name anything but what a library keeps."""
    _check_ids(spec.model_dump(mode="json"))


def _check_ids(value: object, field: str = "") -> None:
    """Raise `SpecError` where an id of a corpus, a dictionary, weights … could name anything but what a library keeps."""
    match value:
        case dict():
            for name, each in value.items():
                _check_ids(each, name)
        case list():
            for each in value:
                _check_ids(each, field)
        case str() if IDS.fullmatch(field) and not ID.fullmatch(value):
            raise SpecError(f"{field} is '{printable(value)}'; it must be an id of 24 hexadecimal digits.")


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
