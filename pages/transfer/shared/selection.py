"""What is looked at on the transfer page: models, labelled data, languages, and which of the runs that are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.corpora.tasks import library as tasks
from isogloss.backend.corpora.tasks.library import TaskEntry
from isogloss.backend.experiments.transfer import runs
from isogloss.backend.experiments.transfer.spec import Data
from isogloss.backend.figures.transfer import naming
from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.backend.models.library import library as models
from isogloss.backend.store import records
from isogloss.backend.store.records import RecordFile
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.choosing import prefixes, results, spoken
from isogloss.pages.widgets.choosing.choices import start_index
from isogloss.pages.widgets.choosing.prefixes import Prefixes
from isogloss.pages.widgets.choosing.selecting import ChosenModels, by_unique_name, choose_models
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard, workspaces

NEEDED = {"a labelled task": "Tasks", "a parallel corpus": "Corpora"}
"""What can be trained on, and its shelves in the Library."""
MOST = 3
"""Models chosen by default: of those that were fine-tuned."""
EACH = "Each model's most usual"
BY = ["model", "label", "algorithm", "corruption"]
"""What tells two models of a figure apart; runs of all their learning rates and seeds are pooled."""


@dataclass(frozen=True)
class LabelledData:
    """What models are fine-tuned on: a labelled task, or random labels on a parallel corpus."""

    kind: Data
    entry: TaskEntry | CorpusEntry
    name: str
    """Unique among what can be chosen."""
    removed: bool = False
    """Whether the Library has it no more: what runs on it gave is there."""

    @property
    def key(self) -> str:
        """What runs are filed under: the kind and the content id."""
        return f"{self.kind}/{self.entry.id}"

    @property
    def tags(self) -> list[str]:
        """The tags of its languages."""
        return self.entry.tags

    @property
    def trained(self) -> list[str]:
        """The tags of those that can be trained on."""
        return self.entry.sources if isinstance(self.entry, TaskEntry) else self.tags

    @property
    def translated(self) -> bool:
        """Whether the training examples have translations, which IGap is made of."""
        return self.trained == self.tags


@dataclass(frozen=True)
class Selection(ChosenModels):
    """Models, data and languages chosen, and the runs of them that are computed."""

    data: LabelledData
    sources: tuple[str, ...]
    """Languages trained on."""
    targets: tuple[str, ...]
    """Languages evaluated in."""
    labels: tuple[str, ...]
    """Checkpoints' labels; empty for the last one of each model."""
    have: tuple[RecordFile, ...]
    """Files of all runs in the workspace."""
    all_runs: pd.DataFrame
    """Runs of the chosen models, data, languages and setting (`runs.COLUMNS`), whatever their corruption."""
    kept: Mapping[str, tuple[Any, ...]]
    """The algorithms, learning rates, seeds and corruptions looked at."""
    said: tuple[str, ...] = ()
    """What to say of the models drawn: the options in which their training differs."""
    prefixes: Prefixes = field(default_factory=dict)

    def checkpoints(self, model: Model) -> list[Checkpoint]:
        """Those looked at."""
        if not self.labels:
            return [model.checkpoints[-1]]
        return [checkpoint for checkpoint in model.checkpoints if checkpoint.label in self.labels]

    @cached_property
    def runs(self) -> pd.DataFrame:
        """The runs looked at, a row each: `runs.COLUMNS`. Not to be changed: a page asks some eighty times."""
        return self._kept_runs(self.kept)

    @cached_property
    def models_by_name(self) -> dict[str, tuple[object, ...]]:
        """The models of the runs looked at, by what tells them apart in few words: their values of `BY`. Not to be changed."""
        found = self.runs.drop_duplicates(BY)
        names = list(naming.names(found, self.differing(found))) if len(found) else []
        return dict(zip(names, found[BY].itertuples(index=False, name=None), strict=True))

    def differing(self, frame: pd.DataFrame, by: Sequence[str] = BY) -> list[str]:
        """Return the columns of `by` that tell models apart besides their names."""
        found = [name for name in by[1:] if self.runs[name].nunique() > 1 or frame[name].nunique() > 1]
        if "label" in found and self.runs.groupby("model")["label"].nunique().max() == 1:
            found.remove("label")  # the last of each model
        return found

    @cached_property
    def runs_of_any_corruption(self) -> pd.DataFrame:
        """As `runs`, whatever corruption is chosen."""
        return self._kept_runs(name for name in self.kept if name != "corruption")

    def _kept_runs(self, columns: Iterable[str]) -> pd.DataFrame:
        found = self.all_runs
        for name in columns:
            found = found[found[name].isin(list(self.kept[name]))]
        return found.reset_index(drop=True)

    @property
    def languages(self) -> tuple[str, ...]:
        """All languages at either end, sorted."""
        return tuple(sorted({*self.sources, *self.targets}))

    def files(self, of: pd.DataFrame) -> list[tuple[Path, float]]:
        """The files of some runs, each with when it was published: with the path, a key for caches."""
        wanted, seen = set(of["run"]), {}
        for file in self.have:
            if file.run in wanted:
                seen[file.run] = (file.path, file.modified)
        return sorted(seen.values())


