"""What a page opens on: one's own results, the newest first, once there are any; the demo's until then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from isogloss.backend import people
from isogloss.backend.corpora.parallel import library as parallel_corpora
from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.corpora.shared import kept
from isogloss.backend.jobs import client
from isogloss.backend.models.entry import Model
from isogloss.backend.models.library import library as model_library
from isogloss.backend.models.library.absent import is_absent
from isogloss.backend.settings import settings
from isogloss.backend.store.shard_files import ShardFile
from isogloss.pages.widgets.server import streamlit_internals
from isogloss.pages.widgets.workspace import demo, user_workspaces, workspaces

E = TypeVar("E", bound=kept.Entry)
DEFAULT_MODELS = 2
"""Models chosen at first, at most."""


@dataclass(frozen=True)
class InitialSelection:
    """What is chosen at first, and whether it is one's own."""

    models: tuple[Model, ...]
    corpus: str | None
    """Content id of what they were measured on; None where nothing is computed."""
    languages: tuple[str, ...]
    """Of one's own results; empty for all."""
    own: bool
    newest: Mapping[str, Any] = field(default_factory=dict)
    """What the newest of one's own results says of itself; empty without any."""

    @property
    def asked(self) -> Mapping[str, Any]:
        """How the newest of one's own results was asked for, where that is not the default: fields of its spec."""
        asked: Mapping[str, Any] = self.newest.get("asked", {})
        return asked


def _corpus(file: ShardFile) -> str:
    return str(file.provenance["corpus"])


def initial_selection(
    have: Sequence[ShardFile],
    models: Sequence[Model],
    corpora: Collection[str],
    corpus_of: Callable[[ShardFile], str] = _corpus,
) -> InitialSelection:
    """Return what a page opens on, of the files `have` (oldest first) of kept `models` and `corpora` (content ids).

    The newest of one's own results says the corpus, the options and, of its model's results with them, the languages; models
    are those with such, the newest first: what was asked for otherwise would not be shown. Without any, the demo's by their
    names. `corpus_of` says what a file was measured on, as `corpora` call it.
    """
    fingerprints: dict[str, list[Model]] = {}
    for model in models:
        for checkpoint in model.checkpoints:
            fingerprints.setdefault(checkpoint.fingerprint, []).append(model)
    usable = [file for file in have if file.provenance.get("fingerprint") in fingerprints and corpus_of(file) in corpora]
    own_results = results_of_user(usable)
    if own_results:
        corpus, how = corpus_of(own_results[0]), _how(own_results[0])
        of = {file: _model(file, fingerprints) for file in own_results if corpus_of(file) == corpus and _how(file) == how}
        first = tuple(dict.fromkeys(of.values()))
        languages = _languages([file for file, model in of.items() if model == first[0]])
        return InitialSelection(first[:DEFAULT_MODELS], corpus, languages, True, own_results[0].provenance)
    if not usable:
        return InitialSelection(tuple(models)[:DEFAULT_MODELS], None, (), False)
    [(corpus, _)] = Counter(map(corpus_of, usable)).most_common(1)
    measured = {_model(file, fingerprints).name for file in usable if corpus_of(file) == corpus}
    there = [model for model in models if model.name in measured]
    return InitialSelection(tuple(there)[:DEFAULT_MODELS], corpus, (), False)


OF_A_MODEL = {"pooling", "prefix"}
"""What of how a result was asked for each of several models may have for itself."""


def _how(file: ShardFile) -> dict[str, Any]:
    """Return how a result was asked for, but for what is a model's own."""
    return {name: value for name, value in file.provenance.get("asked", {}).items() if name not in OF_A_MODEL}


def or_unmeasured(first: InitialSelection) -> InitialSelection:
    """Return the newest of the user's own models and corpora in place of the demo's, where `first` is nothing of one's own."""
    model, corpus = newest_model(), newest_corpus()
    if first.own or (model is None and corpus is None):
        return first
    models = first.models if model is None else (model,)
    return replace(first, models=models, corpus=first.corpus if corpus is None else corpus.id, own=True)


