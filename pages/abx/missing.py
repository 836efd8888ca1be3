"""What a selection lacks, with its price and a button that computes just that."""

from __future__ import annotations

from backend.experiments import estimate
from backend.experiments.estimate import Estimate
from backend.models.entry import Model
from pages.abx.selection import Selection
from pages.widgets import compute
from pages.widgets.words import plain


def offer(selection: Selection, model: Model) -> None:
    """Say which of the model's chosen checkpoints are not computed on the selection's corpus; nothing where all are."""
    missing = selection.missing(model)
    if not missing:
        return
    spec = selection.spec(model, missing)
    entry = selection.corpus
    characters = sum(language.characters for language in entry.languages if language.tag in selection.languages)

    def price(worker: dict[str, object]) -> Estimate | None:
        return estimate.abx(
            model,
            len(missing),
            len(selection.languages),
            entry.sentences,
            characters,
            worker,
            selection.have,
            n_triplets=spec.n_triplets if spec.protocol == "sampled" else None,
        )

    total = len(selection.checkpoints(model))
    names = ", ".join(checkpoint.label for checkpoint in missing[:4]) + (" …" if len(missing) > 4 else "")
    sentence = (
        f"**{plain(model.name)}** on {plain(entry.name)}: {len(missing)} of {total} checkpoints not computed ({plain(names)})."
    )
    compute.offer(spec, sentence, price, f"compute-{spec.id}")
