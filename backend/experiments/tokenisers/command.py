"""`isogloss run tokenisers`."""

from __future__ import annotations

from typing import Any

from isogloss.backend.experiments.command import Corpus, Languages, Model, compared_languages, declares
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.tokenisers.shard import TokenisersSpec


@declares(TokenisersSpec)
def tokenisers(model: Model, corpus: Corpus, languages: Languages = "", *, options: dict[str, Any]) -> TokenisersSpec:
    """How a model's tokeniser cuts each language: fertility, premiums, shared vocabulary; no weights are needed.

    It is that of the last checkpoint: all mostly share one. Example: run tokenisers --model "Demo MLM" --corpus
    "Demo sentences" --wait
    """
    compared = compared_languages(model, corpus, languages, "")
    return validate(TokenisersSpec, compared | {"checkpoints": compared["checkpoints"][-1:]} | options)
