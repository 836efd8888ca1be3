"""What a selection lacks, with its price and a button that computes just that."""

from __future__ import annotations

from backend.models.entry import Model
from pages.shared.abx.selection import Selection
from pages.widgets import compute
from pages.widgets.words import plain


def offer(selection: Selection, model: Model) -> None:
    """Say which of the model's chosen checkpoints are not computed on the selection's corpus; nothing where all are."""
    missing = selection.missing(model)
    if not missing:
        return
    spec = selection.spec(model, missing)
    total = len(selection.checkpoints(model))
    names = ", ".join(checkpoint.label for checkpoint in missing[:4]) + (" …" if len(missing) > 4 else "")
    where = f"**{plain(model.name)}** on {plain(selection.corpus.name)}"
    sentence = f"{where}: {len(missing)} of {total} checkpoints not computed ({plain(names)})."
    compute.offer(spec, sentence, f"compute-{spec.id}")
