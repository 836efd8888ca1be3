"""What is looked at on the probing page: models, data, languages trained on and tested in, options; all of it in the URL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, Literal

import streamlit as st

from isogloss.backend.experiments.probing import queries
from isogloss.backend.experiments.probing.languages import PUBLISHED, tags_of
from isogloss.backend.experiments.probing.spec import FAMILY, ProbingSentencesSpec, ProbingWordsSpec
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from isogloss.backend.store.scores import ShardFile
from isogloss.pages.probing import data as data_of
from isogloss.pages.probing import options as probe_options
from isogloss.pages.probing.data import Data
from isogloss.pages.probing.options import Options
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import results, selecting, spoken
from isogloss.pages.widgets.choosing.choices import segments, start_index
from isogloss.pages.widgets.choosing.selecting import ChosenCheckpoints
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.workspace import guard, workspaces

Setting = Literal["own", "others"]
SETTINGS: dict[Setting, str] = {"own": "Monolingual", "others": "Cross-lingual"}
SAME = "The same data"
NEEDED = {"a tagged corpus": "Tagged text", "a labelled task": "Tasks"}
"""What can be probed, and its shelves in the Library."""
LONG = 600
"""Seconds from which on an own model is probed quickly at first."""
Pair = tuple[str, str]
"""The language trained on, and the one tested in."""


@dataclass(frozen=True)
class Selection(ChosenCheckpoints):
    """What is chosen, and the files that hold its scores."""

    data: Data
    tested: Data
    """What is tested on: `data` itself, or others."""
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    """None where probes are tested in their own language alone."""
    options: Options
    have: tuple[ShardFile, ...]

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every language trained on with every one that its probes are tested in."""
        return tuple(product(self.sources, self.targets)) if self.targets else tuple((tag, tag) for tag in self.sources)

    def spec(
        self,
        model: Model,
        checkpoints: Sequence[Checkpoint],
        sources: Sequence[str] | None = None,
        targets: Sequence[str] | None = None,
    ) -> ProbingWordsSpec | ProbingSentencesSpec:
        """Return what computes these checkpoints in the languages chosen, or in those given (no target: their own)."""
        common = {
            "model": model.name,
            "checkpoints": tuple(checkpoints),
            "corpus": self.data.id,
            "tested": self.tested.id,
            "sources": tuple(self.sources if sources is None else sources),
            "targets": tuple(self.targets if targets is None else targets),
        } | self.options.fields(self.data)
        if self.data.unit == "words":
            return ProbingWordsSpec(**common)
        other = None if self.tested.id == self.data.id else self.tested.parts_id
        return ProbingSentencesSpec(**common, corpus_test=self.data.parts_id, tested_test=other)

    @property
    def pieces(self) -> tuple[Pair, ...]:
        """The pairs of languages: each has scores by itself."""
        return self.pairs

    @cached_property
    def serving(self) -> tuple[tuple[ShardFile, frozenset[Pair]], ...]:
        """Each file that serves some of it, with the pairs of languages that are taken from it."""
        of_models = [(model, self.checkpoints(model)) for model in self.models]
        return tuple(each for model, own in of_models if own for each in _serving(self.spec(model, own), self.have))

    @cached_property
    def served(self) -> dict[tuple[str, Pair], ShardFile]:
        """The file that serves each checkpoint (by fingerprint) and pair of languages that is computed."""
        found = ((file.provenance["fingerprint"], file, pairs) for file, pairs in self.serving)
        return {(fingerprint, pair): file for fingerprint, file, pairs in found for pair in pairs}

    @cached_property
    def there(self) -> dict[str, frozenset[Pair]]:
        """The pairs of languages that are computed, by checkpoint."""
        by_checkpoint: dict[str, list[frozenset[Pair]]] = {}
        for file, pairs in self.serving:
            by_checkpoint.setdefault(file.provenance["fingerprint"], []).append(pairs)
        return {fingerprint: frozenset[Pair]().union(*own) for fingerprint, own in by_checkpoint.items()}

    @cached_property
    def computed_sources(self) -> tuple[str, ...]:
        """The languages trained on of which something is computed: means are over these."""
        there = {file.provenance["source"] for file, _ in self.serving}
        return tuple(tag for tag in self.sources if tag in there)

    @cached_property
    def computed_targets(self) -> tuple[str, ...]:
        """The same of those tested in."""
        there = {target for pairs in {pairs for _, pairs in self.serving} for _, target in pairs}
        return tuple(tag for tag in self.targets if tag in there)


@lru_cache(maxsize=64)
def _serving(
    spec: ProbingWordsSpec | ProbingSentencesSpec, have: tuple[ShardFile, ...]
) -> tuple[tuple[ShardFile, frozenset[Pair]], ...]:
    """Return which of the files serve what of a spec."""
    files = {file.run: file for file in have}  # one that was published since they were listed is not among them
    found = [(files[run], targets) for run, targets in queries.served(spec, workspaces()).wanted if run in files]
    return tuple((file, _pairs(file.provenance["source"], targets)) for file, targets in found)


@lru_cache(maxsize=1024)
def _pairs(source: str, targets: frozenset[str]) -> frozenset[Pair]:
    """Return a source with each of its targets: the same object for all checkpoints, which are many."""
    return frozenset((source, target) for target in targets)


