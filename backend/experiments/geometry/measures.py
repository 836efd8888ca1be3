"""The measures of geometry: what each is called, the scale of its interval, and whether it is of a pair or of a language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from isogloss.backend.experiments.family import POSITIVE, SHARE, SIGNED, Measure

if TYPE_CHECKING:
    from isogloss.backend.metrics.geometry.intervals import Scale

Of = Literal["pair", "language"]


@dataclass(frozen=True)
class Kind:
    """A measure, and what is known of its numbers."""

    measure: Measure
    of: Of
    scale: Scale
    range: tuple[float, float] | None
    """From the least to the greatest value that colours show; None where it has no bound of its own."""
    named: str
    """In few words, for a control."""


KINDS: dict[str, Kind] = {
    "mexa": Kind(Measure("MEXA", "share of sentences", "higher", bounds=SHARE), "pair", "found", (0, 1), "MEXA"),
    "mutual_knn": Kind(
        Measure("Mutual nearest neighbours", "share of k", "higher", bounds=SHARE), "pair", "share", (0, 1), "Mutual neighbours"
    ),
    "rsa": Kind(
        Measure("Representational similarity", "Spearman's ρ", "higher", bounds=SIGNED), "pair", "correlation", (0, 1), "RSA"
    ),
    "cka": Kind(Measure("Debiased linear CKA", "normalised HSIC", "higher"), "pair", "correlation", (0, 1), "CKA"),
    "anc": Kind(
        Measure("Neuron-wise correlation", "mean of Pearson's r", "higher", bounds=SIGNED),
        "pair",
        "correlation",
        (0, 1),
        "Neurons (ANC)",
    ),
    "language_probe": Kind(
        Measure("Language named by a linear probe", "share of sentences, chance 1/languages", "neither", bounds=SHARE),
        "language",
        "found",
        (0, 1),
        "Language probe",
    ),
    "anisotropy": Kind(
        Measure("Anisotropy", "mean cosine", "lower", bounds=SIGNED), "language", "correlation", (0, 1), "Anisotropy"
    ),
    "hubness": Kind(Measure("Hubness", "skewness of k-occurrences", "lower"), "language", "plain", None, "Hubness"),
    "effective_rank": Kind(
        Measure("Effective rank", "dimensions", "neither", bounds=POSITIVE), "language", "ratio", None, "Effective rank"
    ),
    "spectrum_entropy": Kind(
        Measure("Entropy of the spectrum", "nats", "neither", bounds=POSITIVE), "language", "plain", None, "Spectrum's entropy"
    ),
    "sink_ratio": Kind(
        Measure("First token's length", "times the median token's", "lower", bounds=POSITIVE),
        "language",
        "plain",
        None,
        "First token's length",
    ),
    "first_token_share": Kind(
        Measure("First token's part of the vector", "share of what is summed", "lower", bounds=SHARE),
        "language",
        "plain",
        (0, 1),
        "First token's part",
    ),
    "top_dimensions_share": Kind(
        Measure("Three dimensions' part of the mean cosine", "share", "lower"), "language", "plain", (0, 1), "Three dimensions"
    ),
}
SINCE_SINKS = ("sink_ratio", "first_token_share", "top_dimensions_share")
"""Those that files of before lack; of others a file names its metrics in its provenance."""
TOO_SHORT = ("effective_rank", "spectrum_entropy")
"""Those whose intervals over sentences are too short to tell two checkpoints apart by (`docs/definitions.md`)."""
MEASURES = {metric: kind.measure for metric, kind in KINDS.items()}
