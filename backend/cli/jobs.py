"""`isogloss jobs`: the runs of the queue, as the Jobs page lists them: look, cancel, resume."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.backend.cli.run import follow, submit
from isogloss.backend.cli.tables import table
from isogloss.backend.errors import SpecError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.pricing.estimate import duration
from isogloss.backend.experiments.words import count
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from isogloss.backend.jobs.job import Job

app = typer.Typer(no_args_is_help=True, help="List runs, look at one, cancel it, resume it, forget it.")

Id = Annotated[str, typer.Argument(help="Its id, or a part of it that no other run has")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON")]
NEWEST = 50
FEWEST = 4
"""Characters of an id: fewer would name a run by accident."""


@app.command("list")
def list_jobs(as_json: Json = False, limit: Annotated[int, typer.Option(min=1, help="The newest so many")] = NEWEST) -> None:
    """The runs, newest first: id, state (with the place in the queue), what is done, when it was queued, what it computes."""
    from isogloss.backend.jobs import client

    jobs = client.jobs(settings(), limit)
    if as_json:
        typer.echo(json.dumps([described(job) for job in jobs], indent=1))
    elif not jobs:
        typer.echo("No run is known. Start one with `run`.")
    else:
        rows = [(job.id, state(job), progress(job), moment(job.created_at), registry.title(job.spec)) for job in jobs]
        typer.echo(table(rows, ["id", "state", "done", "queued", "run"]))


@app.command("show")
def show(run: Id, as_json: Json = False) -> None:
    """One run: its state, what it is doing, how long it was computed, why parts failed, and its spec as JSON."""
    job = one(run)
    if as_json:
        typer.echo(json.dumps(described(job), indent=1))
        return
    rows = [
        ("run", registry.title(job.spec)),
        ("id", job.id),
        ("state", state(job)),
        ("done", progress(job) + (f", now {job.doing}" if job.doing else "")),
        ("queued", moment(job.created_at)),
        *([("by", job.by)] if job.by else []),
        *([("ended", moment(job.finished_at))] if job.finished_at else []),
        *([("computed", duration(job.seconds))] if job.seconds is not None else []),
    ]
    typer.echo("\n".join(f"{what:<9} {value}" for what, value in rows))
    for label, reason in job.failures:
        typer.echo(f"failed    {label + ': ' if label else ''}{reason}")
    typer.echo(json.dumps(job.spec, indent=1))


@app.command("cancel")
def cancel(run: Id) -> None:
    """Cancel a run that waits or is computed. What is computed already stays, and `jobs resume` goes on from there."""
    from isogloss.backend.jobs import client

    job = one(run)
    if job.state not in ("waiting", "running"):
        raise SpecError(f"{job.id} is over ({job.state}): there is nothing to cancel.")
    client.cancel(job.id, settings())
    typer.echo(f"{job.id} is cancelled.")


@app.command("resume")
def resume(run: Id, wait: Annotated[bool, typer.Option("--wait", help="Show progress until it is finished")] = False) -> None:
    """Queue a cancelled or failed run again; what is computed already is not computed again."""
    job = one(run)
    if job.state in ("waiting", "running", "done"):
        raise SpecError(f"{job.id} is {job.state}: there is nothing to resume.")
    again = submit(registry.parse(job.spec))
    typer.echo(f"{again} goes on with {job.id}.")
    if wait:
        follow(again)


@app.command("forget")
def forget(run: Id) -> None:
    """Remove a run that is over from the list, with those that it took up again. Its scores stay."""
    from isogloss.backend.jobs import client

    job = one(run)
    if job.state in ("waiting", "running"):
        raise SpecError(f"{job.id} is {job.state}: cancel it first.")
    client.forget(job.id, settings())
    typer.echo(f"{job.id} is forgotten; its scores stay.")


def one(run: str) -> Job:
    """Return the run with this id, or with this part of its id. Raises `SpecError` for none and for several."""
    from isogloss.backend.jobs import client

    exact = client.job(run, settings())
    if exact is not None:
        return exact
    jobs = [job for job in client.jobs(settings(), 1000) if run in job.id] if len(run) >= FEWEST else []
    if not jobs:
        raise SpecError(f"There is no run '{run[:60]}'. `jobs list` has the ids.")
    if len(jobs) > 1:
        raise SpecError(
            f"Several runs have '{run[:60]}' in their id: {', '.join(job.id for job in jobs[:5])}. Give more of it."
        )
    return jobs[0]


def state(job: Job) -> str:
    """`waiting (place 2)`, `running`."""
    return f"{job.state} (place {job.place})" if job.place else job.state


def progress(job: Job) -> str:
    """`1 of 4 checkpoints (40%)`."""
    return f"{job.done:,} of {count(job.total, registry.piece(job.spec) or 'part')} ({job.share:.0%})"


def described(job: Job) -> dict[str, Any]:
    """Return a run as JSON has it; times are of UTC."""
    failures = [{"label": label, "reason": reason} for label, reason in job.failures]
    times = {name: iso(getattr(job, name)) for name in ("created_at", "finished_at")}
    return asdict(job) | {"title": registry.title(job.spec), "failures": failures, "shards": list(job.shards)} | times


def moment(seconds: float) -> str:
    """A time for people, of this machine's zone."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def iso(seconds: float | None) -> str | None:
    """A time of UTC as ISO 8601 writes it."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
