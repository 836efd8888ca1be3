"""`python -m backend run abx`."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from backend.errors import SpecError, did_you_mean
from backend.experiments.abx.shard import AbxSpec, Protocol, with_language
from backend.experiments.command import Checkpoints, Corpus, Languages, Model, Prefix, compared_languages, split_commas
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
    pairs: Annotated[
        str, typer.Option(help="Pairs such as en:de,en:fr; one language such as en for all its pairs; all by default")
    ] = "",
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Also the paper's control, which must be 0.5; not with --protocol control")
    ] = False,
    subsamples: Annotated[
        int, typer.Option(help="Draws of triplets whose mean and standard deviation to give; with --protocol sampled")
    ] = 1,
    prefix: Prefix = "",
) -> AbxSpec:
    """ABX language and meaning discrimination, every layer and pair of languages (de Seyssel et al. 2025).

    Example: run abx --model "Demo MLM" --corpus "Demo sentences" --languages en,de,zh --wait
    """
    asked = compared_languages(model, corpus, languages, checkpoints)
    asked |= {"pooling": pooling, "protocol": protocol, "n_triplets": n_triplets, "sentences": sentences, "seed": seed}
    asked |= {"pairs": chosen_pairs(pairs, asked["languages"]), "baseline": baseline, "subsamples": subsamples}
    asked |= {"prefix": prefix}
    return validate(AbxSpec, asked)


def chosen_pairs(text: str, languages: list[str]) -> list[tuple[str, str]] | None:
    """The pairs of `languages` that `text` names, separated by commas: two tags joined by a colon, or one with all others.

    None where it names none. Raises `SpecError` for a language that is not among them.
    """
    found: list[tuple[str, str]] = []
    for part in split_commas(text):
        tags = [tag.strip() for tag in part.split(":")]
        for tag in tags:
            if tag not in languages:
                raise SpecError(f"--pairs: '{tag}' is not among the languages. {did_you_mean(tag, languages)}")
        if len(tags) > 2:
            raise SpecError(f"--pairs: '{part}' is no pair of languages. Write two tags joined by a colon, such as en:de.")
        found += with_language(tags[0], languages) if len(tags) == 1 else [(tags[0], tags[1])]
    return found or None
