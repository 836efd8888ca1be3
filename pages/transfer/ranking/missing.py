"""What a ranking of transfer directions lacks: the gold in a sentence, runs and similarities with their price and a button."""

from __future__ import annotations

from itertools import combinations

import streamlit as st

from isogloss.backend.experiments.transfer.spec import SWEPT, TransferSpec
from isogloss.backend.experiments.words import count
from isogloss.backend.training.finetune.options import LEARNING_RATES, FinetuneOptions
from isogloss.pages.transfer.ranking.data import Sides
from isogloss.pages.transfer.shared.selection import Selection
from isogloss.pages.widgets import navigation
from isogloss.pages.widgets.runs import compute
from isogloss.pages.widgets.words import verbatim


def say_no_gold(selection: Selection, sides: Sides | None) -> None:
    """Where the gold order would come from."""
    if sides is None and selection.data.kind == "task":
        sentence = "A ranking needs a parallel corpus that has three of these languages. Add one in the Library."
    elif sides is None:
        sentence = "The gold order is a task's test accuracy. Add a labelled task with three of these languages in the Library."
    elif selection.data.kind == "task":
        sentence = "The gold order is the task's test accuracy: train models on it under “Train models” above."
    else:
        sentence = (
            f"The gold order is a task's test accuracy: choose {verbatim(sides.gold.data.name)} as the data in the side bar "
            f"and train {verbatim(sides.model.name)} on it."
        )
    st.info(sentence, icon=":material/info:")
    if sides is None:
        shelf = "Corpora" if selection.data.kind == "task" else "Tasks"
        navigation.to_library(f"Open {shelf}", shelf)


def offer(selection: Selection, sides: Sides, at: float, epsilon: float) -> None:
    """Offer language similarities and, where the page's own form is about the task, runs on random labels.

    Where the weights are not here that is said once, not of each.
    """
    absent = _offer_similarity(sides)
    if selection.data.kind == "task":
        if not absent:
            _offer_runs(sides, at, epsilon)
    elif lacking(sides):
        st.caption("IGap: train models on these random labels under “Train models” above.")


def _offer_similarity(sides: Sides) -> bool:
    """Return whether the weights are known not to be here."""
    served = sides.served()
    pairs = [pair for pair in combinations(sides.predicted.languages, 2) if pair not in served]
    if not pairs:
        return False
    tags = sorted({tag for pair in pairs for tag in pair})
    spec = sides.spec(tags)
    return compute.offer(
        spec,
        f"**{verbatim(sides.model.name)}** on {verbatim(sides.corpus.name)}: similarity of languages not computed yet for "
        f"{count(len(pairs), 'pair')}.",
    )


def _offer_runs(sides: Sides, at: float, epsilon: float) -> None:
    sources = lacking(sides)
    if not sources:
        return
    spec = runs_spec(sides, sources, at, epsilon)
    compute.offer(
        spec,
        f"**{verbatim(sides.model.name)}** on {verbatim(sides.corpus.name)}: IGap on random labels not computed yet from "
        f"{count(len(sources), 'language')} ({count(len(spec.shards()), 'run')}).",
    )


def lacking(sides: Sides) -> list[str]:
    """Return the languages that no run on the random labels starts from."""
    there = set(sides.predicted.all_runs["source"])
    return [tag for tag in sides.predicted.sources if tag not in there]


def runs_spec(sides: Sides, sources: list[str], at: float, epsilon: float) -> TransferSpec:
    """Runs from `sources` on random labels: as the others there were trained, else as in table 4 with one seed."""
    runs = sides.predicted.all_runs
    have = [file for file in sides.predicted.have if file.run in set(runs["run"])]
    common = {
        "model": sides.model.name,
        "checkpoints": (sides.checkpoint,),
        "data": "parallel",
        "corpus": sides.corpus.id,
        "sources": tuple(sources),
        "languages": sides.predicted.languages,
        "algorithms": (sides.algorithm,),
    }
    if not have:
        windows, before = ((at, epsilon),), sides.prefix
        training = FinetuneOptions.published("parallel", windows=windows, prefix=before)
        more = {"learning_rates": LEARNING_RATES["parallel"], "seeds": (0,), "training": training}
        return TransferSpec.model_validate(common | more)
    provenance = have[0].provenance
    options = {name: value for name, value in provenance["options"].items() if name not in SWEPT}
    more = {"learning_rates": tuple(runs["learning_rate"].unique()), "seeds": tuple(runs["seed"].unique().tolist())}
    more |= {"sentences": provenance["sentences"], "draw": provenance["draw"], "training": options}
    return TransferSpec.model_validate(common | more)
