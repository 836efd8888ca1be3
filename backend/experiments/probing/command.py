"""`python -m backend run probing-words` and `run probing-sentences`: linear probes (de Seyssel et al. 2025, section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.errors import SpecError, did_you_mean
from backend.experiments.command import Checkpoints, Model, chosen_checkpoints, split_commas
from backend.experiments.named import tagged_named, task_named
from backend.experiments.probing.spec import Features, ProbingSentencesSpec, ProbingWordsSpec, of_tasks
from backend.experiments.spec import validate
from backend.training.probe.options import Optimiser, Pooling, ProbeOptions, Standardisation

if TYPE_CHECKING:
    from collections.abc import Sequence

USUAL = ProbeOptions()
EVERY = "all"
"""In place of the number of examples to train on."""
MOST, SIX = str(USUAL.training_words or EVERY), len(USUAL.seeds)

Sources = Annotated[str, typer.Option(help="BCP-47 tags of the languages to train on, separated by commas; all by default")]
Targets = Annotated[
    str, typer.Option(help="Languages that every probe is tested in, or 'all'; by default each in the one it was trained on")
]
TrainingWords = Annotated[str, typer.Option(help="Words (or pairs) to train on at most, or 'all'")]
Seeds = Annotated[int, typer.Option(help="Probes of each layer, from seed 0", min=1)]
Standardised = Annotated[Standardisation, typer.Option(help="Whether features are brought to mean 0 and deviation 1")]
Optimised = Annotated[Optimiser, typer.Option(help="adam, or sgd with momentum")]
Rate = Annotated[float, typer.Option(help="Learning rate")]
Batch = Annotated[int, typer.Option(help="Words (or pairs) of an update")]
Decay = Annotated[float, typer.Option(help="Weight decay")]
Patience = Annotated[int, typer.Option(help="Epochs without a lower validation loss after which a probe stops")]
Epochs = Annotated[int, typer.Option(help="At most")]
DescriptionLength = Annotated[
    bool, typer.Option("--description-length", help="Also the bits in which the labels can be sent (trains again ten times)")
]


def words(
    model: Model,
    corpus: Annotated[str, typer.Option(help="A kept tagged corpus to train on, by name or id")],
    sources: Sources = "",
    targets: Targets = "",
    tested: Annotated[str, typer.Option(help="Another tagged corpus to test on, by name or id")] = "",
    checkpoints: Checkpoints = "",
    pooling: Annotated[Pooling, typer.Option(help="A word's vector: the mean of its sub-words, or the first")] = USUAL.pooling,
    training_words: TrainingWords = MOST,
    seeds: Seeds = SIX,
    standardisation: Standardised = USUAL.standardisation,
    optimiser: Optimised = USUAL.optimiser,
    learning_rate: Rate = USUAL.learning_rate,
    batch: Batch = USUAL.batch,
    weight_decay: Decay = USUAL.weight_decay,
    patience: Patience = USUAL.patience,
    epochs: Epochs = USUAL.epochs,
    control: Annotated[bool, typer.Option(help="Also random tags of words, which give the selectivity")] = USUAL.control,
    description_length: DescriptionLength = False,
) -> ProbingWordsSpec:
    """Probing words: how well a linear probe of every layer tells parts of speech, or names, in its language or in others.

    Example: run probing-words --model "Demo MLM" --corpus "UD" --sources de,en --targets all --tested "PUD" --wait
    """
    kept = tagged_named(corpus)
    other = tagged_named(tested) if tested else kept
    probe = {"pooling": pooling, "standardisation": standardisation, "optimiser": optimiser, "learning_rate": learning_rate}
    probe |= {"batch": batch, "weight_decay": weight_decay, "patience": patience, "epochs": epochs, "control": control}
    common = _common(model, checkpoints, description_length) | {"corpus": kept.id, "tested": other.id if tested else None}
    languages = _languages(kept.name, kept.language_tags, sources, other.name, other.language_tags, targets)
    more = {"probe": probe | _size(training_words, seeds)}
    return validate(ProbingWordsSpec, common | languages | more)


def sentences(
    model: Model,
    task: Annotated[str, typer.Option(help="A kept labelled task to train on, by name or id")],
    sources: Sources = "",
    targets: Targets = "",
    tested: Annotated[str, typer.Option(help="Another labelled task to test on, by name or id")] = "",
    checkpoints: Checkpoints = "",
    pooling: Annotated[str, typer.Option(help="A sentence's vector: mean, mean_special, first or last token")] = "mean",
    features: Annotated[Features, typer.Option(help="Of a pair: both sentences, or the second alone as a control")] = "both",
    training_pairs: TrainingWords = MOST,
    seeds: Seeds = SIX,
    standardisation: Standardised = USUAL.standardisation,
    optimiser: Optimised = USUAL.optimiser,
    learning_rate: Rate = USUAL.learning_rate,
    batch: Batch = USUAL.batch,
    weight_decay: Decay = USUAL.weight_decay,
    patience: Patience = USUAL.patience,
    epochs: Epochs = USUAL.epochs,
    description_length: DescriptionLength = False,
) -> ProbingSentencesSpec:
    """Probing sentences: how well a linear probe of every layer tells the label of a sentence or a pair, as in inference (NLI).

    Example: run probing-sentences --model "Demo MLM" --task "XNLI" --sources en --targets en,de,zh --wait
    """
    kept = task_named(task)
    other = task_named(tested) if tested else kept
    probe = {"standardisation": standardisation, "optimiser": optimiser, "learning_rate": learning_rate, "batch": batch}
    probe |= {"weight_decay": weight_decay, "patience": patience, "epochs": epochs}
    common = _common(model, checkpoints, description_length) | of_tasks(kept, other if tested else None)
    languages = _languages(kept.name, kept.tags, sources, other.name, other.tags, targets)
    more = {"pooling": pooling, "features": features, "probe": probe | _size(training_pairs, seeds)}
    return validate(ProbingSentencesSpec, common | languages | more)


def _common(model: str, checkpoints: str, description_length: bool) -> dict[str, Any]:
    chosen = chosen_checkpoints(model, checkpoints)
    return {"model": model, "checkpoints": chosen, "description_length": description_length}


def _languages(
    trained: str, there: Sequence[str], sources: str, tested: str, others: Sequence[str], targets: str
) -> dict[str, list[str]]:
    """The languages asked for: by default all that the data have, and of other data that is tested on all that both have."""
    for name, known, asked in ((trained, there, sources), (tested, others, "" if targets == EVERY else targets)):
        for tag in split_commas(asked):
            if tag not in known:
                raise SpecError(f"'{name}' has no language '{tag}'. {did_you_mean(tag, known)}")
    shared = [tag for tag in there if targets or tag in others]
    chosen = split_commas(sources) or shared
    if not targets and (lacking := [tag for tag in chosen if tag not in others]):
        raise SpecError(f"'{tested}' has no language '{lacking[0]}' to test in. Give --targets, or leave it out of --sources.")
    if not chosen:
        raise SpecError(f"'{trained}' and '{tested}' have no language in common. Give --targets.")
    return {"sources": list(chosen), "targets": list(others) if targets == EVERY else split_commas(targets)}


def _size(training: str, seeds: int) -> dict[str, Any]:
    """How much is trained on, and with which seeds. Raises `SpecError` for what is neither a number nor `all`."""
    if training != EVERY and not training.isdecimal():
        raise SpecError(f"'{training[:40]}' is no number of words to train on. Give a number, or '{EVERY}'.")
    return {"training_words": None if training == EVERY else int(training), "seeds": tuple(range(seeds))}
