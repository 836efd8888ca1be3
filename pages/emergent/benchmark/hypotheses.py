"""The paper's hypotheses over one's own sources, in words, under the leaderboard: what holds, and the evidence."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from isogloss.backend.boards.recipe import argument
from isogloss.backend.corpora.emergent import library as emergent_library
from isogloss.backend.experiments.sources.source import NONE
from isogloss.backend.experiments.translation import queries as translation_queries
from isogloss.backend.experiments.xferbench import hypotheses as found_hypotheses
from isogloss.backend.experiments.xferbench.correlations import LEAST
from isogloss.backend.experiments.xferbench.hypotheses import HYPOTHESES, Verdict, sentence
from isogloss.pages.emergent.benchmark.cards import HYPOTHESES as CARD
from isogloss.pages.emergent.benchmark.selection import Benchmark
from isogloss.pages.shared import answers
from isogloss.pages.widgets.figures import cooked, figure
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import workspaces

ICONS: dict[Verdict, str] = {
    "holds": ":material/check_circle:",
    "does not hold": ":material/cancel:",
    "cannot be told": ":material/help:",
}
GAME = "signalling game"
"""The format of corpora that were grown here, and so are emergent for certain."""


def draw(benchmark: Benchmark, texts: list[str]) -> None:
    """Draw each hypothesis with its verdict over these targets; sources that may be something else can be left out."""
    known = {entry.id: entry for entry in emergent_library.entries(workspaces())}
    gone = [key for key in benchmark.names if "/" not in key and key != NONE and key not in known]
    st.markdown("**The paper’s hypotheses (H1 to H4) over these sources**")
    given = {benchmark.names[key]: key for key, group in benchmark.groups.items() if group == "emergent" and key in known}
    uncertain = {name: key for name, key in given.items() if known[key].format != GAME}
    other = _left_out(uncertain)
    groups = {key: group for key, group in benchmark.groups.items() if key not in {*gone, *other}}
    sizes = {key: (known[key].vocabulary_size, known[key].longest, known[key].tokens) for key in given.values()}
    read = _translations(set(groups))
    compared = partial(
        found_hypotheses.hypotheses,
        names=dict(benchmark.names),
        groups=groups,
        sizes=sizes,
        translations=None if read is None else argument(read),
    )
    recipe = benchmark.read(texts).then(compared)
    tell(cooked.rows(recipe))
    figure.beside(name="XferBench hypotheses", card=CARD, recipe=recipe)
    if gone:
        names = ", ".join(verbatim(benchmark.names[key]) for key in gone)
        st.caption(f"Left out, for what they are is no longer known: {names}.")


def tell(data: pd.DataFrame) -> None:
    """Write each hypothesis, its verdict and the evidence."""
    for name, says in HYPOTHESES.items():
        parts = data[data["hypothesis"] == name].to_dict("records")
        verdict: Verdict = parts[0]["decided"]
        st.markdown(f"{ICONS[verdict]} **{name} {verdict}.** {says}")
        st.caption("  \n".join(verbatim(sentence({str(key): value for key, value in part.items()})) for part in parts))


def _left_out(uncertain: dict[str, str]) -> set[str]:
    """Draw the box of corpora that were imported, and so count as emergent languages unless they are said to be none."""
    if not uncertain:
        return set()
    chosen = st.multiselect(
        "Not emergent languages",
        list(uncertain),
        key="board_not_emergent",
        bind="query-params",
        placeholder="None",
        help="Imported corpora count as emergent languages here. Those chosen are something else, and left out.",
    )
    return {uncertain[name] for name in chosen}


def _translations(sources: set[str]) -> partial[pd.DataFrame] | None:
    """Make the call that reads the newest translation scores that enough of the sources have; None where there are none."""
    for row in answers.asked(translation_queries.groups).to_dict("records"):
        asked = {name: row[name] for name in ("options", "corpus", "pair")}
        read = partial(translation_queries.translations, workspaces=workspaces(), **asked)
        if len(sources & set(cooked.value(read)["source"])) >= LEAST:
            return read
    return None
