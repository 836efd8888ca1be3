"""`python -m backend corpus`: import parallel corpora and list them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backend.cli.library.keeping import DropBroken, add_remove, add_rename, default_name, said, tell
from backend.cli.tables import table
from backend.corpora.parallel import hub, hub_text
from backend.corpora.parallel.layouts import Side
from backend.corpora.parallel.library import SHELF
from backend.experiments.named import corpus_named, workspaces
from backend.settings import settings

app = typer.Typer(no_args_is_help=True, help="Import parallel corpora and list them.")


add_rename(app, corpus_named, SHELF)
add_remove(app, corpus_named, SHELF)


@app.command("import")
def import_corpus(
    files: Annotated[list[Path], typer.Argument(help="Files of one corpus, in any format the Library page takes, or a folder")],
    name: Annotated[str, typer.Option(help="What to call it")] = "",
    drop_broken: DropBroken = False,
) -> None:
    """Read files as one parallel corpus and keep it. Prints what was recognised, and every row left out."""
    from backend.corpora.parallel import library
    from backend.corpora.parallel.readers import InputFile, read
    from backend.corpora.shared import apart

    paths = [path for file in files for path in (sorted(file.iterdir()) if file.is_dir() else [file])]
    corpus = apart.read(read, [InputFile(path.name, path) for path in paths if path.is_file()])
    tell(corpus.report, drop_broken=drop_broken)
    called = name or default_name([file.as_posix() for file in files])
    entry = library.keep(corpus, called, settings().workspace)
    said(f"{corpus.report.format}: {entry.sentences} sentences, {len(entry.tags)} languages", entry, called, "corpus")


@app.command("hub")
def hub_corpus(
    dataset: Annotated[str, typer.Argument(help=f"One of: {', '.join(hub.HUB_DATASETS)}")],
    language: Annotated[list[str], typer.Option(help="A language's code; may be repeated")],
    name: Annotated[str, typer.Option(help="What to call it; by the data set if not given")] = "",
    split: Annotated[str, typer.Option(help="By default the one that is usual for evaluation")] = "",
    revision: Annotated[str, typer.Option(help="A branch, a tag or a commit")] = "main",
    side: Annotated[Side, typer.Option(help="Of XNLI: which sentences of its pairs")] = "premise",
    limit: Annotated[int | None, typer.Option(min=2, help="The first so many rows")] = None,
    drop_broken: DropBroken = False,
) -> None:
    """Load a parallel corpus from the Hugging Face Hub and keep it, with the commit it came from.

    Example: corpus hub openlanguagedata/flores_plus --language en --language de --language zh
    """
    from backend.corpora.parallel import library

    # `load` refuses what is none of its data sets, with the nearest of them.
    corpus = hub.load(dataset, language, split=split or None, revision=revision, side=side, limit=limit)  # type: ignore[arg-type]
    tell(corpus.report, drop_broken=drop_broken)
    called = name or f"{dataset.split('/')[-1]} {split or hub.ABOUT[dataset].split}"  # type: ignore[index]
    entry = library.keep(corpus, called, settings().workspace)
    said(f"{corpus.report.format}: {entry.sentences} sentences, {len(entry.tags)} languages", entry, called, "corpus")


@app.command("wikipedia")
def wikipedia(
    language: Annotated[str, typer.Argument(help="Wikipedia's code, such as eu, or any name of the language")],
    name: Annotated[str, typer.Option(help="What to call it; by its language if not given")] = "",
    dump: Annotated[str, typer.Option(help="The date of the dump")] = hub_text.DUMP,
    revision: Annotated[str, typer.Option(help="Of the data set: a branch, a tag or a commit")] = hub_text.REVISION,
    characters: Annotated[int, typer.Option(min=1, help="Stop once the articles have so many")] = hub_text.CHARACTERS,
    articles: Annotated[int | None, typer.Option(min=1, help="Take so many, however long they are")] = None,
    released: Annotated[
        hub_text.Released | None,
        typer.Option(help="What XferBench's code reads of a target or of a source: its revision and number of articles"),
    ] = None,
) -> None:
    """Keep the first articles of a Wikipedia (wikimedia/wikipedia of the Hub) as a corpus of one language, for XferBench.

    Example: corpus wikipedia da --released target
    """
    from backend.corpora.languages import languages
    from backend.corpora.parallel import library

    if released is not None:
        revision, articles = hub_text.RELEASED_REVISION, hub_text.RELEASED_ARTICLES[released]
    corpus = hub_text.wikipedia(
        language,
        dump=dump,
        revision=revision,
        characters=characters,
        articles=articles,
        progress=lambda read: typer.echo(f"{read:,} characters", err=True),
    )
    called = name or f"Wikipedia, {languages.language(corpus.languages[0]).name}"
    entry = library.keep(corpus, called, settings().workspace, licence=hub_text.LICENCE)
    said(f"{entry.sentences:,} articles, {corpus.report.skipped_count:,} left out", entry, called, "corpus")


@app.command("list")
def list_corpora() -> None:
    """The kept corpora: name, id, sentences, languages."""
    from backend.corpora.parallel import library

    rows = [(entry.name, entry.id, entry.sentences, " ".join(entry.tags)) for entry in library.entries(workspaces())]
    typer.echo(table(rows, ["name", "id", "sentences", "languages"]))
