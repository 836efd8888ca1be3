"""`python -m backend task`: import labelled tasks and list them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from backend.cli.library.keeping import DropBroken, add_remove, add_rename, default_name, said, tell
from backend.cli.tables import table
from backend.corpora.tasks.library import SHELF
from backend.errors import CorpusError
from backend.experiments.named import task_named, workspaces
from backend.settings import settings

if TYPE_CHECKING:
    from backend.corpora.shared.inputs import InputFile
    from backend.corpora.tasks.task import LabelledTask

app = typer.Typer(no_args_is_help=True, help="Import labelled tasks (sentences or pairs with classes) and list them.")

add_rename(app, task_named, SHELF)
add_remove(app, task_named, SHELF)

Name = Annotated[str, typer.Option(help="What to call it")]
Licence = Annotated[str, typer.Option(help="Its licence, such as CC-BY-NC-4.0")]
Languages = Annotated[list[str], typer.Option("--language", help="Read only this language; may be repeated")]


@app.command("import")
def import_task(
    files: Annotated[list[Path], typer.Argument(help="Files of one task (XTREME TSV, CSV, TSV, JSON Lines …), or a folder")],
    name: Name = "",
    validation: Annotated[list[Path] | None, typer.Option(help="A file or folder for validation; may be repeated")] = None,
    language: Languages = [],  # noqa: B006 - typer makes a new list for each call
    label: Annotated[list[str] | None, typer.Option(help="A label that may occur; repeat it for each")] = None,
    licence: Licence = "",
    drop_broken: DropBroken = False,
) -> None:
    """Read files as one labelled task and keep it. Prints what was recognised, and every row left out.

    Example: task import xnli/dev-*.tsv --name "XNLI dev"
    """
    from backend.corpora.shared import apart
    from backend.corpora.tasks.readers import read

    task = apart.read(read, files_of(files), files_of(validation or []), languages=language, labels=label or [])
    _keep(task, name or default_name([file.as_posix() for file in files]), licence, drop_broken=drop_broken)


@app.command("hub")
def from_hub(
    dataset: Annotated[str, typer.Argument(help="facebook/xnli or google-research-datasets/paws-x")],
    name: Name = "",
    split: Annotated[Literal["train", "validation", "test"], typer.Option(help="The split to train on")] = "validation",
    validation: Annotated[Literal["train", "validation", "test"] | None, typer.Option(help="The split to validate on")] = None,
    test: Annotated[
        Literal["train", "validation", "test"] | None, typer.Option(help="The split kept beside, for probes")
    ] = None,
    revision: Annotated[str, typer.Option(help="A branch, a tag or a commit")] = "main",
    language: Languages = [],  # noqa: B006 - typer makes a new list for each call
    licence: Licence = "",
    drop_broken: DropBroken = False,
) -> None:
    """Load a task from the Hugging Face Hub and keep it, with the commit it came from."""
    from backend.corpora.tasks import hub as task_hub

    # `load` refuses what is none of its data sets, with the nearest of them.
    parts = {"split": split, "validation": validation, "test": test}
    task = task_hub.load(dataset, language, **parts, revision=revision)  # type: ignore[arg-type]
    _keep(task, name or f"{dataset.split('/')[-1]} {split}", licence, drop_broken=drop_broken)


@app.command("list")
def list_tasks() -> None:
    """The kept tasks: name, id, rows (and how many are for validation), labels, languages."""
    from backend.corpora.tasks import library as task_library

    rows = [
        (e.name, e.id, e.rows, e.validation_rows, " ".join(e.labels)[:60], " ".join(e.languages))
        for e in task_library.entries(workspaces())
    ]
    typer.echo(table(rows, ["name", "id", "rows", "validation", "labels", "languages"]))


def _keep(task: LabelledTask, name: str, licence: str, *, drop_broken: bool) -> None:
    from backend.corpora.tasks import library as task_library

    report = task.report
    tell(report, drop_broken=drop_broken)
    entry = task_library.keep(task, name, settings().workspace, licence=licence or None)
    kind = "pairs of sentences" if entry.is_pair else "sentences"
    test = f", {entry.test_rows} more for testing" if entry.test_rows else ""
    facts = (
        f"{report.format}: {entry.rows} {kind}, {entry.validation_rows} of them for validation{test}, "
        f"{len(entry.labels)} labels, {len(entry.languages)} languages"
    )
    said(facts, entry, name, "task")


def files_of(paths: list[Path]) -> list[InputFile]:
    """The files at some paths and in folders, named as an archive names its members. Raises `CorpusError` for none."""
    from backend.corpora.shared.inputs import InputFile

    found = []
    for path in paths:
        if not path.exists():
            raise CorpusError(f"There is no file '{path.name}'.", remedy="Give the path of a file or a folder.")
        # A folder's name may say the language of its files, as an archive's does.
        inside = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else []
        found += [InputFile(each.relative_to(path).as_posix(), each) for each in inside if not each.name.startswith(".")]
        found += [InputFile(path.name, path)] if path.is_file() else []
    return found