def choose() -> Selection | None:
    """The controls, in the side bar; None (and a designed empty state) where there is nothing to choose from."""
    with guard():
        everything = models.with_weights(workspaces())
        have = tuple(records.files(workspaces()))
        data = data_choices(have)
    if not everything or not data:
        lacking = {} if data else {"a labelled task or parallel corpus of two languages or more": NEEDED}
        navigation.say_needs("Transfer", lacking, has_model=bool(everything))
        return None
    names = {each.key: name for name, each in data.items()}
    opens = results.initial_selection(have, everything, names, _data_of)
    with st.sidebar:
        picked = choose_models(everything, opens.models if opens.own else tuned(have, everything), MOST)
        options = list(data)
        first = options.index(names[opens.corpus]) if opens.own and opens.corpus else 0
        chosen = data[st.selectbox("Data", options, start_index("data", options, first), key="data", bind="query-params")]
        sources = spoken.some("Trained on", chosen.trained, key="from", of=chosen.key, place="Transfer")
        targets = spoken.some("Evaluated in", chosen.tags, key="to", of=chosen.key, place="Transfer")
        if opens.own and chosen.key == opens.corpus:
            results.demo_button(have, everything, names, "data", _data_of)
    if not picked.models or not sources or not targets or len({*sources, *targets}) < 2:
        st.info("Choose a model, a language to train on and another to evaluate in.", icon=":material/left_panel_open:")
        return None
    with st.sidebar, st.expander("Runs", icon=":material/tune:"):
        labels = tuple(
            st.multiselect(
                "Checkpoints",
                list(dict.fromkeys(each.label for model in picked.models for each in model.checkpoints)),
                key="checkpoints",
                bind="query-params",
                placeholder="The last of each model",
            )
        )
        before = prefixes.choose(picked.models)
        everywhere = runs.runs_of_selection(have, picked.models, labels, chosen.kind, chosen.entry.id, sources, targets, before)
        one_setting = _one_setting(everywhere)
        kept = _kept(one_setting)
    prefixes.tell(picked.models, before)
    _left_out(picked.models, everywhere, one_setting, chosen.name)
    return Selection(
        **vars(picked),
        data=chosen,
        sources=sources,
        targets=targets,
        labels=labels,
        have=have,
        all_runs=one_setting,
        kept=kept,
        said=_said(one_setting),
        prefixes=before,
    )


def _data_of(file: RecordFile) -> str:
    """What a run was trained on, as `LabelledData.key` has it."""
    return f"{file.provenance['data']}/{file.provenance['corpus']}"


def tuned(have: Sequence[RecordFile], everything: Sequence[Model]) -> list[Model]:
    """Return the models whose last checkpoint was fine-tuned."""
    fingerprints = {file.provenance["fingerprint"] for file in have}
    return [each for each in everything if each.checkpoints[-1].fingerprint in fingerprints]


