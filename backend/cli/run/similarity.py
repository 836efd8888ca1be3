"""`python -m backend run similarity`: how near translations lie, which ranks transfer directions (Chi et al. 2023)."""

from __future__ import annotations

from typing import Annotated

import typer
from pydantic import ValidationError

from backend.cli.shared.naming import corpus_named
from backend.cli.shared.submitting import (
    Checkpoints,
    Corpus,
    Languages,
    Model,
    PrintSpec,
    Wait,
    chosen_checkpoints,
    chosen_languages,
    submit,
)
from backend.experiments.spec import first_problem
from backend.experiments.transfer.similarity import LanguageSimilaritySpec


def similarity(
    model: Model,
    corpus: Corpus,
    languages: Languages = "",
    checkpoints: Checkpoints = "",
    sentences: Annotated[int | None, typer.Option(help="Use the first so many sentences")] = None,
    print_spec: PrintSpec = False,
    wait: Wait = False,
) -> None:
    """Similarity of languages: distance, dot product and cosine of translations, and how often the nearest is the translation.

    By the mean of a sentence's tokens, every layer and pair of languages, each on the sentences that both have.

    Example: run similarity --model "Demo MLM" --corpus "Demo sentences" --languages en,de,zh --wait
    """
    kept = corpus_named(corpus)
    asked = {
        "model": model,
        "checkpoints": chosen_checkpoints(model, checkpoints),
        "corpus": kept.id,
        "languages": chosen_languages(kept, languages),
        "sentences": sentences,
    }
    try:
        found = LanguageSimilaritySpec.model_validate(asked)
    except ValidationError as error:
        raise first_problem(error) from error
    submit(found, print_spec, wait)
