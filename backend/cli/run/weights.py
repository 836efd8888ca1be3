"""`python -m backend run weights`: keep the fine-tuned model of one step of a transfer run."""

from __future__ import annotations

from typing import Annotated

import typer

from backend.cli.shared.naming import workspaces
from backend.cli.shared.submitting import PrintSpec, Wait, submit
from backend.errors import SpecError
from backend.experiments.transfer.weights import spec_of
from backend.models.library.library import entries
from backend.settings import settings
from backend.store import records, weights

FEWEST = 4
"""Letters of a run's id: fewer would name one by accident."""


def kept_weights(
    run: Annotated[str, typer.Option(help="The run's id or its beginning: the name of its file in records/")],
    step: Annotated[int | None, typer.Option(help="A step that the run recorded; its last by default")] = None,
    print_spec: PrintSpec = False,
    wait: Wait = False,
) -> None:
    """Keep a fine-tuned model: the run is trained again up to the step, checked, and saved for `transformers`.

    Example: run weights --run 0232a146 --step 120 --wait
    """
    found = [file for file in records.files(workspaces()) if file.run.startswith(run) and len(run) >= FEWEST]
    names = sorted({file.run for file in found})
    if len(names) != 1:
        several = f"Several runs begin with '{run[:24]}': {', '.join(names)}. Give more of the id."
        raise SpecError(several if names else f"There is no run '{run[:24]}'. `scores --experiment transfer` lists runs by id.")
    spec = spec_of(found[0], int(found[0].about["steps"]) if step is None else step, entries(workspaces()))
    submit(spec, print_spec, wait)
    if not print_spec:
        typer.echo(f"It will be in {weights.path(settings().workspace, spec.id)}" if not wait else _where(spec.id))


def _where(spec_id: str) -> str:
    kept = weights.load(spec_id, workspaces())
    return f"It is in {kept.folder}" if kept else "It is not there."
