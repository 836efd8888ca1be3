"""`python -m backend run abx`."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from backend.experiments import language_pairs
from backend.experiments.abx.shard import AbxSpec, Protocol
from backend.experiments.command import Checkpoints, Corpus, Languages, Model, Pairs, Prefix, compared_languages
from backend.experiments.spec import validate
from backend.models.entry import Pooling


def abx(
    model: Model,
    corpus: Corpus,
    languages: Languages = "",
    checkpoints: Checkpoints = "",
    pooling: Annotated[str, typer.Option(help=f"One of: {', '.join(get_args(Pooling))}")] = "mean",
    protocol: Annotated[str, typer.Option(help=f"One of: {', '.join(get_args(Protocol))}")] = "exact",
    n_triplets: Annotated[
        int, typer.Option(help="Triplets a pair, half of them in each direction, for --protocol sampled")
    ] = 100_000,
    sentences: Annotated[int | None, typer.Option(help="Use the first so many sentences")] = None,
    seed: Annotated[int, typer.Option(help="For --protocol sampled and control")] = 0,
    pairs: Pairs = "",
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Also the paper's control, which must be 0.5; not with --protocol control")
    ] = False,
    subsamples: Annotated[
        int, typer.Option(help="Draws of triplets whose mean and standard deviation to give; with --protocol sampled")
    ] = 1,
    prefix: Prefix = "",
    per_sentence: Annotated[
        bool, typer.Option("--per-sentence", help="Also keep what each sentence contributes: Compare's paired intervals")
    ] = False,
) -> AbxSpec:
    """ABX language and meaning discrimination, every layer and pair of languages (de Seyssel et al. 2025).

    Example: run abx --model "Demo MLM" --corpus "Demo sentences" --languages en,de,zh --wait
    """
    asked = compared_languages(model, corpus, languages, checkpoints)
    asked |= {"pooling": pooling, "protocol": protocol, "n_triplets": n_triplets, "sentences": sentences, "seed": seed}
    asked |= {"pairs": language_pairs.typed(pairs, asked["languages"]), "baseline": baseline, "subsamples": subsamples}
    asked |= {"prefix": prefix, "per_sentence": per_sentence}
    return validate(AbxSpec, asked)
