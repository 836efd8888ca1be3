"""What training on sources will cost: operations, at the pace of earlier trainings or of a bare measurement."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from backend.experiments.estimate import RECENT, STARTING_SECONDS, Estimate, kept_corpora
from backend.experiments.sources import compute
from backend.experiments.sources.source import Pretraining

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from backend.corpora.parallel.library import CorpusEntry
    from backend.experiments.sources.source import SourcesSpec
    from backend.experiments.speed import Speed
    from backend.training.language_model.options import Architecture
    from backend.training.translation.options import TranslationArchitecture

OVERHEAD = 1.5
"""Training a large model against bare matrix products: softmax over the vocabulary, attention, norms and the optimiser."""
SECONDS_A_TOKEN = {"cpu": 3e-5, "cuda": 1e-6}
"""What a trained token costs however small the model is: elementwise work, starting operations, the optimiser."""
SHARD_SECONDS = 1.5
"""Reading and tokenising, once a shard."""
SEEN = "from this model's last trainings on such a device"


def pieces_of(spec: SourcesSpec, workspaces: Sequence[Path], missing: Sequence[str] | None) -> list[Any]:
    """Return the shards of `spec` that are `missing`, which are looked for where they are not given."""
    shards = spec.shards()
    return [shards[key] for key in (compute.missing(spec, workspaces) if missing is None else missing)]


def of_spec(
    of_pieces: Callable[[Sequence[Any], Sequence[CorpusEntry], Speed, Sequence[Any]], Estimate | None],
    earlier: Callable[[Sequence[Path]], Sequence[Any]],
) -> Callable[..., Estimate | None]:
    """Make the price of a spec from that of some of its pieces, and from what is kept of `earlier` trainings.

    It takes a spec, a worker's speed, workspaces and the shards that are `missing`, which are looked for where not given. It is
    None where nothing is missing, or no worker has measured its speed.
    """

    def price(
        spec: SourcesSpec, speed: Speed | None, workspaces: Sequence[Path], missing: Sequence[str] | None = None
    ) -> Estimate | None:
        if speed is None:
            return None
        return of_pieces(pieces_of(spec, workspaces, missing), kept_corpora(workspaces), speed, earlier(workspaces))

    return price


def estimate(
    pieces: Sequence[Any],
    flop_of: Callable[[Any], float],
    speed: Speed,
    pretrained: Sequence[Mapping[str, Any]],
    tuned: Sequence[Mapping[str, Any]],
) -> Estimate | None:
    """Seconds for some shards; None for none. `pretrained` and `tuned` are what earlier trainings say of themselves."""
    if not pieces:
        return None
    seconds, found = STARTING_SECONDS + SHARD_SECONDS * len(pieces), set()
    for earlier, is_base in ((pretrained, True), (tuned, False)):
        if own := [piece for piece in pieces if isinstance(piece, Pretraining) is is_base]:
            each, basis = pace(own[0].options.architecture, speed, earlier)
            seconds += sum(map(flop_of, own)) * each
            found.add(basis)
    return Estimate(seconds, len(pieces), speed.basis if speed.basis in found else SEEN)


def pace(
    architecture: Architecture | TranslationArchitecture, speed: Speed, earlier: Sequence[Mapping[str, Any]]
) -> tuple[float, str]:
    """Seconds an operation, and what that rests on: the last trainings of such a model on such a device, or the measured speed.

    `earlier` is what trainings say of themselves, the oldest first. Without any it is the speed of large products, and what
    every token costs besides.
    """
    shape = architecture.model_dump(mode="json")
    paces = []
    for provenance in earlier:
        same = (
            provenance.get("options", {}).get("architecture") == shape and provenance.get("seconds") and provenance.get("flop")
        )
        if same and speed.computed(provenance):
            paces.append(float(provenance["seconds"]) / float(provenance["flop"]))
    if paces:
        return median(paces[-RECENT:]), SEEN
    guessed = OVERHEAD / speed.encoding_flops + SECONDS_A_TOKEN[speed.kind] / architecture.training_flop
    return guessed, speed.basis
