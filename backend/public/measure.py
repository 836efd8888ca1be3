"""`isogloss.measure`: a model and texts in, a tidy frame of scores out, by the specs that pages and commands make."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

from isogloss.backend.errors import SpecError, did_you_mean
from isogloss.backend.public import given, running
from isogloss.backend.public.place import at

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    import pandas as pd

    from isogloss.backend.experiments.spec import Spec
    from isogloss.backend.settings import Settings

TEXTS = ("corpus", "task")
"""The options that a command may call its texts by."""


def measure(
    what: str,
    /,
    *,
    model: Any = None,
    corpus: str | Mapping[str, Sequence[str | None]] | None = None,
    languages: str | Sequence[str] | None = None,
    layers: Sequence[int] | None = None,
    tokenizer: Any = None,
    name: str | None = None,
    label: str | None = None,
    step: int | None = None,
    workspace: str | PathLike[str] | None = None,
    queue: bool = False,
    seconds: float | None = None,
    progress: bool = True,
    **options: Any,
) -> pd.DataFrame:
    """Measure a model on texts, and return the scores of exactly this run. What was computed before is not computed again.

    Args:
        what: A measurement by its name on the command line, `isogloss run …`: `abx`, `sentences`, `words`, `probing-words`,
            `probing-sentences`, `similarity`, `transfer` … It is computed from the same specification as there.
        model: A model of the workspace by its name, a folder, a Hub id (`owner/name`, `owner/name@revision`), or a model
            object of `transformers`. An object is known by its weights: equal weights are the same model, wherever they are.
        corpus: Texts kept in the workspace, by name or id, or lists of texts: language → texts, where text i of all languages
            is the same one and None is missing. The same lists are the same corpus. Of probing sentences: the labelled task.
        languages: BCP-47 tags, at least two; all of the corpus by default.
        layers: The layers returned (0 is the input embedding); all by default. One pass computes all of them.
        tokenizer: Of a model object.
        name: What a model object is kept as; by default what it was loaded from, and the beginning of its fingerprint.
        label: What this state of a model object is called; checkpoints of one name are one model. By default its step.
        step: Its training step, by which checkpoints are ordered.
        workspace: The folder where all is kept; by default that of the command line and the dashboard.
        queue: Have the workers of the queue compute it, as pages do, and wait; else this process computes it.
        seconds: Stop after so many, in this process. What was done is kept, and a further call goes on from there.
        progress: Draw a bar.
        options: Those of the command, by the names of its parameters: `pooling="mean"`, `protocol="sampled"`,
            `dictionary=["MUSE en-de"]`, `pairs=[("en", "de")]`, `checkpoints=["step1000"]`. Unknown ones are named.

    Returns:
        A row a score: `metric`, `model`, `checkpoint` (its label), `step`, `layer`, `source`, `target` (languages), `corpus`,
        `variant` (what makes two values of one metric not comparable), `dictionary`, `seed`, `value`, `low`, `high` (the 95%
        interval; its method by metric, and units and directions, are in `docs/definitions.md`), `n`, and after these
        `experiment`, `fingerprint`, `corpus_id`, `run`, `created_at`.

    Raises:
        SpecError: An unknown measurement, option or value (what there is instead is said), or a run that did not end well.
        ModelError, CorpusError: A model or texts that cannot be found or read.
        StoreError: The workspace cannot be written, or this installation looks only.
        TimeUpError: `seconds` were over.

    Source: the papers of each measure, in `docs/definitions.md`.
    """
    from isogloss.backend.public import rows

    with at(workspace) as settings, ExitStack() as until:
        command, parameters = _command(what)
        asked = _with_texts(parameters, corpus, languages, options, settings)
        here: Mapping[str, str] = {}
        if model is not None:
            if queue and not isinstance(model, str) and hasattr(model, "save_pretrained"):
                raise SpecError("A model object is measured in this process. Save it, and give its folder to the queue.")
            called = given.Called(name, label, step)
            found = until.enter_context(given.model(model, tokenizer, called, settings))
            asked["model"], here = found.name, found.here
            if found.label:
                asked["checkpoints"] = found.label
        spec = located(command(**typed(what, parameters, asked)), here)
        running.check(spec, settings)
        with running.bar(what, len(spec.shards()), shown=progress) as report:
            if queue:
                running.by_queue(spec, settings, report)
            else:
                running.here(spec, settings, report, seconds)
        frame = rows.of_run(spec, settings.workspaces)
        return frame if layers is None else frame[frame["layer"].isin(list(layers))].reset_index(drop=True)


def pattern(
    what: str,
    model: str,
    corpus: str | Mapping[str, Sequence[str | None]] | None,
    languages: str | Sequence[str] | None,
    options: Mapping[str, Any],
    settings: Settings,
) -> dict[str, Any]:
    """Return what a watch keeps of the spec that `measure` would compute: of a model called `model`, whatever it will have.

    Raises `SpecError` for an unknown measurement or option, `CorpusError` for texts that cannot be found or read.
    """
    from isogloss.backend.experiments.command import expecting
    from isogloss.backend.jobs.watch import template

    command, parameters = _command(what)
    asked = _with_texts(parameters, corpus, languages, options, settings) | {"model": model}
    with expecting(model, template.TO_COME):
        return template.of(command(**typed(what, parameters, asked)))


def _with_texts(
    parameters: Mapping[str, inspect.Parameter],
    corpus: str | Mapping[str, Sequence[str | None]] | None,
    languages: str | Sequence[str] | None,
    options: Mapping[str, Any],
    settings: Settings,
) -> dict[str, Any]:
    """Return a command's options, with texts by the name that it has for them; lists of texts are kept first."""
    asked = dict(options)
    if languages is not None:
        asked["languages"] = languages
    if corpus is not None:
        kept = corpus if isinstance(corpus, str) else given.corpus(corpus, None, settings)
        asked[next((each for each in TEXTS if each in parameters), "corpus")] = kept
    return asked


