"""What every measurement is chosen by, in the side bar and in the URL: models, corpus, languages, checkpoints and layers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from isogloss.backend.charts.parts.theme import colours_of
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.corpora.shared import kept
from isogloss.backend.experiments import progress
from isogloss.backend.experiments.frames import Known
from isogloss.backend.experiments.seeds_together import name_of_seeds
from isogloss.backend.experiments.words import count
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library as models
from isogloss.backend.models.seeds import seeds_of
from isogloss.backend.store import scores
from isogloss.backend.store.shard_files import ShardFile
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import results, spoken
from isogloss.pages.widgets.choosing.choices import segments, start_index
from isogloss.pages.widgets.choosing.spoken import name as spoken_name
from isogloss.pages.widgets.workspace import guard, workspaces

T = TypeVar("T")
Entry = TypeVar("Entry", bound=kept.Entry)
WHOLE = ()
"""The one piece of a checkpoint whose scores are all in one file."""
PROGRESS = (
    "Axis of training. Steps and tokens as the checkpoints' names tell them; where a stage begins to count again, they are "
    "added up. Order: checkpoints equally far apart."
)
language_name = spoken_name
"""A language as the select boxes and the link call it."""


@dataclass(frozen=True)
class ChosenModels:
    """The models chosen."""

    models: tuple[Model, ...]
    everything: tuple[Model, ...]
    """All models of the workspace."""

    @property
    def colours(self) -> dict[str, str]:
        """The colour of each model of the workspace by its name: it stays whatever is chosen. Of seeds as one the first's."""
        found = colours_of(model.name for model in self.everything)
        seeds = seeds_of(model.name for model in self.models)
        for of, most in Counter(seeds.values()).items():
            first = next(name for name in seeds if seeds[name] == of)
            found |= {name_of_seeds(of, amount): found[first] for amount in range(2, most + 1)}
        return found


