"""`isogloss watch`: follow a training and score each checkpoint once it is complete; `isogloss watches`: the watches."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import click
import typer

from isogloss.backend.cli.jobs import moment
from isogloss.backend.cli.run import COMMANDS, ensure_worker
from isogloss.backend.cli.tables import table
from isogloss.backend.errors import IsoglossError, SpecError, StoreError, did_you_mean
from isogloss.backend.experiments import named
from isogloss.backend.experiments.command import expecting
from isogloss.backend.experiments.spec import validate
from isogloss.backend.experiments.words import count
from isogloss.backend.jobs.watch import headline, looking, record, rules, template
from isogloss.backend.jobs.watch.look import look
from isogloss.backend.jobs.watch.record import Seen, State, Watch
from isogloss.backend.models.files import hub
from isogloss.backend.models.library import growing
from isogloss.backend.settings import settings

app = typer.Typer(no_args_is_help=True, help="List the watches, stop one.")
REST = {"allow_extra_args": True, "ignore_unknown_options": True}
"""What is not an option of the watch is one of the run."""
RULE_FIRED, INTERRUPTED = 3, 130
"""Exit codes: a rule said something; Ctrl-C."""
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
PAUSE_SECONDS = 1.0


def watch(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="The folder of a training, which need not be there yet, or a Hub id")],
    measure: Annotated[
        str, typer.Option(help="What to score, as `run` calls it; its options follow: --corpus … --languages …")
    ],
    name: Annotated[str, typer.Option(help="What to call the model; by its folder or id if not given")] = "",
    every: Annotated[int, typer.Option(min=0, help="Of steps that are multiples of this number alone")] = 0,
    rule: Annotated[list[str] | None, typer.Option(help="Tell when it holds (may be repeated)")] = None,
    until_rule: Annotated[
        bool, typer.Option("--until-rule", help=f"End with exit code {RULE_FIRED} when a rule holds")
    ] = False,
    until_quiet: Annotated[str, typer.Option(help="End when nothing new came for so long: 30m, 2h")] = "",
    settle: Annotated[
        str, typer.Option(help="Without the Trainer's last file: complete after so long without a change")
    ] = "30s",
    on_rule: Annotated[str, typer.Option(help="A shell command to run when a rule holds; $ISOGLOSS_NOTE says what")] = "",
    background: Annotated[bool, typer.Option("--background", help="Leave it to the worker and return")] = False,
) -> None:
    """Score the checkpoints of a training as they come: each once it is complete, from a copy, added to its model.

    Takes the options of the measure's `run` after its own. Ends by Ctrl-C; with --background, by `watches stop`.

    Example: watch runs/my-run --measure abx --corpus "Demo sentences" --languages en,de --every 1000
    """
    asked = asked_for(source, measure, name, context.args, rules_=tuple(rule or ()), every=every, settle=seconds(settle))
    patience = seconds(until_quiet) if until_quiet else None
    if until_rule and not asked.rules:
        raise SpecError(
            "There is no rule to wait for. Give one: --rule 'meaning discrimination falls by more than its interval'."
        )
    workspace = settings().workspace
    identity = record.add(asked, workspace, by_worker=background)
    if background:
        ensure_worker()
        typer.echo(f"{identity} is watched by the worker: {asked.location}. `isogloss watches list` says what it has seen.")
        return
    typer.echo(f"Watching {asked.location} as '{asked.model}'. Ctrl-C ends it.")
    code = INTERRUPTED
    try:
        code = follow(asked, until_rule=until_rule, patience=patience, on_rule=on_rule)
    except KeyboardInterrupt:
        typer.echo()
    finally:
        found = record.state(workspace, identity)
        if not found.by_worker and not found.ended:
            record.end(workspace, identity, "Its command ended.")
        typer.echo(summary(found))
    if code:
        raise typer.Exit(code)


def asked_for(
    source: str, measure: str, name: str, rest: list[str], *, rules_: tuple[str, ...], every: int, settle: float
) -> Watch:
    """Return the watch that was typed. Raises `SpecError` or what the measure's own command raises, for what cannot be."""
    if source.startswith("-"):
        raise SpecError("Name the folder or the Hub id first: isogloss watch runs/my-run --measure abx …")
    if settle < record.LEAST_QUIET:
        raise SpecError(f"--settle is {settle:g} seconds; it must be at least {record.LEAST_QUIET:g}.")
    if measure not in COMMANDS:
        raise SpecError(f"There is no measure '{measure}' to watch. {did_you_mean(measure, COMMANDS)}")
    folder = Path(source).expanduser()
    is_hub = not folder.exists() and hub.is_hub_id(source) and not source.startswith((".", "/", "~"))
    location = source if is_hub else str(folder.resolve())
    called = name.strip() or Path(location).name
    made = typer.Typer()
    made.command(measure)(COMMANDS[measure])
    with expecting(called, template.TO_COME):
        try:
            command = typer.main.get_command(made)
            spec = command.main([*rest, "--model", called], f"isogloss watch … --measure {measure}", standalone_mode=False)
        except click.ClickException as error:
            raise SpecError(f"{error.format_message()} `isogloss run {measure} --help` has the options.") from error
    named.check_here(spec, settings().workspaces)
    kept = template.of(spec)
    rules.validate(rules_, kept)
    typed = {"source": "hub" if is_hub else "folder", "location": location, "model": called, "spec": kept, "every": every}
    return validate(Watch, typed | {"quiet": settle, "rules": rules_, "created_at": time.time()})


