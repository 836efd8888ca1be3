"""What of XferBench is looked at: one variant, never two on an axis, and which sources and targets; all in the URL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from isogloss.backend.boards.recipe import Recipe
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.corpora.parallel import library
from isogloss.backend.experiments.sources.groups import Group
from isogloss.backend.experiments.xferbench import amounts
from isogloss.backend.experiments.xferbench import folding as xferbench_folding
from isogloss.backend.experiments.xferbench import frames as xferbench_frames
from isogloss.backend.experiments.xferbench import queries as xferbench_queries
from isogloss.backend.experiments.xferbench.amounts import Short
from isogloss.backend.experiments.xferbench.folding import Folding
from isogloss.pages.emergent.benchmark import form as benchmark_form
from isogloss.pages.emergent.shared.selection import Selection
from isogloss.pages.shared import answers, source_names
from isogloss.pages.widgets.choosing import more
from isogloss.pages.widgets.choosing.choices import select
from isogloss.pages.widgets.choosing.selecting import unique_names
from isogloss.pages.widgets.figures import cooked
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

SOURCES, TARGETS = "board_sources", "board_targets"
"""Keys of the controls; nothing chosen means all."""


@dataclass(frozen=True)
class Benchmark:
    """Scores of one variant."""

    variant: str
    label: str
    """The variant in words."""
    cells: pd.DataFrame
    """Those of the sources and targets chosen, as `xferbench_queries.cross_entropies` has them."""
    names: Mapping[str, str]
    """Of the chosen sources, by their keys."""
    groups: Mapping[str, Group]
    languages: Mapping[str, str]
    """The BCP-47 tags of the human sources, by their keys."""
    targets: Mapping[str, str]
    """The names of the chosen target texts, `<corpus>/<tag>`."""
    foldings: Mapping[str, Folding]
    """Of the sources that had more symbols than the model has embeddings, by their keys."""
    colours: Mapping[str, str]
    """Of one's own among the sources: the emergent languages chosen in the side bar."""
    short: Mapping[str, Short]
    """Of the target texts that had less than tuning asks for, `<corpus>/<tag>`."""
    chosen: bool = False
    """Whether somebody chose sources or targets."""

    @property
    def folded(self) -> str:
        """Write a sentence on the sources that were folded, and on targets that are short; empty where none is."""
        names = {text: verbatim(name) for text, name in self.targets.items()}
        return source_names.folding_note(self.names, self.foldings) + amounts.note(self.short, names)

    @property
    def notes(self) -> dict[str, str]:
        """Return what a hover says of the sources that were folded, by their keys."""
        return {key: each.text for key, each in self.foldings.items()}

    @property
    def texts(self) -> list[str]:
        """List the target texts that all chosen sources have: means over these compare."""
        return xferbench_frames.shared_texts(self.cells)

    def complete(self) -> Benchmark:
        """Return what compares: what was chosen, else the block without a gap that the newest score opens."""
        if self.chosen:
            return self
        newest = answers.asked(xferbench_queries.newest_cell, variant=self.variant)
        return self._of(xferbench_frames.opening_block(self.cells, *newest))

    def around(self, source: str) -> Benchmark:
        """Return the largest block without a gap that holds a source."""
        return self._of(xferbench_frames.largest_block(self.cells, source))

    def _of(self, cells: pd.DataFrame) -> Benchmark:
        sources, texts = set(cells["source"]), set(xferbench_frames.texts(cells))
        names = {key: name for key, name in self.names.items() if key in sources}
        targets = {text: name for text, name in self.targets.items() if text in texts}
        return of_variant(self.variant, self.label, names, targets, self.colours)

    def recipe(self, step: Callable[..., pd.DataFrame], texts: Sequence[str] | None = None, **more: Any) -> Recipe:
        """Return the recipe of what `step` makes of the cells and the sources' names and groups.

        The cells are those of these target texts, of all chosen ones if None.
        """
        return self.read(texts).then(partial(step, names=dict(self.names), groups=dict(self.groups), **more))

    def read(self, texts: Sequence[str] | None = None) -> Recipe:
        """Return the recipe of the cells of these target texts, of all chosen ones if None."""
        return cells_of(self.variant, self.names, self.targets if texts is None else texts)


