"""`python -m backend run probing-words` and `run probing-sentences`: linear probes (de Seyssel et al. 2025, section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.errors import SpecError, did_you_mean
from backend.experiments.command import Checkpoints, Model, Prefix, chosen_checkpoints, split_commas, with_options
from backend.experiments.named import tagged_named, task_named
from backend.experiments.probing.languages import PUBLISHED, published
from backend.experiments.probing.spec import Features, ProbingSentencesSpec, ProbingSpec, ProbingWordsSpec, of_tasks
from backend.experiments.spec import validate
from backend.training.probe.options import Optimiser, Pooling, ProbeOptions, Standardisation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

USUAL = ProbeOptions()
EVERY = "all"
"""In place of the number of examples to train on."""
MOST, SIX = str(USUAL.training_words or EVERY), len(USUAL.seeds)

SETS = f"or a set: {', '.join(PUBLISHED)}"
Sources = Annotated[
    str, typer.Option(help=f"BCP-47 tags of the languages to train on, separated by commas, {SETS}; all by default")
]
Targets = Annotated[
    str,
    typer.Option(help=f"Languages that every probe is tested in, 'all', {SETS}; by default each in the one it was trained on"),
]
TrainingWords = Annotated[str, typer.Option(help="Words (or pairs) to train on at most, or 'all'")]
Seeds = Annotated[int, typer.Option(help="Probes of each layer, from seed 0", min=1)]
DescriptionLength = Annotated[
    bool, typer.Option("--description-length", help="Also the bits in which the labels can be sent (trains again ten times)")
]
TRAINING = {
    "standardisation": Annotated[Standardisation, typer.Option(help="Whether features are brought to mean 0 and deviation 1")],
    "optimiser": Annotated[Optimiser, typer.Option(help="adam, or sgd with momentum")],
    "learning_rate": Annotated[float, typer.Option(help="Learning rate")],
    "batch": Annotated[int, typer.Option(help="Words (or pairs) of an update")],
    "weight_decay": Annotated[float, typer.Option(help="Weight decay")],
    "patience": Annotated[int, typer.Option(help="Epochs without a lower validation loss after which a probe stops")],
    "epochs": Annotated[int, typer.Option(help="At most")],
}
"""How a probe is trained, whatever it tells: fields of `ProbeOptions`, and options of both commands."""


ASKED = {
    "sources": (Sources, ""),
    "targets": (Targets, ""),
    "checkpoints": (Checkpoints, ""),
    "seeds": (Seeds, SIX),
    "description_length": (DescriptionLength, False),
    "prefix": (Prefix, ""),
}
"""What is probed, where and how often, whatever a probe tells: options of both commands with their defaults."""


@dataclass(frozen=True)
class _Shared:
    """What both commands are asked: of which checkpoints and languages, how often, and how a probe is trained."""

    sources: str
    targets: str
    checkpoints: str
    seeds: int
    description_length: bool
    prefix: str
    training: dict[str, Any]


def _shared(command: Callable[..., ProbingSpec]) -> Callable[..., ProbingSpec]:
    """`command` with the options `ASKED` and `TRAINING` in place of its `shared`, which gets their values."""

    @wraps(command)
    def run(**options: Any) -> ProbingSpec:
        asked, training = ({name: options.pop(name) for name in names} for names in (ASKED, TRAINING))
        return command(**options, shared=_Shared(**asked, training=training))

    trained = {name: (kind, getattr(USUAL, name)) for name, kind in TRAINING.items()}
    return with_options(run, command, ASKED | trained, "shared")


@_shared
def words(
    model: Model,
    corpus: Annotated[str, typer.Option(help="A saved tagged corpus to train on, by name or id")],
    tested: Annotated[str, typer.Option(help="Another tagged corpus to test on, by name or id")] = "",
    pooling: Annotated[Pooling, typer.Option(help="A word's vector: the mean of its sub-words, or the first")] = USUAL.pooling,
    training_words: TrainingWords = MOST,
    control: Annotated[bool, typer.Option(help="Also random tags of words, which give the selectivity")] = bool(USUAL.control),
    *,
    shared: _Shared,
) -> ProbingWordsSpec:
    """Probing words: how well a linear probe of every layer tells parts of speech, or names, in its language or in others.

    Example: run probing-words --model "Demo MLM" --corpus "UD" --sources de,en --targets all --tested "PUD" --wait
    """
    kept = tagged_named(corpus)
    other = tagged_named(tested) if tested else kept
    common = _common(model, shared) | {"corpus": kept.id, "tested": other.id if tested else None}
    languages = _languages(kept.name, kept.language_tags, other.name, other.language_tags, shared)
    probe = {"pooling": pooling, "control": "by seed" if control else False} | _probe(training_words, shared)
    return validate(ProbingWordsSpec, common | languages | {"probe": probe})


@_shared
def sentences(
    model: Model,
    task: Annotated[str, typer.Option(help="A saved labelled task to train on, by name or id")],
    tested: Annotated[str, typer.Option(help="Another labelled task to test on, by name or id")] = "",
    pooling: Annotated[str, typer.Option(help="A sentence's vector: mean, mean_special, first or last token")] = "mean",
    features: Annotated[Features, typer.Option(help="Of a pair: both sentences, or the second alone as a control")] = "both",
    training_pairs: TrainingWords = MOST,
    *,
    shared: _Shared,
) -> ProbingSentencesSpec:
    """Probing sentences: how well a linear probe of every layer tells the label of a sentence or a pair, as in inference (NLI).

    Example: run probing-sentences --model "Demo MLM" --task "XNLI" --sources en --targets en,de,zh --wait
    """
    kept = task_named(task)
    other = task_named(tested) if tested else kept
    common = _common(model, shared) | of_tasks(kept, other if tested else None)
    languages = _languages(kept.name, kept.tags, other.name, other.tags, shared)
    more = {"pooling": pooling, "features": features, "probe": _probe(training_pairs, shared)}
    return validate(ProbingSentencesSpec, common | languages | more)


def _common(model: str, shared: _Shared) -> dict[str, Any]:
    chosen = chosen_checkpoints(model, shared.checkpoints)
    length, prefix = shared.description_length, shared.prefix
    return {"model": model, "checkpoints": chosen, "description_length": length, "prefix": prefix}


def _languages(trained: str, there: Sequence[str], tested: str, others: Sequence[str], shared: _Shared) -> dict[str, list[str]]:
    """The languages asked for: by default all that the data have, and of other data that is tested on all that both have."""
    sources, targets = _asked(shared.sources, there, trained), _asked(shared.targets, others, tested)
    chosen = sources or [tag for tag in there if targets or tag in others]
    if not targets and (lacking := [tag for tag in chosen if tag not in others]):
        raise SpecError(f"'{tested}' has no language '{lacking[0]}' to test in. Give --targets, or leave it out of --sources.")
    if not chosen:
        raise SpecError(f"'{trained}' and '{tested}' have no language in common. Give --targets.")
    return {"sources": list(chosen), "targets": targets}


def _asked(typed: str, known: Sequence[str], data: str) -> list[str]:
    """The languages that were typed: tags, a set of the paper, or `all`. Raises `SpecError` for one that the data lack."""
    if typed == EVERY:
        return list(known)
    if typed in PUBLISHED:
        return published(typed, known)
    tags = split_commas(typed)
    for tag in tags:
        if tag not in known:
            raise SpecError(f"'{data}' has no language '{tag}'. {did_you_mean(tag, [*known, *PUBLISHED])}")
    return tags


def _probe(training: str, shared: _Shared) -> dict[str, Any]:
    """How probes are trained, on how much and with which seeds. Raises `SpecError` for what is neither a number nor `all`."""
    if training != EVERY and not training.isdecimal():
        raise SpecError(f"'{training[:40]}' is no number of words to train on. Give a number, or '{EVERY}'.")
    most = None if training == EVERY else int(training)
    return shared.training | {"training_words": most, "seeds": tuple(range(shared.seeds))}
