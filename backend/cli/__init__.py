"""The command line: the same powers as the pages, for a machine without a browser."""

from __future__ import annotations

import sys
from typing import Any

import typer

from isogloss.backend.cli import (
    board,
    cache,
    dashboard,
    imports,
    jobs,
    notes,
    publish,
    relations,
    run,
    schemas,
    scores,
    watch,
    worker,
    xferbench,
)
from isogloss.backend.cli.library import alignment, corpus, covariates, dictionary, models, pretrain, tagged, task, vectors
from isogloss.backend.cli.library.emergent import corpora as emergent
from isogloss.backend.errors import IsoglossError


class Application(typer.Typer):
    """Shows an expected error as its sentence, on standard error, with exit status 1."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line. Raises `SystemExit` with status 1 for an `IsoglossError`."""
        try:
            return super().__call__(*args, **kwargs)
        except IsoglossError as error:
            print(f"Error: {error}", file=sys.stderr)
            raise SystemExit(1) from None


app = Application(
    invoke_without_command=True,
    callback=dashboard.main,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Look inside multilingual language models. Alone: open the dashboard in the browser, with a worker. With a command: "
    "import corpora, add models, compute scores and read them.",
)
app.add_typer(run.app, name="run")
app.add_typer(corpus.app, name="corpus")
app.add_typer(dictionary.app, name="dictionary")
app.add_typer(alignment.app, name="alignment")
app.add_typer(task.app, name="task")
app.add_typer(tagged.app, name="tagged")
app.add_typer(emergent.app, name="emergent")
app.add_typer(covariates.app, name="covariates")
app.add_typer(models.app, name="models")
app.add_typer(vectors.app, name="vectors")
app.add_typer(jobs.app, name="jobs")
app.add_typer(cache.app, name="cache")
app.add_typer(notes.app, name="notes")
app.add_typer(board.app, name="board")
app.add_typer(relations.app, name="relations")
app.add_typer(imports.app, name="import")
app.command("publish")(publish.publish)
app.command("scores")(scores.scores)
app.command("schemas")(schemas.schemas)
app.command("xferbench")(xferbench.xferbench)
app.command("pretrain")(pretrain.pretrain)
app.command("worker")(worker.work)
app.command("watch", context_settings=watch.REST)(watch.watch)
app.add_typer(watch.app, name="watches")
