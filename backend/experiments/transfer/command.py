"""`isogloss run transfer`, `run weights` and `run similarity` (Chi et al. 2023)."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import typer

from isogloss.backend.corpora.parallel.library import CorpusEntry
from isogloss.backend.corpora.tasks.library import TaskEntry
from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.command import (
    Checkpoints,
    Corpus,
    Languages,
    Model,
    Prefix,
    chosen_checkpoints,
    chosen_languages,
    compared_languages,
    declares,
)
from isogloss.backend.experiments.named import corpus_named, task_named, workspaces
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.transfer.similarity import LanguageSimilaritySpec
from isogloss.backend.experiments.transfer.spec import TransferSpec
from isogloss.backend.experiments.transfer.weights import TransferWeightsSpec, spec_of
from isogloss.backend.experiments.transfer.windows import Evaluated, named_windows, windows_of
from isogloss.backend.models.library.library import entries
from isogloss.backend.store import records
from isogloss.backend.training.finetune.options import (
    EPOCHS,
    LEARNING_RATES,
    WITH_MNLI,
    FinetuneOptions,
    Setting,
    Sweep,
    nearest_setting,
    record_interval,
)

Column = Annotated[
    str, typer.Option(help=f"Column of table 4 for the defaults: {', '.join(EPOCHS)}; the nearest to the data by default")
]
Where = Annotated[
    str,
    typer.Option(help=f"Where targets are evaluated, one of: {', '.join(get_args(Evaluated))}; figures 1a and 7 need all"),
]
SETTINGS = "the setting's"
FEWEST = 4
"""Letters of a run's id: fewer would name one by accident."""


@declares(TransferSpec, preset={"learning_rates": SETTINGS, "corruptions": "none"})
@declares(
    FinetuneOptions,
    into="training",
    preset={
        "epochs": SETTINGS,
        "patience": "never",
        "record_every": "10, or an epoch's where training rows have no translations,",
        "recipe": "trainer",
    },
)
def transfer(
    model: Model,
    task: Annotated[str, typer.Option(help="A saved labelled task, by name or id")] = "",
    corpus: Annotated[str, typer.Option(help="In place of a task: a parallel corpus, whose sentences get random labels")] = "",
    sources: Annotated[str, typer.Option(help="Languages to train on, separated by commas; all by default")] = "",
    languages: Annotated[str, typer.Option(help="Languages to evaluate in, separated by commas; all by default")] = "",
    checkpoints: Annotated[str, typer.Option(help="Labels separated by commas; the model's last by default")] = "",
    setting: Column = "",
    seeds: Annotated[int, typer.Option(help="How many, from 0", min=1)] = 3,
    evaluate: Where = "zero",
    windows: Annotated[str, typer.Option(help="In place of --evaluate: E'+epsilon, such as 0+0.001,0.03+0.025")] = "",
    extra: Annotated[str, typer.Option(help="A task whose rows in the source language are trained on too")] = "",
    prefix: Prefix = "",
    *,
    options: dict[str, Any],
    training: dict[str, Any],
) -> TransferSpec:
    """Transfer: the interlingual gap, test accuracy and transfer gap between languages, one fine-tuning run after another.

    Example: run transfer --model "Demo MLM" --task "XNLI dev" --sources en --languages en,de,zh --seeds 1 --wait
    """
    entry = _data(task, corpus)
    defaults = _setting(setting) if setting else _nearest(entry)
    alone = entry if isinstance(entry, TaskEntry) and entry.trained else None
    usual = WITH_MNLI if alone and not setting else Sweep(LEARNING_RATES[defaults], EPOCHS[defaults])
    first = {"epochs": usual.epochs, "patience": None, "recipe": "trainer"}
    if alone:
        rows = options["rows"] or alone.rows
        first["record_every"] = record_interval(min(alone.rows - alone.validation_rows, rows), training["batch"])
    evaluated = windows_of(windows) if windows else named_windows(evaluate)
    fields: dict[str, Any] = {
        "model": model,
        "checkpoints": chosen_checkpoints(model, checkpoints)[slice(None) if checkpoints else slice(-1, None)],
        "data": "task" if task else "parallel",
        "corpus": entry.id,
        "sources": _sources(entry, sources),
        "languages": chosen_languages(entry, languages),
        "learning_rates": usual.learning_rates,
        "seeds": list(range(seeds)),
        "extra": task_named(extra).id if extra else None,
        "training": first | training | {"windows": evaluated, "prefix": prefix},
    }
    return validate(TransferSpec, fields | options)


def weights(
    run: Annotated[str, typer.Option(help="The run's id or its beginning: the name of its file in records/")],
    step: Annotated[int | None, typer.Option(help="A step that the run recorded; its last by default")] = None,
) -> TransferWeightsSpec:
    """Keep a fine-tuned model: the run is trained again up to the step, checked, and saved for `transformers`.

    Example: run weights --run 0232a146 --step 120 --wait
    """
    matching = [file for file in records.files(workspaces()) if file.run.startswith(run) and len(run) >= FEWEST]
    names = sorted({file.run for file in matching})
    if len(names) != 1:
        several = f"Several runs begin with '{run[:24]}': {', '.join(names)}. Give more of the id."
        none = f"There is no run '{run[:24]}'. `scores --demo --experiment transfer` lists runs by id."
        raise SpecError(several if names else none)
    return spec_of(matching[0], int(matching[0].provenance["steps"]) if step is None else step, entries(workspaces()))


@declares(LanguageSimilaritySpec)
def similarity(
    model: Model,
    corpus: Corpus,
    languages: Languages = "",
    checkpoints: Checkpoints = "",
    prefix: Prefix = "",
    *,
    options: dict[str, Any],
) -> LanguageSimilaritySpec:
    """Similarity of languages: distance, dot product and cosine of translations, and how often the nearest is the translation.

    By the mean of a sentence's tokens, every layer and pair of languages, each on the sentences that both have.

    Example: run similarity --model "Demo MLM" --corpus "Demo sentences" --languages en,de,zh --wait
    """
    asked = compared_languages(model, corpus, languages, checkpoints)
    return validate(LanguageSimilaritySpec, asked | options | {"prefix": prefix})


def _data(task: str, corpus: str) -> TaskEntry | CorpusEntry:
    if bool(task) == bool(corpus):
        raise SpecError("Give --task or --corpus, one of them.")
    return task_named(task) if task else corpus_named(corpus)


def _sources(entry: TaskEntry | CorpusEntry, sources: str) -> list[str]:
    """Return the languages to train on: those that have training rows. Raises `SpecError` for another."""
    chosen = chosen_languages(entry, sources)
    if not isinstance(entry, TaskEntry):
        return chosen
    if sources and (lacking := [tag for tag in chosen if tag not in entry.sources]):
        raise SpecError(f"'{entry.name}' has no training rows in {', '.join(lacking)}: train on {', '.join(entry.sources)}.")
    return [tag for tag in chosen if tag in entry.sources]


def _nearest(entry: TaskEntry | CorpusEntry) -> Setting:
    return nearest_setting(len(entry.labels), is_pair=entry.is_pair) if isinstance(entry, TaskEntry) else "parallel"


def _setting(name: str) -> Setting:
    for known in get_args(Setting):
        if name == known:
            return known  # type: ignore[no-any-return]
    raise SpecError(f"Table 4 has no setting '{name}'. {did_you_mean(name, get_args(Setting))}")