def newest_model() -> Model | None:
    """Return the model added last to the user's workspace whose weights are here; None where there is none."""
    own = [model for model in model_library.newest_first(user_workspaces()[0]) if not is_absent(model)]
    who = people.now().name
    return next((model for model in own if model.by == who), next(iter(own), None))


def newest_corpus() -> CorpusEntry | None:
    """Return the corpus added last to the user's workspace; None where there is none."""
    return newest(parallel_corpora.entries(user_workspaces()))


def newest(entries: Iterable[E]) -> E | None:
    """Return what whoever looks has added last, else what anybody has; None where there is nothing."""
    who = people.now().name
    return max(entries, key=lambda entry: (entry.by == who, entry.created_at), default=None)


def own_first(entries: Callable[[Sequence[Path]], Sequence[E]]) -> list[E]:
    """Return what a shelf's `entries` list: of the user's own workspace before the demo's, the newest first."""
    own = {entry.id for entry in entries(user_workspaces())}
    return sorted(entries(workspaces()), key=lambda entry: (entry.id in own, entry.created_at), reverse=True)


def remember_initial_options(family: str, first: InitialSelection, corpus: str) -> None:
    """Take down, once a session, how a page asks for scores at first: as the newest of one's own were, where it shows these."""
    shown = first.own and corpus == first.corpus
    st.session_state.setdefault(f"asked-{family}", dict(first.asked) if shown else {})


def first_options(family: str) -> Mapping[str, Any]:
    """Return how the page of a `family` asks for scores at first: fields of a spec; empty where that is the default."""
    found: Mapping[str, Any] = st.session_state.get(f"asked-{family}", {})
    return found


def results_of_user(have: Sequence[ShardFile]) -> list[ShardFile]:
    """Return the results of one's own model or data, the newest first: more of the demo's models on its data are none.

    Where people log in, what whoever looks has computed comes before what others have.
    """
    shipped = [file.provenance for file in have if of_demo(file)]
    models, corpora = {each.get("fingerprint") for each in shipped}, {each.get("corpus") for each in shipped}
    mine = [(file, file.provenance) for file in reversed(have) if not of_demo(file)]
    own = [file for file, each in mine if each.get("fingerprint") not in models or each.get("corpus") not in corpora]
    if who := people.now().name:
        started = streamlit_internals.once_a_run("shards-of-person", lambda: client.shards_of(who, settings()))
        own.sort(key=lambda file: file.run not in started)
    return own


def of_demo(file: ShardFile) -> bool:
    """Return whether a file is of the demo's workspace, which may lie in the user's."""
    return any(file.path.is_relative_to(folder) for folder in demo())


def demo_button(
    have: Sequence[ShardFile],
    models: Sequence[Model],
    corpora: Mapping[str, str],
    corpus: str = "corpus",
    of: Callable[[ShardFile], str] = _corpus,
    **more: str,
) -> None:
    """Draw the way to the demo's results; `corpora` are names by content id, `corpus` is their box's key.

    `more` are what other controls show of them, by their keys.
    """
    shipped = initial_selection([file for file in have if of_demo(file)], models, corpora, of)
    if shipped.corpus is None:
        return
    values: dict[str, Any] = {"model": [model.name for model in shipped.models], corpus: corpora[shipped.corpus], **more}
    st.button("Demo", key="demo", icon=":material/science:", type="tertiary", on_click=_choose, args=(values,), help=DEMO)


DEMO = "Show the demo's models and data instead."


def _choose(values: Mapping[str, Any]) -> None:
    st.session_state.update(values)


def _model(file: ShardFile, models: Mapping[str, Sequence[Model]]) -> Model:
    """Return the model of a result: several may share a checkpoint, and the file names the one that was asked for."""
    sharing = models[file.provenance["fingerprint"]]
    return next((each for each in sharing if each.name == file.provenance.get("model")), sharing[0])


def _languages(files: Sequence[ShardFile]) -> tuple[str, ...]:
    """Return the languages of the file with most of them, the newest of equals; none where files are of single pairs."""
    return max((tuple(file.provenance.get("languages", ())) for file in files), key=len, default=())
