"""What is looked at on the Geometry page: every control is in the URL, and together they make the specs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from isogloss.backend.experiments.geometry import shard as geometry
from isogloss.backend.experiments.geometry.measures import KINDS, SINCE_SINKS, Of
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.store import scores
from isogloss.pages.shared.abx import selection as shared
from isogloss.pages.shared.abx.selection import Selection as AbxSelection
from isogloss.pages.widgets.choosing.choices import box
from isogloss.pages.widgets.runs import compute


@dataclass(frozen=True)
class Selection(AbxSelection):
    """What is chosen, the options of `GeometrySpec`, and the files that hold the scores."""

    family: ClassVar[str] = geometry.FAMILY
    spec_class: ClassVar[Any] = GeometrySpec

    def covering(self, spec: Any, checkpoint: Checkpoint, have: list[scores.ShardFile]) -> scores.ShardFile | None:
        """Return the file that serves a checkpoint."""
        return geometry.covering(spec, checkpoint, have)

    def of(self, metric: str) -> Selection:
        """Return the selection to read a measure of: one of languages has no pairs to choose."""
        return self if KINDS[metric].of == "pair" else replace(self, pairs=None)


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    return shared.choose("geometry", Selection)


def offer(selection: AbxSelection, model: Model) -> None:
    """Say which of the model's chosen checkpoints are not computed on the selection's corpus; nothing where all are."""
    if missing := selection.missing(model)[0]:
        sentence = compute.lacking(selection, model, missing, selection.corpus.name, "geometry not computed yet")
        compute.offer(selection.spec(model, missing), sentence)


def choose_measure(selection: Selection, of: Of | None = None) -> str:
    """Draw the control of the measure, one of pairs or of languages alone where `of` says so, of those that are there."""
    there = {metric for file in selection.served.values() for metric in file.provenance.get("metrics", ())}
    kinds = {metric: kind for metric, kind in KINDS.items() if metric not in SINCE_SINKS or metric in there}
    named = {metric: kind.named for metric, kind in kinds.items() if of in (None, kind.of)}
    return box("Measure", named, "geometry" if of is None else f"geometry_of_{of}", next(iter(named)), width=210)
