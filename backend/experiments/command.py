"""What the families' commands share: options that several have, and from what is typed to checkpoints and languages.

A command takes typed options and returns a spec; `backend.cli.run` adds what all have and queues it.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from backend.errors import SpecError, did_you_mean
from backend.experiments.named import corpus_named, workspaces

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from backend.corpora.parallel.library import CorpusEntry
    from backend.corpora.tasks.library import TaskEntry
    from backend.models.entry import Checkpoint

R = TypeVar("R")

Model = Annotated[str, typer.Option(help="A model of the workspace, by name")]
Corpus = Annotated[str, typer.Option(help="A saved corpus, by name or id")]
Languages = Annotated[str, typer.Option(help="BCP-47 tags separated by commas; all of the corpus by default")]
Checkpoints = Annotated[str, typer.Option(help="Checkpoint labels separated by commas; all by default")]
Pairs = Annotated[
    str, typer.Option(help="Pairs such as en:de,en:fr; one language such as en for all its pairs; all by default")
]
Prefix = Annotated[
    str, typer.Option(help="Text set before every sentence, such as 'query: ' (`models list --catalogue` says which model's)")
]


def with_options(
    run: Callable[..., R], command: Callable[..., Any], added: Mapping[str, tuple[Any, Any]], without: str = ""
) -> Callable[..., R]:
    """Give `run`, which wraps `command`, its options but for `without`, and those `added`: name → annotation and default."""
    own = inspect.signature(command, eval_str=True)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in added.items()
    ]
    kept = [each for each in own.parameters.values() if each.name != without]
    run.__annotations__ = get_type_hints(command, include_extras=True) | {each.name: each.annotation for each in more}
    run.__annotations__.pop(without, None)
    run.__signature__ = own.replace(parameters=[*kept, *more])  # type: ignore[attr-defined]  # typer reads it
    del run.__wrapped__  # type: ignore[attr-defined]  # else typer would read the command's own
    return run


def split_commas(text: str) -> list[str]:
    """What stands between the commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def chosen_checkpoints(model: str, labels: str) -> Sequence[Checkpoint]:
    """The checkpoints of a model that `labels` (separated by commas) names; all where it names none.

    Raises `SpecError` for a label that the model lacks, `ModelError` for an unknown model.
    """
    from backend.models.library.library import load_entry

    entry = load_entry(model, workspaces())
    wanted, known = split_commas(labels), [checkpoint.label for checkpoint in entry.checkpoints]
    for label in wanted:
        if label not in known:
            raise SpecError(f"'{model}' has no checkpoint '{label}'. {did_you_mean(label, known)}")
    return [checkpoint for checkpoint in entry.checkpoints if not wanted or checkpoint.label in wanted]


def chosen_languages(corpus: CorpusEntry | TaskEntry, tags: str) -> list[str]:
    """The languages that `tags` (separated by commas) names; all of the corpus where it names none.

    Raises `SpecError` for one that the corpus lacks.
    """
    for tag in split_commas(tags):
        if tag not in corpus.tags:
            raise SpecError(f"'{corpus.name}' has no language '{tag}'. {did_you_mean(tag, corpus.tags)}")
    return split_commas(tags) or list(corpus.tags)


def compared_languages(model: str, corpus: str, languages: str, checkpoints: str) -> dict[str, Any]:
    """Fill the fields that every spec has that compares the languages of a parallel corpus in a model's checkpoints.

    Raises `SpecError` or `ModelError` for a name that is not known.
    """
    kept = corpus_named(corpus)
    return {
        "model": model,
        "checkpoints": chosen_checkpoints(model, checkpoints),
        "corpus": kept.id,
        "languages": chosen_languages(kept, languages),
    }
