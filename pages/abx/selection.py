"""What is looked at on the ABX page: every control is in the URL, and together they make the specs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import pandas as pd
import streamlit as st

from backend.experiments.abx import shard as abx
from backend.experiments.abx.shard import AbxSpec, Protocol
from backend.models.entry import Checkpoint, Model, Pooling
from backend.store import scores
from pages.widgets import selecting
from pages.widgets.selecting import Chosen, language_table
from pages.widgets.workspace import guard, workspaces

POOLINGS: dict[Pooling, str] = {
    "mean": "Mean of tokens",
    "mean_special": "Mean with special tokens",
    "first": "First token",
    "last": "Last token",
}
PROTOCOLS: dict[Protocol, str] = {
    "exact": "All triplets",
    "sampled": "100,000 sampled triplets",
    "control": "Control (must be 0.5)",
}


@dataclass(frozen=True)
class Selection(Chosen):
    """What is chosen, the options of ABX, and the files that hold the scores."""

    pooling: Pooling
    protocol: Protocol
    have: tuple[scores.ShardFile, ...]

    def spec(self, model: Model, checkpoints: Sequence[Checkpoint] | None = None) -> AbxSpec:
        """Make the spec that computes `checkpoints` of `model` (all chosen ones by default)."""
        return AbxSpec(
            model=model.name,
            checkpoints=tuple(checkpoints or self.checkpoints(model)),
            corpus=self.corpus.id,
            languages=self.languages,
            pooling=self.pooling,
            protocol=self.protocol,
        )

    @cached_property
    def served(self) -> dict[str, scores.ShardFile]:
        """The file that serves each checkpoint (by fingerprint) that is computed."""
        found = {}
        for model in self.models:
            if self.checkpoints(model):
                spec = self.spec(model)
                for checkpoint in spec.checkpoints:
                    if shard := abx.covering(spec, checkpoint, list(self.have)):
                        found[checkpoint.fingerprint] = shard
        return found

    def missing(self, model: Model) -> list[Checkpoint]:
        """List the model's chosen checkpoints that no file serves."""
        return [checkpoint for checkpoint in self.checkpoints(model) if checkpoint.fingerprint not in self.served]

    def computed(self, model: Model) -> list[Checkpoint]:
        """List the model's chosen checkpoints that a file serves."""
        return [checkpoint for checkpoint in self.checkpoints(model) if checkpoint.fingerprint in self.served]

    @property
    def meta(self) -> pd.DataFrame:
        """One row a language: tag, name, family, script (the name), right_to_left."""
        return language_table(self.languages)


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    chosen = selecting.choose("ABX")
    if chosen is None:
        return None
    with st.sidebar, st.expander("Options", icon=":material/tune:"):
        pooling = st.selectbox(
            "Sentence vector", get_args(Pooling), format_func=POOLINGS.__getitem__, key="pooling", bind="query-params"
        )
        protocol = st.selectbox(
            "Triplets", get_args(Protocol), format_func=PROTOCOLS.__getitem__, key="protocol", bind="query-params"
        )
    with guard():
        have = scores.shards(workspaces(), abx.FAMILY)
    return Selection(**vars(chosen), pooling=pooling, protocol=protocol, have=tuple(have))
