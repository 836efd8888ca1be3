"""From what is kept to the pages that measure it: links that open them with it chosen, and a line on what was just kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.tagged import library as tagged
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.experiments.registry import FAMILIES
from isogloss.backend.models.library import library as models
from isogloss.backend.store import records, scores
from isogloss.pages.library.models import add as add_model
from isogloss.pages.shared.abx.selection import computed_of
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import results
from isogloss.pages.widgets.choosing.selecting import Chosen, unique_names
from isogloss.pages.widgets.choosing.spoken import name as language_name
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import user_workspaces, workspaces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isogloss.backend.corpora.covariates.library import CovariatesEntry
    from isogloss.backend.corpora.dictionaries.library import DictionaryEntry
    from isogloss.backend.corpora.parallel.library import CorpusEntry
    from isogloss.backend.corpora.shared.kind import Kind
    from isogloss.backend.corpora.word_alignments.library import AlignmentEntry

Query = dict[str, str | list[str]]
CHOSEN_BY: dict[str, dict[str, str]] = {
    "corpus": {"abx": "corpus", "alignment": "corpus", "tokenisers": "corpus"},
    "model": {"abx": "model", "alignment": "model", "probing": "model", "transfer": "model", "tokenisers": "model"},
    "task": {"transfer": "data", "probing": "data"},
    "tagged corpus": {"probing": "data"},
    "emergent corpus": {"emergent": "corpora"},
}
"""Kind → family of a page → the parameter of its URL that chooses one by its name."""
DATA: dict[str, tuple[str, tuple[Kind[Any, Any], ...]]] = {
    "abx": ("corpus", (corpora.KIND,)),
    "alignment": ("corpus", (corpora.KIND,)),
    "probing": ("data", (tagged.KIND, tasks.KIND)),
    "transfer": ("data", (tasks.KIND,)),
    "tokenisers": ("corpus", (corpora.KIND,)),
}
"""Family → the parameter of what its page measures a model on, and the shelves of such things."""
ICON = ":material/play_arrow:"


def links(kind: str, name: str) -> None:
    """Draw a link to each page that measures what is called `name` there (`unique_names`), with it chosen.

    Where a page measures a model on data, the other of the two is one's own too, if there is one.
    """
    alone = kind == "model" and models.load_entry(name, workspaces()).tokeniser_alone
    for family, parameter in CHOSEN_BY.get(kind, {}).items():
        if alone and family != "tokenisers":
            continue
        other = _other_half(kind, name, family) if family in CHOSEN_BY["model"] else {}
        _link(family, {parameter: name, **other})


def _other_half(kind: str, name: str, family: str) -> Query:
    """Return the data of the newest own score of a model, else the newest own ones; of data the model; else nothing."""
    parameter, shelves = DATA[family]
    least = 2 if family == "transfer" else 1
    able = [entry for shelf in shelves for entry in shelf.entries(workspaces()) if len(entry.tags) >= least]
    names = unique_names(able)
    ids = {entry.id: each for each, entry in names.items() if kind == "model" or each == name}
    these = [model for model in models.entries(workspaces()) if kind != "model" or model.name == name]
    have = records.files(workspaces()) if family == "transfer" else scores.shards(workspaces(), family)
    measured = results.initial_selection(have, these, ids)
    if kind == "model":
        mine = {entry.id for shelf in shelves for entry in shelf.entries(user_workspaces())}
        newest = results.newest(entry for entry in able if entry.id in mine)
        data = measured.corpus if measured.own else newest and newest.id
        return {parameter: ids[data]} if data else {}
    model = measured.models[0] if measured.own else results.newest_model()
    return {"model": model.name} if model else {}


def offer_pair(kind: str, name: str) -> None:
    """Offer to measure the model or corpus that was just kept with the newest own of the other, at a press.

    Where a corpus is kept before any model, ask for that one.
    """
    model, corpus = results.newest_model(), results.newest_corpus()
    if kind == "model":
        model = models.load_entry(name, workspaces())
    elif kind == "corpus":
        corpus = unique_names(corpora.entries(workspaces()))[name]
    else:
        return
    if model is None:
        with st.container(border=True, key="model-to-measure"):
            st.markdown(f"**Add the model to measure on {verbatim(name)}**")
            add_model.draw_one()
    if model is None or model.tokeniser_alone or corpus is None or len(corpus.tags) < 2:
        return
    labels, layers = tuple(each.label for each in model.checkpoints), tuple(range(model.layers + 1))
    selection = computed_of(Chosen((model,), (model,), layers, labels, corpus, tuple(sorted(corpus.tags))))
    if missing := selection.missing(model)[0]:
        sentence = f"Measure **{verbatim(model.name)}** on **{verbatim(corpus.name)}**: ABX"
        compute.offer(selection.spec(model, missing), sentence, verb="Start")


def dictionary_links(entry: DictionaryEntry | AlignmentEntry, name: str) -> None:
    """Draw the link to Alignment with this source of word pairs chosen, on a corpus that has both languages; none without."""
    ends = {entry.source.split("-")[0], entry.target.split("-")[0]}
    wanted = getattr(entry, "corpus", None)
    for corpus in results.own_first(corpora.entries):
        tags = sorted(tag for tag in corpus.tags if tag.split("-")[0] in ends)
        if len(tags) == 2 and wanted in (None, corpus.id):
            _link("alignment", _of_pair(corpus, tags, name))
            return


def covariate_links(entry: CovariatesEntry) -> None:
    """Draw the link to Relations with the table's first column as the predictor of languages; an outcome is predicted."""
    outcome = entry.outcomes.get(entry.columns[0])
    column = {"y": outcome.title} if outcome else {"x": f"{entry.name}: {entry.columns[0]}"}
    _link("relations", {"unit": "Language", **column})


def _of_pair(corpus: CorpusEntry, tags: list[str], name: str) -> Query:
    languages = [language_name(tag) for tag in tags]
    return {"corpus": corpus.name, "languages": languages, f"dictionary_{tags[0]}_{tags[1]}": name}


def just_kept(kind: str, own_names: Mapping[str, str]) -> list[str]:
    """Return the ids of what was kept last, since the shelf was first drawn; `own_names` by their ids."""
    seen_key, new_key = f"library-seen-{kind}", f"library-new-{kind}"
    seen: set[str] | None = st.session_state.get(seen_key)
    st.session_state[seen_key] = set(own_names)
    if seen is not None and (new := [each for each in own_names if each not in seen]):
        st.session_state[new_key] = new
    return [each for each in st.session_state.get(new_key, []) if each in own_names]


def label(names: list[str]) -> None:
    """Say what was just kept, before the links."""
    st.markdown(f":material/check: **{verbatim(', '.join(names))}** {'is' if len(names) == 1 else 'are'} saved.")


def _link(family: str, query: Query) -> None:
    menu = next(each.menu for each in FAMILIES if each.name == family)
    if menu is not None:
        st.page_link(navigation.page_of(family), label=f"Measure: {menu.title}", icon=ICON, query_params=query)
