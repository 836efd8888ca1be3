"""`isogloss corpus`: import parallel corpora, from files, of the Hub or of Wikipedia."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isogloss.backend.cli.library.keeping import commands, default_name, files_at, importing, report_kept
from isogloss.backend.corpora.parallel import hub, hub_text
from isogloss.backend.corpora.parallel.corpus import ParallelCorpus
from isogloss.backend.corpora.parallel.layouts import Side
from isogloss.backend.corpora.parallel.library import KIND
from isogloss.backend.settings import settings

app = commands(KIND)


@importing(app, KIND)
def import_corpus(
    files: Annotated[list[Path], typer.Argument(help="Files of one corpus, in any format the Library page takes, or a folder")],
) -> tuple[ParallelCorpus, str]:
    """Read files as one parallel corpus and keep it. Prints what was recognised, and every row left out."""
    from isogloss.backend.corpora.parallel.readers import read
    from isogloss.backend.corpora.shared import apart

    return apart.read(read, files_at(files, deep=False)), default_name(files)


@importing(app, KIND, "hub")
def hub_corpus(
    dataset: Annotated[str, typer.Argument(help=f"One of: {', '.join(hub.HUB_DATASETS)}")],
    language: Annotated[list[str], typer.Option(help="A language's code; may be repeated")],
    split: Annotated[str, typer.Option(help="By default the one that is usual for evaluation")] = "",
    revision: Annotated[str, typer.Option(help="A branch, a tag or a commit")] = "main",
    side: Annotated[Side, typer.Option(help="Of XNLI: which sentences of its pairs")] = "premise",
    limit: Annotated[int | None, typer.Option(min=2, help="The first so many rows")] = None,
) -> tuple[ParallelCorpus, str]:
    """Load a parallel corpus from the Hugging Face Hub and keep it, with the commit it came from.

    Example: corpus hub openlanguagedata/flores_plus --language en --language de --language zh
    """
    # `load` refuses what is none of its data sets, with the nearest of them.
    corpus = hub.load(dataset, language, split=split or None, revision=revision, side=side, limit=limit)  # type: ignore[arg-type]
    return corpus, f"{dataset.split('/')[-1]} {split or hub.ABOUT[dataset].split}"  # type: ignore[index]


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
    from isogloss.backend.corpora.languages import languages

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
    entry = KIND.keep(corpus, called, settings().workspace, licence=hub_text.LICENCE)
    report_kept(f"{entry.sentences:,} articles, {corpus.report.skipped_count:,} left out", entry, called, "corpus")
