"""What is looked at on the Geometry page: every control is in the URL, and together they make the specs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import streamlit as st

from isogloss.backend.experiments.geometry import shard as geometry
from isogloss.backend.experiments.geometry.measures import KINDS, Of
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.store import scores
from isogloss.pages.shared.abx.selection import Selection as AbxSelection
from isogloss.pages.widgets.choosing import language_pairs, prefixes, results, selecting
from isogloss.pages.widgets.choosing.choices import box
from isogloss.pages.widgets.choosing.form import form
from isogloss.pages.widgets.choosing.selecting import WHOLE, Chosen, files_by_checkpoint
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.workspace import guard, workspaces


@dataclass(frozen=True)
class Selection(AbxSelection):
    """What is chosen, the options of `GeometrySpec`, and the files that hold the scores."""

    family: ClassVar[str] = geometry.FAMILY

    def spec(self, model: Model, checkpoints: Sequence[Checkpoint] | None = None) -> Any:
        """Make the spec that computes `checkpoints` of `model` (all chosen ones by default)."""
        wanted = tuple(checkpoints or self.checkpoints(model))
        return GeometrySpec(
            model=model.name,
            checkpoints=wanted,
            corpus=self.corpus.id,
            languages=self.languages,
            pairs=self.pairs,
            prefix=prefixes.at(self.prefixes, wanted),
            **self.options,
        )

    @cached_property
    def served(self) -> dict[tuple[str, Any], scores.ShardFile]:
        """The file that serves each checkpoint (by fingerprint, as a whole) that is computed."""
        files: dict[tuple[str, Any], scores.ShardFile] = {}
        have = files_by_checkpoint(self.have)
        for model in self.models:
            if there := [each for each in self.checkpoints(model) if each.fingerprint in have]:
                spec = self.spec(model, there)
                for checkpoint in there:
                    if file := geometry.covering(spec, checkpoint, have[checkpoint.fingerprint]):
                        files[checkpoint.fingerprint, WHOLE] = file
        return files

    def of(self, metric: str) -> Selection:
        """Return the selection to read a measure of: one of languages has no pairs to choose."""
        return self if KINDS[metric].of == "pair" else replace(self, pairs=None)


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    chosen = selecting.choose("geometry", geometry.FAMILY)
    if chosen is None:
        return None
    first = results.first_options(geometry.FAMILY)
    with st.sidebar, st.expander("Options", icon=":material/tune:"):
        options = form(GeometrySpec, first)
        pairs = language_pairs.choose(chosen.languages)
        before = prefixes.choose(chosen.models, first.get("prefix", ""))
    prefixes.tell(chosen.models, before)
    if pairs == ():
        st.info("Choose a pair of languages in the side bar, under Options.", icon=":material/left_panel_open:")
        return None
    with guard():
        have = tuple(scores.shards(workspaces(), geometry.FAMILY))
    given = {each.name: getattr(chosen, each.name) for each in fields(Chosen)}
    return Selection(**given, options=options, have=have, pairs=pairs, prefixes=before)


def offer(selection: AbxSelection, model: Model) -> None:
    """Say which of the model's chosen checkpoints are not computed on the selection's corpus; nothing where all are."""
    if missing := selection.missing(model)[0]:
        sentence = compute.lacking(selection, model, missing, selection.corpus.name, "geometry not computed yet")
        compute.offer(selection.spec(model, missing), sentence)


def choose_measure(of: Of | None = None) -> str:
    """Draw the control of the measure, one of pairs or of languages alone where `of` says so."""
    named = {metric: kind.named for metric, kind in KINDS.items() if of in (None, kind.of)}
    return box("Measure", named, "geometry" if of is None else f"geometry_of_{of}", next(iter(named)), width=210)
