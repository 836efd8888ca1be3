"""`isogloss tagged`: import tagged text, from files or of the Hub, and look into it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isogloss.backend.cli.library.keeping import Known, commands, default_name, files_at, importing
from isogloss.backend.cli.tables import table
from isogloss.backend.corpora.tagged.corpus import TaggedCorpus
from isogloss.backend.corpora.tagged.library import KIND
from isogloss.backend.experiments.named import tagged_named, workspaces

app = commands(KIND, show=False)


@importing(app, KIND)
def import_tagged(
    files: Annotated[list[Path], typer.Argument(help="CoNLL-U, or a word, a tab and its tag on each line; or a folder")],
    language: Annotated[list[str], typer.Option("--language", help="Read only this language; may be repeated")] = [],  # noqa: B006
) -> tuple[TaggedCorpus, str]:
    """Read files as one tagged corpus and keep it. Prints what was recognised, and what was left out.

    Example: tagged import pud/*.conllu --name PUD
    """
    from isogloss.backend.corpora.shared import apart
    from isogloss.backend.corpora.tagged.readers import read

    return apart.read(read, files_at(files), languages=language), default_name(files)


@importing(app, KIND, "hub")
def from_hub(
    dataset: Annotated[str, typer.Argument(help="universal-dependencies/universal_dependencies or unimelb-nlp/wikiann")],
    configurations: Annotated[list[str], typer.Argument(help="Treebanks such as en_pud, or languages of WikiAnn such as en")],
    revision: Annotated[
        str, typer.Option(help="A branch, a tag or a commit; by default the one that holds Parquet files")
    ] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="The first sentences of each part only")] = None,
) -> tuple[TaggedCorpus, str]:
    """Load tagged text from the Hugging Face Hub and keep it, with the commit it came from."""
    from isogloss.backend.corpora.tagged import hub

    # `load` refuses what is none of its data sets, with the nearest of them.
    corpus = hub.load(dataset, configurations, revision=revision or None, limit=limit)  # type: ignore[arg-type]
    return corpus, f"{dataset.split('/')[-1]} {configurations[0]}"


@app.command("show")
def show(
    name: Known,
    sentences: Annotated[int, typer.Option(min=0, help="How many sentences of each language to print")] = 1,
) -> None:
    """The parts of a saved tagged corpus in each language, how often each tag occurs, and its first sentences."""
    from isogloss.backend.corpora.tagged.parts import PARTS

    entry = tagged_named(name)
    corpus = KIND.load(entry.id, workspaces())
    typer.echo(f"{entry.name} ({entry.id}): {KIND.summary(entry)}.")
    for warning in entry.warnings:
        typer.echo(f"Note: {warning}")
    rows = []
    for tag in corpus.languages:
        own = [corpus.sizes.get((tag, part), (0, 0)) for part in PARTS]
        rows.append((tag, *(f"{count:,} ({words:,})" for count, words in own)))
    typer.echo(table(rows, ["language", *(f"{part}: sentences (words)" for part in PARTS)]))
    shares = [(tag, *(_share(corpus, language, tag) for language in corpus.languages)) for tag in corpus.tags]
    typer.echo(table(shares, ["tag, % of words", *corpus.languages]))
    for tag in corpus.languages:
        for sentence in corpus.own(tag, corpus.parts[tag][0])[:sentences]:
            tagged = " ".join(f"{word}/{own}" for word, own in zip(sentence.words, sentence.tags, strict=True))
            typer.echo(f"{tag} {sentence.id}: {tagged}")


def _share(corpus: TaggedCorpus, language: str, tag: str) -> str:
    own = corpus.tag_counts[language]
    return f"{100 * own[tag] / sum(own.values()):.1f}" if tag in own else "-"
