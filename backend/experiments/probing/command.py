"""`isogloss run probing-words` and `run probing-sentences`: linear probes (de Seyssel et al. 2025, section 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.command import Checkpoints, Model, Prefix, chosen_checkpoints, declares, split_commas
from isogloss.backend.experiments.named import tagged_named, task_named
from isogloss.backend.experiments.probing.languages import PUBLISHED, published
from isogloss.backend.experiments.probing.spec import ProbingSentencesSpec, ProbingWordsSpec, of_tasks
from isogloss.backend.experiments.spec import validate
from isogloss.backend.training.probe.options import ProbeOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

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


@declares(ProbeOptions, into="probe")
@declares(ProbingWordsSpec)
def words(
    model: Model,
    corpus: Annotated[str, typer.Option(help="A saved tagged corpus to train on, by name or id")],
    tested: Annotated[str, typer.Option(help="Another tagged corpus to test on, by name or id")] = "",
    training_words: TrainingWords = MOST,
    control: Annotated[bool, typer.Option(help="Also random tags of words, which give the selectivity")] = bool(USUAL.control),
    sources: Sources = "",
    targets: Targets = "",
    checkpoints: Checkpoints = "",
    seeds: Seeds = SIX,
    prefix: Prefix = "",
    *,
    probe: dict[str, Any],
    options: dict[str, Any],
) -> ProbingWordsSpec:
    """Probing words: how well a linear probe of every layer tells parts of speech, or names, in its language or in others.

    Example: run probing-words --model "Demo MLM" --corpus "UD" --sources de,en --targets all --tested "PUD" --wait
    """
    kept = tagged_named(corpus)
    other = tagged_named(tested) if tested else kept
    common = {"model": model, "checkpoints": chosen_checkpoints(model, checkpoints), "prefix": prefix} | options
    data: dict[str, Any] = {"corpus": kept.id, "tested": other.id if tested else None}
    data |= _languages(kept.name, kept.language_tags, other.name, other.language_tags, sources, targets)
    probe |= {"control": "by seed" if control else False} | _sizes(training_words, seeds)
    return validate(ProbingWordsSpec, common | data | {"probe": probe})


@declares(ProbeOptions, into="probe", leave=("pooling",))
@declares(ProbingSentencesSpec)
def sentences(
    model: Model,
    task: Annotated[str, typer.Option(help="A saved labelled task to train on, by name or id")],
    tested: Annotated[str, typer.Option(help="Another labelled task to test on, by name or id")] = "",
    training_pairs: TrainingWords = MOST,
    sources: Sources = "",
    targets: Targets = "",
    checkpoints: Checkpoints = "",
    seeds: Seeds = SIX,
    prefix: Prefix = "",
    *,
    probe: dict[str, Any],
    options: dict[str, Any],
) -> ProbingSentencesSpec:
    """Probing sentences: how well a linear probe of every layer tells the label of a sentence or a pair, as in inference (NLI).

    Example: run probing-sentences --model "Demo MLM" --task "XNLI" --sources en --targets en,de,zh --wait
    """
    kept = task_named(task)
    other = task_named(tested) if tested else kept
    common = {"model": model, "checkpoints": chosen_checkpoints(model, checkpoints), "prefix": prefix} | options
    data = of_tasks(kept, other if tested else None)
    data |= _languages(kept.name, kept.tags, other.name, other.tags, sources, targets)
    return validate(ProbingSentencesSpec, common | data | {"probe": probe | _sizes(training_pairs, seeds)})


def _languages(
    trained: str, there: Sequence[str], tested: str, others: Sequence[str], typed_sources: str, typed_targets: str
) -> dict[str, list[str]]:
    """The languages asked for: by default all that the data have, and of other data that is tested on all that both have."""
    sources, targets = _asked(typed_sources, there, trained), _asked(typed_targets, others, tested)
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


def _sizes(training: str, seeds: int) -> dict[str, Any]:
    """On how much probes are trained, and with which seeds. Raises `SpecError` for what is neither a number nor `all`."""
    if training != EVERY and not training.isdecimal():
        raise SpecError(f"'{training[:40]}' is no number of words to train on. Give a number, or '{EVERY}'.")
    return {"training_words": None if training == EVERY else int(training), "seeds": tuple(range(seeds))}
