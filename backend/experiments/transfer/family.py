"""Transferability, the interlingual gap (Chi et al. 2023): its experiments in words, its commands, its page."""

from __future__ import annotations

from math import prod

from isogloss.backend.experiments import words
from isogloss.backend.experiments.family import POSITIVE, SHARE, SIGNED, Experiment, Family, Measure, Menu, details_of, of_model
from isogloss.backend.experiments.transfer import shard, similarity, weights, work
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.experiments.words import Fields, Names
from isogloss.backend.option import words_of_run
from isogloss.backend.store import weights as kept_weights
from isogloss.backend.training.finetune.options import FinetuneOptions, strongest

SWEPT = ("checkpoints", "sources", "algorithms", "learning_rates", "seeds", "corruptions")
"""What a transfer experiment trains a model for each combination of."""


def fine_tunings(spec: Fields) -> int:
    """How many models a transfer experiment trains."""
    return prod(len(spec[name]) for name in SWEPT)


def training(spec: Fields, *, one: bool = False) -> list[str]:
    """How a transfer experiment's models are trained; `one` of them is known by its seed."""
    parts = ["random labels"] if spec["data"] == "parallel" else []
    parts += words_of_run(TransferSpec, spec)
    noised = {"algorithm": strongest(spec["algorithms"])}
    parts += words_of_run(FinetuneOptions, spec["training"] | noised, leave=noised)
    parts += [f"seed {spec['seeds'][0]}" if one else words.count(len(spec["seeds"]), "seed")]
    return [*parts, *words.prefix_of(spec["training"])]


def details(spec: Fields, names: Names) -> list[str]:
    """List corpus, source languages, target languages and training of a transfer experiment."""
    directions = [f"from {words.languages(spec['sources'])}", f"to {words.languages(spec['languages'])}"]
    return [words.corpus_of(spec, names), *directions, *training(spec)]


def one_model(spec: Fields, names: Names) -> list[str]:
    """List corpus, source language and training of the model to keep."""
    run = spec["run"]
    return [words.corpus_of(run, names), f"from {words.languages(run['sources'])}", *training(run, one=True)]


TRANSFER = Family(
    name="transfer",
    menu=Menu("Transfer", ":material/swap_horiz:", "transfer"),
    experiments=(
        Experiment(
            TransferSpec,
            shard.compute,
            title=lambda spec: f"Transfer · {spec['model']} ({words.count(fine_tunings(spec), 'run')})",
            details=details,
            work=work.transfer,
            missing=work.missing,
            piece="run",
        ),
        Experiment(
            weights.TransferWeightsSpec,
            weights.compute,
            title=lambda spec: f"Model to save · {spec['run']['checkpoints'][0]['label']}, step {spec['step']:,}",
            details=one_model,
            work=work.transfer_weights,
            piece=None,
            result=lambda spec, workspace: kept_weights.path(workspace, spec.id),
        ),
        of_model(
            similarity.LanguageSimilaritySpec,
            similarity.compute,
            "Similarity of languages",
            details_of(
                similarity.LanguageSimilaritySpec, lambda spec: [words.languages(spec["languages"]), *words.pooling_of(spec)]
            ),
            work.language_similarity,
        ),
    ),
    measures={
        "igap": Measure("IGap", "share of examples", "lower", task=True, directed=True, bounds=SIGNED),
        "transfer_accuracy": Measure("Test accuracy", "share of examples", "higher", task=True, directed=True, bounds=SHARE),
        "transfer_gap": Measure(
            "Cross-lingual transfer gap", "share of examples", "lower", task=True, directed=True, bounds=SIGNED
        ),
        "transfer_train_error": Measure("Training error", "share of examples", "lower", task=True, directed=True, bounds=SHARE),
        "vectors_l2": Measure("Distance of translations", "the model's own length", "lower", bounds=POSITIVE),
        "vectors_dot": Measure("Dot product of translations", "the model's own length, squared", "higher"),
        "vectors_cosine": Measure("Cosine of translations", "cosine", "higher", bounds=SIGNED),
        "vectors_top1": Measure("Retrieval of translations", "share of sentences", "higher", bounds=SHARE),
    },
    commands={
        "transfer": "isogloss.backend.experiments.transfer.command:transfer",
        "weights": "isogloss.backend.experiments.transfer.command:weights",
        "similarity": "isogloss.backend.experiments.transfer.command:similarity",
    },
    cites=("chi-etal-2023-measuring",),
)
