"""ABX discrimination: does a layer tell languages apart, and does it tell meanings apart?"""

from __future__ import annotations

import streamlit as st

from backend.experiments import estimate
from backend.experiments.estimate import Estimate
from backend.models.entry import Model
from pages.measurements.abx_views import compare, languages, overview, pairs, pick, relations, selection, trends
from pages.measurements.abx_views.selection import Selection
from pages.widgets import compute
from pages.widgets.workspace import guard

VIEWS = {
    "Layers × checkpoints": overview.draw,
    "Curves": trends.draw,
    "Languages": languages.draw,
    "Pairs": pairs.draw,
    "Relations": relations.draw,
    "Compare": compare.draw,
}


def main() -> None:
    st.title("ABX discrimination", anchor=False)
    pick.apply_click()
    chosen = selection.choose()
    if chosen is None:
        return
    with guard():
        for model in chosen.models:
            offer_missing(chosen, model)
        if not chosen.covered:
            st.info("Nothing is computed for this selection yet. Compute it above, or choose another.", icon=":material/info:")
            return
        view = st.segmented_control(
            "View", list(VIEWS), default="Layers × checkpoints", key="view", bind="query-params", label_visibility="collapsed"
        )
        VIEWS[view or "Layers × checkpoints"](chosen)


def offer_missing(chosen: Selection, model: Model) -> None:
    """What this model lacks for the selection, with its price and a button that computes just that."""
    missing = chosen.missing(model)
    if not missing:
        return
    spec = chosen.spec(model, missing)
    entry = chosen.corpus
    characters = sum(language.characters for language in entry.languages if language.tag in chosen.languages)

    def price(worker: dict[str, object]) -> Estimate | None:
        return estimate.abx(model, len(missing), len(chosen.languages), entry.sentences, characters, worker, chosen.have)

    total = len(chosen.checkpoints(model))
    names = ", ".join(checkpoint.label for checkpoint in missing[:4]) + (" …" if len(missing) > 4 else "")
    compute.offer(
        spec, f"**{model.name}**: {len(missing)} of {total} checkpoints not computed ({names}).", price, f"compute-{spec.id}"
    )


main()
