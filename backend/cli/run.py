"""`python -m backend run …`: submit the same specs that the pages submit."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, get_args

import typer
from pydantic import ValidationError

from backend.cli.shared import corpus_named, workspaces
from backend.errors import SpecError, did_you_mean
from backend.experiments.abx import AbxSpec, Protocol
from backend.experiments.spec import first_problem
from backend.models.entry import Pooling
from backend.settings import settings

app = typer.Typer(no_args_is_help=True, help="Compute something: abx, or a spec in a JSON file.")
Wait = Annotated[bool, typer.Option("--wait", help="Show progress until it is finished")]


@app.command()
def abx(
    model: Annotated[str, typer.Option(help="A model of the workspace, by name")],
    corpus: Annotated[str, typer.Option(help="A kept corpus, by name or id")],
    languages: Annotated[str, typer.Option(help="BCP-47 tags separated by commas; all of the corpus by default")] = "",
    checkpoints: Annotated[str, typer.Option(help="Checkpoint labels separated by commas; all by default")] = "",
    pooling: Annotated[str, typer.Option(help=f"One of: {', '.join(get_args(Pooling))}")] = "mean",
    protocol: Annotated[str, typer.Option(help=f"One of: {', '.join(get_args(Protocol))}")] = "exact",
    n_triplets: Annotated[
        int, typer.Option(help="Triplets a pair, half of them in each direction, for --protocol sampled")
    ] = 100_000,
    sentences: Annotated[int | None, typer.Option(help="Use the first so many sentences")] = None,
    seed: Annotated[int, typer.Option(help="For --protocol sampled and control")] = 0,
    print_spec: Annotated[bool, typer.Option("--print-spec", help="Print the spec as JSON and do not run it")] = False,
    wait: Wait = False,
) -> None:
    """ABX language and meaning discrimination, every layer and pair of languages (de Seyssel et al. 2025).

    Example: run abx --model "Demo MLM" --corpus "Demo sentences" --languages en,de,zh --wait
    """
    from backend.models.library import load_entry

    entry = load_entry(model, workspaces())
    kept = corpus_named(corpus)
    wanted = [label.strip() for label in checkpoints.split(",") if label.strip()]
    labels = [checkpoint.label for checkpoint in entry.checkpoints]
    for label in wanted:
        if label not in labels:
            raise SpecError(f"'{model}' has no checkpoint '{label}'. {did_you_mean(label, labels)}")
    for tag in _tags(languages):
        if tag not in kept.tags:
            raise SpecError(f"'{kept.name}' has no language '{tag}'. {did_you_mean(tag, kept.tags)}")
    try:
        spec = AbxSpec.model_validate(
            {
                "model": entry.name,
                "checkpoints": [c for c in entry.checkpoints if not wanted or c.label in wanted],
                "corpus": kept.id,
                "languages": _tags(languages) or list(kept.tags),
                "pooling": pooling,
                "protocol": protocol,
                "n_triplets": n_triplets,
                "sentences": sentences,
                "seed": seed,
            }
        )
    except ValidationError as error:
        raise first_problem(error) from error
    if print_spec:
        typer.echo(spec.model_dump_json(indent=1))
        return
    submit(spec.model_dump(mode="json"), wait)


def _tags(text: str) -> list[str]:
    return [tag.strip() for tag in text.split(",") if tag.strip()]


@app.command()
def spec(
    file: Annotated[Path, typer.Argument(help="A spec as JSON (see --print-spec)")],
    wait: Wait = False,
) -> None:
    """Run a spec from a JSON file."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(f"{file.name} cannot be read as JSON: {error}. Make one with `run abx … --print-spec`.") from error
    submit(value, wait)


def submit(value: dict[str, object], wait: bool) -> None:
    """Queue a spec, starting a worker where none is alive; with `wait` show its progress to the end."""
    from backend.jobs import client, families

    now = settings()
    parsed = families.parse(value)
    client.ensure_worker(now)
    run_id = client.submit(parsed, now)
    typer.echo(f"{run_id} queued: {len(parsed.shards())} shards.")
    if not wait:
        return
    shown = ""
    while True:
        job = client.job(run_id, now)
        if job is None:
            raise SpecError(f"{run_id} is no longer in the queue.")
        line = f"{job.share:4.0%}  {job.done}/{job.total} {job.state}{', ' + job.doing if job.doing else ''}"
        if line != shown:
            typer.echo(line)
            shown = line
        if job.state not in {"waiting", "running"}:
            break
        time.sleep(0.5)
    for label, reason in job.failures:
        typer.echo(f"{label}: {reason}", err=True)
    if job.state != "done":
        raise typer.Exit(1)
