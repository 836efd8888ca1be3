"""What a selection lacks, with its price and a button that computes just that."""

from __future__ import annotations

from backend.experiments.alignment.words.spec import WordAlignmentSpec
from backend.experiments.words import count
from backend.figures.alignment import UNITS
from backend.models.entry import Model
from pages.alignment.selection import Selection
from pages.widgets.runs import compute
from pages.widgets.words import verbatim


def offer(selection: Selection, model: Model) -> None:
    """Say which checkpoints and pairs of the model are not computed; nothing where all are."""
    checkpoints, pairs = selection.missing(model)
    if not checkpoints:
        return
    spec = selection.spec(model, checkpoints, pairs)
    what = UNITS[selection.unit].lower()
    names = ", ".join(checkpoint.label for checkpoint in checkpoints[:3]) + (" …" if len(checkpoints) > 3 else "")
    where = f"**{verbatim(model.name)}** on {verbatim(selection.corpus.name)}"
    lacking = f"{what} of {count(len(pairs), 'language pair')} not computed"
    at = f"{len(checkpoints)} of {count(len(selection.checkpoints(model)), 'checkpoint')}"
    sentence = f"{where}: {lacking} at {at} ({verbatim(names)})."
    if isinstance(spec, WordAlignmentSpec):
        compute.offer(spec, sentence, f"compute-{spec.id}")
    else:
        compute.offer(spec, sentence, f"compute-{spec.id}")
