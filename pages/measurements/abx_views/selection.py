"""What is looked at on the ABX page: every control is in the URL, and together they make the specs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import get_args

import pandas as pd
import streamlit as st

from backend.corpora import library as corpora
from backend.corpora.languages import Language, language
from backend.corpora.library import CorpusEntry
from backend.experiments import abx
from backend.experiments.abx import AbxSpec, Protocol
from backend.models import library as models
from backend.models.entry import Checkpoint, Model, Pooling
from backend.store import scores
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
class Selection:
    """The models, corpus and options chosen, and the files that hold their scores."""

    models: tuple[Model, ...]
    everything: tuple[Model, ...]
    """All models of the workspace: each keeps its colour whatever is chosen."""
    corpus: CorpusEntry
    languages: tuple[str, ...]
    layers: tuple[int, ...]
    labels: tuple[str, ...]
    """Checkpoints' labels."""
    pooling: Pooling
    protocol: Protocol
    have: tuple[scores.ShardFile, ...]

    def checkpoints(self, model: Model) -> list[Checkpoint]:
        return [checkpoint for checkpoint in model.checkpoints if checkpoint.label in self.labels]

    def spec(self, model: Model, checkpoints: Sequence[Checkpoint] | None = None) -> AbxSpec:
        return AbxSpec(
            model=model.name,
            checkpoints=tuple(checkpoints or self.checkpoints(model)),
            corpus=self.corpus.id,
            languages=self.languages,
            pooling=self.pooling,
            protocol=self.protocol,
        )

    @cached_property
    def covered(self) -> dict[str, scores.ShardFile]:
        """The file that serves each checkpoint (by fingerprint) that is computed."""
        found = {}
        for model in self.models:
            if self.checkpoints(model):
                spec = self.spec(model)
                for checkpoint in spec.checkpoints:
                    if shard := abx.covering(spec, checkpoint, list(self.have)):
                        found[checkpoint.fingerprint] = shard
        return found

    @property
    def files(self) -> list[Path]:
        return sorted({shard.path for shard in self.covered.values()})

    def missing(self, model: Model) -> list[Checkpoint]:
        return [checkpoint for checkpoint in self.checkpoints(model) if checkpoint.fingerprint not in self.covered]

    def computed(self, model: Model) -> list[Checkpoint]:
        return [checkpoint for checkpoint in self.checkpoints(model) if checkpoint.fingerprint in self.covered]

    @property
    def meta(self) -> pd.DataFrame:
        """One row a language: tag, name, family, script (the name), right_to_left."""
        return language_table(self.languages)


@st.cache_data(show_spinner=False, max_entries=200)
def language_table(tags: tuple[str, ...]) -> pd.DataFrame:
    found: list[Language] = [language(tag) for tag in tags]
    return pd.DataFrame(
        {
            "tag": list(tags),
            "name": [each.name for each in found],
            "family": [each.family for each in found],
            "script": [each.script_name for each in found],
            "right_to_left": [each.right_to_left for each in found],
        }
    )


def unique_names(entries: Sequence[CorpusEntry]) -> dict[str, CorpusEntry]:
    """Corpora by name; a name used twice gets the beginning of its id, so that a link means one corpus."""
    names = [entry.name for entry in entries]
    return {
        name if names.count(name) == 1 else f"{name} ({entry.id[:6]})": entry
        for name, entry in zip(names, entries, strict=True)
    }


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    with guard():
        everything = models.entries(workspaces())
        kept = unique_names(corpora.entries(workspaces()))
    if not everything or not kept:
        _lacking(has_corpus=bool(kept), has_model=bool(everything))
        return None
    by_name = {model.name: model for model in everything}
    with st.sidebar:
        names = st.multiselect("Models", list(by_name), default=list(by_name)[:2], key="model", bind="query-params")
        corpus = kept[st.selectbox("Corpus", list(kept), key="corpus", bind="query-params")]
        tags = corpus.tags
        languages = st.multiselect(
            "Languages",
            tags,
            default=tags,
            format_func=lambda tag: f"{language(tag).name} · {tag}",
            key="languages",
            bind="query-params",
            placeholder="At least two",
        )
        chosen = [by_name[name] for name in names]
    if len(languages) < 2 or not chosen:
        what = "at least two languages" if chosen else "a model" if len(languages) > 1 else "a model and two languages"
        st.info(f"Choose {what} in the side bar.", icon=":material/left_panel_open:")
        return None
    with st.sidebar:
        labels, layers = _checkpoints_and_layers(chosen)
        with st.expander("Options", icon=":material/tune:"):
            pooling = st.selectbox(
                "Sentence vector", get_args(Pooling), format_func=POOLINGS.__getitem__, key="pooling", bind="query-params"
            )
            protocol = st.selectbox(
                "Triplets", get_args(Protocol), format_func=PROTOCOLS.__getitem__, key="protocol", bind="query-params"
            )
    with guard():
        have = scores.shards(workspaces(), abx.EXPERIMENT)
    return Selection(
        models=tuple(chosen),
        everything=tuple(everything),
        corpus=corpus,
        languages=tuple(sorted(languages)),
        layers=layers,
        labels=labels,
        pooling=pooling,
        protocol=protocol,
        have=tuple(have),
    )


def _lacking(*, has_corpus: bool, has_model: bool) -> None:
    """What is needed before anything can be measured, with the way to each."""
    needs = {"a corpus": ("Corpora", has_corpus), "a model": ("Models", has_model)}
    lacking = {what: shelf for what, (shelf, there) in needs.items() if not there}
    them = "it" if len(lacking) == 1 else "both"
    st.info(f"ABX needs {' and '.join(lacking)}. Add {them} in the Library, then come back.", icon=":material/library_add:")
    for what, shelf in lacking.items():
        page = "pages/workspace/library.py"
        st.page_link(page, label=f"Add {what}", icon=":material/library_books:", query_params={"shelf": shelf})


def _checkpoints_and_layers(chosen: Sequence[Model]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    labels = list(dict.fromkeys(checkpoint.label for model in chosen for checkpoint in model.checkpoints))
    depth = max(model.layers for model in chosen)
    with st.expander("Checkpoints and layers", icon=":material/layers:"):
        picked = st.multiselect(
            "Checkpoints", labels, default=[], key="checkpoints", bind="query-params", placeholder=f"All {len(labels)}"
        )
        options = list(range(depth + 1))
        layers = st.multiselect(
            "Layers (0 = input embedding)",
            options,
            default=[],
            key="layers",
            bind="query-params",
            placeholder=f"All {len(options)}",
        )
    return tuple(picked or labels), tuple(layers or options)
