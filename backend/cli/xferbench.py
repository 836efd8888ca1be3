"""`isogloss xferbench FILE`: from a file of an emergent language to its XferBench score, in one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.backend.cli.library.emergent.corpora import Field, Form, ImportOptions, Renumber, SymbolsOf, keep_files
from isogloss.backend.cli.library.keeping import DropBroken
from isogloss.backend.cli.run import queue
from isogloss.backend.cli.tables import table
from isogloss.backend.corpora.languages.languages import name_of
from isogloss.backend.corpora.parallel import library as corpora
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments.command import declares
from isogloss.backend.experiments.named import workspaces
from isogloss.backend.experiments.sources.same_texts import same_texts
from isogloss.backend.experiments.sources.source import NONE, EmergentSource
from isogloss.backend.experiments.xferbench import amounts
from isogloss.backend.experiments.xferbench.command import xferbench as spec_of
from isogloss.backend.experiments.xferbench.printed.tables import TARGETS
from isogloss.backend.experiments.xferbench.queries import matrix
from isogloss.backend.experiments.xferbench.spec import XferBenchSpec
from isogloss.backend.settings import settings


@declares(XferBenchSpec, leave=("preset",))
def xferbench(
    file: Annotated[
        Path, typer.Argument(help="JSON Lines of integer arrays, a data set folder, or what `emergent import` reads")
    ],
    targets: Annotated[
        list[str] | None,
        typer.Option("--target", help="Text as CORPUS/LANGUAGE, repeatable; by default the benchmark's targets that are saved"),
    ] = None,
    preset: Annotated[str, typer.Option(help="paper (days on a GPU) or quick (minutes on a CPU)")] = "quick",
    seeds: Annotated[int, typer.Option(help="How many, from 0", min=1)] = 1,
    name: Annotated[str, typer.Option(help="What to call the language; the file's name by default")] = "",
    field: Field = "",
    symbols: SymbolsOf = None,
    form: Form = None,
    renumber: Renumber = False,
    drop_broken: DropBroken = False,
    *,
    options: dict[str, Any],
) -> None:
    """Keep an emergent language and score it: cross-entropy in nats per token, lower is better. Waits until that is there.

    Example: xferbench messages.jsonl --preset quick
    """
    asked = spec_of(
        sources=[NONE], targets=targets or kept_targets(), preset=preset, seeds=seeds, **options
    )  # or nothing is kept
    entry = keep_files([file], name, ImportOptions(field, symbols, form, renumber), drop_broken=drop_broken)
    spec = asked.model_copy(update={"sources": (EmergentSource(corpus=entry.id, name=entry.name),)})
    typer.echo(f"Targets: {', '.join(f'{target.label} ({target.name})' for target in spec.targets)}.")
    queue(spec, wait=True)
    typer.echo(score_of(spec, entry.name))


def kept_targets() -> list[str]:
    """Return the benchmark's ten targets that the user keeps, as CORPUS/LANGUAGE: each in the longest text that has it.

    The demo's few sentences are too short to tune on. Raises `SpecError` where there is none.
    """
    longest: dict[str, tuple[int, str]] = {}
    for entry in corpora.entries([settings().workspace]):
        for known in entry.languages:
            if known.tag in TARGETS:
                longest[known.tag] = max(longest.get(known.tag, (0, "")), (known.characters, f"{entry.id}/{known.tag}"))
    if not longest:
        raise SpecError(
            f"No corpus of yours has text in a target of XferBench ({', '.join(map(name_of, TARGETS))}). Fetch one with "
            "`isogloss corpus wikipedia`, import one with `isogloss corpus import`, or name another text "
            "with --target CORPUS/LANGUAGE."
        )
    return [longest[tag][1] for tag in TARGETS if tag in longest]


def score_of(spec: XferBenchSpec, name: str) -> str:
    """Return the scores of a spec with one source that is computed, as text, beside the baselines that were scored likewise."""
    from isogloss.backend.experiments.xferbench import baselines, frames  # SciPy is a fifth of every command's start

    (source,) = spec.sources
    same = same_texts(workspaces())
    labels = {same.get(target.key, target.key): target.label for target in spec.targets}
    sources = [source.key, NONE, baselines.random_source(spec.options(0)).corpus]
    known = matrix(frames.cells_of(workspaces(), spec.variant.name, sources, list(labels)))
    values = known[list(labels)].dropna()  # a baseline that lacks a target does not compare
    columns = {source.key: "cross-entropy"} | {key: baselines.name_of(key) for key in values.index if key != source.key}
    rows = [(label, *(f"{values[text][key]:.3f}" for key in columns)) for text, label in labels.items()]
    missing = len(TARGETS) - len({target.language for target in spec.targets} & set(TARGETS))
    note = f" {missing} of its ten targets are lacking: compare only with scores on the same targets." if missing else ""
    short = amounts.note(amounts.short_targets(spec.variant.name, workspaces()), labels)
    return (
        table(rows, ["target", *columns.values()])
        + f"\nXferBench score of '{name}': {values.loc[source.key].mean():.3f} nats per token (lower is better), the mean over "
        + f"{len(rows)} target{'s' * (len(rows) > 1)}; preset {spec.preset}, protocol {spec.protocol}.{note}{short}"
        + "".join(f"\n{baselines.against(values, source.key, key)}" for key in columns if key != source.key)
        + ("" if len(columns) > 1 else "\nNo baseline is computed on these targets: `run xferbench --source none` has one.")
    )
