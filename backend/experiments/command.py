"""What the families' commands share: options that several have, and from what is typed to checkpoints and languages.

A command takes typed options and returns a spec; `backend.cli.run` adds what all have and queues it.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_type_hints

import typer

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.experiments.named import corpus_named, workspaces
from isogloss.backend.option import Declared, commas, declared

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from pydantic import BaseModel

    from isogloss.backend.corpora.parallel.library import CorpusEntry
    from isogloss.backend.corpora.tasks.library import TaskEntry
    from isogloss.backend.models.entry import Checkpoint

R = TypeVar("R")
_to_come: ContextVar[tuple[str, Checkpoint] | None] = ContextVar("to_come", default=None)

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
    signature = inspect.signature(command, eval_str=True)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in added.items()
    ]
    kept = [each for each in signature.parameters.values() if each.name != without]
    run.__annotations__ = get_type_hints(command, include_extras=True) | {each.name: each.annotation for each in more}
    run.__annotations__.pop(without, None)
    run.__signature__ = signature.replace(parameters=[*kept, *more])  # type: ignore[attr-defined]  # typer reads it
    del run.__wrapped__  # type: ignore[attr-defined]  # else typer would read the command's own
    return run


def declares(
    model: type[BaseModel], into: str = "options", leave: Collection[str] = (), preset: Mapping[str, str] | None = None
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Give a command the options that a spec (or a part of one) declares, but for `leave`: it gets their values in `into`.

    The command has a parameter of that name, a dict of the fields that were typed or have a default of their own. One whose
    default depends on another field is left to the spec where it was not typed. So is one of `preset` (field → whose default
    it has in words, `the preset's`), which the command fills in. What holds several values is typed with commas.
    """
    options = {name: option for name, option in declared(model).items() if option.option.typed and name not in leave}
    whose = preset or {}

    def decorate(command: Callable[..., R]) -> Callable[..., R]:
        @wraps(command)
        def run(**typed: Any) -> R:
            values = {name: _read(option, typed.pop(name)) for name, option in options.items()}
            depends = {name for name, option in options.items() if name in whose or option.info.default_factory is not None}
            return command(**typed, **{into: {n: v for n, v in values.items() if not (n in depends and v in (None, []))}})

        added = {name: _typed(option, options, whose.get(name, "")) for name, option in options.items()}
        return with_options(run, command, added, into)

    return decorate


def _typed(option: Declared, options: Mapping[str, Declared], whose: str) -> tuple[Any, Any]:
    """Return annotation and default of an option, as typer reads them; `whose` default it has where a preset says."""
    depends, flag = bool(whose) or option.info.default_factory is not None, flag_of(option)
    kind = str if option.kind == "several" else option.annotation
    default: Any = None if depends else option.default({})
    needed = [_beside(options[name], values) for name, values in option.option.when.items() if name in options]
    text = "; ".join(each for each in (option.option.help, *needed, f"{whose} by default" if whose else "") if each)
    # Of a switch that is off by default `--no-…` would say nothing.
    names = [flag] if option.option.flag or (option.kind == "switch" and default is False) else []
    if option.kind == "several" and not depends:
        default = commas(default)
    return Annotated[kind | None if depends else kind, typer.Option(*names, help=text)], default


def _beside(option: Declared, values: Collection[Any]) -> str:
    """Return with what of another option one counts: `with --protocol sampled`."""
    flag = flag_of(option)
    if option.kind == "switch":
        on, _, off = flag.partition("/")
        return f"with {on if True in values else off}"
    return f"with {flag} {' or '.join(map(str, values))}"


def _read(option: Declared, typed: Any) -> Any:
    """Return what was typed of an option as its field has it. Raises `SpecError` where several numbers are none."""
    if option.kind != "several" or typed is None:
        return typed
    kind = get_args(option.annotation)[0]
    try:
        return [kind(part) if kind in (int, float) else part for part in split_commas(typed)]
    except ValueError:
        raise SpecError(f"{flag_of(option)} takes numbers separated by commas, not '{typed[:40]}'.") from None


def flag_of(option: Declared) -> str:
    """Return what an option is called on the command line."""
    return option.option.flag or f"--{option.name.replace('_', '-')}"


def split_commas(text: str) -> list[str]:
    """What stands between the commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


@contextmanager
def expecting(model: str, checkpoint: Checkpoint) -> Iterator[None]:
    """Have commands take `checkpoint` for all that a model of this name has: of a training that is to come there may be none.

    What they return is then a pattern, to be filled with the checkpoints as they come.
    """
    token = _to_come.set((model, checkpoint))
    try:
        yield
    finally:
        _to_come.reset(token)


def chosen_checkpoints(model: str, labels: str) -> Sequence[Checkpoint]:
    """The checkpoints of a model that `labels` (separated by commas) names; all where it names none.

    Raises `SpecError` for a label that the model lacks, `ModelError` for an unknown model.
    """
    from isogloss.backend.models.library.library import load_entry

    if (coming := _to_come.get()) is not None and coming[0] == model and not labels:
        return [coming[1]]
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
