"""`isogloss run …`: every family's commands, which submit the same specs that the pages submit."""

from __future__ import annotations

import sys
import time
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.backend.errors import SpecError, StoreError
from isogloss.backend.experiments import registry
from isogloss.backend.experiments.command import with_options
from isogloss.backend.experiments.plug_ins import commands_of
from isogloss.backend.experiments.words import count
from isogloss.backend.files import parse_json
from isogloss.backend.jobs import busy, slots
from isogloss.backend.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from isogloss.backend.experiments.family import Command
    from isogloss.backend.experiments.pricing.estimate import Estimate
    from isogloss.backend.experiments.spec import Spec

PrintSpec = Annotated[bool, typer.Option("--print-spec", help="Print the spec as JSON and do not run it")]
Wait = Annotated[bool, typer.Option("--wait", help="Show progress until it is finished")]
FRUITLESS = 5
"""Workers that `follow` starts without the run coming further."""
LONGEST_SPEC = 16 << 20
"""Bytes; one with a thousand checkpoints has half a million."""
COMMANDS, LEFT_OUT = commands_of(registry.FAMILIES, registry.BUILT_IN)

app = typer.Typer(no_args_is_help=True, help=f"Compute something: {', '.join(COMMANDS)}, or a spec in a JSON file.")


@app.callback()
def tell_left_out() -> None:
    """Say what of other packages cannot be used, before any command."""
    for sentence in (*registry.LEFT_OUT, *LEFT_OUT):
        typer.echo(sentence, err=True)


def submitting(command: Command) -> Callable[..., None]:
    """`command` with the options `--print-spec` and `--wait`: the spec that it returns is shown, or queued."""

    @wraps(command)
    def run(*, print_spec: bool, wait: bool, **options: Any) -> None:
        spec = command(**options)
        if print_spec:
            typer.echo(spec.model_dump_json(indent=1))
        else:
            queue(spec, wait)

    return with_options(run, command, {"print_spec": (PrintSpec, False), "wait": (Wait, False)})


for name, command in COMMANDS.items():
    app.command(name)(submitting(command))


@app.command()
def spec(
    file: Annotated[Path, typer.Argument(help="A spec as JSON (see --print-spec)")],
    wait: Wait = False,
) -> None:
    """Run a spec from a JSON file."""
    try:
        with open(file, "rb") as opened:
            text = opened.read(LONGEST_SPEC + 1)
        if len(text) > LONGEST_SPEC:
            raise ValueError(f"it is longer than {LONGEST_SPEC >> 20} MiB")
        value = parse_json(text)
    except (OSError, ValueError) as error:
        raise SpecError(f"{file.name} cannot be read as JSON: {error}. Make one with `run abx … --print-spec`.") from error
    queue(registry.parse(value), wait)


def queue(spec: Spec, wait: bool) -> None:
    """Queue a spec, starting a worker where none is alive; with `wait` show its progress to the end."""
    from isogloss.backend.experiments import named

    now = settings()
    named.check_here(spec, now.workspaces)
    known = registry.EXPERIMENTS[spec.experiment]
    cost = price_of(spec)
    run_id = submit(spec)
    parts = count(len(spec.shards()), known.piece or "shard")
    typer.echo(f"{run_id} queued: {parts}" + (f", {cost.text} ({cost.why[0].lower()}{cost.why[1:]})." if cost else "."))
    if (room := registry.room(spec, slots.machine(now.workspace), now.workspaces)) and not room.fits:
        typer.echo(room.text)
    if wait:
        follow(run_id)
        if known.outcome and (said := known.outcome(spec, now.workspaces)):
            typer.echo(said)
    if known.result:
        typer.echo(f"It {'is' if wait else 'will be'} in {known.result(spec, now.workspace)}")


def submit(spec: Spec) -> str:
    """Queue a spec and return its run's id; a worker is alive before, for the queue to be there, and afterwards."""
    from isogloss.backend.jobs import client

    ensure_worker()
    run_id = client.submit(spec, settings())
    ensure_worker()  # the one that was alive may just have found nothing left
    return run_id


def ensure_worker() -> bool:
    """Start a worker where none is alive, and say so: one that ends when nothing is left. Returns whether one was started."""
    from isogloss.backend.jobs import starter

    if not starter.ensure_worker(settings(), until_empty=True):
        return False
    if started := starter.last(settings()):
        typer.echo(f"Worker {started.process.pid} was started; it ends when nothing is left to compute.")
    return True


def price_of(spec: Spec) -> Estimate | None:
    """Return how long a spec will take on this machine just now; None where it has computed none alike before."""
    now = settings()
    return busy.adapted(registry.price(spec, slots.machine(now.workspace), now.workspaces), now)


def follow(run_id: str) -> None:
    """Show a run's progress, and start a worker where none is left.

    On a terminal one line moves; a file gets a line for each state, 10% and, where something changes, minute.

    Ends the command with status 1 where the run does not end well. Raises `StoreError` where workers end one after the other.
    """
    from isogloss.backend.jobs import client

    shown, fruitless = "", 0
    moves, written, at = sys.stdout.isatty(), ("", -1), 0.0
    while True:
        job = client.job(run_id, settings())
        if job is None:
            raise SpecError(f"{run_id} is no longer in the queue.")
        line = f"{job.share:4.0%}  {job.done}/{job.total} {job.state}{', ' + job.doing if job.doing else ''}"
        if line != shown:
            reached = (job.state, int(10 * job.share))
            if moves:
                typer.echo(f"\r\x1b[K{line}", nl=False)  # over the line before
            elif reached != written or time.monotonic() - at >= 60:
                typer.echo(line)
                written, at = reached, time.monotonic()
            shown, fruitless = line, 0
        if job.state not in {"waiting", "running"}:
            break
        fruitless += ensure_worker()
        if fruitless > FRUITLESS:
            raise StoreError(
                f"{FRUITLESS} workers ended before the run came further. Read {settings().workspace / 'jobs' / 'worker.log'}, "
                f"then start `isogloss worker`: {run_id} waits."
            )
        time.sleep(0.5)
    if moves:
        typer.echo()
    for label, reason in job.failures:
        typer.echo(f"{label}: {reason}", err=True)
    if job.state != "done":
        raise typer.Exit(1)
