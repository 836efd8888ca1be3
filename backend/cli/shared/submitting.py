"""What the commands of `run` share: their common options, and from a spec to the queue."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from backend.cli.shared.naming import workspaces
from backend.errors import SpecError, did_you_mean
from backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backend.corpora.parallel.library import CorpusEntry
    from backend.corpora.tasks.library import TaskEntry
    from backend.experiments.spec import Spec
    from backend.models.entry import Checkpoint

Model = Annotated[str, typer.Option(help="A model of the workspace, by name")]
Corpus = Annotated[str, typer.Option(help="A kept corpus, by name or id")]
Languages = Annotated[str, typer.Option(help="BCP-47 tags separated by commas; all of the corpus by default")]
Checkpoints = Annotated[str, typer.Option(help="Checkpoint labels separated by commas; all by default")]
PrintSpec = Annotated[bool, typer.Option("--print-spec", help="Print the spec as JSON and do not run it")]
Wait = Annotated[bool, typer.Option("--wait", help="Show progress until it is finished")]


def listed(text: str) -> list[str]:
    """What stands between the commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def chosen_checkpoints(model: str, labels: str) -> Sequence[Checkpoint]:
    """The checkpoints of a model that `labels` (separated by commas) names; all where it names none.

    Raises `SpecError` for a label that the model lacks, `ModelError` for an unknown model.
    """
    from backend.models.library.library import load_entry

    entry = load_entry(model, workspaces())
    wanted, known = listed(labels), [checkpoint.label for checkpoint in entry.checkpoints]
    for label in wanted:
        if label not in known:
            raise SpecError(f"'{model}' has no checkpoint '{label}'. {did_you_mean(label, known)}")
    return [checkpoint for checkpoint in entry.checkpoints if not wanted or checkpoint.label in wanted]


def chosen_languages(corpus: CorpusEntry | TaskEntry, tags: str) -> list[str]:
    """The languages that `tags` (separated by commas) names; all of the corpus where it names none.

    Raises `SpecError` for one that the corpus lacks.
    """
    for tag in listed(tags):
        if tag not in corpus.tags:
            raise SpecError(f"'{corpus.name}' has no language '{tag}'. {did_you_mean(tag, corpus.tags)}")
    return listed(tags) or list(corpus.tags)


def submit(spec: Spec, print_spec: bool, wait: bool) -> None:
    """Queue a spec, or with `print_spec` show it."""
    if print_spec:
        typer.echo(spec.model_dump_json(indent=1))
    else:
        queue(spec.model_dump(mode="json"), wait)


def queue(value: dict[str, object], wait: bool) -> None:
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
