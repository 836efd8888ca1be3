"""What a selection lacks, with its price and a button that computes just that."""

from __future__ import annotations

from isogloss.backend.experiments.words import count
from isogloss.backend.figures.alignment import UNITS
from isogloss.backend.models.entry import Model
from isogloss.pages.alignment.selection import Selection
from isogloss.pages.widgets.choosing.selecting import WHOLE
from isogloss.pages.widgets.runs import compute


def offer(selection: Selection, model: Model) -> None:
    """Say which checkpoints and pairs of the model are not computed; nothing where all are."""
    checkpoints, pieces = selection.missing(model)
    pairs = selection.pairs if WHOLE in pieces else pieces
    if checkpoints:
        what = f"{UNITS[selection.unit].lower()} of {count(len(pairs), 'language pair')} not computed yet"
        sentence = compute.lacking(selection, model, checkpoints, selection.corpus.name, what)
        compute.offer(selection.spec(model, checkpoints, pairs), sentence)
