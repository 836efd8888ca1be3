"""What a selection lacks, with its price and a button that computes just that."""

from __future__ import annotations

from collections.abc import Sequence

from backend.models.entry import Checkpoint, Model
from pages.shared.abx.selection import Selection
from pages.widgets.runs import compute
from pages.widgets.words import verbatim


def offer(selection: Selection, model: Model) -> None:
    """Say which of the model's chosen checkpoints are not computed on the selection's corpus; nothing where all are."""
    if missing := selection.missing(model):
        _offer(selection, model, missing, "not computed")


def offer_controls(selection: Selection, model: Model) -> None:
    """Do the same for both controls of the checkpoints that are computed."""
    if lacking := selection.without_baseline(model):
        _offer(selection, model, lacking, "computed without baseline")
    shuffled = shuffled_of(selection)
    if lacking := [each for each in selection.computed(model) if each.fingerprint not in shuffled.served]:
        _offer(shuffled, model, lacking, "computed without shuffled control")


def shuffled_of(selection: Selection) -> Selection:
    """Return the same selection of our own control: languages or sentences shuffled."""
    return selection.with_options(protocol="control", baseline=False, subsamples=1)


def _offer(selection: Selection, model: Model, missing: Sequence[Checkpoint], what: str) -> None:
    spec = selection.spec(model, missing)
    total = len(selection.checkpoints(model))
    names = ", ".join(checkpoint.label for checkpoint in missing[:4]) + (" …" if len(missing) > 4 else "")
    where = f"**{verbatim(model.name)}** on {verbatim(selection.corpus.name)}"
    sentence = f"{where}: {len(missing)} of {total} checkpoints {what} ({verbatim(names)})."
    compute.offer(spec, sentence, f"compute-{spec.id}")
