"""`isogloss run abx` and `isogloss run abx-controls`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from isogloss.backend.experiments import language_pairs
from isogloss.backend.experiments.abx.controls import AbxControlsSpec
from isogloss.backend.experiments.abx.shard import AbxSpec
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
from isogloss.backend.experiments.named import workspaces
from isogloss.backend.experiments.spec import validate
from isogloss.backend.models.library.library import load_entry
from isogloss.backend.models.untrained import untrained


@declares(AbxSpec)
def abx(
    model: Model,
    corpus: Corpus,
    languages: Languages = "",
    checkpoints: Checkpoints = "",
    pairs: Pairs = "",
    prefix: Prefix = "",
    random_weights: Annotated[
        bool, typer.Option("--random-weights", help="Of random weights in the model's shape, in place of its own: a control")
    ] = False,
    *,
    options: dict[str, Any],
) -> AbxSpec:
    """ABX language and meaning discrimination, every layer and pair of languages (de Seyssel et al. 2025).

    Example: run abx --model "Demo MLM" --corpus "Demo sentences" --languages en,de,zh --wait
    """
    compared = compared_languages(model, corpus, languages, checkpoints)
    chosen_pairs = language_pairs.typed(pairs, compared["languages"])
    if random_weights:
        random = untrained(load_entry(model, workspaces()))
        compared |= {"model": random.name, "checkpoints": random.checkpoints}
    return validate(AbxSpec, compared | options | {"pairs": chosen_pairs, "prefix": prefix})


@declares(AbxControlsSpec)
def controls(
    model: Model,
    corpus: Corpus,
    languages: Languages = "",
    pairs: Pairs = "",
    prefix: Prefix = "",
    *,
    options: dict[str, Any],
) -> AbxControlsSpec:
    """ABX of length alone (pieces, characters) and of a bag of bytes: what scores of a model are held against.

    ABX computes them beside its own scores; this is for scores of before. No weights are needed. Example: run abx-controls
    --model "Demo MLM" --corpus "Demo sentences" --languages en,de,zh --wait
    """
    compared = compared_languages(model, corpus, languages, "")
    chosen_pairs = language_pairs.typed(pairs, compared["languages"])
    last = {"checkpoints": compared["checkpoints"][-1:], "pairs": chosen_pairs, "prefix": prefix}
    return validate(AbxControlsSpec, compared | options | last)