def cells_of(variant: str, sources: Iterable[str], texts: Iterable[str]) -> Recipe:
    """Return the recipe of a variant's cells from these sources to these texts."""
    read = partial(xferbench_frames.cells_of, workspaces=workspaces(), variant=variant)
    return Recipe((partial(read, sources=list(sources), texts=list(texts)),))


def choose(selection: Selection, *, trains: bool = True) -> tuple[Benchmark | None, DeltaGenerator]:
    """Draw the form of new runs, then the controls; return the scores, and *View options* for what a view adds.

    A view of what was trained (not `trains`) has no form. None, which is said, where there are no scores or none is chosen.
    """
    known = answers.asked(xferbench_queries.variants)
    if trains:
        benchmark_form.offer(selection, expanded=known.empty)
    if known.empty:
        where = "above, or look at the paper's below" if trains else "in the view “Leaderboard”"
        st.info(f"No XferBench score is computed yet. Train some {where}.", icon=":material/info:")
        return None, more.view_options()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        about = "Preset, protocol and digits of all options. Scores of different variants do not compare."
        variant, label = variant_of(known, "Variant", about)
        options = more.view_options()
    with options:
        cells = answers.asked(xferbench_queries.cross_entropies, variant=variant)
        sources = _some("Sources", source_names.names_of(cells["source"].unique()), SOURCES)
        targets = _some("Targets", _targets(cells), TARGETS)
    colours = {entry.id: selection.colours[name] for name, entry in selection.corpora.items()}
    found = of_variant(variant, label, sources, targets, colours)
    if found.cells.empty:
        st.info("These sources have no score in these targets. Choose others.", icon=":material/info:")
        return None, options
    return replace(found, chosen=any(st.session_state[key] for key in (SOURCES, TARGETS))), options


def of_variant(
    variant: str, label: str, sources: Mapping[str, str], targets: Mapping[str, str], colours: Mapping[str, str]
) -> Benchmark:
    """Return the scores of a variant, with those of the sources and targets (names by keys) that it has."""
    cells = cooked.rows(cells_of(variant, sources, targets))
    scored, texts = set(cells["source"]), set(xferbench_frames.texts(cells))
    names = {key: name for key, name in sources.items() if key in scored}
    groups = source_names.groups_of(names)
    spoken = {entry.id: entry.language for entry in emergent_library.entries(workspaces()) if entry.language}
    return Benchmark(
        variant=variant,
        label=label,
        cells=cells,
        names=names,
        groups=groups,
        languages={key: key.partition("/")[2] or spoken[key] for key in names if "/" in key or key in spoken},
        targets={text: name for text, name in targets.items() if text in texts},
        foldings=xferbench_folding.of_bases(answers.asked(xferbench_queries.each_seed, variant=variant), workspaces()),
        short=amounts.short_targets(variant, workspaces()),
        colours={key: colours[key] for key in names if key in colours and groups[key] == "emergent"},
    )


def variant_of(known: pd.DataFrame, title: str, help: str) -> tuple[str, str]:
    """Draw the box of variants (`xferbench_queries.variants`); returns the chosen one and what it is called."""
    names = source_names.variant_labels(known, "variant")
    label = select(title, list(names), "variant", width=230, help=help)
    return names[label], label


def _some(label: str, names: Mapping[str, str], key: str) -> dict[str, str]:
    """Those of `names` (by key) that are chosen; all where none is."""
    options = list(names.values())
    if key in st.session_state:  # what another variant has and this one lacks
        st.session_state[key] = [name for name in st.session_state[key] if name in options]
    chosen = st.multiselect(label, options, key=key, bind="query-params", placeholder=f"All {len(options)}")
    return {each: name for each, name in names.items() if not chosen or name in chosen}


def _targets(cells: pd.DataFrame) -> dict[str, str]:
    """A name for every target text: its language's, with its corpus' where two texts are of one language."""
    corpora = {entry.id: name for name, entry in unique_names(library.entries(workspaces())).items()}
    pairs = sorted(set(zip(cells["corpus"], cells["target"], strict=True)))
    languages = [tag for _, tag in pairs]
    found = {}
    for corpus, tag in pairs:
        where = f" ({corpora.get(corpus, 'a text that is not kept')})" if languages.count(tag) > 1 else ""
        found[f"{corpus}/{tag}"] = name_of(tag) + where
    return source_names.distinct(dict(sorted(found.items(), key=lambda item: item[1])))