def data_choices(have: Sequence[RecordFile]) -> dict[str, LabelledData]:
    """All that can be trained on, by a name of its own: first what models were trained on, and labelled tasks."""
    choices = [LabelledData("task", entry, entry.name) for entry in tasks.entries(workspaces()) if len(entry.languages) > 1]
    choices += [
        LabelledData("parallel", entry, f"{entry.name}, random labels")
        for entry in corpora.entries(workspaces())
        if len(entry.languages) > 1
    ]
    there = {(each.kind, each.entry.id) for each in choices}
    gone = {(file.provenance["data"], file.provenance["corpus"]): file for file in have}  # the newest of each
    choices += [
        LabelledData(file.provenance["data"], entry := runs.removed_data(file), entry.name, removed=True)
        for named, file in gone.items()
        if named not in there
    ]
    trained = {named for named in gone if named in there}
    choices.sort(key=lambda each: (each.kind, each.entry.id) not in trained)
    return by_unique_name(choices, lambda data: data.name, lambda data: data.entry.id)


def _one_setting(all_runs: pd.DataFrame) -> pd.DataFrame:
    """The runs of one setting: numbers of runs that were trained otherwise do not mix. The one with most runs by default.

    Where no setting has runs of every model, each model's own most frequent one: none is left out without a word.
    """
    counts = all_runs.groupby("setting").agg(models=("model", "nunique"), runs=("run", "size"))
    if len(counts) < 2:
        return all_runs
    options = list(counts.sort_values(["models", "runs"], ascending=False, kind="stable").index)
    whole = all_runs["model"].nunique()
    if (counts["models"] < whole).all():
        options = [EACH, *options]
    chosen = st.selectbox("Trained with", options, index=start_index("setting", options), key="setting", bind="query-params")
    own = all_runs["setting"].eq(chosen)
    if chosen == EACH:
        own = all_runs["setting"] == all_runs.groupby("model")["setting"].transform(lambda each: each.value_counts().index[0])
    return all_runs[own].reset_index(drop=True)


def _said(found: pd.DataFrame) -> tuple[str, ...]:
    """Say how the models drawn differ in the options that they were trained with."""
    sentences = []
    own = found.drop_duplicates("model").set_index("model")["setting"]
    if own.nunique() > 1:
        parts = {name: setting.split(", ") for name, setting in own.items()}
        shared = set.intersection(*map(set, parts.values()))
        differ = (f"{name}: {', '.join(each for each in words if each not in shared)}" for name, words in parts.items())
        sentences.append(f"Trained with different options. {'; '.join(differ)}.")
    return tuple(sentences)


def _left_out(chosen: Sequence[Model], everywhere: pd.DataFrame, shown: pd.DataFrame, data: str) -> None:
    """Name the chosen models that no figure shows, and why: not trained, or trained with other options, which can be shown."""
    if everywhere.empty:
        return
    lacking = [model.name for model in chosen if model.name not in set(everywhere["model"])]
    if lacking:
        st.caption(f":material/visibility_off: Not trained on {verbatim(data)}: {verbatim(', '.join(lacking))}.")
    for model in chosen:
        settings = everywhere.loc[everywhere["model"].eq(model.name), "setting"]
        if settings.empty or model.name in set(shown["model"]):
            continue
        other = settings.value_counts().index[0]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f":material/visibility_off: {verbatim(model.name)} is hidden: it was trained with {verbatim(other)}.")
            st.button("Show it instead", key=f"show-{model.name}", on_click=_show_setting, args=(other,), type="tertiary")


def _show_setting(setting: str) -> None:
    st.session_state["setting"] = setting


def _kept(found: pd.DataFrame) -> dict[str, tuple[Any, ...]]:
    """Filters on what the runs differ in; corrupted labels are looked at in Memorisation, elsewhere only when chosen."""
    kept: dict[str, tuple[Any, ...]] = {}
    for column, label in runs.FILTERS.items():
        options = sorted(found[column].unique().tolist())
        if len(options) < 2:
            continue
        names = {f"{each:g}" if isinstance(each, float) else str(each): each for each in options}
        first = [next(iter(names))] if column == "corruption" else []
        chosen = st.multiselect(
            label, list(names), default=first, key=column, bind="query-params", placeholder=f"All {len(options)}"
        )
        kept[column] = tuple(names[each] for each in chosen if each in names) or tuple(options)
    return kept