@dataclass(frozen=True)
class ChosenCheckpoints(ChosenModels):
    """The models chosen, and the checkpoints and layers looked at.

    A family's selection adds its options, what of a checkpoint has scores by itself (`pieces`), and which file has them
    (`served`); from these follow what is computed, complete and missing.
    """

    layers: tuple[int, ...]
    labels: tuple[str, ...]
    """Checkpoints' labels."""
    by: progress.By = field(default="step", kw_only=True)
    """What checkpoints are laid out by on axes."""

    @property
    def pieces(self) -> Sequence[Hashable]:
        """What of a checkpoint has scores by itself: pairs of languages; `WHOLE` where a file has all of it or nothing."""
        return (WHOLE,)

    @property
    def served(self) -> Mapping[tuple[str, Any], ShardFile]:
        """The file that serves each checkpoint (by fingerprint) and piece that is computed."""
        raise NotImplementedError

    @cached_property
    def there(self) -> Mapping[str, Set[Hashable]]:
        """The pieces that are computed, by checkpoint: of 200 languages and four sources there are 816 a checkpoint."""
        found: dict[str, set[Hashable]] = {}
        for fingerprint, piece in self.served:
            found.setdefault(fingerprint, set()).add(piece)
        return found

    def computed(self, model: Model) -> list[Checkpoint]:
        """List the model's chosen checkpoints of which some piece is computed."""
        return [checkpoint for checkpoint in self.checkpoints(model) if checkpoint.fingerprint in self.there]

    def complete(self, model: Model, pieces: Sequence[Hashable] | None = None) -> list[Checkpoint]:
        """List the chosen checkpoints that have all these pieces, by default all: a mean over fewer is another number."""
        wanted = set(self.pieces if pieces is None else pieces)
        return [each for each in self.checkpoints(model) if wanted <= self.there.get(each.fingerprint, set())]

    def missing(self, model: Model) -> tuple[list[Checkpoint], list[Any]]:
        """List the model's chosen checkpoints that lack some piece, and the pieces that some of them lack."""
        whole = {each.fingerprint for each in self.complete(model)}
        lacking = [each for each in self.checkpoints(model) if each.fingerprint not in whole]
        if not lacking:
            return [], []
        everywhere = frozenset[Hashable].intersection(*(frozenset(self.there.get(each.fingerprint, ())) for each in lacking))
        return lacking, [piece for piece in self.pieces if piece not in everywhere]

    def checkpoints(self, model: Model) -> list[Checkpoint]:
        """List the model's checkpoints whose labels are chosen."""
        labels = set(self.labels)
        return [checkpoint for checkpoint in model.checkpoints if checkpoint.label in labels]

    def layers_of(self, model: Model) -> list[int]:
        """List the chosen layers that the model has."""
        return [layer for layer in self.layers if layer <= model.layers]

    @property
    def is_series(self) -> bool:
        """Whether some model has a second checkpoint among the chosen, of those of which something is computed if any is."""
        shown = [model for model in self.models if self.computed(model)] or self.models
        return any(len(self.checkpoints(model)) > 1 for model in shown)

    def known(self, of: Iterable[tuple[Model, Checkpoint]] | None = None) -> list[Known]:
        """Return what is known of these checkpoints (of all chosen ones by default), for their labels."""
        every = of if of is not None else [(model, each) for model in self.models for each in self.checkpoints(model)]
        wanted = list(every)
        models = {model.name: model for model, _ in wanted}
        return [
            known
            for name, model in models.items()
            for known in self._known(model, [each for owner, each in wanted if owner.name == name])
        ]

    def _known(self, model: Model, own: Sequence[Checkpoint]) -> list[Known]:
        """Return what is known of a model's `own` checkpoints; their places are those among all that it has."""
        positions = {each.fingerprint: place for place, each in enumerate(self.checkpoints(model))}
        if self.by == "step" and progress.is_plain(model.checkpoints):
            return [(each.fingerprint, model.name, each.label, each.step, positions[each.fingerprint]) for each in own]
        staged = zip(progress.stages(model.checkpoints), progress.places(model.checkpoints, self.by), strict=True)
        more = dict(zip((each.fingerprint for each in model.checkpoints), staged, strict=True))
        return [
            (each.fingerprint, model.name, each.label, each.step, positions[each.fingerprint], *more[each.fingerprint])
            for each in own
        ]

    @property
    def axis(self) -> dict[str, Any]:
        """The argument of figures over checkpoints that names their axis, where it is not that of training steps."""
        title = progress.title([model.checkpoints for model in self.models], self.by)
        return {} if title == progress.TITLES["step"] else {"axis": title}


@dataclass(frozen=True)
class Chosen(ChosenCheckpoints):
    """Models, corpus and languages chosen, and the checkpoints and layers looked at."""

    corpus: CorpusEntry
    languages: tuple[str, ...]


def choose(
    measure: str,
    family: str,
    looked_at_of: Callable[[ChosenModels], ChosenCheckpoints] | None = None,
    *,
    kept: Callable[[Sequence[Path]], list[Model]] = models.with_weights,
) -> Chosen | None:
    """The controls; None (and a designed empty state, which names the `measure`) where there is nothing to choose from.

    `looked_at_of` draws those of checkpoints and layers, `choose_checkpoints` where it is None; of the models `kept` in the
    workspaces.

    At first what the newest of one's own scores of the `family` are of is chosen, else one's newest model and corpus, else the
    demo's.
    """
    with guard():
        everything = kept(workspaces())
        known = unique_names(corpora.entries(workspaces()))
        have = scores.shards(workspaces(), family)
    if not everything or not known:
        navigation.say_needs(measure, {} if known else {"a corpus": {"a corpus": "Corpora"}}, has_model=bool(everything))
        return None
    ids = {entry.id: name for name, entry in known.items()}
    first = results.or_unmeasured(results.initial_selection(have, everything, ids))
    with st.sidebar:
        chosen = choose_models(everything, first.models)
        names = list(known)
        usual = names.index(ids[first.corpus]) if first.corpus in ids else 0  # a damaged entry may have another one's name
        corpus = known[st.selectbox("Corpus", names, start_index("corpus", names, usual), key="corpus", bind="query-params")]
        results.remember_initial_options(family, first, corpus.id)
        tags = corpus.tags
        there = set(tags) if corpus.id == first.corpus else set()
        at_first = [tag for tag in first.languages if tag in there]
        languages = spoken.choose("Languages", tags, key="languages", of=corpus.id, place=measure, usual=at_first)
        if first.own and corpus.id == first.corpus:
            results.demo_button(have, everything, ids)
    if len(languages) < 2 or not chosen.models:
        what = "at least two languages" if chosen.models else "a model" if len(languages) > 1 else "a model and two languages"
        st.info(f"Choose {what} in the side bar.", icon=":material/left_panel_open:")
        return None
    with st.sidebar:
        looked_at = (looked_at_of or choose_checkpoints)(chosen)
    return Chosen(**vars(looked_at), corpus=corpus, languages=tuple(sorted(languages)))