def choose() -> Selection | None:
    """Draw the controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    with guard():
        everything = models.with_weights(workspaces())
        own_names = {model.name for model in models.entries(workspaces()[:1])}
        have = tuple(scores.shards(workspaces(), FAMILY))
        data = data_of.everything(have)
    if not everything or not data:
        lacking = {} if data else {"a tagged corpus or a labelled task": NEEDED}
        navigation.say_needs("Probing", lacking, has_model=bool(everything))
        return None
    names = {each.id: name for name, each in data.items()}
    opens = results.initial_selection(have, everything, names)
    with st.sidebar:
        of_demo = not opens.own and probed(everything, own_names, have)[:1]
        picked = selecting.choose_models(everything, of_demo or opens.models)
        scored = {file.provenance["corpus"] for file in have}
        # What the user keeps comes before what the demo alone has scores of.
        ranks = [(each.id not in scored, not each.there) for each in data.values()]
        first = list(names).index(opens.corpus) if opens.own and opens.corpus else ranks.index(min(ranks))
        trained, tested, sources, targets = _data(data, first, opens.newest)
        if opens.own and trained.id == opens.corpus:
            results.demo_button(have, everything, names, "data", on=SAME, setting="own")
    if not picked.models or not sources:
        what = "a model" if sources else "a language to train on"
        st.info(f"Choose {what} in the side bar.", icon=":material/left_panel_open:")
        return None
    with st.sidebar:
        usual = opens.newest if trained.id == opens.corpus else {}

        def takes_long() -> bool:
            own = [model for model in picked.models if model.name in own_names]
            every = ChosenCheckpoints(**vars(picked), layers=(), labels=())
            asked = Selection(**vars(every), **part, options=Options())
            prices = [compute.alone(asked.spec(model, model.checkpoints)) for model in own]
            return any(price is None or price.seconds > LONG for price in prices)

        part: dict[str, Any] = {"data": trained, "tested": tested, "sources": sources, "targets": targets, "have": have}
        options = probe_options.choose(trained, _of(have, picked.models, trained, tested), picked.models, usual, takes_long)
        looked_at = selecting.choose_checkpoints(picked, last=options.is_quick)
    return Selection(**vars(looked_at), **part, options=options)


def probed(everything: Sequence[Model], own: Collection[str], have: Sequence[ShardFile]) -> list[Model]:
    """Return the models that have scores of probes: those named in `own` (of the user's workspace) first, then the deepest.

    Of the demo's the deepest is the real one: the others are small, and tell less than each word's most frequent tag does.
    """
    there = {file.provenance["fingerprint"] for file in have}
    found = [model for model in everything if any(checkpoint.fingerprint in there for checkpoint in model.checkpoints)]
    return sorted(found, key=lambda model: (model.name not in own, -model.layers))


def _data(data: dict[str, Data], first: int, newest: Mapping[str, Any]) -> tuple[Data, Data, tuple[str, ...], tuple[str, ...]]:
    """Return what is trained (by default the `first`) and tested on, and the languages of both (no target: each its own).

    At first probes are tested as the `newest` of one's own results were, where its data are looked at.
    """
    names = list(data)
    trained = data[st.selectbox("Data", names, start_index("data", names, first), key="data", bind="query-params")]
    others = {name: each for name, each in data.items() if each.id != trained.id and trained.fits(each)}
    tested, usual = trained, newest if newest.get("corpus") == trained.id else {}
    if others:
        options = [SAME, *others]
        at_first = next((place for place, each in enumerate(others.values(), 1) if each.id == usual.get("tested")), 0)
        on = st.selectbox("Tested on", options, start_index("on", options, at_first), key="on", bind="query-params")
        tested = others.get(on, trained)
    across: Setting = "others" if usual and usual["targets"] != [usual["source"]] else "own"
    setting = segments("Setting", SETTINGS, "setting", across)
    own = setting == "own"
    able = [tag for tag in trained.languages if tag in tested.languages] if own else list(trained.languages)
    sources = spoken.some("Trained on", able, key="from", of=trained.id, place="Probing")
    targets = () if own else spoken.some("Languages tested in", tested.languages, key="to", of=tested.id, place="Probing")
    _published(able, () if own else tested.languages)
    return trained, tested, sources, targets


def _published(sources: Sequence[str], targets: Sequence[str]) -> None:
    """Offer the paper's sets of languages, as far as the data have them; one press chooses a set."""
    with st.popover("Languages of the paper", icon=":material/menu_book:", type="tertiary", key="published"):
        st.caption("de Seyssel et al. 2025 gives two sets for cross-lingual NER: 18 languages in the text, 22 in table 2.")
        for name, (_, what) in PUBLISHED.items():
            tags = tags_of(name)
            there = [tag for tag in tags if tag in sources]
            label = f"{what}: {len(tags)} languages" + (f", {len(there)} of them here" if len(there) < len(tags) else "")
            chosen = {"from": there} | ({"to": [tag for tag in tags if tag in targets]} if targets else {})
            st.button(label, key=f"published-{name}", on_click=st.session_state.update, args=(chosen,), disabled=not there)


def _of(have: Sequence[ShardFile], chosen: Sequence[Model], trained: Data, tested: Data) -> list[ShardFile]:
    """Return the files of these models and data, whatever the probes' options."""
    fingerprints = {checkpoint.fingerprint for model in chosen for checkpoint in model.checkpoints}
    same = tested.id == trained.id
    wanted = {"corpus": trained.id, "tested": None if same else tested.id}
    if trained.unit == "sentences":
        wanted |= {"corpus_test": trained.parts_id, "tested_test": None if same else tested.parts_id}
    of_models = [file for file in have if file.provenance["fingerprint"] in fingerprints]
    return [file for file in of_models if all(file.provenance.get(name) == value for name, value in wanted.items())]
