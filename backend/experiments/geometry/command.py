"""`isogloss run geometry`."""

from __future__ import annotations

from typing import Any

from isogloss.backend.experiments import language_pairs
from isogloss.backend.experiments.command import (
    Checkpoints,
    Corpus,
    Languages,
    Model,
    Pairs,
    Prefix,
    compared_languages,
    declares,
)
from isogloss.backend.experiments.geometry.shard import GeometrySpec
from isogloss.backend.experiments.spec import validate


@declares(GeometrySpec)
def geometry(
    model: Model,
    corpus: Corpus,
    languages: Languages = "",
    checkpoints: Checkpoints = "",
    pairs: Pairs = "",
    prefix: Prefix = "",
    *,
    options: dict[str, Any],
) -> GeometrySpec:
    """MEXA, RSA, CKA, neighbours, hubness, anisotropy, spectrum and a probe of the language, every layer; and ABX's scores.

    Example: run geometry --model "Demo MLM" --corpus "Demo sentences" --languages en,de,zh --wait
    """
    compared = compared_languages(model, corpus, languages, checkpoints)
    chosen_pairs = language_pairs.typed(pairs, compared["languages"])
    return validate(GeometrySpec, compared | options | {"pairs": chosen_pairs, "prefix": prefix})