def choose_models(everything: Sequence[Model], first: Sequence[Model] = (), most: int = 2) -> ChosenModels:
    """Return the control of the models, which are all of the workspace; by default `most` of `first`, or two of all."""
    by_name = {model.name: model for model in everything}
    default = [model.name for model in (first[:most] or everything[:2])]
    names = st.multiselect("Models", list(by_name), default=default, key="model", bind="query-params")
    return ChosenModels(tuple(by_name[name] for name in names), tuple(everything))


def unique_names(entries: Sequence[Entry]) -> dict[str, Entry]:
    """Corpora by name; a name used twice gets the beginning of its id, so that a link means one corpus."""
    return by_unique_name(entries, lambda entry: entry.name, lambda entry: entry.id)


def by_unique_name(things: Sequence[T], name_of: Callable[[T], str], id_of: Callable[[T], str]) -> dict[str, T]:
    """Return things by name, in their order; names that several have get the beginning of each one's id."""
    shared = Counter(map(name_of, things))
    return {
        name_of(thing) if shared[name_of(thing)] == 1 else f"{name_of(thing)} ({id_of(thing)[:6]})": thing for thing in things
    }


def files_by_checkpoint(have: Iterable[ShardFile]) -> dict[str, list[ShardFile]]:
    """Return files of scores by the fingerprint of their checkpoint: each of thousands would look through all of them."""
    found: dict[str, list[ShardFile]] = {}
    for file in have:
        found.setdefault(str(file.provenance.get("fingerprint")), []).append(file)
    return found


def choose_progress(models: Sequence[Model]) -> progress.By:
    """Return the control of what checkpoints are laid out by, which is there where that can be more than one thing."""
    offered = progress.offered([model.checkpoints for model in models])
    if len(offered) < 2:
        return offered[0]
    by = segments("Checkpoints by", {each: progress.WORDS[each] for each in offered}, "progress", help_=PROGRESS)
    silent = [each for model in models for each in model.checkpoints if each.tokens is None]
    if by == "tokens" and silent:
        st.caption(f"{count(len(silent), 'checkpoint')} whose names tell no tokens: left out of curves.")
    return by


def choose_checkpoints(chosen: ChosenModels, *, last: bool = False) -> ChosenCheckpoints:
    """Return the controls of the checkpoints and layers of the models chosen, all of them by default, or the `last` of each."""
    labels = list(dict.fromkeys(checkpoint.label for model in chosen.models for checkpoint in model.checkpoints))
    usual = list(dict.fromkeys(model.checkpoints[-1].label for model in chosen.models)) if last else labels
    depth = max(model.layers for model in chosen.models)
    with st.expander("Checkpoints and layers", icon=":material/layers:"):
        picked = st.multiselect(
            "Checkpoints",
            labels,
            default=[],
            key="checkpoints",
            bind="query-params",
            placeholder="Last of each model" if last else f"All {len(labels)}",
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
    by = choose_progress(chosen.models)
    return ChosenCheckpoints(**vars(chosen), layers=tuple(layers or options), labels=tuple(picked or usual), by=by)
