"""What a selection lacks, with its price and a button that computes just that."""

from __future__ import annotations

from backend.experiments import estimate
from backend.experiments.alignment.words.spec import WordAlignmentSpec
from backend.experiments.estimate import Estimate
from backend.models.entry import Model
from pages.alignment.selection import UNITS, Selection, size_of
from pages.widgets import compute
from pages.widgets.words import count, plain


def offer(selection: Selection, model: Model) -> None:
    """Say which checkpoints and pairs of the model are not computed; nothing where all are."""
    checkpoints, pairs = selection.missing(model)
    if not checkpoints:
        return
    spec = selection.spec(model, checkpoints, pairs)
    entry = selection.corpus
    tags = {tag for pair in pairs for tag in pair}
    characters = sum(each.characters for each in entry.languages if each.tag in tags)

    def price(worker: dict[str, object]) -> Estimate | None:
        if isinstance(spec, WordAlignmentSpec):
            found = min(spec.n_pairs, max(size_of(selection.dictionaries[pair]) for pair in pairs))
            return estimate.words(
                model,
                len(checkpoints),
                len(pairs),
                len(tags),
                entry.sentences,
                characters,
                found,
                spec.runs if found == spec.n_pairs else 1,
                worker,
                selection.have,
                masked=spec.masked,
            )
        return estimate.sentences(model, len(checkpoints), len(tags), entry.sentences, characters, worker, selection.have)

    what = UNITS[selection.unit].lower()
    names = ", ".join(checkpoint.label for checkpoint in checkpoints[:3]) + (" …" if len(checkpoints) > 3 else "")
    compute.offer(
        spec,
        f"**{plain(model.name)}** on {plain(entry.name)}: {what} of {count(len(pairs), 'language pair')} not computed at "
        f"{len(checkpoints)} of {count(len(selection.checkpoints(model)), 'checkpoint')} ({plain(names)}).",
        price,
        f"compute-{spec.id}",
    )