def seconds(text: str) -> float:
    """Return how long `30m`, `2h` or `45s` is. Raises `SpecError` for what is no length."""
    read = re.fullmatch(r"(\d+(?:\.\d+)?) ?([smh]?)", text.strip())
    if read is None:
        raise SpecError(f"'{text[:40]}' is no length of time. Write 45s, 30m or 2h.")
    return float(read[1]) * UNITS[read[2]]


def follow(asked: Watch, *, until_rule: bool, patience: float | None, on_rule: str) -> int:
    """Look again and again, and print a line for each checkpoint; returns the exit code. Raises `KeyboardInterrupt`."""
    shown: set[tuple[str, str, str]] = set()
    told, changed, before = record.state(settings().workspace, asked.id).fired, time.monotonic(), State()
    while True:
        now = settings()
        with suppress(StoreError):  # a full disk, or a queue that is away: tried again
            look(asked, now)
        state = record.state(now.workspace, asked.id)
        for seen in state.seen:
            if seen.status not in ("waiting", "queued") and (key := (seen.name, seen.mark, seen.status)) not in shown:
                shown.add(key)
                typer.echo(line(asked, state, seen))
        new = state.fired[len(told) :]
        for fired in new:
            typer.echo(f"RULE  {fired.sentence}")
        if on_rule:
            looking.tell(on_rule, asked, new)
        told = state.fired
        if new and until_rule:
            return RULE_FIRED
        if state.ended:
            return 0
        if state != before:
            before, changed = state, time.monotonic()
        in_hand = any(each.status == "queued" for each in state.seen)
        if in_hand:
            ensure_worker()
        elif patience is not None and time.monotonic() - changed > patience:
            return 0
        time.sleep(PAUSE_SECONDS)


def line(asked: Watch, state: State, seen: Seen) -> str:
    """Say in one line what became of a checkpoint."""
    if seen.status != "scored":
        return f"{seen.label or seen.name}{' failed:' if seen.status == 'failed' else ''} {seen.why}"
    number = None
    with suppress(IsoglossError):
        model = growing.called(state.model, settings().workspace)
        kept = next(each for each in model.checkpoints if each.fingerprint == seen.fingerprint) if model else None
        number = headline.of(asked, state.model, kept, settings().workspaces) if kept else None
    if number is None:
        return f"{seen.label}: scored"
    what, (value, low, high) = number[0].lower(), (number[1].value, number[1].low, number[1].high)
    ends = f" [{low:.3f}, {high:.3f}]" if low == low else ""  # nan: a mean of several pairs may have none
    return f"{seen.label}: scored, {what} {value:.3f}{ends}"


def summary(state: State) -> str:
    """Say what a watch has done."""
    scored, passed = len(state.scored), sum(each.status in ("passed", "failed") for each in state.seen)
    waiting = sum(each.status in ("waiting", "queued") for each in state.seen)
    more = f", {passed} passed over or failed" * bool(passed) + f", {waiting} not done" * bool(waiting)
    return f"{count(scored, 'checkpoint')} scored{more}, {count(len(state.fired), 'note')} of rules."


@app.command("list")
def list_watches() -> None:
    """The watches, newest first: id, state, model, where, what is scored, what was seen last."""
    found = record.watches(settings().workspace)
    if not found:
        typer.echo("Nothing is watched. Start with `watch`.")
        return
    rows = []
    for asked, state in found:
        last = max(state.seen, key=lambda each: each.at, default=None)
        said = "" if last is None else f"{last.label or last.name} {last.status} {moment(last.at)} {last.why}".strip()
        how = state.ended or state.trouble or ("by the worker" if state.by_worker else "by its command")
        rows.append((asked.id, how, state.model or asked.model, asked.location, len(state.scored), said))
    typer.echo(table(rows, ["id", "state", "model", "where", "scored", "last"]))
    for _, state in found:
        for fired in state.fired:
            typer.echo(f"RULE  {moment(fired.at)}  {fired.sentence}")


@app.command("stop")
def stop(watch_id: Annotated[str, typer.Argument(metavar="WATCH", help="Its id")]) -> None:
    """End a watch. Its model and scores stay, and a run in hand goes on."""
    record.end(settings().workspace, watch_id, "It was stopped.")
    typer.echo(f"{watch_id} is stopped.")
