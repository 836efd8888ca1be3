"""What a selection lacks, with its price and a button that computes just that."""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.backend.models.entry import Checkpoint, Model
from isogloss.pages.shared.abx.selection import Selection
from isogloss.pages.widgets.runs import compute


def offer(selection: Selection, model: Model) -> None:
    """Say which of the model's chosen checkpoints are not computed on the selection's corpus; nothing where all are."""
    _offer(selection, model, selection.missing(model)[0], "not computed yet")


def offer_controls(selection: Selection, model: Model) -> None:
    """Do the same for both controls of the checkpoints that are computed."""
    _offer(selection, model, selection.without_baseline(model), "computed without baseline")
    shuffled = shuffled_of(selection)
    there = {each.fingerprint for each in selection.computed(model)}
    unshuffled = [each for each in shuffled.missing(model)[0] if each.fingerprint in there]
    _offer(shuffled, model, unshuffled, "computed without shuffled control")


def shuffled_of(selection: Selection) -> Selection:
    """Return the same selection of our own control: languages or sentences shuffled."""
    return selection.with_options(protocol="control", baseline=False, subsamples=1)


def _offer(selection: Selection, model: Model, missing: Sequence[Checkpoint], what: str) -> None:
    if missing:
        sentence = compute.lacking(selection, model, missing, selection.corpus.name, f"scores {what}")
        compute.offer(selection.spec(model, missing), sentence)
