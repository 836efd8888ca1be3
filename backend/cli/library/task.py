"""`isogloss task`: import labelled tasks, from files or of the Hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from isogloss.backend.cli.library.keeping import commands, default_name, files_at, importing
from isogloss.backend.corpora.tasks.library import KIND
from isogloss.backend.corpora.tasks.task import LabelledTask

app = commands(KIND)

Part = Literal["train", "validation", "test"]
Languages = Annotated[list[str], typer.Option("--language", help="Read only this language; may be repeated")]


@importing(app, KIND)
def import_task(
    files: Annotated[list[Path], typer.Argument(help="Files of one task (XTREME TSV, CSV, TSV, JSON Lines …), or a folder")],
    validation: Annotated[list[Path] | None, typer.Option(help="A file or folder for validation; may be repeated")] = None,
    language: Languages = [],  # noqa: B006 - typer makes a new list for each call
    label: Annotated[list[str] | None, typer.Option(help="A label that may occur; repeat it for each")] = None,
) -> tuple[LabelledTask, str]:
    """Read files as one labelled task and keep it. Prints what was recognised, and every row left out.

    Example: task import xnli/dev-*.tsv --name "XNLI dev"
    """
    from isogloss.backend.corpora.shared import apart
    from isogloss.backend.corpora.tasks.readers import read

    training, validating = files_at(files), files_at(validation or [])
    return apart.read(read, training, validating, languages=language, labels=label or []), default_name(files)


@importing(app, KIND, "hub")
def from_hub(
    dataset: Annotated[str, typer.Argument(help="facebook/xnli or google-research-datasets/paws-x")],
    split: Annotated[Part, typer.Option(help="The split to train on")] = "validation",
    validation: Annotated[Part | None, typer.Option(help="The split to validate on")] = None,
    test: Annotated[Part | None, typer.Option(help="The split kept beside, for probes")] = None,
    revision: Annotated[str, typer.Option(help="A branch, a tag or a commit")] = "main",
    language: Languages = [],  # noqa: B006 - typer makes a new list for each call
) -> tuple[LabelledTask, str]:
    """Load a task from the Hugging Face Hub and keep it, with the commit it came from."""
    from isogloss.backend.corpora.tasks import hub as task_hub

    # `load` refuses what is none of its data sets, with the nearest of them.
    parts = {"split": split, "validation": validation, "test": test}
    task = task_hub.load(dataset, language, **parts, revision=revision)  # type: ignore[arg-type]
    return task, f"{dataset.split('/')[-1]} {split}"
