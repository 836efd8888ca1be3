"""`python -m backend run …`: submit the same specs that the pages submit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, get_args

import typer
from pydantic import ValidationError

from backend.cli.run.alignment import sentences as run_sentences
from backend.cli.run.alignment import words as run_words
from backend.cli.run.game import game as run_game
from backend.cli.run.similarity import similarity as run_similarity
from backend.cli.run.transfer import transfer as run_transfer
from backend.cli.run.translation import translation as run_translation
from backend.cli.run.weights import kept_weights as run_weights
from backend.cli.run.xferbench import xferbench as run_xferbench
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
    queue,
    submit,
)
from backend.errors import SpecError
from backend.experiments.abx.shard import AbxSpec, Protocol
from backend.experiments.spec import first_problem
from backend.models.entry import Pooling

app = typer.Typer(
    no_args_is_help=True,
    help="Compute something: abx, words, sentences, transfer, weights, similarity, game, xferbench, translation, or a spec in "
    "a JSON file.",
)


@app.command()
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
    print_spec: PrintSpec = False,
    wait: Wait = False,
) -> None:
    """ABX language and meaning discrimination, every layer and pair of languages (de Seyssel et al. 2025).

    Example: run abx --model "Demo MLM" --corpus "Demo sentences" --languages en,de,zh --wait
    """
    kept = corpus_named(corpus)
    chosen = chosen_checkpoints(model, checkpoints)
    try:
        spec = AbxSpec.model_validate(
            {
                "model": model,
                "checkpoints": chosen,
                "corpus": kept.id,
                "languages": chosen_languages(kept, languages),
                "pooling": pooling,
                "protocol": protocol,
                "n_triplets": n_triplets,
                "sentences": sentences,
                "seed": seed,
            }
        )
    except ValidationError as error:
        raise first_problem(error) from error
    submit(spec, print_spec, wait)


app.command("words")(run_words)
app.command("sentences")(run_sentences)
app.command("transfer")(run_transfer)
app.command("weights")(run_weights)
app.command("game")(run_game)
app.command("similarity")(run_similarity)
app.command("xferbench")(run_xferbench)
app.command("translation")(run_translation)


@app.command()
def spec(
    file: Annotated[Path, typer.Argument(help="A spec as JSON (see --print-spec)")],
    wait: Wait = False,
) -> None:
    """Run a spec from a JSON file."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(f"{file.name} cannot be read as JSON: {error}. Make one with `run abx … --print-spec`.") from error
    queue(value, wait)
