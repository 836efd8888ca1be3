"""What is looked at on the page of the latent language: every control is in the URL, and together they make the specs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.dictionaries import library as dictionaries
from isogloss.backend.corpora.dictionaries.library import DictionaryEntry
from isogloss.backend.errors import ModelError, SpecError
from isogloss.backend.experiments import words
from isogloss.backend.experiments.frames import files_of, label_checkpoints
from isogloss.backend.experiments.latent import shard as latent
from isogloss.backend.experiments.latent.pivot import other_end, shared
from isogloss.backend.experiments.latent.spec import FAMILY, LanguageWords, LatentSpec
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.files.heads import check_head
from isogloss.backend.models.library import library as models
from isogloss.backend.store import scores
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import results, selecting
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.form import form
from isogloss.pages.widgets.choosing.selecting import WHOLE, ChosenCheckpoints, files_by_checkpoint, language_name
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

AT_FIRST = 2
"""Dictionaries chosen before any is: with the pivot, the language asked from and that of the answer."""


@dataclass(frozen=True)
class Selection(ChosenCheckpoints):
    """What is chosen, the options, and the files that hold the scores."""

    pivot: str
    dictionaries: tuple[LanguageWords, ...]
    source: str | None
    targets: tuple[str, ...]
    options: Mapping[str, Any]
    """The declared options of `LatentSpec`, by field."""
    have: tuple[scores.ShardFile, ...]

    def spec(self, model: Model, checkpoints: Sequence[Checkpoint]) -> LatentSpec:
        """Make the spec that reads these checkpoints of a model."""
        return LatentSpec(
            model=model.name,
            checkpoints=tuple(checkpoints),
            pivot=self.pivot,
            dictionaries=self.dictionaries,
            source=self.source,
            targets=self.targets,
            **self.options,
        )

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages whose words are looked for."""
        return tuple(sorted({self.pivot, *(each.language for each in self.dictionaries)}))

    @cached_property
    def served(self) -> dict[tuple[str, Any], scores.ShardFile]:
        """The file that serves each checkpoint that is computed, by its fingerprint."""
        have, files = files_by_checkpoint(self.have), {}
        for model in self.models:
            own = self.checkpoints(model)
            spec = self.spec(model, own) if own else None
            for each in own:
                if spec and (file := latent.covering(spec, each, have.get(each.fingerprint, ()))):
                    files[each.fingerprint, WHOLE] = file
        return files

    def shards(self, of: Sequence[Checkpoint]) -> dict[str, str]:
        """Return the name of each checkpoint's file, by its fingerprint."""
        return {each.fingerprint: self.served[each.fingerprint, WHOLE].path.stem for each in of}

    def recipe(self, query: Callable[..., pd.DataFrame], model: Model, of: Sequence[Checkpoint], **arguments: Any) -> Recipe:
        """Return the recipe of the rows of a query (`backend.experiments.latent.queries`) of some checkpoints, labelled."""
        shards = self.shards(of)
        asked = partial(query, checkpoints=sorted(shards), layers=self.layers_of(model), **arguments)
        return Recipe(
            (
                partial(files_of, workspaces=workspaces(), family=FAMILY, shards=sorted(set(shards.values()))),
                asked,
                partial(label_checkpoints, checkpoints=self.known([(model, each) for each in of])),
            )
        )

    def target(self) -> str:
        """Draw the box of the answer's language."""
        return select("Answer in", list(self.targets), "answer", width=200, named=language_name)

    def roles(self, target: str) -> dict[str, Any]:
        """Return the arguments of figures that say which language is what."""
        return {"languages": list(self.languages), "pivot": self.pivot, "source": self.source, "target": target}


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    with guard():
        everything = models.with_weights(workspaces())
        known = selecting.unique_names(dictionaries.entries(workspaces()))
        have = scores.shards(workspaces(), FAMILY)
    if not everything or not known:
        lacking = {} if known else {"a dictionary": {"a dictionary": "Dictionaries"}}
        navigation.say_needs("Latent language", lacking, has_model=bool(everything))
        return None
    first = results.initial_selection(have, everything, {file.provenance["corpus"] for file in have})
    of_first = next((file.provenance for file in reversed(have) if file.provenance["corpus"] == first.corpus), {})
    with st.sidebar:
        chosen = selecting.choose_models(everything, _with_heads(first.models, everything), most=1)
        chosen_words = _dictionaries(known, of_first)
        if chosen_words is None or not chosen.models:
            st.info("Choose a model and at least one dictionary in the side bar.", icon=":material/left_panel_open:")
            return None
        pivot, of = chosen_words
        results.remember_initial_options(FAMILY, first, str(first.corpus))
        asked = results.first_options(FAMILY) if first.own else of_first.get("asked", {})
        task = form(LatentSpec, asked, only=("task",))
        languages = sorted({pivot, *(each.language for each in of)})
        source, targets = _asked(task["task"], languages, pivot, of_first)
        with st.expander("Options", icon=":material/tune:"):
            options = form(LatentSpec, asked, known=task)
        looked_at = selecting.choose_checkpoints(chosen)
    return Selection(
        **vars(looked_at),
        pivot=pivot,
        dictionaries=of,
        source=source,
        targets=targets,
        options=task | options,
        have=tuple(have),
    )


