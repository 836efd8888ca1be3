"""Latent language: its experiment in words, its command, its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.experiments import words
from isogloss.backend.experiments.family import POSITIVE, SHARE, Family, Measure, Menu, of_model
from isogloss.backend.experiments.latent.shard import compute
from isogloss.backend.experiments.latent.spec import LatentSpec
from isogloss.backend.experiments.pricing.estimate import Work, model_of, size_of
from isogloss.backend.option import words_of_run

if TYPE_CHECKING:
    from isogloss.backend.experiments.family import Place
    from isogloss.backend.experiments.words import Fields, Names

TOKENS_A_LINE = 12
"""Of a prompt, about."""


def work(spec: LatentSpec, key: str, place: Place) -> Work | None:
    """Return the tokens to run and the layers to read; None where the model is not kept."""
    model = model_of(spec.shards()[key], spec.model, place.workspaces)
    if model is None:
        return None
    run = TOKENS_A_LINE * (spec.examples + 1) * size_of(model)
    read = (model.layers + 1) * (model.parameters or size_of(model))  # of which the embeddings, as large as a head, are a part
    return Work(len(spec.targets) * spec.words * (run + read), ("reading layers", model.name, spec.corpus, spec.variant))


def details(spec: Fields, _names: Names) -> list[str]:
    """Return what was asked for, for the jobs page."""
    asked = f"from {words.languages([spec['source']])} to" if spec.get("source") else "in"
    told = sorted({spec["pivot"], *(each["language"] for each in spec["dictionaries"])})
    return [
        f"{asked} {words.languages(spec['targets'])}",
        f"words of {words.languages(told)}",
        *words_of_run(LatentSpec, spec),
    ]


MEASURES = {
    "latent_mass": Measure(
        "Latent language", "probability of a language's words, by the answer's", "neither", directed=True, bounds=SHARE
    ),
    "latent_entropy": Measure("Entropy of what a layer tells", "bits", "neither", bounds=POSITIVE),
}

LATENT = Family(
    name="latent",
    menu=Menu("Latent language", ":material/route:", "which language the layers tell"),
    experiments=(of_model(LatentSpec, compute, "Latent language", details, work),),
    measures=MEASURES,
    commands={"latent": "isogloss.backend.experiments.latent.command:latent"},
    cites=("wendler-etal-2024-llamas",),
)
