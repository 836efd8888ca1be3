"""`isogloss run tokenisers`."""

from __future__ import annotations

from typing import Any

from isogloss.backend.experiments.command import Checkpoints, Corpus, Languages, Model, compared_languages, declares
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.tokenisers.shard import TokenisersSpec


@declares(TokenisersSpec)
def tokenisers(
    model: Model, corpus: Corpus, languages: Languages = "", checkpoints: Checkpoints = "", *, options: dict[str, Any]
) -> TokenisersSpec:
    """How a model's tokeniser cuts each language: fertility, premiums, shared vocabulary; no weights are needed.

    Of a model's checkpoints the last: they mostly share one. Example: run tokenisers --model "Demo MLM" --corpus
    "Demo sentences" --wait
    """
    compared = compared_languages(model, corpus, languages, checkpoints)
    if not checkpoints:
        compared["checkpoints"] = compared["checkpoints"][-1:]
    return validate(TokenisersSpec, compared | options)