def _with_heads(first: Sequence[Model], everything: Sequence[Model]) -> Sequence[Model]:
    """Return what is shown at first: what has scores, else the first model that is not known to have no head."""
    if any(_head(model) == "" for model in first):
        return first
    return [model for model in everything if _head(model) == ""][:1] or everything[:1]


def _head(model: Model) -> str:
    """Say why a model has no head; empty where nothing here says so."""
    try:
        check_head(model.checkpoints[-1])
    except ModelError as error:
        return str(error)
    return ""


def _dictionaries(
    known: Mapping[str, DictionaryEntry], newest: Mapping[str, Any]
) -> tuple[str, tuple[LanguageWords, ...]] | None:
    """Draw the control of the dictionaries; return the language that they share and what is of which; None where none is."""
    ids = {entry.id: name for name, entry in known.items()}
    usual = [ids[each] for each in newest.get("dictionaries", {}).values() if each in ids]
    names = st.multiselect(
        "Dictionaries",
        list(known),
        default=usual or _alike(known),
        key="dictionaries",
        bind="query-params",
        help="One for each language, all of the same other one: the pivot, mostly English.",
    )
    if not names:
        return None
    try:
        pivot = shared([known[name] for name in names])
        of = {entry.id: other_end(entry, pivot) for entry in (known[name] for name in names)}
    except SpecError as error:
        st.error(verbatim(str(error)), icon=":material/error:")
        return None
    each = {language: dictionary for dictionary, language in of.items()}  # of two of one language the last
    return pivot, tuple(LanguageWords(language=tag, dictionary=each[tag]) for tag in sorted(each))


def _alike(known: Mapping[str, DictionaryEntry]) -> list[str]:
    """Return the first dictionaries that share a language with the first."""
    first = next(iter(known.values()))
    found: dict[str, str] = {}
    for name, entry in known.items():
        if first.source in (entry.source, entry.target):
            found.setdefault(other_end(entry, first.source), name)
    return list(found.values())[:AT_FIRST]


def _asked(task: str, languages: Sequence[str], pivot: str, newest: Mapping[str, Any]) -> tuple[str | None, tuple[str, ...]]:
    """Draw the controls of the language asked from and of the answers' languages."""
    source = None
    if task == "translation":
        asked = newest.get("asked", {}).get("source")
        usual = asked if asked in languages else next(tag for tag in languages if tag != pivot)
        source = select("From", languages, "asked_from", width=260, index=languages.index(usual), named=language_name)
    without = pivot if task == "cloze" else source  # it has no dictionary, hence no sentences
    others = [tag for tag in languages if tag != without]
    key, usual_targets = "answers", [tag for tag in others if tag in newest.get("targets", ())]
    if key in st.session_state:
        st.session_state[key] = [tag for tag in st.session_state[key] if tag in others]
    picked = st.multiselect(
        "Answers in",
        others,
        default=[] if len(usual_targets) == len(others) else usual_targets,
        format_func=language_name,
        key=key,
        bind="query-params",
        placeholder=f"All {len(others)}",
    )
    return source, tuple(sorted(picked or others))


def offer(selection: Selection, model: Model) -> None:
    """Say which of the model's chosen checkpoints are not read yet, or that it has no head; nothing where all are."""
    missing = selection.missing(model)[0]
    if not missing:
        return
    if why := _head(model):
        st.info(verbatim(why), icon=":material/info:")
        return
    on = f"words of {words.languages(selection.languages)}"
    sentence = compute.lacking(selection, model, missing, on, "latent language not computed yet")
    compute.offer(selection.spec(model, missing), sentence)


def tell(selection: Selection) -> None:
    """Say how many words it rests on."""
    files = list(selection.served.values())
    counts = [each["words"] for tag, each in files[0].provenance.get("counts", {}).items() if tag in selection.targets]
    if counts:
        number = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        where = "at the mask" if files[0].provenance.get("tells") == "masked" else "after the last token of the prompt"
        st.caption(f"{number} words an answer, read {where} by the model's own head.")