def _command(what: str) -> tuple[Callable[..., Spec], Mapping[str, inspect.Parameter]]:
    """Return the command that makes the spec of a measurement, and its parameters. Raises `SpecError` for an unknown one."""
    from isogloss.backend.experiments import registry
    from isogloss.backend.experiments.plug_ins import commands_of

    commands, _ = commands_of(registry.FAMILIES, registry.BUILT_IN)
    if (name := what.replace("_", "-")) not in commands:
        raise SpecError(f"There is no measurement '{what[:80]}'. {did_you_mean(name, commands)}")
    return commands[name], inspect.signature(commands[name], eval_str=True).parameters


def typed(what: str, parameters: Mapping[str, inspect.Parameter], asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return a command's options as if they had been typed: those not asked for at their defaults, lists between commas.

    Raises `SpecError` for one that the command lacks, and where one that it needs is missing.
    """
    if unknown := sorted(asked.keys() - parameters.keys()):
        raise SpecError(f"'{what}' has no option '{unknown[0]}'. {did_you_mean(unknown[0], parameters)}")
    values = {}
    for name, parameter in parameters.items():
        if name not in asked and parameter.default is inspect.Parameter.empty:
            raise SpecError(f"'{what}' needs {name}=…: {_help(parameter.annotation)}.")
        value = asked.get(name, parameter.default)
        values[name] = _as_typed(value, parameter.annotation) if name in asked else value
    return values


def _as_typed(value: Any, annotation: Any) -> Any:
    """Return what the command line gives for a value: several in one text, or one in a list."""
    kind = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    takes_list = get_origin(kind) is list
    if isinstance(value, str):
        return [value] if takes_list else value
    if isinstance(value, Sequence) and not takes_list:
        return ",".join(each if isinstance(each, str) else _between(each) for each in value)
    return list(value) if takes_list else value


def _between(value: Any) -> str:
    return ":".join(map(str, value)) if isinstance(value, Sequence) else str(value)


def _help(annotation: Any) -> str:
    said = str(next((getattr(each, "help", "") for each in get_args(annotation)[1:]), ""))
    return said.split(";")[0].rstrip(".")


def located(spec: Spec, here: Mapping[str, str]) -> Spec:
    """Return the same spec, the same by its id, whose weights in memory are read from where they lie for now."""
    checkpoints = getattr(spec, "checkpoints", None)
    if not here or not checkpoints:
        return spec
    moved = [
        each.model_copy(update={"source": "folder", "location": here[each.fingerprint]}) if each.fingerprint in here else each
        for each in checkpoints
    ]
    return spec.model_copy(update={"checkpoints": tuple(moved)})
